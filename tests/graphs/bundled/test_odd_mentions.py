"""The results of `find_entities` for unusual mentions, and for names that several nodes share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.entities.own_index import ExactNames
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.tools.find_entities import FindEntitiesRequest, MentionAnswer, find_entities
from graphground.tools.tool import ToolFailure
from tests.support.shared_data import SHARED, needs

SLICE = ("wikidata_slices_simplekg", "movie_wd50k_simplekg.json.gz")
ODD = {
    "empty": "",
    "blank": " \t\n",
    "one letter": "J",
    "one digit": "7",
    "punctuation": "?!…—()[]{}'\"",
    "emoji": "🏀",
    "control characters": "LeBron\x00\x1b[31m James\x7f",
    "right to left": "\u202eLeBron James\u202c",
    "lone surrogate": "\ud800",
    "very long": "LeBron James " * 75,
    "one long word": "a" * 1_000,
    "Cypher": "') DETACH DELETE n //",
}


def ask(graph: Graph, mention: str, label: str | None = None) -> MentionAnswer:
    graphs = OpenGraphs([GraphSource(graph.name, "", "embedded", lambda: graph)])
    (answer,) = find_entities(graphs, FindEntitiesRequest(mentions=[mention], label=label, limit=5)).mentions
    return answer


@pytest.fixture(scope="module")
def without_index(nba: Graph) -> Graph:
    """Open the bundled graph as a database without an index."""
    assert nba.engine is not None
    names = ExactNames(nba.name, nba.engine, lambda: nba.schema)
    return Graph(nba.name, nba.schema, "", nba.engine, names)


@pytest.mark.parametrize("mention", ODD.values(), ids=list(ODD))
def test_an_odd_mention_has_at_most_five_candidates_with_valid_scores(
    nba: Graph, without_index: Graph, mention: str
) -> None:
    for graph in (nba, without_index):
        answer = ask(graph, mention)
        assert answer.mention == mention
        assert len(answer.candidates) <= 5
        assert all(0 < candidate.score <= 1 for candidate in answer.candidates)


@pytest.mark.parametrize("mention", ["", " \t\n", "?!…—()[]{}'\"", "🏀"])
def test_a_mention_without_words_has_no_candidates(nba: Graph, without_index: Graph, mention: str) -> None:
    assert ask(nba, mention).candidates == []
    assert ask(without_index, mention).candidates == []


def test_control_characters_do_not_hide_a_name(nba: Graph) -> None:
    assert ask(nba, "LeBron\x00James").candidates[0].name == "LeBron James"
    assert ask(nba, "\u202eLeBron James\u202c").candidates[0].name == "LeBron James"


def test_a_graph_without_an_index_is_searched_for_exactly_written_names(without_index: Graph) -> None:
    assert [(candidate.name, candidate.match) for candidate in ask(without_index, "LeBron James").candidates] == [
        ("LeBron James", "exact")
    ]
    assert ask(without_index, "Lebron Jmes").candidates == []


def test_an_unknown_label_is_reported_with_the_nearest_and_the_next_call(nba: Graph) -> None:
    with pytest.raises(ToolFailure) as failure:
        ask(nba, "LeBron James", label="Playr")
    assert (failure.value.nearest, failure.value.error) == (["Player"], "unknown_label")
    assert failure.value.next.startswith("Call find_entities again")


def test_two_players_with_the_same_nickname_are_distinguished(nba: Graph) -> None:
    answer = ask(nba, "Big Red")
    assert (answer.ambiguous, answer.same_name) == (True, 2)
    first, second = answer.candidates[:2]
    assert {first.name, second.name} == {"Dave Cowens", "Bill Walton"}
    assert first.key != second.key
    assert first.description != second.description
    assert first.relationships
    assert first.relationships != second.relationships


def test_a_name_of_a_player_and_a_team_is_distinguished_by_its_label(nba: Graph) -> None:
    answer = ask(nba, "Magic")
    assert answer.ambiguous
    assert {(candidate.name, candidate.label) for candidate in answer.candidates[:2]} == {
        ("Magic Johnson", "Player"),
        ("Orlando Magic", "Team"),
    }
    assert not ask(nba, "Magic", label="Team").ambiguous


@pytest.fixture(scope="module")
def movies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which this machine has not")
    home = Home(tmp_path_factory.mktemp("movies"))
    load_file(SHARED.joinpath(*SLICE), home, name="movies")
    graph = open_stored("movies", home)
    yield graph
    graph.close()
    end_engine(home)


@needs(*SLICE)
@pytest.mark.parametrize(("mention", "label"), [("Casino Royale", "Movie"), ("graham greene", "Person")])
def test_films_and_people_with_the_same_name_are_distinguished(movies: Graph, mention: str, label: str) -> None:
    answer = ask(movies, mention)
    assert (answer.ambiguous, answer.same_name) == (True, 2)
    first, second = answer.candidates[:2]
    assert first.label == second.label == label
    assert first.name.casefold() == second.name.casefold() == mention.casefold()
    assert first.key != second.key
    assert first.description != second.description
    assert first.relationships
    assert second.relationships
    assert first.relationships != second.relationships


def test_a_name_of_a_single_node_is_not_ambiguous(nba: Graph) -> None:
    answer = ask(nba, "LeBron James")
    assert (answer.ambiguous, answer.same_name) == (False, 0)
    assert answer.candidates[0].key is None
