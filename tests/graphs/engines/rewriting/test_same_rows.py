"""Rewriting never changes a result: on a random graph, a query as written and as sent gives the same rows."""

import random
from collections.abc import Iterator

import neo4j
import pytest

from graphground.cypher.schema import RelationshipPattern
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.embedded.launcher import EngineState
from graphground.graphs.engines.rewriting import rewrite_for
from graphground.graphs.graph import Graph
from graphground.graphs.storage.home import Catalog, Home
from tests.support.embedded_films import SCHEMA

NAMED = {"Film": ("Heat",), "Person": ("Michael Mann", "David Mamet", "James Cameron"), "Genre": ("heist film",)}


def node(label: str, variable: str, rng: random.Random, named: bool) -> str:
    known = f" {{name: '{rng.choice(NAMED[label])}'}}" if named else ""
    return f"({variable}:{label}{known})"


def path(rng: random.Random, start: str, first: str, prefix: str) -> Iterator[str]:
    """Yield the parts of a pattern: a random walk of one to three steps along the schema; some nodes have a name."""
    label = start
    yield node(label, first, rng, rng.random() < 0.2)
    for step in range(rng.randint(1, 3)):
        choices: list[tuple[RelationshipPattern, bool]] = [
            (pattern, forward)
            for pattern in SCHEMA.patterns
            for forward in (True, False)
            if (pattern.start if forward else pattern.end) == label
        ]
        pattern, forward = rng.choice(choices)
        label = pattern.end if forward else pattern.start
        inner = f"[{prefix}r{step}:{pattern.type}]"
        yield f"-{inner}->" if forward else f"<-{inner}-"
        yield node(label, f"{prefix}{step}", rng, rng.random() < 0.4)


def queries(seed: int) -> Iterator[str]:
    rng = random.Random(seed)
    for _ in range(12):
        paths = ["".join(path(rng, "Film", "n", prefix)) for prefix in ("a", "b")[: rng.randint(1, 2)]]
        where = rng.choice(["", " WHERE a0.name = 'Michael Mann'", " WHERE n.runtime_minute > 60"])
        match = f"MATCH {', '.join(paths)}{where}"
        shape = rng.choice(
            [
                "CALL {{ {match} RETURN n, count(*) AS ways }} RETURN n.eid AS eid, ways",
                "CALL {{ {match} RETURN n UNION MATCH (n:Film)-[:directedBy]->(:Person {{name: 'Michael Mann'}}) "
                "RETURN n }} RETURN n.eid AS eid",
                "UNWIND [1, 2] AS x {match} RETURN n.eid AS eid, x, count(*) AS ways",
                "MATCH (p:Person {{name: 'Michael Mann'}}) {match} RETURN n.eid AS eid, count(*) AS ways",
                "MATCH (n:Film) WHERE EXISTS {{ {match} }} RETURN n.eid AS eid",
            ]
        )
        yield shape.format(match=match)
    if seed > 0:
        return  # the other queries are the same for each seed
    for condition in (
        "(:Person {name: 'Michael Mann'})<-[:directedBy]-(n)",
        "(:Genre)<-[:hasGenre]-(n)",
        "()-[:writtenBy]->(:Person)<-[:directedBy]-(n)",
    ):
        yield f"MATCH (n:Film) WHERE NOT {condition} RETURN n.eid AS eid"
    for length in ("*1..2", "*..2", "*2", "*0..1"):
        yield (
            f"MATCH (n:Film)-[:directedBy|hasSpouse{length}]->(p:Person {{name: 'James Cameron'}}) "
            "RETURN n.eid AS eid, count(*) AS ways"
        )


@pytest.mark.parametrize("seed", range(2))
def test_a_query_as_sent_has_the_same_result_as_the_query_as_written(
    film_graph: Graph, films_home: Home, seed: int
) -> None:
    assert film_graph.run("RETURN 1 AS one").rows == [[1]]
    state = EngineState.read(films_home)
    assert state is not None
    changed = 0
    with (
        neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{state.port}", auth=("reader", state.reader)) as driver,
        driver.session(database=Catalog(films_home).get("films").id) as session,
    ):
        for query in queries(seed):
            sent = rewrite_for(ARCADEDB, query)
            changed += sent != query
            answers = [sorted(repr(record.values()) for record in session.run(text)) for text in (query, sent)]
            assert answers[0] == answers[1], f"{query}\n{sent}"
    assert changed > 5
