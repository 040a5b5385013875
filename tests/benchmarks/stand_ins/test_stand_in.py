import os
import subprocess
import sys

from benchmarks.stand_ins import stand_in
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
