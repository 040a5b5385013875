"""The operators that a question asks for."""

import pytest

from graphground.graphs.suggestions.operators import operators_of, order_of


@pytest.mark.parametrize(
    ("question", "counts"),
    [
        ("republican actors and democrats, figures both", True),
        ("members per party, figures please", True),
        ("which real persons appear as figures in #", False),
        ("paintings with figures of christ", False),
        ("which fines did # waive? give the numbers", False),
        ("give the number of fines", True),
    ],
)
def test_figures_and_numbers_ask_for_a_count_unless_they_are_something_else(question: str, counts: bool) -> None:
    assert ("count" in operators_of(question)) is counts


def test_both_counts_ask_for_each_and_no_excludes() -> None:
    assert "each" in operators_of("# or #: who represents more acts? both counts.")
    assert "not" in operators_of("which technicians hold no certificate?")
    assert "not" not in operators_of("is # open? yes or no please")


def test_the_longest_serving_is_the_earliest_and_the_longest_the_largest() -> None:
    for question in ("who is the longest-serving judge?", "who has served longest as a clinician?"):
        assert order_of(question) == ("time", False)
    assert order_of("which film has been the longest?") == ("size", True)
