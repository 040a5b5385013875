"""Imports of a Neo4j or an ArcadeDB: every node, relationship and property is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from graphground.cypher.quoting import in_backticks
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.loading.importing.database import DatabaseSource
from graphground.graphs.loading.importing.property_graph import import_records
from graphground.graphs.loading.importing.records import NodeRecord, Problems, RelationshipRecord
from graphground.graphs.loading.into_database import load_into
from tests.support.documents import make_entity, make_relation, schema_document
from tests.support.neo4j_server import Neo4jServer
from tests.support.small_graph import records_in

FILMS = {
    "schema": {
        **schema_document(
            "films",
            {
                "Movie": {"released": "date", "minutes": "float", "tags": "list[str]"},
                "Director": {"born": "int"},
                "Person": {"born": "int"},
            },
            ["Movie directedBy Director", "Movie directedBy Person"],
            {"directedBy": {"year": "int"}},
        ),
        "label_combinations": [["Director", "Person"]],
    },
    "entities": [
        make_entity(
            "Q1",
            "Movie",
            "Heat",
            ["The Heat"],
            "1995 film",
            ["https://example.org/heat"],
            released="1995-12-15",
            minutes=170.0,
            tags=["crime", "1995-12-15"],
        ),
        {**make_entity("Q2", "Director", "Mann", born=1943), "labels": ["Director", "Person"]},
        make_entity("Q3", "Person", "Kilmer"),
    ],
    "relations": [make_relation(0, "directedBy", "Q1", "Q2", year=1995)],
}


def emptied(server: Neo4jServer) -> neo4j.Driver:
    driver = neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password))
    driver.execute_query("MATCH (n) DETACH DELETE n")
    return driver


def test_a_graph_loaded_into_a_database_is_copied_back_unchanged(neo4j_5: Neo4jServer, tmp_path: Path) -> None:
    original, copied = tmp_path / "films.json", tmp_path / "copied.json"
    original.write_text(json.dumps(FILMS))
    emptied(neo4j_5).close()
    load_into(original, neo4j_5.address)
    import_records(DatabaseSource(neo4j_5.address), "films", copied)
    assert records_in(original) == records_in(copied)


def test_values_without_a_json_form_keep_their_type_or_become_text(neo4j_5: Neo4jServer, tmp_path: Path) -> None:
    with emptied(neo4j_5) as driver:
        driver.execute_query(
            "CREATE (:A:Entity {day: date('1995-12-15'), at: datetime('1995-12-15T20:00:00Z'), "
            "took: duration('P1D'), text: '1995-12-15', `odd name`: point({x: 1, y: 2})}), (:B:Entity {old: date('-0044-03-15')})"
        )
    output = tmp_path / "graph.json"
    import_records(DatabaseSource(neo4j_5.address), "odd", output)
    graph = json.loads(output.read_bytes())
    assert [entity["labels"] for entity in graph["entities"]] == [["A", "Entity"], ["B", "Entity"]]
    first, second = sorted(graph["entities"], key=lambda entity: entity["label"])
    expected = {"day": "date", "at": "datetime", "took": "str", "text": "str", "odd name": "str"}
    assert {entity["label"]: entity["properties"] for entity in graph["schema"]["entities"]}["A"] == expected
    assert json.loads(first["properties"]["odd name"])["x"] == 1
    assert first["properties"]["text"] == first["properties"]["day"] == "1995-12-15"
    assert first["properties"]["at"].startswith("1995-12-15T20:00:00")
    assert (first["properties"]["took"], second["properties"]["old"]) == ("P1D", "-0044-03-15")


TYPES = ["SET", "ORDER", "WHERE", "NULL", "IN", "CREATE", "_1", "acted in", "a`b", r"A\u0041", "l'été"]
"""Relationship types: keywords, plain names, names that need backticks, and a name that databases parse differently."""


@pytest.fixture
def neo4j_address(neo4j_5: Neo4jServer) -> BoltAddress:
    emptied(neo4j_5).close()
    return neo4j_5.address


@pytest.mark.parametrize("database", [pytest.param("neo4j_address", marks=pytest.mark.neo4j), "own_arcadedb"])
def test_relationships_of_types_with_any_name_are_copied(database: str, request: pytest.FixtureRequest) -> None:
    source: BoltAddress = request.getfixturevalue(database)
    dialect = "neo4j" if database == "neo4j_address" else "arcadedb"
    with neo4j.GraphDatabase.driver(source.uri, auth=(source.user, source.password)) as driver:
        for number, type_ in enumerate(TYPES):
            written = type_.replace("\\", "\\u005c") if dialect == "neo4j" else type_
            driver.execute_query(
                f"CREATE (:A {{name: 'a'}})-[:{in_backticks(written)} {{number: $number}}]->(:B {{name: 'b'}})",
                number=number,
                database_=source.database,
            )
    records = DatabaseSource(source).records(Problems())
    copied = {record.type: record.properties["number"] for record in records if isinstance(record, RelationshipRecord)}
    assert copied == {type_: number for number, type_ in enumerate(TYPES)}


MANY = 20_000


@pytest.fixture
def many_nodes(neo4j_5: Neo4jServer) -> Iterator[neo4j.Driver]:
    """Yield a driver of a Neo4j with many nodes and relationships; some were removed again, so that ids are missing."""
    with emptied(neo4j_5) as driver:
        driver.execute_query(f"UNWIND range(1, {MANY}) AS i CREATE (a:A {{i: i}})-[:T {{of: i}}]->(a)")
        driver.execute_query("MATCH (a:A) WHERE a.i % 7 = 0 DETACH DELETE a")
        yield driver


KEPT = [number for number in range(1, MANY + 1) if number % 7]


def test_no_record_of_many_is_omitted(many_nodes: neo4j.Driver, neo4j_5: Neo4jServer) -> None:
    progress: list[tuple[str, int, int | None]] = []
    records = list(DatabaseSource(neo4j_5.address, lambda *step: progress.append(step)).records(Problems()))
    nodes = {record.id: record.properties["i"] for record in records if isinstance(record, NodeRecord)}
    assert sorted(nodes.values()) == KEPT
    links = [record for record in records if isinstance(record, RelationshipRecord)]
    expected = [("nodes", len(KEPT), len(KEPT)), ("T", len(KEPT), len(KEPT))]
    assert [step for step in progress if step[1] == step[2]] == expected
    assert sorted(link.properties["of"] for link in links) == KEPT
    assert all(nodes[link.start] == nodes[link.end] == link.properties["of"] for link in links)


def test_an_unreachable_database_causes_a_readable_error() -> None:
    with pytest.raises(EngineUnavailable):
        list(DatabaseSource(BoltAddress("bolt://127.0.0.1:1")).records(Problems()))
