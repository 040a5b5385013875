import pytest

from graphground.graphs.question.read import quantities_in


@pytest.mark.parametrize(
    ("question", "quantities"),
    [
        ("films longer than 120 minutes", [("number", 120, ">")]),
        ("films of at least 1,500 seconds", [("number", 1500, ">=")]),
        ("people born before 1950", [("year", 1950, "<")]),
        ("teams older than 1950, and people older than 50", [("year", 1950, "<"), ("number", 50, ">")]),
        ("people born after May 5th, 1940", [("date", "1940-05-05", ">")]),
        ("people who died on 3 June 1990", [("date", "1990-06-03", "=")]),
        ("people who died on 30 February 1990", [("number", 30, "="), ("year", 1990, "=")]),
        ("films of 100000000000000000000 minutes", []),
        ("films of 90 minutes or more", [("number", 90, ">=")]),
        ("cities with over 2.5 million people", [("number", 2_500_000, ">")]),
        ("contracts that @@@@ signed by @@@ in the year 2022", [("year", 2022, "=")]),
        ("a fee above 150.000", [("number", 150_000, ">")]),
        ("whose signature is under work order 700100", [("number", 700_100, "=")]),
        ("films that cost no more than 20 dollars", [("number", 20, "<=")]),
        ("prizes won more than twice, and at least three times", [("number", 2, ">"), ("number", 3, ">=")]),
        ("bands that once played twice as long", []),
        ("bands that played exactly once", [("number", 1, "=")]),
        ("acts of more than one genre, and the one of none", [("number", 1, ">")]),
    ],
)
def test_numbers_and_dates_are_read_with_the_comparison_next_to_them(
    question: str, quantities: list[tuple[str, object, str]]
) -> None:
    assert [(found.kind, found.value, found.comparison) for found in quantities_in(question)] == quantities
