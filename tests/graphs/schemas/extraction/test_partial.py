"""The first schema of a database that cannot be read in time is partial: it says so, and causes no error."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.address import BoltAddress, Database
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.engine import QueryTimeout, Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening import connected
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.schemas.live_schema import LiveSchema, SchemaCache
from graphground.graphs.storage.home import Home
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.get_schema import GetSchemaRequest, get_schema
from graphground.tools.tool import PARTIAL
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(240)]
RARE = "MATCH (s:Ship)-[r:CALLED_AT]->(p:Port) WHERE r.wrecked = true RETURN s.name AS ship"


class Slow(BoltEngine):
    """The real engine; until `released`, properties and their values are not read in time."""

    def __init__(self, address: BoltAddress) -> None:
        super().__init__(address)
        self.released = threading.Event()

    def run(self, query: Any, *arguments: Any, **named: Any) -> Table:
        reads_all = any(part in str(query) for part in ("TypeProperties", "keys(", "valueType("))
        if reads_all and not self.released.wait(0.1):
            raise QueryTimeout("too many nodes")
        return super().run(query, *arguments, **named)


@pytest.fixture
def ships(neo4j_5: Neo4jServer) -> Database:
    seeded(
        neo4j_5,
        "MATCH (n) DETACH DELETE n",
        "UNWIND range(0, 9) AS i CREATE (:Ship {name: 'Ship ' + i})-[:CALLED_AT {year: 1900 + i}]->(:Port {name: 'P'})",
        "MATCH (:Ship {name: 'Ship 9'})-[r:CALLED_AT]->() SET r.wrecked = true",
    )
    return Database("ships", neo4j_5.uri, neo4j_5.user, neo4j_5.password)


@pytest.fixture
def opened(ships: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """Yield the graph as a server opens it; the complete schema is read only after the engine is released."""
    monkeypatch.setattr(connected, "bolt_engine", Slow)
    graph = open_database(ships, Home(tmp_path).make())
    yield graph
    assert isinstance(graph.engine, Slow)
    graph.engine.released.set()
    graph.close()


def diagnostics(graphs: OpenGraphs, query: str) -> list[tuple[str, str]]:
    answer = validate_cypher(graphs, ValidateCypherRequest(query=query))
    return [(found.code, found.severity) for found in answer.diagnostics]


def test_a_partial_schema_says_so_causes_no_error_and_is_completed_in_the_background(opened: Graph) -> None:
    graphs = OpenGraphs([GraphSource("ships", "", "bolt", lambda: opened)])
    assert opened.partial
    assert opened.schema.open
    assert {label.name: label.count for label in opened.schema.labels.values()} == {"Port": 10, "Ship": 10}
    assert PARTIAL in get_schema(graphs, GetSchemaRequest()).schema_
    assert not [found for found in diagnostics(graphs, RARE) if found[1] == "error"]
    assert execute_cypher(graphs, ExecuteCypherRequest(query=RARE)).rows == [["Ship 9"]]

    assert isinstance(opened.engine, Slow)
    assert isinstance(opened.schema_source, LiveSchema)
    opened.engine.released.set()
    deadline = time.monotonic() + 60
    while opened.partial:
        assert time.monotonic() < deadline
        opened.check_for_changes()
        time.sleep(0.1)
    assert diagnostics(graphs, RARE) == []
    assert "wrecked: bool" in get_schema(graphs, GetSchemaRequest()).schema_
    assert PARTIAL not in get_schema(graphs, GetSchemaRequest(form="json")).schema_
    assert diagnostics(graphs, RARE.replace("wrecked", "sunk")) == [("unknown_property", "error")]
    schema, mark = opened.schema_source.complete()
    assert "wrecked" in schema.relationship_properties["CALLED_AT"]
    assert mark == opened.schema_source.mark


def test_closing_a_graph_whose_schema_is_partial_stops_its_reading(
    opened: Graph, ships: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    opened.close()
    stored = SchemaCache(Home(tmp_path).schemas).load(ships.key, "ships")
    assert stored is None or stored[0].partial
    assert not [record for record in caplog.records if "schema" in record.getMessage()]
