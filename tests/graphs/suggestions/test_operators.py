"""The operators that a question asks for."""

import pytest

from graphground.graphs.suggestions.operators import operators_of


@pytest.mark.parametrize(
    ("question", "counts"),
    [
        ("republican actors and democrats, figures both", True),
        ("members per party, figures please", True),
        ("which real persons appear as figures in #", False),
        ("paintings with figures of christ", False),
    ],
)
def test_figures_ask_for_a_count_unless_they_are_in_or_of_something(question: str, counts: bool) -> None:
    assert ("count" in operators_of(question)) is counts
