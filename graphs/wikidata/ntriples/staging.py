"""Stores the findings of the passes over a dump in temporary tables on disk, and joins them into statements.

The lines about an item may be anywhere in a dump, so statements are assembled only after the passes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from graphground.graphs.wikidata.names import Texts
from graphground.graphs.wikidata.ntriples.bits import Bits
from graphground.graphs.wikidata.ntriples.passes import NAMES, Found
from graphground.graphs.wikidata.ntriples.predicates import ABOUT, ALIAS, DESCRIPTION, LABEL
from graphground.graphs.wikidata.ntriples.terms import term_of, text_of, truthy_value
from graphground.graphs.wikidata.rdf import Gathering
from graphground.graphs.wikidata.statements import NORMAL, Statement
from graphground.graphs.wikidata.values import ITEM
from graphground.graphs.wikidata.workspace import Workspace

ITEMS_AT_ONCE = 1000
COLUMNS = {
    "members": "label INTEGER, item INTEGER",
    "hits": "key BLOB, label INTEGER",
    "deprecated": "key BLOB",
    "subjects": "key BLOB, item INTEGER",
    "items": "item INTEGER, property INTEGER, value INTEGER",
    "direct": "item INTEGER, property INTEGER, rest BLOB",
    "links": "key BLOB, item INTEGER, property INTEGER",
    "parts": "key BLOB, predicate BLOB, rest BLOB",
    "value_nodes": "node BLOB",
    "details": "node BLOB, predicate BLOB, rest BLOB",
    "texts": "item INTEGER, kind INTEGER, rest BLOB",
}
KINDS = tuple(
    {LABEL: "label", ALIAS: "alias", DESCRIPTION: "description", ABOUT: "article"}[predicate] for predicate in NAMES
)


class Staging:
    """Temporary tables for the findings of one step, dropped when the step is done."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        for name, columns in COLUMNS.items():
            self._db.execute(f"DROP TABLE IF EXISTS temp.{name}")
            self._db.execute(f"CREATE TEMP TABLE {name} ({columns})")

    def close(self) -> None:
        """Drop the temporary tables."""
        for name in COLUMNS:
            self._db.execute(f"DROP TABLE IF EXISTS temp.{name}")

    def add(self, found: Found) -> None:
        """Store the rows that a pass has found in one block."""
        for name, rows in found.rows.items():
            if rows and name in COLUMNS:
                marks = ", ".join("?" * len(rows[0]))
                self._db.executemany(f"INSERT INTO temp.{name} VALUES ({marks})", rows)

    def items(self, query: str, values: Sequence[int]) -> Bits:
        """Return a bit set of the item numbers that a query returns; `values` are its parameters."""
        largest = self._db.execute(f"SELECT max(item) FROM ({query})", values).fetchone()[0]
        rows = self._db.execute(query, values)
        return Bits.of_items((row[0] for row in rows if row[0] is not None), largest or 0)

    def keys(self, column: str, table: str) -> Bits:
        """Return a bit set of the keys in a column of a table."""
        count = self._db.execute(f"SELECT count(*) FROM temp.{table}").fetchone()[0]
        return Bits.of_keys((row[0] for row in self._db.execute(f"SELECT {column} FROM temp.{table}")), count)

    def count(self, table: str) -> int:
        """Return the number of rows in a table."""
        return int(self._db.execute(f"SELECT count(*) FROM temp.{table}").fetchone()[0])

    def members(self, label: int) -> Iterator[int]:
        """Yield the candidates of the label number `label`, except those found only through deprecated statements."""
        rows = self._db.execute(
            "SELECT item FROM members WHERE label = ?1 UNION SELECT subjects.item FROM hits JOIN subjects USING (key) "
            "WHERE hits.label = ?1 AND key NOT IN (SELECT key FROM deprecated)",
            (label,),
        )
        return (row[0] for row in rows)

    def store(self, workspace: Workspace) -> None:
        """Write the statements that the passes have found to the workspace."""
        workspace.add_items("SELECT item, property, value FROM temp.items")
        workspace.add_statements(self._direct(workspace))
        workspace.add_statements(self._from_nodes())

    def _direct(self, workspace: Workspace) -> Iterator[tuple[int, str, list[Statement]]]:
        """Yield each item and property with at least one truthy value that is not an item.

        The third element of each tuple holds all truthy values of the property as statements.
        """
        rows = self._db.execute("SELECT DISTINCT item, property, rest FROM temp.direct ORDER BY item, property")
        for (item, name), rests in groupby(rows, itemgetter(0, 1)):
            values = {value for _, _, rest in rests if (value := truthy_value(rest)) is not None}
            values.update((ITEM, f"Q{number}") for number in workspace.item_values(item, f"P{name}") or ())
            yield item, f"P{name}", [Statement(NORMAL, value) for value in sorted(values, key=str)]

    def _from_nodes(self) -> Iterator[tuple[int, str, list[Statement]]]:
        """Yield items and properties that have statement nodes, each with its statements, sorted by item."""
        self._db.execute("CREATE INDEX temp.parts_key ON parts (key)")
        self._db.execute("CREATE INDEX temp.links_item ON links (item)")
        self._db.execute("CREATE INDEX temp.details_node ON details (node)")
        rows = self._db.execute("SELECT DISTINCT item, property, key FROM temp.links ORDER BY item")
        by_item = groupby(rows, itemgetter(0))
        gathering, count = Gathering(), 0
        for item, links in by_item:
            for _, name, key in links:
                self._gather(gathering, item, name, key)
            count += 1
            if count == ITEMS_AT_ONCE:
                yield from gathering.rows()
                gathering, count = Gathering(), 0
        yield from gathering.rows()

    def _gather(self, gathering: Gathering, item: int, name: int, key: bytes) -> None:
        subject = key.decode("utf-8", "replace")
        gathering.statement(f"Q{item}", f"P{name}", subject)
        for predicate, rest in self._db.execute("SELECT predicate, rest FROM temp.parts WHERE key = ?", (key,)):
            term = term_of(rest)
            if term is None:
                continue
            gathering.part(subject, predicate[1:-1].decode(), term)
            if b"/value/" in predicate:
                node = term["value"].rpartition("/")[2]
                for detail, text in self._db.execute(
                    "SELECT predicate, rest FROM temp.details WHERE node = ?", (node.encode(),)
                ):
                    found = term_of(text)
                    if found is not None:
                        gathering.detail(node, detail[1:-1].decode(), found["value"])

    def texts(self) -> Iterator[tuple[int, Texts]]:
        """Yield each item that has texts, with its texts."""
        rows = self._db.execute("SELECT DISTINCT item, kind, rest FROM temp.texts ORDER BY item")
        for item, rests in groupby(rows, itemgetter(0)):
            texts = Texts()
            for _, kind, rest in rests:
                found = text_of(rest)
                if found is not None:
                    texts.add(KINDS[kind], found[1], found[0])
            yield item, texts
