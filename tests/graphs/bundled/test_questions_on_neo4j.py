"""The questions about the bundled graph on a real Neo4j: the answers equal those of the embedded engine."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from neo4j import GraphDatabase

from graphground.graphs.bundled import bundled_graph
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine, bolt_engine
from tests.support.neo4j_server import Neo4jServer

pytestmark = pytest.mark.neo4j
QUESTIONS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "questions.json").read_text(encoding="utf-8"))


def write_bundled(server: Neo4jServer) -> None:
    """Load the bundled graph into the server directly from its document, without the program's own loader."""
    document = bundled_graph("nba").document()
    types = {entity["label"]: entity["properties"] for entity in document["schema"]["entities"]}
    nodes, edges, labels = defaultdict(list), defaultdict(list), {}
    for entity in document["entities"]:
        labels[entity["eid"]] = entity["label"]
        dates = {
            key: date.fromisoformat(value)
            for key, value in entity["properties"].items()
            if types[entity["label"]][key] == "date"
        }
        nodes[entity["label"]].append(
            {**entity["properties"], **dates, **{key: entity[key] for key in ("eid", "name", "aliases", "description")}}
        )
    for relation in document["relations"]:
        edges[relation["label"], labels[relation["subj_id"]], labels[relation["obj_id"]]].append(
            [relation["subj_id"], relation["obj_id"], relation["properties"]]
        )
    with GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        for label, rows in nodes.items():
            driver.execute_query(f"CREATE CONSTRAINT FOR (n:{label}) REQUIRE n.eid IS UNIQUE")
            driver.execute_query(f"UNWIND $rows AS row CREATE (n:{label}) SET n = row", rows=rows)
        for (type_, start, end), rows in edges.items():
            driver.execute_query(
                f"UNWIND $rows AS row MATCH (a:{start} {{eid: row[0]}}), (b:{end} {{eid: row[1]}}) "
                f"CREATE (a)-[r:{type_}]->(b) SET r = row[2]",
                rows=rows,
            )


@pytest.fixture(scope="module")
def nba(neo4j_5: Neo4jServer) -> Iterator[BoltEngine]:
    write_bundled(neo4j_5)
    engine = bolt_engine(BoltAddress(neo4j_5.uri, neo4j_5.user, neo4j_5.password, None))
    yield engine
    engine.close()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_the_gold_query_gives_the_same_answer_on_neo4j(nba: BoltEngine, question: dict[str, Any]) -> None:
    rows = nba.run(question["cypher"], timeout=60).rows

    def ordered(some: list[list[Any]]) -> list[list[Any]]:
        return some if question["ordered"] else sorted(some, key=lambda row: json.dumps(row, ensure_ascii=False))

    assert ordered(rows) == ordered(question["answer"])
