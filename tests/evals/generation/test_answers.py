"""Task generation's cache of query results: it returns the same rows as the graph.

A query runs again only after the cache has dropped its rows.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from graphground.evals.generation.candidates import Answers, read_facts
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home

TEAMS = "MATCH (n:Team) RETURN n.name ORDER BY n.name"
VENUES = "MATCH (n:Venue) RETURN n.name ORDER BY n.name"


@pytest.fixture(scope="module")
def nba_graph(eval_home: Home) -> Iterator[Graph]:
    graph = next(source for source in stored_sources(eval_home) if source.name == "nba").open()
    yield graph
    graph.close()


@pytest.fixture
def sent(nba_graph: Graph, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the queries that reach the graph."""
    queries: list[str] = []
    run = nba_graph.run

    def recorded(query: str, *given: Any, **named: Any) -> Any:
        queries.append(query)
        return run(query, *given, **named)

    monkeypatch.setattr(nba_graph, "run", recorded)
    return queries


def test_a_query_reaches_the_graph_once_for_each_limit_and_parameters(nba_graph: Graph, sent: list[str]) -> None:
    answers = Answers(nba_graph)
    first, again = answers.rows(TEAMS, 10), answers.rows(TEAMS, 10)
    assert sent == [TEAMS]
    assert first == again == nba_graph.run(TEAMS, limit=10).rows
    sent.clear()
    named = "MATCH (n:Team) WHERE n.name = $name RETURN n.name"
    assert answers.rows(TEAMS, 3) == (first or [])[:3]
    assert answers.rows(named, 5, {"name": "Chicago Bulls"}) == [["Chicago Bulls"]]
    assert answers.rows(named, 5, {"name": "Nobody"}) == []
    assert sent == [TEAMS, named, named]


def test_the_result_of_a_failed_query_is_none_and_the_query_is_not_repeated(nba_graph: Graph, sent: list[str]) -> None:
    answers = Answers(nba_graph)
    failing = "MATCH (n:Team) RETURN 1 / (size(n.name) - size(n.name))"
    assert [answers.rows(failing, 5), answers.rows(failing, 5)] == [None, None]
    assert sent == [failing]


def test_beyond_the_limit_the_least_recently_used_rows_are_dropped(nba_graph: Graph, sent: list[str]) -> None:
    answers = Answers(nba_graph, most_held=25)
    for query in (TEAMS, VENUES, TEAMS, "MATCH (n:Team) RETURN count(n)", "MATCH (n:Venue) RETURN count(n)"):
        answers.rows(query, 10)
    sent.clear()
    answers.rows(TEAMS, 10)
    assert sent == []
    answers.rows(VENUES, 10)
    assert sent == [VENUES]


def test_the_unique_names_of_a_label_are_those_that_occur_once_in_the_graph(nba_graph: Graph) -> None:
    facts = read_facts(nba_graph, random.Random(1))
    for label in facts.names:
        counted = nba_graph.run(
            f"MATCH (n:{label}) WITH n.name AS name, count(*) AS times WHERE times = 1 RETURN name", limit=10_000
        )
        assert facts.single[label] == {name for (name,) in counted.rows}
        assert set(facts.names[label]) <= facts.single[label]
