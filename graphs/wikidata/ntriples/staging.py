"""The findings of the passes over a dump, on disk: temporary tables in the workspace, joined into statements.

The lines about an item may stand anywhere in a dump, so statements are assembled only after a pass.
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
        """Store the rows that a pass has found."""
        for name, rows in found.rows.items():
            if rows and name in COLUMNS:
                marks = ", ".join("?" * len(rows[0]))
                self._db.executemany(f"INSERT INTO temp.{name} VALUES ({marks})", rows)

    def items(self, query: str, values: Sequence[int]) -> Bits:
        """Return a bit set of the item numbers that a query returns."""
        largest = self._db.execute(f"SELECT max(item) FROM ({query})", values).fetchone()[0]
        rows = self._db.execute(query, values)
        return Bits.of_items((row[0] for row in rows if row[0] is not None), largest or 0)

    def keys(self, column: str, table: str) -> Bits:
        """Return a bit set of the keys in a column."""
        count = self._db.execute(f"SELECT count(*) FROM temp.{table}").fetchone()[0]
        return Bits.of_keys((row[0] for row in self._db.execute(f"SELECT {column} FROM temp.{table}")), count)

    def count(self, table: str) -> int:
        """Return the number of rows in a table."""
        return int(self._db.execute(f"SELECT count(*) FROM temp.{table}").fetchone()[0])

    def members(self, label: int) -> Iterator[int]:
        """Yield the items that are members of a label; deprecated statements do not count."""
        rows = self._db.execute(
            "SELECT item FROM members WHERE label = ?1 UNION SELECT subjects.item FROM hits JOIN subjects USING (key) "
            "WHERE hits.label = ?1 AND key NOT IN (SELECT key FROM deprecated)",
            (label,),
        )
        return (row[0] for row in rows)

    def store(self, workspace: Workspace) -> None:
        """Store the statements that the passes have found in the workspace."""
        workspace.add_items("SELECT item, property, value FROM temp.items")
        workspace.add_statements(self._direct(workspace))
        workspace.add_statements(self._from_nodes())

    def _direct(self, workspace: Workspace) -> Iterator[tuple[int, str, list[Statement]]]:
        """Yield the statements of each item and property with a truthy value that is not an item."""
        rows = self._db.execute("SELECT DISTINCT item, property, rest FROM temp.direct ORDER BY item, property")
        for (item, name), several in groupby(rows, itemgetter(0, 1)):
            values = {value for _, _, rest in several if (value := truthy_value(rest)) is not None}
            values.update((ITEM, f"Q{number}") for number in workspace.item_values(item, f"P{name}") or ())
            yield item, f"P{name}", [Statement(NORMAL, value) for value in sorted(values, key=str)]

    def _from_nodes(self) -> Iterator[tuple[int, str, list[Statement]]]:
        """Yield the statements of each item and property that have statement nodes, in the order of items."""
        self._db.execute("CREATE INDEX temp.parts_key ON parts (key)")
        self._db.execute("CREATE INDEX temp.links_item ON links (item)")
        self._db.execute("CREATE INDEX temp.details_node ON details (node)")
        rows = self._db.execute("SELECT DISTINCT item, property, key FROM temp.links ORDER BY item")
        by_item = groupby(rows, itemgetter(0))
        gathering, many = Gathering(), 0
        for item, links in by_item:
            for _, name, key in links:
                self._gather(gathering, item, name, key)
            many += 1
            if many == ITEMS_AT_ONCE:
                yield from gathering.rows()
                gathering, many = Gathering(), 0
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
        """Yield the names of each item, by kind and language."""
        rows = self._db.execute("SELECT DISTINCT item, kind, rest FROM temp.texts ORDER BY item")
        for item, several in groupby(rows, itemgetter(0)):
            texts = Texts()
            for _, kind, rest in several:
                found = text_of(rest)
                if found is not None:
                    texts.add(KINDS[kind], found[1], found[0])
            yield item, texts
