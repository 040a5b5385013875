"""A database whose data change while it is served: the next call already gives answers that fit the new data."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest
from filelock import FileLock

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.address import Database
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.index import index_folder
from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.entities.paging import database_pages
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.schemas.statistics import LiveStatistics
from graphground.graphs.storage.home import Home
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.find_entities import FindEntitiesRequest, find_entities
from graphground.tools.get_schema import GetSchemaRequest, get_schema
from graphground.tools.tool import EMPTY
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.index_files import assert_same_index
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = pytest.mark.neo4j

DATA = (
    "MATCH (n) DETACH DELETE n",
    """CREATE (c:Customer {companyName: 'Chez Amandine', city: 'Lyon'}), (d:Customer {companyName: 'Fjordmat',
       city: 'Bergen'}), (e:Customer {companyName: 'Old Mill Pantry', city: 'Bath'}),
       (o:Order {orderNo: 'A-1', freight: '99.23'}), (p:Order {orderNo: 'A-2', freight: '1007.64'}),
       (q:Order {orderNo: 'A-3', freight: '12.5'}), (c)-[:PURCHASED]->(o), (d)-[:PURCHASED]->(p),
       (e)-[:PURCHASED]->(q)""",
)


@pytest.fixture
def served(neo4j_5: Neo4jServer, tmp_path: Path) -> Iterator[OpenGraphs]:
    seeded(neo4j_5, *DATA)
    graphs = served_from(neo4j_5, tmp_path)
    yield graphs
    graphs.close()


def served_from(server: Neo4jServer, folder: Path) -> OpenGraphs:
    return graph_sources(
        Settings(uri=server.uri, user=server.user, password=server.password, name="shop", home=str(folder))
    )


def run(graphs: OpenGraphs, query: str) -> ExecuteCypherAnswer:
    return execute_cypher(graphs, ExecuteCypherRequest(query=query))


def schema_of(graphs: OpenGraphs) -> str:
    return get_schema(graphs, GetSchemaRequest()).schema_


def first_name(graphs: OpenGraphs, mention: str) -> str | None:
    candidates = find_entities(graphs, FindEntitiesRequest(mentions=[mention])).mentions[0].candidates
    return candidates[0].name if candidates else None


def test_new_labels_types_and_properties_are_known_at_the_next_call(served: OpenGraphs, neo4j_5: Neo4jServer) -> None:
    assert "Invoice" not in schema_of(served)
    seeded(neo4j_5, "MATCH (o:Order) CREATE (:Invoice {invoiceNo: 'I-' + o.orderNo})-[:BILLS {due: 30}]->(o)")
    answer = run(served, "MATCH (i:Invoice)-[b:BILLS]->(:Order) RETURN i.invoiceNo, b.due LIMIT 5")
    assert answer.row_count == 3
    assert answer.diagnostics == []
    assert "(:Invoice)-[:BILLS {due: int}]->(:Order)" in schema_of(served)
    seeded(neo4j_5, "MATCH (c:Customer) SET c.segment = 'retail'")
    assert run(served, "MATCH (c:Customer) RETURN c.segment LIMIT 5").diagnostics == []


def test_renamed_and_removed_names_are_unknown_at_the_next_call(served: OpenGraphs, neo4j_5: Neo4jServer) -> None:
    schema_of(served)
    seeded(neo4j_5, "MATCH (c:Customer) SET c.town = c.city REMOVE c.city")
    answer = run(served, "MATCH (c:Customer) RETURN c.town LIMIT 5")
    assert (answer.row_count, answer.diagnostics) == (3, [])
    seeded(neo4j_5, "MATCH (c:Customer) SET c:Client REMOVE c:Customer")
    answer = run(served, "MATCH (c:Client)-[:PURCHASED]->(o:Order) RETURN c.companyName LIMIT 5")
    assert (answer.row_count, answer.diagnostics) == (3, [])
    schema = schema_of(served)
    assert "town" in schema
    assert "city" not in schema
    assert "Customer" not in schema


def test_an_added_or_removed_index_is_reflected_in_the_next_schema(served: OpenGraphs, neo4j_5: Neo4jServer) -> None:
    def enhanced() -> str:
        return get_schema(served, GetSchemaRequest(form="enhanced")).schema_

    assert "unique" not in enhanced()
    seeded(neo4j_5, "CREATE CONSTRAINT order_no FOR (o:Order) REQUIRE o.orderNo IS UNIQUE")
    try:
        assert "orderNo: str  // unique" in enhanced()
    finally:
        seeded(neo4j_5, "DROP CONSTRAINT order_no")
    assert "unique" not in enhanced()


def test_a_deleted_or_renamed_node_is_not_reported_as_found(served: OpenGraphs, neo4j_5: Neo4jServer) -> None:
    assert first_name(served, "Chez Amandin") == "Chez Amandine"
    seeded(
        neo4j_5,
        "MATCH (c:Customer {companyName: 'Chez Amandine'}) DETACH DELETE c",
        "MATCH (c:Customer {companyName: 'Fjordmat'}) SET c.companyName = 'Nordic Pantry'",
    )
    assert first_name(served, "Chez Amandine") != "Chez Amandine"
    assert first_name(served, "Fjordmat") != "Fjordmat"
    assert first_name(served, "Nordic Pantri") == "Nordic Pantry"


def test_a_new_name_is_found_while_the_index_is_outdated(
    served: OpenGraphs, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    names, folder = served.get(None).entities, index_folder(Home(tmp_path), "shop")
    assert isinstance(names, OwnIndex)
    names.wait(60)
    with FileLock(folder.with_name(f"{folder.name}.lock"), timeout=60):  # no refresh can begin
        seeded(
            neo4j_5,
            "MATCH (c:Customer {companyName: 'Fjordmat'}) SET c.companyName = 'Nordic Pantry'",
            "CREATE (:Festival {name: 'Nordlys'})",
        )
        found = find_entities(served, FindEntitiesRequest(mentions=["Nordic Pantry", "Nordlys", "Fjordmat"])).mentions
        assert names.stale
    expected = [("found", "(n:Customer {companyName: 'Nordic Pantry'})"), ("found", "(n:Festival {name: 'Nordlys'})")]
    assert [(its.verdict, its.candidates[0].cypher) for its in found[:2]] == expected
    assert "Fjordmat" not in [candidate.name for candidate in found[2].candidates]


def test_an_index_follows_a_schema_that_is_read_again_meanwhile(
    served: OpenGraphs, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    graph = served.get(None)
    assert graph.engine is not None
    schemas = [graph.schema]

    def settled() -> PropertyGraphSchema:
        assert graph.engine is not None
        schemas.append(extract(graph.engine, "shop").schema)
        return schemas[-1]

    names = OwnIndex(
        "shop", graph.engine, lambda: schemas[-1], lambda: "1", tmp_path / "names", None, lambda: None, settled
    )
    seeded(
        neo4j_5,
        "CREATE (:Festival {name: 'Nordlys'})",
        "MATCH (c:Customer) SET c.firm = c.companyName REMOVE c.companyName",
    )
    try:
        names.start()
        names.wait(60)
        assert not names.stale
        assert [names.find(name)[0].name_property for name in ("Nordlys", "Fjordmat")] == ["name", "firm"]
        build_index(tmp_path / "anew", chain.from_iterable(database_pages(graph.engine, schemas[-1])))
        assert_same_index(tmp_path / "names", tmp_path / "anew")
    finally:
        names.stop()


def test_the_index_after_a_change_equals_a_new_build(served: OpenGraphs, neo4j_5: Neo4jServer, tmp_path: Path) -> None:
    graph = served.get(None)
    names, folder = graph.entities, index_folder(Home(tmp_path), "shop")
    assert isinstance(names, OwnIndex)
    assert graph.engine is not None
    names.wait(60)
    unfinished = folder.with_name(f"{folder.name}.building-0")
    unfinished.mkdir()  # left by a killed process
    for change in (
        "UNWIND range(1, 40) AS i CREATE (:Customer {companyName: 'Shop no. ' + i, city: ['Bath', 'Cádiz'][i % 2]})",
        "MATCH (c:Customer {companyName: 'Shop no. 7'}) SET c.companyName = 'Renamed shop'",
        "MATCH (c:Customer {companyName: 'Shop no. 8'}) SET c:Order REMOVE c:Customer",
        "MATCH (c:Customer {city: 'Bath'}) DETACH DELETE c",
    ):
        before = names.info
        seeded(neo4j_5, change)
        graph.check_for_changes()
        graph.await_current_schema()
        names.wait(60)
        assert before is not None
        assert names.info is not None
        assert names.info.source != before.source
        assert not names.stale
        build_index(tmp_path / "anew", chain.from_iterable(database_pages(graph.engine, graph.schema)))
        assert_same_index(folder, tmp_path / "anew")
    assert not unfinished.exists()


def test_a_restarted_server_does_not_use_an_outdated_schema(
    served: OpenGraphs, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    schema_of(served)
    served.close()
    seeded(neo4j_5, "CREATE (:Warehouse {code: 'W1'})")
    with closing(served_from(neo4j_5, tmp_path)) as again:
        assert "Warehouse" in schema_of(again)


def test_the_naming_property_can_be_set(neo4j_5: Neo4jServer, tmp_path: Path) -> None:
    seeded(neo4j_5, *DATA)
    database = Database("shop", neo4j_5.uri, neo4j_5.user, neo4j_5.password, name_property="Customer=city")
    with closing(graph_sources(Settings(databases=(database,), home=str(tmp_path)))) as graphs:
        assert graphs.get("shop").schema.labels["Customer"].naming == "city"
        found = find_entities(graphs, FindEntitiesRequest(mentions=["Berge"])).mentions[0].candidates
        assert found[0].cypher == "(n:Customer {city: 'Bergen'})"


def test_an_empty_database_is_called_empty_and_its_first_data_are_counted(neo4j_5: Neo4jServer, tmp_path: Path) -> None:
    labels = [f"Kind{number}" for number in range(12)]
    seeded(neo4j_5, "MATCH (n) DETACH DELETE n", *(f"CREATE (n:{label}) DELETE n" for label in labels))
    with closing(served_from(neo4j_5, tmp_path)) as graphs:
        assert schema_of(graphs).strip() == f"({EMPTY})"
        graph = graphs.get(None)
        assert isinstance(graph.statistics_reader, LiveStatistics)
        graph.statistics_reader.wait(60)
        seeded(neo4j_5, *(f"UNWIND [1, 2, 3] AS i CREATE (:{label} {{name: '{label} ' + i}})" for label in labels))
        deadline = time.monotonic() + 100
        schema_of(graphs)
        while (facts := graph.statistics(fresh=True)) is None or facts.mark is None:
            assert time.monotonic() < deadline
            schema_of(graphs)
        assert {facts.nodes(label) for label in labels} == {3}
        assert {label.count for label in graph.schema.labels.values()} == {3}


def test_an_absent_name_is_reported_with_the_state_of_an_outdated_index(
    served: OpenGraphs, neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    names, folder = served.get(None).entities, index_folder(Home(tmp_path), "shop")
    assert isinstance(names, OwnIndex)
    names.wait(60)
    query = "MATCH (c:Customer {companyName: 'Nordic Pantry'}) RETURN c.city"
    with FileLock(folder.with_name(f"{folder.name}.lock"), timeout=60):  # no build can begin
        seeded(neo4j_5, "CREATE (:Customer {companyName: 'Fjordmat Sud', city: 'Pau'})")
        schema_of(served)
        checked = validate_cypher(served, ValidateCypherRequest(query=query))
        messages = [finding.message for finding in checked.diagnostics if finding.code == "entity_not_found"]
        assert messages
        assert all("the entity index" in message for message in messages)
        answer = find_entities(served, FindEntitiesRequest(mentions=["Nordic Pantry"]))
        assert answer.mentions[0].verdict == "not_found"
        assert answer.warning is not None
        assert "the entity index" in answer.warning
