"""Extraction from a real Neo4j without APOC: several labels on a node, mixed types, a rare property."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.engine import QueryTimeout, Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.schemas.extraction.extract import extract, sample_values, scan
from graphground.graphs.schemas.extraction.findings import Findings, Steps
from graphground.graphs.schemas.live_schema import LiveSchema, SchemaCache, fingerprint
from graphground.graphs.schemas.statistics import query_statistics
from graphground.tools.get_schema import GetSchemaRequest, get_schema
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.schema_oracle import as_oracle, exact_schema

pytestmark = pytest.mark.neo4j


@pytest.fixture(autouse=True)
def _nothing_asks_in_the_background_when_the_engine_is_closed() -> Iterator[None]:
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("schema of "):
            thread.join(60)


DATA = (
    "MATCH (n) DETACH DELETE n",
    """CREATE (a:Person:Author {name: 'Ann', born: date('1970-01-01'), code: 7, tags: ['x']}),
              (b:Person {name: 'Bob', code: 'seven', tags: [], seen: datetime('2020-01-01T00:00:00Z')}),
              (c:`Text Book`:Book {title: 'C', pages: 12.5, at: point({x: 1, y: 2}), span: duration('P1D')}),
              (d:Book {title: 'D', pages: 3}), (:Lonely), ({nameless: true}),
              (a)-[:WROTE {year: 1999}]->(c), (a)-[:WROTE {year: '2001?'}]->(d), (b)-[:READ]->(d),
              (b)-[:KNOWS]->(a), (c)-[:`CITES by`]->(d), (x:Ship {name: 'Mary'})-[:READ]->(y:Map {scale: 2}),
              (b)-[:KNOWS]->(x)""",
    "UNWIND range(1, 5001) AS i CREATE (:Bulk {n: i})",
    # The node that the database reads last: a used server gives new nodes the ids of deleted ones, in any order.
    "MATCH (b:Bulk) WITH b ORDER BY id(b) DESC LIMIT 1 SET b.n = 'the only text', b.rare = true",
    r"""CREATE (a:$('A\\u0041')), (b:$('B\\')), (a)-[r:$('\\u0060]->() DETACH DELETE b //')]->(b)
        SET a['key\\u0041'] = 1, a['\\u0060'] = ['x'], r['\\U0001F600'] = 2.5""",
)
ODD_TYPE = r"\u0060]->() DETACH DELETE b //"


class ServerEngine(BoltEngine):
    """An engine that knows its server, for tests that change the data."""

    def __init__(self, server: Neo4jServer) -> None:
        super().__init__(BoltAddress(server.uri, server.user, server.password, None))
        self.server = server


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> Iterator[ServerEngine]:
    server: Neo4jServer = request.getfixturevalue(request.param)
    seeded(server, *DATA)
    engine = ServerEngine(server)
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def schema(engine: BoltEngine) -> PropertyGraphSchema:
    return extract(engine, "mixed").schema


EACH_VERSION: list[Callable[..., None]] = []
"""Tests of what is read, which another version of Neo4j may answer differently; the others need one version."""


def on_each_version(test: Callable[..., None]) -> Callable[..., None]:
    EACH_VERSION.append(test)
    return test


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine" in metafunc.fixturenames:
        versions = ["neo4j_5", "neo4j_newest"] if metafunc.function in EACH_VERSION else ["neo4j_5"]
        metafunc.parametrize("engine", versions, indirect=True, scope="module")


@on_each_version
def test_extraction_equals_the_queries_of_the_paper(engine: BoltEngine) -> None:
    found = extract(engine, "mixed")
    assert not found.problems
    assert not found.partial
    assert as_oracle(found.schema) == exact_schema(engine)


@on_each_version
def test_plain_cypher_finds_the_same_schema_as_the_databases_own_counts(
    engine: BoltEngine, schema: PropertyGraphSchema
) -> None:
    findings = Findings()
    scan(Steps(engine, findings))
    scanned = findings.schema("mixed")
    assert as_oracle(scanned) == as_oracle(schema)
    assert scanned.label_combinations == schema.label_combinations
    assert {label.name: label.count for label in scanned.labels.values()} == {
        label.name: label.count for label in schema.labels.values()
    }


@on_each_version
def test_mixed_types_and_label_combinations_are_in_the_schema(schema: PropertyGraphSchema) -> None:
    assert schema.labels["Person"].properties["code"] == "int|str"
    assert schema.labels["Person"].properties["tags"] == "list[str]"
    assert schema.labels["Bulk"].properties == {"n": "int|str", "rare": "bool"}
    assert schema.labels["Text Book"].properties["span"] == "duration"
    assert schema.label_combinations == {frozenset({"Person", "Author"}), frozenset({"Text Book", "Book"})}
    assert schema.labels["Person"].count == 2
    assert not schema.open


@on_each_version
def test_names_that_databases_parse_differently_are_in_the_schema_with_types_and_statistics(
    engine: BoltEngine, schema: PropertyGraphSchema
) -> None:
    assert schema.labels[r"A\u0041"].properties == {r"\u0060": "list[str]", r"key\u0041": "int"}
    pattern = next(pattern for pattern in schema.patterns if pattern.type == ODD_TYPE)
    schema = replace(
        schema, labels={name: schema.labels[name] for name in (pattern.start, pattern.end)}, patterns=(pattern,)
    )
    assert sample_values(engine, schema, 60)[r"A\u0041", r"key\u0041"] == [1]
    assert (pattern.start, pattern.end, pattern.count) == (r"A\u0041", "B\\", 1)
    assert pattern.properties == {r"\U0001F600": "float"}
    statistics = query_statistics(engine, schema)
    assert statistics.labels[r"A\u0041"].properties[r"key\u0041"].count == 1


def test_properties_that_all_nodes_or_relationships_have_are_marked_as_filled(schema: PropertyGraphSchema) -> None:
    assert schema.labels["Person"].filled == {"name", "code", "tags"}
    assert schema.labels["Bulk"].filled == {"n"}
    assert schema.labels["Book"].filled == {"title", "pages"}
    expected = {"WROTE": {"year"}, ODD_TYPE: {r"\U0001F600"}}
    assert {pattern.type: pattern.filled for pattern in schema.patterns if pattern.filled} == expected


class Slow:
    """The real engine, except that queries with a certain text time out; without a text, also the mark."""

    def __init__(self, engine: BoltEngine, text: str) -> None:
        self.engine, self.text = engine, text

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def run(self, query: str, *arguments: Any, **named: Any) -> Table:
        if self.text in query:
            raise QueryTimeout("it took too long")
        return self.engine.run(query, *arguments, **named)

    def transaction_mark(self) -> str | None:
        if not self.text:
            raise QueryTimeout("it took too long")
        return self.engine.transaction_mark()


def test_a_procedure_that_times_out_is_replaced_by_plain_cypher(engine: BoltEngine) -> None:
    found = extract(Slow(engine, "db.schema.nodeTypeProperties"), "mixed")
    assert as_oracle(found.schema) == exact_schema(engine)
    assert not found.partial


def test_a_step_that_times_out_makes_the_result_partial_and_is_named(engine: BoltEngine) -> None:
    found = extract(Slow(engine, "WROTE"), "mixed")
    assert found.partial
    assert found.schema.open
    assert any("WROTE" in problem for problem in found.problems)
    assert "Person" in found.schema.labels


def test_a_large_label_is_read_page_by_page(engine: BoltEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphground.graphs.schemas.extraction.extract.PAGE", 700)
    findings = Findings()
    scan(Steps(Slow(engine, "MATCH (n:Bulk) UNWIND keys"), findings))
    assert findings.schema("mixed").labels["Bulk"].properties == {"n": "int|str", "rare": "bool"}
    assert not findings.problems


@on_each_version
def test_the_fingerprint_changes_with_the_data(engine: ServerEngine) -> None:
    before = fingerprint(engine)
    assert fingerprint(engine) == before
    with passing_change(engine.server):
        assert fingerprint(engine) != before


@contextmanager
def passing_change(server: Neo4jServer) -> Iterator[None]:
    """Add a node of a new label to the database, and remove it at the end."""
    seeded(server, "CREATE (:Passing {p: 1})")
    try:
        yield
    finally:
        seeded(server, "MATCH (n:Passing) DELETE n")


def connected(name: str, engine: Any, folder: Path) -> Graph:
    live = LiveSchema(engine, name, "key", SchemaCache(folder))
    live.open()
    return Graph(name, live, engine=engine)


def test_the_schema_of_a_connected_graph_is_read_once_and_then_cached(engine: BoltEngine, tmp_path: Path) -> None:
    first = connected("mine", engine, tmp_path)
    assert "Person" in first.schema.labels
    again = connected("renamed", Slow(engine, ""), tmp_path)  # with this engine every query would fail
    assert as_oracle(again.schema) == as_oracle(first.schema)
    assert again.schema.name == "renamed"


@pytest.mark.parametrize("quick", [True, False])
def test_changed_data_are_detected_and_read_again(
    engine: ServerEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, quick: bool
) -> None:
    live = LiveSchema(engine, "mine", "key", SchemaCache(tmp_path))
    live.open()
    live.check_for_changes()
    assert not live.stale
    monkeypatch.setattr("graphground.graphs.schemas.live_schema.QUICK_SECONDS", 60.0 if quick else 0.0)
    monkeypatch.setattr("graphground.graphs.schemas.live_schema.MOST_SHARE", 1000.0)
    with passing_change(engine.server):
        live.check_for_changes()
        if not quick:
            assert live.thread is not None
            live.thread.join(30)
        assert "Passing" in live.schema.labels
        assert not live.stale
    live.check_for_changes()
    assert live.await_current_schema() or not live.stale
    assert "Passing" not in live.schema.labels


def test_a_cached_schema_is_not_used_for_a_database_that_has_changed(
    engine: ServerEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphground.graphs.schemas.live_schema.QUICK_SECONDS", 60.0)
    connected("mine", engine, tmp_path)
    with passing_change(engine.server):
        assert "Passing" in connected("mine", engine, tmp_path).schema.labels


def test_a_changed_database_is_read_again_when_get_schema_is_called_with_refresh(
    engine: ServerEngine, tmp_path: Path
) -> None:
    graph = connected("mine", engine, tmp_path)
    graphs = OpenGraphs([GraphSource("mine", "", "bolt", lambda: graph)])
    assert "Passing" not in get_schema(graphs, GetSchemaRequest()).schema_
    with passing_change(engine.server):
        assert "Passing" in get_schema(graphs, GetSchemaRequest(refresh=True)).schema_
