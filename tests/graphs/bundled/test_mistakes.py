"""Wrong and alternative names on the bundled graph: diagnostics of queries, and the best candidates for nicknames."""

from __future__ import annotations

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.find_entities import FindEntitiesRequest, find_entities

WRONG_NAME = "MATCH (p:Player {name: 'Lebron James'}) RETURN p.place_of_birth"


def opened(graph: Graph) -> OpenGraphs:
    return OpenGraphs([GraphSource("nba", "", "embedded", lambda: graph)])


def executed(graph: Graph, query: str) -> ExecuteCypherAnswer:
    return execute_cypher(opened(graph), ExecuteCypherRequest(query=query))


def test_a_wrong_name_is_reported_once_with_its_columns(nba: Graph) -> None:
    answer = executed(nba, WRONG_NAME)
    assert (answer.columns, answer.rows) == (["p.place_of_birth"], [])
    assert [(diagnostic.code, diagnostic.suggestions[0]) for diagnostic in answer.diagnostics] == [
        ("entity_not_found", "'LeBron James'")
    ]


@pytest.mark.parametrize(
    ("mention", "label", "name"),
    [
        ("King James", "Player", "LeBron James"),
        ("Sixers", "Team", "Philadelphia 76ers"),
        ("Dubs", "Team", "Golden State Warriors"),
        ("Seattle SuperSonics", "Team", "Oklahoma City Thunder"),
        ("Luka Doncic", "Player", "Luka Dončić"),
        ("jokic", "Player", "Nikola Jokić"),
        ("Staples Center", "Venue", "Crypto.com Arena"),
        ("Dr. J", "Player", "Julius Erving"),
        ("Finals MVP", "Award", "Bill Russell NBA Finals Most Valuable Player Award"),
        ("Shaq", "Player", "Shaquille O'Neal"),
        ("Lew Alcindor", "Player", "Kareem Abdul-Jabbar"),
        ("Kevin Durrant", "Player", "Kevin Durant"),
        ("Ron Artest", "Player", "Metta World Peace"),
        ("East", "Conference", "Eastern Conference"),
        ("centre", "Position", "center"),
    ],
)
def test_the_node_of_a_commonly_used_name_is_the_first_candidate(
    nba: Graph, mention: str, label: str, name: str
) -> None:
    (answer,) = find_entities(opened(nba), FindEntitiesRequest(mentions=[mention])).mentions
    assert (answer.candidates[0].name, answer.candidates[0].label) == (name, label)
    assert nba.run(f"MATCH {answer.candidates[0].cypher} RETURN n.name", timeout=30).rows == [[name]]
