"""`French painters`: the adjective of a country means the country, if the graph has that country."""

from pathlib import Path

import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex
from graphground.graphs.entities.spans import COUNTRIES
from graphground.graphs.question.read import read_text
from tests.support.index_files import indexed

SCHEMA = PropertyGraphSchema(
    "painters",
    {
        "Painter": Label("Painter", {"name": "str", "country_of_citizenship": "list[str]"}),
        "Country": Label("Country", {"name": "str"}),
        "Tournament": Label("Tournament", {"name": "str"}),
    },
    (),
)


@pytest.fixture(scope="module")
def painters(tmp_path_factory: pytest.TempPathFactory) -> EntityIndex:
    folder: Path = tmp_path_factory.mktemp("painters") / "names"
    return indexed(
        folder,
        [
            Record("1", "Country", "France"),
            Record("2", "Country", "United States of America"),
            Record("3", "Tournament", "French Open"),
            Record("4", "Painter", "Ben Enwonwu", values={"country_of_citizenship": ["Nigeria"]}),
        ],
    )


@pytest.mark.parametrize(
    ("question", "text", "name"),
    [
        ("List the American painters.", "American", "United States of America"),
        ("How many painters are Nigerian?", "Nigerian", "Nigeria"),
    ],
)
def test_an_adjective_of_a_country_means_the_country(
    painters: EntityIndex, question: str, text: str, name: str
) -> None:
    (mention,) = read_text(question, SCHEMA, painters).mentions
    assert (mention.text, mention.judgement.verdict) == (text, "found")
    assert mention.judgement.candidates[0].name == name


def test_an_adjective_within_a_longer_name_belongs_to_that_name(painters: EntityIndex) -> None:
    (mention,) = read_text("Who won the French Open?", SCHEMA, painters).mentions
    assert mention.judgement.candidates[0].name == "French Open"
    assert "France" not in {
        candidate.name
        for mention in read_text("Who won the French Masters?", SCHEMA, painters).mentions
        if mention.judgement.verdict == "found"
        for candidate in mention.judgement.candidates
    }


def test_an_adjective_of_a_country_that_is_not_in_the_graph_is_ignored(painters: EntityIndex) -> None:
    verdicts = {
        mention.judgement.verdict
        for mention in read_text("Which Danish painters are there?", SCHEMA, painters).mentions
    }
    assert verdicts <= {"not_found"}


def test_only_capitalised_adjectives_are_recognised() -> None:
    assert COUNTRIES["French"] == ["France"]
    assert COUNTRIES.keys().isdisjoint(("french", "polish", "Sculpture"))
    assert all(adjective[0].isupper() and all(countries) for adjective, countries in COUNTRIES.items())
    assert len(COUNTRIES) > 150
