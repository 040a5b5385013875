import pytest

from graphground.cypher.wording import counted


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("row",), "0 rows"),
        (1, ("row",), "1 row"),
        (2500, ("row",), "2,500 rows"),
        (1, ("property", "properties"), "1 property"),
        (2, ("property", "properties"), "2 properties"),
    ],
)
def test_a_counted_noun_is_singular_for_1_alone(number: int, words: tuple[str, ...], text: str) -> None:
    assert counted(number, *words) == text
