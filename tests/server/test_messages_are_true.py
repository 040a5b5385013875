"""The messages of `execute_cypher` on a real Neo4j, for queries that fail, return nulls or return no rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.find_entities import FindEntitiesRequest, MentionAnswer, find_entities
from graphground.tools.tool import ToolFailure
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = pytest.mark.neo4j

FILINGS = 40
DATA = (
    """CREATE (oslo:Bank {title: 'Fjordbank Oslo'}), (riga:Bank {title: 'Baltic Trade Riga'}),
       (bath:Bank {title: 'Old Mill Savings'}), (oslo)-[:CORRESPONDS_WITH]->(riga),
       (:Broker {title: 'Marta Lindqvist', city: 'Oslo'}), (:Broker {title: 'Marta Lindqvist', city: 'Riga'}),
       (:Broker {title: 'Marta Lindqvist', city: 'Bath'}), (:Broker {title: 'Edwin Castellan', city: 'Oslo'})""",
    f"""UNWIND range(1, {FILINGS}) AS number MATCH (oslo:Bank {{title: 'Fjordbank Oslo'}})
       CREATE (oslo)-[:FILED]->(f:Filing {{filing_no: 'F-' + number}})
       FOREACH (_ IN CASE WHEN number > 3 THEN [1] ELSE [] END | SET f.amount = number * 1000)""",
)


@pytest.fixture(scope="module")
def banks(neo4j_5: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenGraphs]:
    server = neo4j_5
    seeded(server, *DATA)
    home: Path = tmp_path_factory.mktemp("home")
    graphs = graph_sources(
        Settings(uri=server.uri, user=server.user, password=server.password, name="banks", home=str(home))
    )
    yield graphs
    graphs.close()


def answer(graphs: OpenGraphs, query: str) -> ExecuteCypherAnswer:
    return execute_cypher(graphs, ExecuteCypherRequest(query=query))


def looked_up(graphs: OpenGraphs, mention: str) -> MentionAnswer:
    return find_entities(graphs, FindEntitiesRequest(mentions=[mention], label="Broker")).mentions[0]


def test_a_query_that_ran_out_of_memory_is_not_reported_as_a_timeout_and_not_retried(
    banks: OpenGraphs, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The checks cannot know that rand() is less than 2, so the query is sent.
    hoard = (
        "UNWIND range(1, 1000000000) AS number WITH number WHERE rand() < 2 "
        "WITH collect([x IN range(1, 1000) | x + number]) AS hoard RETURN size(hoard)"
    )
    sent: list[str] = []
    run = neo4j.Session.run

    def counted(session: neo4j.Session, query: str, *arguments: Any, **more: Any) -> neo4j.Result:
        sent.extend([str(query)] if "1000000000" in str(query) else [])
        return run(session, query, *arguments, **more)

    monkeypatch.setattr(neo4j.Session, "run", counted)
    with pytest.raises(ToolFailure) as refused:
        execute_cypher(banks, ExecuteCypherRequest(query=hoard, timeout_s=120))
    assert "more memory than the database allows" in str(refused.value)
    assert "time" not in str(refused.value)
    assert len(sent) == 1


def test_a_missing_path_between_unconnected_nodes_is_explained(banks: OpenGraphs) -> None:
    found = answer(
        banks,
        "MATCH p = shortestPath((:Bank {title: 'Fjordbank Oslo'})-[:CORRESPONDS_WITH*..5]-"
        "(:Bank {title: 'Old Mill Savings'})) RETURN length(p)",
    )
    assert found.rows == []
    assert [diagnostic.code for diagnostic in found.diagnostics] == ["matches_nothing"]
    assert "Both ends exist, but no path" in found.diagnostics[0].message


def test_nulls_that_sort_first_are_reported(banks: OpenGraphs) -> None:
    found = answer(banks, "MATCH (f:Filing) RETURN f.amount AS most ORDER BY most DESC LIMIT 1")
    assert found.rows == [[None]]
    messages = " ".join(diagnostic.message for diagnostic in found.diagnostics)
    assert "nulls first" in messages
    assert "f.amount IS NOT NULL" in messages
    assert "null, zero or empty" not in messages


def test_the_order_of_nulls_is_not_mentioned_if_there_are_no_nulls(banks: OpenGraphs) -> None:
    found = answer(
        banks, "MATCH (f:Filing) WHERE f.amount IS NOT NULL RETURN f.amount AS most ORDER BY most DESC LIMIT 1"
    )
    assert found.rows == [[FILINGS * 1000]]
    assert "nulls" not in " ".join(diagnostic.message for diagnostic in found.diagnostics)


@pytest.mark.parametrize("written", ["Marta Lindqvist", "Marta Lindqvst", "marta lindquist"])
def test_a_name_of_three_nodes_is_ambiguous_however_it_is_spelled(banks: OpenGraphs, written: str) -> None:
    three = looked_up(banks, written)
    assert (three.verdict, len(three.candidates)) == ("ambiguous", 3)
    assert {candidate.name for candidate in three.candidates} == {"Marta Lindqvist"}


def test_a_misspelled_name_of_a_single_node_is_found(banks: OpenGraphs) -> None:
    assert [looked_up(banks, written).verdict for written in ("Edwin Castellan", "Edwin Castelan")] == ["found"] * 2
