"""Small random graphs full of cycles, loops and double relationships, and queries about paths in them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.support.documents import make_entity, make_relation, schema_document

LABELS, TYPES = ("A", "B"), ("T", "U")


def tangled(seed: int, nodes: int = 8, relationships: int = 13) -> dict[str, Any]:
    """Return a SimpleKG document: nodes `A0`, `B1`, … named `n0`, `n1`, …; the last two are isolated."""
    rng = random.Random(seed)
    ids = [f"{rng.choice(LABELS)}{number}" for number in range(nodes)]
    pairs = [(rng.choice(TYPES), rng.choice(ids[:-2]), rng.choice(ids[:-2])) for _ in range(relationships)]
    patterns = [" ".join((start, type_, end)) for type_, start, end in sorted({(t, s[0], e[0]) for t, s, e in pairs})]
    sizes = {label: {"size": "int"} for label in LABELS}
    return {
        "schema": schema_document("tangled", sizes, patterns, {type_: {"year": "int"} for type_ in TYPES}),
        "entities": [make_entity(eid, eid[0], f"n{number}", size=number % 3) for number, eid in enumerate(ids)],
        "relations": [
            make_relation(number, type_, start, end, year=2000 + number % 2)
            for number, (type_, start, end) in enumerate(pairs)
        ],
    }


def cypher_of(document: dict[str, Any]) -> Iterator[str]:
    """Yield statements that empty a Neo4j and create the graph of a document there."""
    yield "MATCH (n) DETACH DELETE n"
    for entity in document["entities"]:
        yield (
            f"CREATE (:{entity['label']} {{eid: '{entity['eid']}', name: '{entity['name']}', "
            f"size: {entity['properties']['size']}}})"
        )
    for relation in document["relations"]:
        yield (
            f"MATCH (a {{eid: '{relation['subj_id']}'}}), (b {{eid: '{relation['obj_id']}'}}) "
            f"CREATE (a)-[:{relation['label']} {{year: {relation['properties']['year']}}}]->(b)"
        )


def questions(seed: int, many: int) -> Iterator[str]:
    """Yield queries about reachable nodes, in many forms."""
    rng = random.Random(seed)

    def step(types: str) -> str:
        inner = (
            f"[{rng.choice(['', '', 'r'])}{types}*{rng.choice(['', '', '0..', '1..', '..3', '1..4', '0..3'])}"
            f"{rng.choice(['', '', '', ' {year: 2001}'])}]"
        )
        return rng.choice([f"-{inner}->", f"<-{inner}-", f"-{inner}-"])

    def node(name: str, known: float = 0.3) -> str:
        label = rng.choice(["", ":A", ":B"])
        named = f" {{name: 'n{rng.randrange(8)}'}}" if rng.random() < known else ""
        return f"({name}{label}{named})"

    for _ in range(many):
        free, only = step(rng.choice(["", ":T", ":T|U"])), step(":T")
        first, second = node("a", 0.7), node("b")
        where = rng.choice(["", "", " WHERE b.size > 0", " WHERE a.size <> b.size AND a.size < 2", " WHERE NOT a:B"])
        yield rng.choice(
            [
                f"MATCH {first}{free}{second}{where} RETURN DISTINCT a.name AS x, b.name AS y",
                f"MATCH {first}{free}{second}{where} RETURN count(DISTINCT b) AS c, min(b.name) AS m",
                f"MATCH {first}{free}{second}{where} RETURN a.name AS x, size(collect(DISTINCT b.name)) AS c",
                f"MATCH {first}{free}{second}{where} WITH a, b.name AS y RETURN DISTINCT y, a.name AS x",
                f"MATCH {first} MATCH (a){free}{second}{where} RETURN a.name AS x, count(DISTINCT b) AS c",
                f"MATCH {first}, {second} MATCH (a){free}(b){where} RETURN DISTINCT a.name AS x, b.name AS y",
                f"MATCH {first} OPTIONAL MATCH (a){free}{second}{where} RETURN a.name AS x, count(DISTINCT b.eid) AS c",
                f"MATCH {first} OPTIONAL MATCH (a){free}{second}{where} RETURN DISTINCT a.name AS x, b.name AS y",
                f"MATCH {first}{only}{second}-[:U]->(c){where} RETURN DISTINCT a.name AS x, c.name AS y",
                f"MATCH {first}-[:U]-{second}, (a){only}(c) RETURN b.name AS y, count(DISTINCT c.name) AS c",
                f"MATCH {first}-[:U]->(c){only}{second}{where} RETURN DISTINCT a.name AS x, b.name AS y, c.size AS s",
                f"MATCH {first}{free}() RETURN DISTINCT a.name AS x",
                f"MATCH (){free}{second} WITH DISTINCT b RETURN b.name AS y",
                f"MATCH {first} WHERE (a){free}{node('')} RETURN a.name AS x",
                f"MATCH {first}, {second} WHERE NOT (a){free}(b) RETURN a.name AS x, b.name AS y",
                f"MATCH {first}, {second} WHERE a.size = 1 OR (a){free}(b) RETURN a.name AS x, b.name AS y",
                f"MATCH {first} WHERE EXISTS {{ (a){free}{second} }} RETURN a.name AS x",
                f"MATCH {first} WHERE NOT EXISTS {{ MATCH (a){free}{second} WHERE b.size = a.size }} RETURN a.name AS x",
                f"MATCH {first} WHERE exists((a){free}{node('')}) RETURN a.name AS x",
                f"MATCH {first} CALL (a) {{ MATCH (a){free}{second} RETURN DISTINCT b }} RETURN a.name AS x, b.name AS y",
                f"MATCH {first} RETURN a.name AS x, EXISTS {{ (a){free}{node('')} }} AS reached",
                f"MATCH {first} MATCH (a){free}{second} MATCH (b)-[:U]-(c) RETURN DISTINCT a.name AS x, c.name AS z",
                f"UNWIND ['n0', 'n1', 'n2'] AS x MATCH (a {{name: x}}){free}{second} RETURN x, count(DISTINCT b) AS c",
                f"MATCH {first}{free}{second} RETURN a.name AS x, count(*) AS ways",
                f"MATCH {first}{free}{second}{where} WITH b LIMIT 1000 RETURN count(b.name) AS c",
            ]
        )
