"""Generates queries from a schema and the names in a graph, for graphs without gold queries.

    for query in made_queries(schema, json.loads(file.read_text()), many=300, seed=1): …

The queries use CypherBench's graph patterns (one step, chains, stars, paths that meet, optional and negated patterns,
unions, comparisons along relationships) and its forms of answers (names, properties, ordered and limited, grouped,
counted, other aggregates, times in an interval). Most patterns begin with an existing relationship of one of the
graph's entities, so most queries return rows; a second step is chosen from the schema alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from graphground.cypher.schema import PropertyGraphSchema

NUMBERS = frozenset({"int", "float"})
Step = tuple[str, str, str, bool]
"""A step: relationship type, labels of first and last node, and whether the relationship starts at the first node."""


class Maker:
    """A generator of queries about one graph; the same seed gives the same queries."""

    def __init__(self, schema: PropertyGraphSchema, document: dict[str, Any], seed: int) -> None:
        self.rng = random.Random(seed)
        self.schema = schema
        self.names = {entity["eid"]: (entity["label"], entity["name"]) for entity in document["entities"]}
        self.relations = document["relations"]
        self.steps = [
            (pattern.type, *((pattern.start, pattern.end) if ahead else (pattern.end, pattern.start)), ahead)
            for pattern in schema.patterns
            for ahead in (True, False)
        ]

    def known(self) -> tuple[Step, str]:
        """Return a random step that exists in the graph, and the name of the entity where the step starts."""
        relation = self.rng.choice(self.relations)
        (start, first), (end, last) = self.names[relation["subj_id"]], self.names[relation["obj_id"]]
        return (
            ((relation["label"], start, end, True), first)
            if self.rng.random() < 0.5
            else ((relation["label"], end, start, False), last)
        )

    def step(self, label: str) -> Step:
        return self.rng.choice([step for step in self.steps if step[1] == label])

    def property(self, label: str, *types: str) -> str | None:
        found = [name for name, type_ in self.schema.labels[label].properties.items() if not types or type_ in types]
        return self.rng.choice(found) if found else None

    def query(self) -> str:
        (type_, start, end, ahead), name = self.known()
        first = arrow(type_, ahead)
        anchor = f"(n:{start} {{name: {quoted(name)}}})"
        type2, _, end2, ahead2 = self.step(end)
        second = arrow(type2, ahead2)
        number, some = self.property(end, *NUMBERS), self.property(end)
        day = self.property(end, "date")
        forms = [
            f"MATCH {anchor}{first}(m:{end}) RETURN DISTINCT m.name AS name",
            f"MATCH {anchor}{first}(m:{end}) RETURN count(DISTINCT m) AS num",
            f"MATCH {anchor}{first}(m:{end}){second}(k:{end2}) WHERE k <> n RETURN DISTINCT k.name AS name",
            f"MATCH {anchor}{first}(m:{end}){second}(k:{end2}) RETURN m.name AS name, count(DISTINCT k) AS num "
            "ORDER BY num DESC, name",
            f"MATCH {anchor}{first}(m:{end}) OPTIONAL MATCH (m){second}(k:{end2}) "
            "RETURN m.name AS name, collect(DISTINCT k.name) AS names",
            f"MATCH {anchor}{first}(m:{end}) WHERE NOT (m){second}(:{end2}) RETURN m.name AS name",
            f"MATCH {anchor}{first}(m:{end}) WHERE EXISTS {{ MATCH (m){second}(k:{end2}) WHERE k.name <> m.name }} "
            "RETURN DISTINCT m.name AS name",
            f"MATCH {anchor}{first}(m:{end}), (m){second}(k:{end2}) RETURN count(*) AS ways",
            f"CALL {{ MATCH {anchor}{first}(m:{end}) RETURN m.name AS name UNION MATCH (m:{end}){second}(k:{end2}) "
            f"WHERE k.name STARTS WITH {quoted(name[:2])} RETURN m.name AS name }} RETURN name ORDER BY name LIMIT 20",
            f"MATCH (n:{start}){first}(m:{end}) RETURN m.name AS name, count(n) AS num ORDER BY num DESC, name LIMIT 5",
            f"MATCH (n:{start}){first}(m:{end}) WITH m, count(DISTINCT n) AS num WHERE num > 2 "
            "RETURN max(num) AS most, count(m) AS many",
            f"MATCH {anchor} RETURN size([(n){first}(m:{end}) | m.name]) AS num",
            f"MATCH {anchor}{arrow(type_, ahead, '*1..2')}(m) RETURN DISTINCT m.name AS name",
            f"MATCH (n:{start}) WHERE n.name CONTAINS {quoted(name[1:4])} RETURN n.name AS name ORDER BY name LIMIT 7",
        ]
        if number:
            forms += [
                f"MATCH {anchor}{first}(m:{end}) WHERE m.{number} IS NOT NULL RETURN m.name AS name, m.{number} AS x "
                "ORDER BY x DESC, name LIMIT 3",
                f"MATCH (n:{start}){first}(m:{end}) RETURN n.name AS name, min(m.{number}) AS x ORDER BY x, name "
                "LIMIT 10",
                f"MATCH (m:{end}) RETURN avg(m.{number}) AS x, sum(m.{number}) AS y",
            ]
        if some:
            forms += [
                f"MATCH {anchor}{first}(m:{end}) RETURN m.{some} AS x, count(*) AS num",
                f"MATCH (m:{end}) WHERE m.{some} IS NULL RETURN count(m) AS num",
            ]
        if day:
            forms += [
                f"MATCH (m:{end}) WHERE m.{day} >= date('1950-01-01') RETURN count(m) AS num, min(m.{day}) AS first",
                f"MATCH {anchor}{first}(m:{end}) RETURN m.{day}.year AS year, count(m) AS num",
            ]
        times = [
            pattern for pattern in self.schema.patterns if pattern.type == type_ and "start_year" in pattern.properties
        ]
        if times:
            forms.append(
                f"MATCH {anchor}{arrow(type_, ahead, name='r')}(m:{end}) WHERE r.start_year <= 2000 AND "
                "(r.end_year IS NULL OR r.end_year >= 2000) RETURN DISTINCT m.name AS name"
            )
        return self.rng.choice(forms)


def arrow(type_: str, ahead: bool, length: str = "", name: str = "") -> str:
    inner = f"[{name}:{type_}{length}]"
    return f"-{inner}->" if ahead else f"<-{inner}-"


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def made_queries(schema: PropertyGraphSchema, document: dict[str, Any], many: int, seed: int = 1) -> Iterator[str]:
    """Yield `many` distinct queries about the graph in a SimpleKG document."""
    maker, seen = Maker(schema, document, seed), set[str]()
    while len(seen) < many:
        query = maker.query()
        if query not in seen:
            seen.add(query)
            yield query
