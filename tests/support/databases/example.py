"""An example database: nodes and relationships from a script, and questions with gold queries.

    ERP = ExampleDatabase("erp", build)

The questions of a database are in the text file next to its script, one paragraph per question:

    ? Which items does Kestrel Tools supply?
    = MATCH (:Vendor {vendorName: 'Kestrel Tools'})-[:SUPPLIES]->(i:Item) RETURN i.itemName
    @ Kestrel Tools -> Vendor.vendorName: Kestrel Tools
    ! MATCH (v:Vendor {name: 'Kestrel Tools'})-[:SUPPLIES]->(i:Item) RETURN i.itemName

`?` is the question, `=` the gold query, `@` a name in the question with the value that it means, `!` a plausible but
wrong query, such as a careless agent writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import neo4j

from tests.support.neo4j_server import Neo4jServer, emptied

HERE = Path(__file__).parent
BATCH = 5_000


class GraphScript:
    """A collector of nodes and relationships: `film = graph.node("Film", title="Heat")`."""

    def __init__(self) -> None:
        self.nodes: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        self.relationships: list[tuple[int, str, int, dict[str, Any]]] = []

    def node(self, labels: str, /, **properties: Any) -> int:
        """Add a node with labels such as `Device:Server`; return its number."""
        self.nodes.append((tuple(labels.split(":")), properties))
        return len(self.nodes) - 1

    def relate(self, start: int, type_: str, end: int, /, **properties: Any) -> None:
        """Add a relationship between two nodes, given by the numbers that `node` returned."""
        self.relationships.append((start, type_, end, properties))


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as a question writes it, and the value that it means:
    `Mention("Kestral Tols", "Vendor", "vendorName", …)`."""

    text: str
    label: str
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold query, the names in the question, and plausible but wrong queries."""

    text: str
    gold: str
    mentions: tuple[Mention, ...] = ()
    attempts: tuple[str, ...] = ()


@dataclass(frozen=True)
class ExampleDatabase:
    """An example database; `build` adds its nodes and relationships to a `GraphScript`."""

    name: str
    build: Callable[[GraphScript], None] = field(repr=False)

    def questions(self) -> list[Question]:
        """Return the questions, parsed from the text file."""
        text = (HERE / f"{self.name}.txt").read_text("utf-8")
        return [_question(paragraph) for paragraph in text.strip().split("\n\n")]

    def write(self, server: Neo4jServer) -> None:
        """Clear the server and write the database into it."""
        script = GraphScript()
        self.build(script)
        emptied(server)
        with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
            write(driver, script)


def _question(paragraph: str) -> Question:
    text, gold, mentions, attempts = "", "", [], []
    for line in paragraph.splitlines():
        mark, rest = line[:2], line[2:].strip()
        if mark == "? ":
            text = rest
        elif mark == "= ":
            gold = rest
        elif mark == "! ":
            attempts.append(rest)
        elif mark == "@ ":
            written, meaning = rest.split(" -> ")
            place, value = meaning.split(": ", 1)
            mentions.append(Mention(written, *place.split("."), value))
        else:
            raise ValueError(f"a line of a question must begin with '? ', '= ', '@ ' or '! ': {line!r}")
    return Question(text, gold, tuple(mentions), tuple(attempts))


def write(driver: neo4j.Driver, script: GraphScript) -> None:
    """Write a script's nodes and relationships in batches."""
    ids: dict[int, str] = {}
    by_labels: dict[tuple[str, ...], list[int]] = {}
    for number, (labels, _) in enumerate(script.nodes):
        by_labels.setdefault(labels, []).append(number)
    for labels, numbers in by_labels.items():
        pattern = "".join(f":`{label}`" for label in labels)
        for first in range(0, len(numbers), BATCH):
            part = numbers[first : first + BATCH]
            found = driver.execute_query(
                f"UNWIND range(0, size($rows) - 1) AS i CREATE (n{pattern}) SET n = $rows[i] RETURN i, elementId(n)",
                rows=[script.nodes[number][1] for number in part],
            ).records
            ids |= {part[place]: key for place, key in found}
    by_type: dict[str, list[list[Any]]] = {}
    for start, type_, end, properties in script.relationships:
        by_type.setdefault(type_, []).append([ids[start], ids[end], properties])
    for type_, rows in by_type.items():
        for first in range(0, len(rows), BATCH):
            driver.execute_query(
                "UNWIND $rows AS row MATCH (a) WHERE elementId(a) = row[0] MATCH (b) WHERE elementId(b) = row[1] "
                f"CREATE (a)-[r:`{type_}`]->(b) SET r = row[2]",
                rows=rows[first : first + BATCH],
            )


def rows_of(driver: neo4j.Driver, query: str, parameters: Mapping[str, Any] | None = None) -> list[list[Any]]:
    """Return the rows of a query as plain lists."""
    return [list(record.values()) for record in driver.execute_query(query, dict(parameters or {})).records]


@contextmanager
def driver_of(server: Neo4jServer) -> Iterator[neo4j.Driver]:
    """Yield a driver with write access, open during the block."""
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        yield driver
