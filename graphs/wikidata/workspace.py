"""The workspace of a build: the data fetched so far, in one SQLite file, and the names of items among them.

Each batch is written in one transaction, together with the record that it is done. A killed build resumes after the
last complete batch, and the graph is written from the same rows as in an uninterrupted build.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson

from graphground.graphs.wikidata.statements import Statement, pack_statements, unpack_statements

FORMAT = "4"
ITEMS_IN_QUERY = 1000
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS done (task TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS classes (root INTEGER, class INTEGER, PRIMARY KEY (root, class)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS edges (above INTEGER, class INTEGER, PRIMARY KEY (above, class)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS candidates (label INTEGER, item INTEGER, PRIMARY KEY (label, item)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS candidate_items ON candidates (item);
CREATE TABLE IF NOT EXISTS nodes (label INTEGER, item INTEGER, PRIMARY KEY (label, item)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS node_items ON nodes (item);
CREATE TABLE IF NOT EXISTS statements (item INTEGER, property INTEGER, body BLOB,
                                       PRIMARY KEY (item, property)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS values_seen (item INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS names (item INTEGER PRIMARY KEY, name TEXT, description TEXT, aliases BLOB, article TEXT);
CREATE TABLE IF NOT EXISTS redirects (item INTEGER PRIMARY KEY, target INTEGER);
"""


class WorkspaceError(ValueError):
    """A workspace that cannot be used: it is damaged, belongs to another build, or another process is using it."""


class Names(NamedTuple):
    """An item's names: `Names("Heat", "1995 film", ["Heat: The Movie"], "Heat (1995 film)")`.

    A name, description or article that is missing is None.
    """

    name: str | None
    description: str | None = None
    aliases: Sequence[str] = ()
    article: str | None = None


class Workspace:
    """The workspace file of a build: `Workspace(Path("movie.build"), identity)`.

    Raises:
        WorkspaceError: the file belongs to another `identity`, or is not a workspace.
    """

    def __init__(self, path: Path, identity: str) -> None:
        self.path = Path(path)
        self._db = sqlite3.connect(self.path, isolation_level=None)
        try:
            # A new workspace contains nothing that a crash of the machine could destroy, and flushing its first pages
            # to disk one by one would take longer than a small build.
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA cache_size = -12288")
            self._db.executescript(f"BEGIN; {_TABLES} COMMIT")
            self._db.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise WorkspaceError(
                f"{path} is not the workspace of a build ({error}); delete it, or choose another output file"
            ) from None
        stored_identity = self._meta("identity")
        if stored_identity is None:
            self._db.executemany("INSERT INTO meta VALUES (?, ?)", [("identity", identity), ("format", FORMAT)])
        elif stored_identity != identity or self._meta("format") != FORMAT:
            self._db.close()
            raise WorkspaceError(
                f"{path} belongs to another definition or source; delete it, or choose another output file"
            )

    def close(self) -> None:
        """Close the workspace file."""
        self._db.close()

    def remove(self) -> None:
        """Close the workspace file, and delete the file and the extract."""
        self._db.execute("PRAGMA synchronous = OFF")
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.remove_extract()

    @property
    def extract(self) -> Path:
        """The folder, beside the workspace, of the extract: the part of a dump that a source needs."""
        return self.path.with_name(f"{self.path.name}-extract")

    def remove_extract(self) -> None:
        """Delete the extract."""
        shutil.rmtree(self.extract, ignore_errors=True)

    @property
    def database(self) -> sqlite3.Connection:
        """The SQLite connection, for a source's queries on the workspace."""
        return self._db

    def _meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def is_done(self, task: str) -> bool:
        """Whether a task has been done, in this run of the build or an earlier run."""
        return self._db.execute("SELECT 1 FROM done WHERE task = ?", (task,)).fetchone() is not None

    @contextmanager
    def doing(self, task: str | None = None) -> Iterator[None]:
        """Run the block in a transaction, which is stored completely or not at all; record a given `task` as done."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            if task is not None:
                self._db.execute("INSERT OR IGNORE INTO done VALUES (?)", (task,))
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add_classes(self, root: int, classes: Iterable[int]) -> None:
        """Store the subclasses of the class `root`, which include the class itself."""
        self._db.executemany("INSERT OR IGNORE INTO classes VALUES (?, ?)", ((root, class_) for class_ in classes))

    def add_edges(self, edges: Iterable[tuple[int, int]]) -> None:
        """Store pairs of a class and one of its direct subclasses."""
        self._db.executemany("INSERT OR IGNORE INTO edges VALUES (?, ?)", edges)

    def below(self, root: int) -> list[int]:
        """Return a class and its direct and indirect subclasses, by the stored edges, sorted."""
        return [
            row[0]
            for row in self._db.execute(
                "WITH RECURSIVE below (class) AS (SELECT ?1 UNION SELECT edges.class FROM edges, below "
                "WHERE edges.above = below.class) SELECT class FROM below ORDER BY class",
                (root,),
            )
        ]

    def classes(self, root: int) -> set[int]:
        """Return the item numbers of a class and its stored subclasses."""
        return {row[0] for row in self._db.execute("SELECT class FROM classes WHERE root = ?", (root,))} | {root}

    def add_candidates(self, label: int, items: Iterable[int]) -> None:
        """Store items that may become nodes of a label."""
        self._db.executemany("INSERT OR IGNORE INTO candidates VALUES (?, ?)", ((label, item) for item in items))

    def add_nodes(self, label: int, items: Iterable[int]) -> None:
        """Make items nodes of a label."""
        self._db.executemany("INSERT OR IGNORE INTO nodes VALUES (?, ?)", ((label, item) for item in items))

    def select_candidates(self, label: int) -> None:
        """Make all candidates of a label nodes of the label."""
        self._db.execute(
            "INSERT OR IGNORE INTO nodes SELECT label, item FROM candidates WHERE label = ? ORDER BY item", (label,)
        )

    def batches(self, table: str, label: int, size: int) -> Iterator[list[int]]:
        """Yield the items of a label in the table `candidates` or `nodes`, ordered by number, in batches of `size`."""
        query = f"SELECT item FROM {table} WHERE label = ? AND item > ? ORDER BY item LIMIT {size}"
        return self._keyset(query, label)

    def unnamed_nodes(self, size: int) -> Iterator[list[int]]:
        """Yield the nodes whose names have not been fetched, in batches of `size` items."""
        return self._keyset(
            "SELECT DISTINCT item FROM nodes WHERE ?1 = 0 AND item > ?2 AND "
            f"NOT EXISTS (SELECT 1 FROM names WHERE names.item = nodes.item) ORDER BY item LIMIT {size}",
            0,
        )

    def unnamed_values(self, size: int) -> Iterator[list[int]]:
        """Yield the items that are values, not nodes, and whose names have not been fetched, in batches of `size`."""
        return self._keyset(
            "SELECT item FROM values_seen WHERE ?1 = 0 AND item > ?2 AND "
            "NOT EXISTS (SELECT 1 FROM names WHERE names.item = values_seen.item) AND "
            f"NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.item = values_seen.item) ORDER BY item LIMIT {size}",
            0,
        )

    def _keyset(self, query: str, first: int) -> Iterator[list[int]]:
        last = -1
        while rows := [row[0] for row in self._db.execute(query, (first, last))]:
            yield rows
            last = rows[-1]

    def count(self, table: str, label: int | None = None) -> int:
        """Return the number of rows in a table, for one label or for all labels."""
        where, values = ("", ()) if label is None else (" WHERE label = ?", (label,))
        return int(self._db.execute(f"SELECT count(*) FROM {table}{where}", values).fetchone()[0])

    def add_statements(self, rows: Iterable[tuple[int, str, Sequence[Statement]]]) -> None:
        """Store statements, as rows of item, property and list of statements."""
        self.add_packed((item, int(name[1:]), pack_statements(statements)) for item, name, statements in rows)

    def add_packed(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """Store rows of packed statements (`pack_statements`): item, property number and bytes."""
        self._db.executemany("INSERT OR REPLACE INTO statements VALUES (?, ?, ?)", rows)

    def statements(self, item: int, name: str) -> list[Statement]:
        """Return the stored statements of an item and a property."""
        query = "SELECT body FROM statements WHERE item = ? AND property = ?"
        row = self._db.execute(query, (item, int(name[1:]))).fetchone()
        return [] if row is None else unpack_statements(row[0])

    def add_values_seen(self, items: Iterable[int]) -> None:
        """Store items that occur as values, so that their names are fetched."""
        self._db.executemany("INSERT OR IGNORE INTO values_seen VALUES (?)", ((item,) for item in items))

    def add_names(self, rows: Iterable[tuple[int, Names]]) -> None:
        """Store the names of items."""
        self._db.executemany(
            "INSERT OR REPLACE INTO names VALUES (?, ?, ?, ?, ?)",
            (
                (
                    item,
                    names.name,
                    names.description,
                    orjson.dumps(list(names.aliases)) if names.aliases else b"[]",
                    names.article,
                )
                for item, names in rows
            ),
        )

    def names(self, item: int) -> Names | None:
        """Return the names of an item; None if they have not been fetched."""
        query = "SELECT name, description, aliases, article FROM names WHERE item = ?"
        row = self._db.execute(query, (item,)).fetchone()
        return None if row is None else Names(row[0], row[1], orjson.loads(row[2]), row[3])

    def name_of(self, item: int) -> str | None:
        """Return the name of an item; None if it has none, or if it has not been fetched."""
        row = self._db.execute("SELECT name FROM names WHERE item = ?", (item,)).fetchone()
        return row[0] if row is not None else None

    def named_nodes(self, label: int, items: Iterable[int]) -> set[int]:
        """Return the items that are nodes of the label and have a name; a merged item has its target's name."""
        found: set[int] = set()
        remaining = iter(items)
        while chunk := list(islice(remaining, ITEMS_IN_QUERY)):
            query = f"SELECT item FROM nodes WHERE label = ? AND item IN ({_placeholders(chunk)})"
            targets = {row[0]: self.target(row[0]) for row in self._db.execute(query, (label, *chunk)).fetchall()}
            query = f"SELECT item FROM names WHERE name IS NOT NULL AND item IN ({_placeholders(targets)})"
            named = {row[0] for row in self._db.execute(query, tuple(targets.values()))}
            found.update(item for item, target in targets.items() if target in named)
        return found

    def add_redirects(self, rows: Iterable[tuple[int, int]]) -> None:
        """Store pairs of a merged item and the item into which it was merged."""
        self._db.executemany("INSERT OR REPLACE INTO redirects VALUES (?, ?)", rows)

    def target(self, item: int) -> int:
        """Return the item into which an item was merged, or the item itself if it was not merged."""
        seen = {item}
        while row := self._db.execute("SELECT target FROM redirects WHERE item = ?", (item,)).fetchone():
            item = row[0]
            if item in seen:
                break
            seen.add(item)
        return item


def _placeholders(items: Collection[int]) -> str:
    """Return the placeholders of an SQL list: `?, ?` for two items."""
    return ", ".join("?" * len(items))


ALL_LANGUAGES = "mul"
"""Wikidata's language code for names that apply to every language in which an item has no other name."""


def with_fallback(languages: Sequence[str]) -> list[str]:
    """Return languages with `ALL_LANGUAGES` at the end: `with_fallback(["de"])` is `["de", "mul"]`."""
    return list(dict.fromkeys([*languages, ALL_LANGUAGES]))


def _first(texts: Mapping[str, str], languages: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first language with a text, and this text.

    If no language has a text, return `ALL_LANGUAGES` and its text; if that is missing too, return (None, None).
    """
    for language in languages:
        if text := texts.get(language, "").strip():
            return language, text
    text = texts.get(ALL_LANGUAGES, "").strip()
    return (ALL_LANGUAGES, text) if text else (None, None)


def names_of(
    labels: Mapping[str, str],
    descriptions: Mapping[str, str],
    aliases: Mapping[str, Iterable[str]],
    article: str | None,
    languages: Sequence[str],
) -> Names:
    """Return an item's names from its texts by language.

    The name and the description are each taken from the first of `languages` that has one. If no language has a name,
    the name for all languages is taken. The aliases are those in the name's language and those for all languages.
    `article` is the title of the Wikipedia article.
    """
    language, name = _first(labels, languages)
    if aliases:
        accepted = {language or languages[0], ALL_LANGUAGES}
        others = sorted({text.strip() for key in accepted for text in aliases.get(key, ())} - {"", name})
    else:
        others = []
    if ALL_LANGUAGES in descriptions:
        descriptions = {key: value for key, value in descriptions.items() if key != ALL_LANGUAGES}
    return Names(name, _first(descriptions, languages)[1] if descriptions else None, others, article)


class TextsOfItems:
    """The texts of items from RDF, collected by kind (`label`, `description`, `alias` or `article`) and language."""

    def __init__(self) -> None:
        self._first: dict[str, dict[int, dict[str, str]]] = {"label": {}, "description": {}, "article": {}}
        """The alphabetically first text of each kind, item and language."""
        self._aliases: dict[int, dict[str, list[str]]] = {}

    def add(self, item: int, kind: str, language: str, text: str) -> None:
        """Add a text: `add(192868, "label", "en", "Heat")`.

        For an article, `text` is the address of the article, and `language` is empty.
        """
        if kind == "alias":
            self._aliases.setdefault(item, {}).setdefault(language, []).append(text)
            return
        of_kind = self._first[kind]
        known = of_kind.get(item)
        if known is None:
            of_kind[item] = {language: text}
        elif language not in known or text < known[language]:
            known[language] = text

    def names(self, item: int, languages: Sequence[str]) -> Names:
        """Return an item's names, as `names_of` chooses them; `languages` are in order of preference."""
        label, description, article = (of_kind.get(item, _NONE) for of_kind in self._first.values())
        aliases = self._aliases.get(item, {})
        return names_of(label, description, aliases, title_of(article[""]) if article else None, languages)


_NONE: Mapping[str, str] = {}


def names_in_document(document: Mapping[str, Any], languages: Sequence[str], wikipedia: str) -> Names:
    """Return the names in an entity document, with its article in the Wikipedia of the language `wikipedia`.

    The sitelinks of the document may be titles, or maps with a title as in the dumps.
    """

    def texts(key: str) -> dict[str, str]:
        entries = document.get(key)
        return {language: entry["value"] for language, entry in entries.items()} if isinstance(entries, dict) else {}

    entries = document.get("aliases")
    aliases = (
        {language: [alias["value"] for alias in several] for language, several in entries.items()}
        if isinstance(entries, dict)
        else {}
    )
    links = document.get("sitelinks")
    link = links.get(f"{wikipedia.replace('-', '_')}wiki") if isinstance(links, dict) else None
    title = link.get("title") if isinstance(link, dict) else link
    return names_of(texts("labels"), texts("descriptions"), aliases, title, languages)


def title_of(article: str) -> str:
    """Return the title of an article: `"Heat (1995 film)"` for `https://en.wikipedia.org/wiki/Heat_(1995_film)`."""
    return unquote(article.rpartition("/wiki/")[2]).replace("_", " ")


def article_address(title: str, wikipedia: str) -> str:
    """Return the address of an article: `https://en.wikipedia.org/wiki/Heat_(1995_film)` for `"Heat (1995 film)"`."""
    return f"https://{wikipedia}.wikipedia.org/wiki/{title.replace(' ', '_')}"
