"""The results of `find_entities` for unusual mentions, and for names that several nodes share."""

from __future__ import annotations

import pytest

from graphground.graphs.entities.own_index import ExactNames
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.find_entities import FindEntitiesRequest, MentionAnswer, find_entities


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
    expected = {("Magic Johnson", "Player"), ("Orlando Magic", "Team")}
    assert {(candidate.name, candidate.label) for candidate in answer.candidates[:2]} == expected
    assert not ask(nba, "Magic", label="Team").ambiguous
