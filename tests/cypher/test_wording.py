from collections.abc import Callable

import pytest

from graphground.cypher.diagnostics import all_of, counted, either, listed, sentence


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


@pytest.mark.parametrize(
    ("join", "texts"),
    [
        (listed, ("", "a", "a, b", "a, b, c", "a, b, c and 1 more", "a, b, c and 2 more")),
        (all_of, ("", "a", "a and b", "a, b and c", "a, b, c and 1 more", "a, b, c and 2 more")),
        (either, ("", "a", "a or b", "a, b or c", "a, b, c or one other", "a, b, c or one of 2 others")),
    ],
)
def test_a_list_of_any_length_reads_as_part_of_a_sentence(join: Callable[..., str], texts: tuple[str, ...]) -> None:
    assert tuple(join("abcde"[:length], 3) for length in range(6)) == texts


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("There is no label 'Movi'.", "There is no label 'Movi'."),
        ("`m` is not defined", "`m` is not defined."),
        ("expected ')'\n    RETURN (1\n             ^", "expected ')'."),
        ("Did you mean RETURN?\n    RETRUN 1\n    ^", "Did you mean RETURN?"),
    ],
)
def test_a_message_with_a_position_below_it_becomes_one_sentence(message: str, text: str) -> None:
    assert sentence(message) == text
