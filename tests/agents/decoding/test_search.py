import random

import numpy as np
import pytest

from graphground.agents.decoding.constraint import Constraint
from graphground.agents.decoding.logits_processor import ConstrainedLogits
from graphground.agents.decoding.search import beam, greedy
from tests.agents.decoding.inputs import QUERIES, RandomModel, byte_vocabulary

VOCABULARY = byte_vocabulary(QUERIES)
CONSTRAINT = Constraint.of_queries(QUERIES, VOCABULARY)
END = next(iter(VOCABULARY.ends))


def sequences() -> dict[str, tuple[int, ...]]:
    return {query: (*(VOCABULARY.encoded(query) or ()), END) for query in QUERIES}


def score(model: RandomModel, tokens: tuple[int, ...]) -> float:
    rows = model.log_probabilities(tokens[:-1], len(tokens))
    return float(sum(row[token] for row, token in zip(rows, tokens, strict=True)))


@pytest.mark.parametrize("seed", range(12))
def test_greedy_decoding_takes_the_likeliest_next_token_of_all_valid_queries(seed: int) -> None:
    model, left, written = RandomModel(len(VOCABULARY), seed), dict(sequences()), ()
    while not written or written[-1] != END:  # by hand, from the list of queries alone
        row = model.log_probabilities(written, 1)[0]
        best = max({tokens[len(written)] for tokens in left.values()}, key=lambda token: row[token])
        written = (*written, best)
        left = {query: tokens for query, tokens in left.items() if tokens[: len(written)] == written}
    assert [*left] == [greedy(model, CONSTRAINT).query]


@pytest.mark.parametrize("seed", range(6))
def test_a_beam_as_wide_as_the_number_of_queries_returns_all_ranked_by_the_model(seed: int) -> None:
    model = RandomModel(len(VOCABULARY), seed)
    found = beam(model, CONSTRAINT, len(QUERIES))
    scores = {query: score(model, tokens) for query, tokens in sequences().items()}
    assert [decoded.query for decoded in found] == sorted(scores, key=lambda query: -scores[query])
    assert [decoded.log_probability for decoded in found] == pytest.approx(sorted(scores.values(), reverse=True))


@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_narrow_beam_returns_valid_queries_and_a_beam_of_one_the_greedy_query(width: int) -> None:
    for seed in range(8):
        model = RandomModel(len(VOCABULARY), seed)
        found = beam(model, CONSTRAINT, width)
        assert 1 <= len(found) <= width
        assert {decoded.query for decoded in found} <= set(QUERIES)
        if width == 1:
            assert found[0].query == greedy(model, CONSTRAINT).query


def test_a_model_is_called_once_for_several_tokens_without_an_alternative() -> None:
    model = RandomModel(len(VOCABULARY))
    single = Constraint.of_queries(QUERIES[:1], VOCABULARY)
    assert greedy(model, single).query == QUERIES[0]
    assert model.asked == 1


def test_a_beam_of_width_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        beam(RandomModel(len(VOCABULARY)), CONSTRAINT, 0)


def test_the_logits_processor_keeps_only_valid_tokens() -> None:
    rng = random.Random(2)
    for _ in range(20):
        processor, written = ConstrainedLogits(CONSTRAINT), [9, 9, 9]
        while written[-1] != END:
            scores = np.random.default_rng(len(written)).normal(size=len(VOCABULARY)).astype(np.float32)
            masked = processor(np.array(written), scores)
            allowed = np.flatnonzero(masked > -np.inf)
            assert set(allowed) == set(CONSTRAINT.allowed(CONSTRAINT.state_of(written[3:])).tolist())
            assert (masked[allowed] == scores[allowed]).all()
            written.append(int(rng.choice(allowed.tolist())))
        assert CONSTRAINT.text_of(written[3:]) in QUERIES


def test_each_row_of_a_batch_is_constrained_by_its_own_beginning_and_ended_rows_end_again() -> None:
    processor = ConstrainedLogits(CONSTRAINT)
    first, second = (sequences()[query] for query in (QUERIES[0], QUERIES[-1]))
    scores = np.zeros((2, len(VOCABULARY)), np.float32)
    processor(np.array([[1], [1]]), scores)
    shared = min(len(first), len(second))
    for length in range(1, shared):
        masked = processor(np.array([[1, *first[:length]], [1, *second[:length]]]), scores)
        for row, tokens in zip(masked, (first, second), strict=True):
            assert row[tokens[length]] == 0
    ended = processor(np.array([[1, *first], [1, *first]]), scores)
    assert np.flatnonzero(ended[0] > -np.inf).tolist() == [END]
