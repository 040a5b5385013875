import pytest

from examples.graphraft.retrieval import hit_at, mean_reciprocal_rank, recall_at, reciprocal_rank

RANKED = ["d", "a", "x", "b", "y", "c"]
RELEVANT = {"a", "b", "c", "z"}


def test_hit_recall_and_rank_of_a_list_equal_those_worked_out_by_hand() -> None:
    assert [hit_at(RANKED, RELEVANT, k) for k in (1, 2, 5)] == [0.0, 1.0, 1.0]
    assert [recall_at(RANKED, RELEVANT, k) for k in (1, 4, 20)] == [0.0, 0.5, 0.75]
    assert reciprocal_rank(RANKED, RELEVANT) == 0.5
    assert mean_reciprocal_rank([(RANKED, RELEVANT), ([], {"a"}), (["a"], {"a"})]) == 0.5


def test_an_undefined_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="no item is relevant"):
        hit_at(["a"], [], 1)
    with pytest.raises(ValueError, match="at least 1"):
        recall_at(["a"], {"a"}, 0)
    with pytest.raises(ValueError, match="no answers"):
        mean_reciprocal_rank([])
