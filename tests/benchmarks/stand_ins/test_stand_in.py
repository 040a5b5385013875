import os
import subprocess
import sys

import pytest

from benchmarks.stand_ins import stand_in
from benchmarks.stand_ins.stand_in import Link, StandIn, Vocabulary
from tests.benchmarks.stand_ins.test_synth import SCHEMA

QUERY = (
    "MATCH (m:Movie)-[r:directedBy]->(p:Person {name: 'Michael Mann'}) "
    "WHERE m.runtime_minute > 90.5 AND p.date_of_birth >= date('1943-02-05') RETURN m.name"
)


def test_a_stand_in_contains_the_names_and_relationships_of_its_queries() -> None:
    graph = stand_in(SCHEMA, [QUERY, "MATCH (m:Movie RETURN"], 500, 1_000, seed=4)
    people = {entity["eid"]: entity for entity in graph.entities() if entity["label"] == "Person"}
    mann = [eid for eid, entity in people.items() if entity["name"] == "Michael Mann"]
    assert mann
    directed = [
        relation
        for relation in graph.relations()
        if relation["label"] == "directedBy" and relation["obj_id"] == mann[0]
    ]
    assert len(directed) >= 3


def test_a_stand_in_contains_the_values_that_its_queries_compare_with() -> None:
    entities = list(stand_in(SCHEMA, [QUERY], 800, 1_000, seed=4).entities())
    assert any(entity["properties"].get("runtime_minute") == 90.5 for entity in entities)
    assert any(entity["properties"].get("date_of_birth") == "1943-02-06" for entity in entities)


def test_wrong_types_in_queries_do_not_get_into_the_graph() -> None:
    query = "MATCH (m:Movie) WHERE m.runtime_minute = 'long' RETURN m.name"
    assert not stand_in(SCHEMA, [query], 300, 300).vocabulary.values[("Movie", "runtime_minute")]


def test_every_condition_of_a_query_has_a_witness_and_a_near_miss() -> None:
    query = (
        "MATCH (m:Movie)-[r:directedBy]->(p:Person {name: 'Michael Mann'}) WHERE m.runtime_minute > 90.5 RETURN m.name"
    )
    graph = stand_in(SCHEMA, [query], 100, 100, seed=4)
    nodes = {entity["eid"]: entity for entity in graph.entities()}
    directed = [
        nodes[relation["subj_id"]]
        for relation in graph.relations()
        if relation["label"] == "directedBy" and nodes[relation["obj_id"]]["name"] == "Michael Mann"
    ]
    runtimes = [movie["properties"]["runtime_minute"] for movie in directed if "runtime_minute" in movie["properties"]]
    assert sum(runtime > 90.5 for runtime in runtimes) >= 3
    assert any(runtime <= 90.5 for runtime in runtimes)
    found = [movie["name"] for movie in directed]
    assert len(set(found)) < len(found), "a namesake"


def test_is_null_has_a_witness_without_a_value_and_a_near_miss_with_a_value() -> None:
    query = (
        "MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'Michael Mann'}) WHERE m.runtime_minute IS NULL RETURN m.name"
    )
    fixed = stand_in(SCHEMA, [query], 100, 100, seed=4).vocabulary.properties
    runtimes = [
        properties["runtime_minute"]
        for (label, _), properties in fixed.items()
        if label == "Movie" and "runtime_minute" in properties
    ]
    assert runtimes.count(None) >= 3
    assert [value for value in runtimes if isinstance(value, float)]


@pytest.mark.parametrize("condition", ["n.runtime_minute > m.runtime_minute", "n.runtime_minute >= m.runtime_minute"])
def test_a_comparison_of_two_nodes_in_a_case_is_true_since_null_leads_to_the_else_branch(condition: str) -> None:
    for seed in range(8):
        graph = stand_in(
            SCHEMA,
            [
                "MATCH (n:Movie {name: 'Heat'}), (m:Movie {name: 'Ronin'}) "
                f"RETURN CASE WHEN {condition} THEN n.name ELSE m.name END AS answer",
                "MATCH (n:Movie {name: 'Thief'}), (m:Movie {name: 'Ali'}) "
                "RETURN CASE WHEN n.runtime_minute < m.runtime_minute THEN n.name ELSE m.name END AS answer",
            ],
            300,
            300,
            seed=seed,
        )
        minutes: dict[str, float] = {}
        for entity in graph.entities():
            minutes.setdefault(entity["name"], entity["properties"].get("runtime_minute"))
        assert minutes["Heat"] > minutes["Ronin"]
        assert minutes["Thief"] < minutes["Ali"]


def test_a_seed_gives_the_same_stand_in_in_every_process() -> None:
    script = (
        "from tests.benchmarks.stand_ins.test_stand_in import QUERY, SCHEMA\n"
        "from benchmarks.stand_ins import stand_in\n"
        "query = QUERY + ', p.gender, m.filming_location, p.date_of_birth, m.runtime_minute'\n"
        "print(list(stand_in(SCHEMA, [query], 50, 100, seed=4).entities()))"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second


def test_names_values_and_links_of_a_vocabulary_are_in_the_graph() -> None:
    vocabulary = Vocabulary(
        {"Movie": ("Heat", "Ronin"), "Person": ("Michael Mann",)},
        {("Person", "gender"): ("non-binary",)},
        (Link("directedBy", "Movie", 0, "Person", 0),),
    )
    graph = StandIn(SCHEMA, 400, 900, 2, vocabulary)
    entities = {entity["eid"]: entity for entity in graph.entities()}
    assert [entities[f"Movie#{number}"]["name"] for number in range(2)] == ["Heat", "Ronin"]
    assert any(entity["properties"].get("gender") == "non-binary" for entity in entities.values())
    assert ("Movie#0", "Person#0") in {
        (relation["subj_id"], relation["obj_id"]) for relation in graph.relations() if relation["label"] == "directedBy"
    }
    assert sum(entity["name"] == "Heat" for entity in entities.values()) > 1, "a given name has a homonym"
