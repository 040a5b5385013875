"""The first schema of a large Neo4j is marked as provisional; a property that is not in it causes only a warning."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from graphground.graphs.engines.address import BoltAddress, Database
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening import connected
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.schemas.extraction.extract import MOST_READ_COMPLETELY
from graphground.graphs.schemas.live_schema import LiveSchema, SchemaCache
from graphground.graphs.storage.home import Home
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.get_filtered_schema import GetFilteredSchemaRequest, get_filtered_schema
from graphground.tools.get_schema import PROVISIONAL, GetSchemaRequest, get_schema
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(240)]
AT_ONCE = 50_000


def filling(relationships: int) -> list[str]:
    """Return the statements that fill a database, in which only the last relationship has the property `wrecked`."""
    return [
        "UNWIND range(0, 99) AS i CREATE (:Port {name: 'Port ' + i}), (:Ship {name: 'Ship ' + i})",
        *(
            "MATCH (p:Port) WITH collect(p) AS ports MATCH (s:Ship) WITH ports, collect(s) AS ships "
            f"UNWIND range({first}, {min(first + AT_ONCE, relationships) - 1}) AS i "
            "WITH ships[i % 100] AS ship, ports[i / 100 % 100] AS port, i "
            "CREATE (ship)-[:CALLED_AT {year: 1900 + i % 100}]->(port)"
            for first in range(0, relationships, AT_ONCE)
        ),
        "MATCH (:Ship {name: 'Ship 99'})-[r:CALLED_AT]->(:Port) WITH r ORDER BY elementId(r) DESC LIMIT 1 "
        "SET r.wrecked = true",
        "CREATE (:Ship {name: 'Tug', towed: 3})-[:TOWS]->(:Barge)-[:TOWS]->(:Ship {name: 'Wreck'})",
    ]


RARE = "MATCH (s:Ship)-[r:CALLED_AT]->(p:Port) WHERE r.wrecked = true RETURN s.name AS ship"


class Held(BoltEngine):
    """The real engine; the procedures that read all data wait until `released`."""

    def __init__(self, address: BoltAddress) -> None:
        super().__init__(address)
        self.released = threading.Event()

    def run(self, query: Any, *arguments: Any, **named: Any) -> Table:
        if "TypeProperties" in str(query):
            self.released.wait(60)
        return super().run(query, *arguments, **named)


class Large(NamedTuple):
    """A server with a database that is large, or that is taken for large because `bound` is lower than usual."""

    server: Neo4jServer
    relationships: int
    bound: int

    @property
    def database(self) -> Database:
        return Database("ships", self.server.uri, self.server.user, self.server.password)


@pytest.fixture(
    scope="module",
    params=[
        ("neo4j_5", 20_000, 20_000),
        ("neo4j_newest", 20_000, 20_000),
        pytest.param(("neo4j_5", 200_000, MOST_READ_COMPLETELY), marks=pytest.mark.long),
    ],
    ids=str,
)
def large(request: pytest.FixtureRequest) -> Iterator[Large]:
    name, relationships, bound = request.param
    server: Neo4jServer = request.getfixturevalue(name)
    seeded(server, *filling(relationships))
    yield Large(server, relationships, bound)
    # In parts, because all relationships at once would exceed the memory limit of a transaction.
    seeded(server, *["MATCH ()-[r:CALLED_AT]->() WITH r LIMIT 20000 DELETE r"] * (relationships // 20_000))
    seeded(server, "MATCH (n) DETACH DELETE n")  # the next size may be tried on the same server


@pytest.fixture(autouse=True)
def _bound(large: Large, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphground.graphs.schemas.extraction.extract.MOST_READ_COMPLETELY", large.bound)


@pytest.fixture
def held(large: Large, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """Yield the large database's graph as a server opens it; the complete schema is read only after `release`."""
    monkeypatch.setattr(connected, "bolt_engine", Held)
    monkeypatch.setattr("graphground.graphs.schemas.live_schema.SETTLE_SECONDS", 0.2)
    graph = open_database(large.database, Home(tmp_path).make(), may_be_provisional=True)
    yield graph
    release(graph)
    graph.close()


def release(graph: Graph) -> None:
    assert isinstance(graph.engine, Held)
    graph.engine.released.set()


def tools_of(graph: Graph) -> OpenGraphs:
    return OpenGraphs([GraphSource("ships", "", "bolt", lambda: graph)])


def diagnostics(graphs: OpenGraphs, query: str) -> list[tuple[str, str]]:
    answer = validate_cypher(graphs, ValidateCypherRequest(query=query))
    return [(found.code, found.severity) for found in answer.diagnostics]


def test_a_property_of_a_single_relationship_among_thousands_causes_a_warning_and_no_error(
    held: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = tools_of(held)
    assert held.provisional
    assert held.schema.relationship_properties["CALLED_AT"] == {"year": "int"}
    for form in ("base", "enhanced", "json"):
        assert PROVISIONAL in get_schema(graphs, GetSchemaRequest(form=form)).schema_
    filtered = get_filtered_schema(graphs, GetFilteredSchemaRequest(question="Which ships called at Port 7?"))
    assert PROVISIONAL in filtered.schema_
    checked = validate_cypher(graphs, ValidateCypherRequest(query=RARE))
    assert checked.valid
    assert [(found.code, found.severity) for found in checked.diagnostics] == [("unknown_property", "warning")]
    assert "still being read" in checked.diagnostics[0].message
    assert checked.suggested_query is None
    assert execute_cypher(graphs, ExecuteCypherRequest(query=RARE)).rows == [["Ship 99"]]
    assert held.statistics() is None

    monkeypatch.setattr("graphground.graphs.schemas.live_schema.SETTLE_SECONDS", 60.0)
    release(held)  # the next call that would report an error waits for the complete schema
    assert diagnostics(graphs, RARE) == []
    assert not held.provisional
    assert "wrecked: bool" in get_schema(graphs, GetSchemaRequest()).schema_
    assert PROVISIONAL not in get_schema(graphs, GetSchemaRequest(form="json")).schema_
    assert diagnostics(graphs, RARE.replace("wrecked", "sunk")) == [("unknown_property", "error")]
    assert isinstance(held.schema_source, LiveSchema)
    for_statistics, mark = held.schema_source.complete()
    assert "wrecked" in for_statistics.relationship_properties["CALLED_AT"]
    assert mark == held.schema_source.mark


def test_labels_types_and_counts_of_a_provisional_schema_are_exact(held: Graph, large: Large) -> None:
    first = held.schema
    assert {label.name: label.count for label in first.labels.values()} == {"Barge": 1, "Port": 100, "Ship": 102}
    assert {str(pattern) for pattern in first.patterns} == {
        "(:Barge)-[:TOWS]->(:Ship)",
        "(:Ship)-[:CALLED_AT]->(:Port)",
        "(:Ship)-[:TOWS]->(:Barge)",
    }
    assert first.labels["Port"].naming == "name"
    assert held.counts == (203, large.relationships + 2)
    assert diagnostics(tools_of(held), "MATCH (s:Ship)-[:CALLED_AT]->(p:Port) RETURN s.name, p.name LIMIT 5") == []


def test_a_provisional_schema_is_not_kept_if_the_graph_is_closed_before_the_complete_schema_is_read(
    large: Large, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connected, "bolt_engine", Held)
    home = Home(tmp_path).make()
    graph = open_database(large.database, home, may_be_provisional=True)
    assert graph.provisional
    assert isinstance(graph.engine, Held)
    closing = threading.Timer(0.3, graph.engine.released.set)  # closing waits for the query that runs
    closing.start()
    graph.close()
    closing.join(30)
    assert SchemaCache(home.schemas).load(large.database.key, "ships") is None
    assert not [record for record in caplog.records if record.levelname == "WARNING"]


def test_a_graph_opened_for_a_single_command_has_the_complete_schema_at_once(large: Large, tmp_path: Path) -> None:
    graph = open_database(large.database, Home(tmp_path).make())
    try:
        assert not graph.provisional
        assert graph.schema.relationship_properties["CALLED_AT"] == {"wrecked": "bool", "year": "int"}
    finally:
        graph.close()
