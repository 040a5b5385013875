"""graphground on a fake Memgraph, which responds as Memgraph's documentation describes; no real Memgraph is tested."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.engines.address import BoltAddress, Database
from graphground.graphs.engines.bolt import BoltEngine, bolt_engine
from graphground.graphs.engines.client_context import cancellable
from graphground.graphs.engines.dialects import MEMGRAPH
from graphground.graphs.engines.engine import QueryCancelled, QueryFailed, QueryTimeout
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.storage.home import Home
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.fake_memgraph import Memgraph, memgraph_stand_in


@pytest.fixture
def memgraph() -> Iterator[tuple[BoltEngine, Memgraph]]:
    with memgraph_stand_in() as (server, memgraph):
        engine = bolt_engine(BoltAddress(server.uri))
        yield engine, memgraph
        engine.close()


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[OpenGraphs]:
    with memgraph_stand_in() as (server, _):
        database = Database("films", server.uri)
        source = GraphSource("films", "", "bolt", lambda: open_database(database, Home(tmp_path).make()))
        graphs = OpenGraphs([source])
        yield graphs
        graphs.close()


def test_the_greeting_identifies_memgraph_and_its_own_version_is_queried(memgraph: tuple[BoltEngine, Memgraph]) -> None:
    capabilities = memgraph[0].capabilities()
    assert (capabilities.version, capabilities.dialect) == ("3.5.0", MEMGRAPH)


@pytest.mark.parametrize("reads_only", [True, False])
def test_the_test_for_refused_writes_uses_no_transaction(
    reads_only: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with memgraph_stand_in(Memgraph(reads_only=reads_only)) as (server, _), caplog.at_level(logging.WARNING):
        graph = open_database(Database("films", server.uri), Home(tmp_path).make())
        graph.close()
        assert graph.write_protected is reads_only
        (probe,) = [call for call in server.calls if "CREATE" in call.query]
        assert not probe.in_transaction
        assert probe.extra["mode"] == "r"
    warnings = [
        record.getMessage() for record in caplog.records if "did not refuse a trial write" in record.getMessage()
    ]
    assert len(warnings) == (0 if reads_only else 1)
    assert reads_only or "GRANT MATCH" in warnings[0]
    assert reads_only or "a trial write, which would have changed nothing." in warnings[0]


def test_a_query_is_terminated_by_its_tag_at_its_time_limit(memgraph: tuple[BoltEngine, Memgraph]) -> None:
    engine, server = memgraph
    with pytest.raises(QueryTimeout, match=r"time limit of 0.3 s"):
        engine.run("RETURN 'endless' AS x", timeout=0.3)
    assert not server.running


def test_a_cancelled_query_is_terminated_and_cancel_terminates_all_queries(
    memgraph: tuple[BoltEngine, Memgraph],
) -> None:
    engine, server = memgraph
    for whole_engine in (False, True):
        server.started.clear()
        with cancellable() as cancellation:
            stop = engine.cancel if whole_engine else cancellation.cancel
            thread = threading.Thread(target=lambda stop=stop: server.started.wait(20) and stop())
            thread.start()
            with pytest.raises(QueryCancelled):
                engine.run("RETURN 'endless' AS x", timeout=60)
            thread.join(20)
        assert not server.running


def test_a_syntax_error_has_the_position_that_memgraph_reports(memgraph: tuple[BoltEngine, Memgraph]) -> None:
    with pytest.raises(QueryFailed) as caught:
        memgraph[0].run("MATCH (n) RETRN n")
    assert (caught.value.line, caught.value.column) == (1, 11)


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("MATCH p = shortestPath((a:Movie)-[*]-(b:Person)) RETURN length(p) AS l", "*BFS"),
        ("MATCH (a:Movie)-[:directedBy]->{1,3}(b) RETURN b.name AS name LIMIT 3", "inside the brackets"),
        ("MATCH (m:Movie) RETURN CASE m.name WHEN 'a', 'b' THEN 1 END AS x LIMIT 3", "one value after WHEN"),
    ],
)
def test_unsupported_constructs_are_reported_by_validation_and_with_the_answer(
    graphs: OpenGraphs, query: str, hint: str
) -> None:
    graphs.get("films")
    verdict = validate_cypher(graphs, ValidateCypherRequest(query=query))
    (unsupported,) = [diagnostic for diagnostic in verdict.diagnostics if diagnostic.code == "not_in_this_database"]
    assert hint in unsupported.message
    assert unsupported.severity == "hint"
    answer = execute_cypher(graphs, ExecuteCypherRequest(query=query))
    assert [diagnostic.message for diagnostic in answer.diagnostics if diagnostic.code == "not_in_this_database"] == [
        unsupported.message
    ]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m:Movie) WHERE m.name = 'shortestPath( isEmpty( COUNT {' RETURN m.name AS name LIMIT 3",
        "MATCH (m:Movie) WHERE EXISTS { (m)-->() } RETURN COUNT { (m)-->() } AS `isEmpty(`, elementId(m) AS e LIMIT 3",
    ],
)
def test_constructs_that_every_version_of_memgraph_supports_cause_no_hint(graphs: OpenGraphs, query: str) -> None:
    graphs.get("films")
    found = validate_cypher(graphs, ValidateCypherRequest(query=query)).diagnostics
    assert "not_in_this_database" not in {diagnostic.code for diagnostic in found}


def test_constructs_of_newer_memgraph_versions_are_reported_with_the_refusal(graphs: OpenGraphs) -> None:
    query = "MATCH (m:Movie) RETURN COUNT { (m)-->() } AS degree LIMIT 3"
    with pytest.raises(ToolFailure) as failure:
        execute_cypher(graphs, ExecuteCypherRequest(query=query))
    expected = ["refused_by_database", "not_in_this_database"]
    assert [diagnostic.code for diagnostic in failure.value.diagnostics] == expected
    assert "OPTIONAL MATCH" in failure.value.diagnostics[1].message


def test_the_schema_is_read_with_plain_cypher() -> None:
    with memgraph_stand_in() as (server, _):
        engine = bolt_engine(BoltAddress(server.uri))
        found = extract(engine, "films", step_timeout=5, total_timeout=20)
        engine.close()
        assert not any(call.query.startswith("CALL db.") for call in server.calls), "Memgraph has no such procedures"
    assert not found.partial, found.problems
    assert found.schema.labels["Movie"].properties == {"name": "str", "rating": "float|int", "released": "date"}
    assert found.schema.relationship_properties == {"directedBy": {"year": "int"}}
    expected = {"(:Movie)-[:directedBy]->(:Director)", "(:Movie)-[:directedBy]->(:Person)"}
    assert {str(pattern) for pattern in found.schema.patterns} == expected
    assert found.schema.label_combinations == {frozenset(("Director", "Person"))}
