import time
from typing import Any

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.table import Table
from graphground.graphs.entities.names_in_database import KEPT_SECONDS, MENTIONS_AT_ONCE, NamesInDatabase
from graphground.graphs.entities.record import UnknownName
from graphground.graphs.graph import Graph

MENTIONS = ["Heat", "heat", "Michael Man", "Dvid Mamet", "heist film", "Gale Hurd", "qqqqqqqq", "", "James Cameron"]


@pytest.fixture(scope="module")
def names(film_graph: Graph) -> NamesInDatabase:
    assert film_graph.engine is not None
    return NamesInDatabase(film_graph.name, film_graph.engine, lambda: film_graph.schema)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mention", "name", "match"),
    [
        ("Heat", "Heat", "exact"),
        (" heat ", "Heat", "exact"),
        ("Michael Man", "Michael Mann", "fuzzy"),
        ("Dvid Mamet", "David Mamet", "fuzzy"),
    ],
)
def test_a_name_is_found_in_the_database_without_an_index(
    names: NamesInDatabase, mention: str, name: str, match: str
) -> None:
    found = names.find(mention)[0]
    assert (found.name, found.match) == (name, match)
    assert 0.6 <= found.score <= 1


@pytest.mark.slow
def test_several_mentions_together_get_the_same_results_as_each_alone(names: NamesInDatabase) -> None:
    assert len(MENTIONS) > MENTIONS_AT_ONCE
    for label in (None, "Person"):
        assert names.find_all(MENTIONS, label=label) == [names.find(mention, label=label) for mention in MENTIONS]


@pytest.mark.slow
def test_candidates_have_the_requested_label_and_descending_scores(names: NamesInDatabase) -> None:
    found = names.find("Michael Man", label="Person", limit=10)
    assert {candidate.label for candidate in found} == {"Person"}
    assert [candidate.score for candidate in found] == sorted((candidate.score for candidate in found), reverse=True)


@pytest.mark.slow
def test_search_by_meaning_is_refused_with_the_command_that_builds_vectors(names: NamesInDatabase) -> None:
    with pytest.raises(LookupError, match="graphground entities build films --vectors"):
        names.find_all(["Heat"], mode="vector")


SCHEMA = PropertyGraphSchema.from_cypherbench(
    {
        "name": "nba",
        "entities": [{"label": "Player", "properties": {"aliases": "list[str]"}}, {"label": "Team", "properties": {}}],
        "relations": [],
    }
)


class Players:
    """A database of a few players and a team, which counts its queries."""

    def __init__(self) -> None:
        self.rows = {
            "Player": [
                ["LeBron James", ["King James"], "Q1", None],
                ["José Calderón", [], "Q2", None],
                ["Jose Calderon", [], "Q3", None],
            ],
            "Team": [["King James", None, "T1", None]],
        }
        self.queries: list[str] = []

    def run(self, query: str, parameters: Any = None, **_: Any) -> Table:
        self.queries.append(query)
        return Table([], next(rows for label, rows in self.rows.items() if f":{label})" in query), False, 0.1)


@pytest.fixture
def players() -> Players:
    return Players()


@pytest.fixture
def nba(players: Players) -> NamesInDatabase:
    return NamesInDatabase("nba", players, lambda: SCHEMA)  # type: ignore[arg-type]


def test_values_are_compared_exactly_and_unread_values_count_as_existing(nba: NamesInDatabase) -> None:
    assert nba.holds("LeBron James")
    assert nba.holds("King James", label="Player", property="aliases")
    assert not nba.holds("King James", label="Player", property="name")
    assert not nba.holds("lebron james")
    assert nba.holds("anything", label="Player", property="country")


def test_the_names_of_a_question_are_found_with_their_labels(nba: NamesInDatabase) -> None:
    question = "Did king james ever meet Luka Doncic or LeBron James?"
    assert [(span.text, span.labels) for span in nba.spans(question)] == [
        ("king james", ("Player", "Team")),
        ("LeBron James", ("Player",)),
    ]
    assert "Luka Doncic" in [span.text for span in nba.spans(question, unknown=True)]


def test_nodes_with_the_same_name_are_counted_and_accents_distinguish_names(nba: NamesInDatabase) -> None:
    assert nba.same_name("jose calderón") == 2
    assert (nba.same_name("King James"), nba.same_name("King James", label="Team")) == (2, 1)


def test_a_property_without_names_is_refused_with_the_properties_that_have_names(nba: NamesInDatabase) -> None:
    nba.check_names("Player", "aliases")
    with pytest.raises(UnknownName) as error:
        nba.check_names(None, "alias")
    assert error.value.nearest == ("aliases",)


def test_names_are_read_once_until_they_expire(
    nba: NamesInDatabase, players: Players, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not nba.holds("Luka Doncic")
    players.rows["Player"].append(["Luka Doncic", [], "Q4", None])
    assert not nba.holds("Luka Doncic")
    assert len(players.queries) == 2, "one for each label"
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + KEPT_SECONDS + 1)
    assert nba.holds("Luka Doncic")
    assert len(players.queries) == 4
