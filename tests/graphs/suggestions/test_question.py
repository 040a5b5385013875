import pytest

from graphground.graphs.suggestions.cues import cues_of
from graphground.graphs.suggestions.mentions import Entity, Mention
from graphground.graphs.suggestions.ranker import space_of
from tests.support.embedded_films import SCHEMA


@pytest.mark.parametrize(
    ("question", "quantities"),
    [
        ("films longer than 120 minutes", [("number", 120, ">")]),
        ("films of at least 1,500 seconds", [("number", 1500, ">=")]),
        ("people born before 1950", [("year", 1950, "<")]),
        ("people born after May 5th, 1940", [("date", "1940-05-05", ">")]),
        ("people who died on 3 June 1990", [("date", "1990-06-03", "=")]),
        ("films of 90 minutes or more", [("number", 90, ">=")]),
        ("cities with over 2.5 million people", [("number", 2_500_000, ">")]),
        ("films that cost no more than 20 dollars", [("number", 20, "<=")]),
    ],
)
def test_numbers_and_dates_are_read_with_the_comparison_next_to_them(
    question: str, quantities: list[tuple[str, object, str]]
) -> None:
    read = space_of(SCHEMA).read(question, [])
    assert [(found.kind, found.value, found.comparison) for found in read.quantities] == quantities


@pytest.mark.parametrize(
    ("masked", "cue"),
    [
        ("how many films did @0 direct", "how_many"),
        ("films by @0, and how many awards has each", "and_count"),
        ("films by @0 or @1", "or_between"),
        ("who was born earlier, @0 or @1", "compared"),
        ("who is currently married to @0", "current"),
        ("films of the same genre as @0", "same"),
        ("the names of films, sorted from the oldest to the newest", "sorted"),
        ("people who are not from @0", "negation"),
    ],
)
def test_words_for_operators_are_cues(masked: str, cue: str) -> None:
    assert cue in cues_of(masked)
    assert cue not in cues_of("which films did @0 direct")


def test_words_within_a_name_are_neither_cues_nor_words_of_the_schema() -> None:
    name = "Two or Three Films"
    question = f"Who directed {name}?"
    start = question.index(name)
    mention = Mention(name, start, start + len(name), (Entity(name, "Film", name, 1.0),))
    read = space_of(SCHEMA).read(question, [mention])
    assert "or" not in read.cues
    assert [word.text for word in read.words] == ["Who", "directed"]
    assert read.quantities == []


def test_the_first_word_about_order_decides_the_direction() -> None:
    space = space_of(SCHEMA)
    assert space.read("from the youngest to the oldest", []).order == ("time", "desc")
    assert space.read("the longest film", []).order == ("size", "desc")
    assert space.read("the most recent film", []).order == ("time", "desc")
    assert space.read("all films", []).order is None
