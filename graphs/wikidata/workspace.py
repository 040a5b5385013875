"""The workspace of a build: the data fetched so far, in one SQLite file, and the names of items among them.

Each batch is written in one transaction, together with the record that it is done. A killed build resumes after the
last complete batch, and the graph is written from the same rows as in an uninterrupted build.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import orjson

from graphground.graphs.wikidata.statements import Statement, pack_statements, unpack_statements

FORMAT = "4"
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
        self.database = sqlite3.connect(self.path, isolation_level=None)
        try:
            # A new workspace contains nothing that a crash of the machine could destroy, and flushing its first pages
            # to disk one by one would take longer than a small build.
            self.database.execute("PRAGMA synchronous = OFF")
            self.database.execute("PRAGMA journal_mode = WAL")
            self.database.execute("PRAGMA cache_size = -12288")
            self.database.executescript(f"BEGIN; {_TABLES} COMMIT")
            self.database.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.DatabaseError as error:
            self.database.close()
            raise WorkspaceError(
                f"{path} is not the workspace of a build ({error}); delete it, or choose another output file"
            ) from None
        stored_identity = self._meta("identity")
        if stored_identity is None:
            self.database.executemany("INSERT INTO meta VALUES (?, ?)", [("identity", identity), ("format", FORMAT)])
        elif stored_identity != identity or self._meta("format") != FORMAT:
            self.database.close()
            raise WorkspaceError(
                f"{path} belongs to another definition or source; delete it, or choose another output file"
            )

    def close(self) -> None:
        """Close the workspace file."""
        self.database.close()

    def remove(self) -> None:
        """Close the workspace file, and delete the file and the extract."""
        self.database.execute("PRAGMA synchronous = OFF")
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        shutil.rmtree(self.extract, ignore_errors=True)

    @property
    def extract(self) -> Path:
        """The folder, beside the workspace, of the extract: the part of a dump that a source needs."""
        return self.path.with_name(f"{self.path.name}-extract")

    def _meta(self, key: str) -> str | None:
        row = self.database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def is_done(self, task: str) -> bool:
        """Whether a task has been done, in this run of the build or an earlier run."""
        return self.database.execute("SELECT 1 FROM done WHERE task = ?", (task,)).fetchone() is not None

    @contextmanager
    def doing(self, task: str | None = None) -> Iterator[None]:
        """Run the block in a transaction, which is stored completely or not at all; record a given `task` as done."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            if task is not None:
                self.database.execute("INSERT OR IGNORE INTO done VALUES (?)", (task,))
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")

    def add(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Store rows in the column order of a table: `add("nodes", [(0, 42)])` makes Q42 a node of the label 0.

        A row with the same key is replaced.
        """
        marks = ", ".join("?" for _ in self.database.execute(f"SELECT * FROM {table} LIMIT 0").description)
        self.database.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)

    def below(self, root: int) -> list[int]:
        """Return a class and its direct and indirect subclasses, by the stored edges, sorted."""
        return [
            row[0]
            for row in self.database.execute(
                "WITH RECURSIVE below (class) AS (SELECT ?1 UNION SELECT edges.class FROM edges, below "
                "WHERE edges.above = below.class) SELECT class FROM below ORDER BY class",
                (root,),
            )
        ]

    def classes(self, root: int) -> set[int]:
        """Return the item numbers of a class and its stored subclasses."""
        return {row[0] for row in self.database.execute("SELECT class FROM classes WHERE root = ?", (root,))} | {root}

    def select_candidates(self, label: int) -> None:
        """Make all candidates of a label nodes of the label."""
        self.database.execute(
            "INSERT OR IGNORE INTO nodes SELECT label, item FROM candidates WHERE label = ? ORDER BY item", (label,)
        )

    def batches(self, table: str, label: int, size: int) -> Iterator[list[int]]:
        """Yield the items of a label in the table `candidates` or `nodes`, ordered by number, in batches of `size`."""
        return self._keyset(table, f"label = {label}", size)

    def unnamed_nodes(self, size: int) -> Iterator[list[int]]:
        """Yield the nodes whose names have not been fetched, in batches of `size` items."""
        return self._keyset("nodes", "item NOT IN (SELECT item FROM names)", size)

    def unnamed_values(self, size: int) -> Iterator[list[int]]:
        """Yield the items that are values, not nodes, and whose names have not been fetched, in batches of `size`."""
        unnamed = "item NOT IN (SELECT item FROM names) AND item NOT IN (SELECT item FROM nodes)"
        return self._keyset("values_seen", unnamed, size)

    def _keyset(self, table: str, condition: str, size: int) -> Iterator[list[int]]:
        query = f"SELECT DISTINCT item FROM {table} WHERE item > ? AND {condition} ORDER BY item LIMIT {size}"
        last = -1
        while rows := [row[0] for row in self.database.execute(query, (last,))]:
            yield rows
            last = rows[-1]

    def count(self, table: str, label: int) -> int:
        """Return the number of a label's rows in the table `candidates` or `nodes`."""
        return int(self.database.execute(f"SELECT count(*) FROM {table} WHERE label = ?", (label,)).fetchone()[0])

    def add_statements(self, rows: Iterable[tuple[int, str, Sequence[Statement]]]) -> None:
        """Store statements, as rows of item, property and list of statements."""
        self.add("statements", ((item, int(name[1:]), pack_statements(statements)) for item, name, statements in rows))

    def statements(self, item: int, name: str) -> list[Statement]:
        """Return the stored statements of an item and a property."""
        query = "SELECT body FROM statements WHERE item = ? AND property = ?"
        row = self.database.execute(query, (item, int(name[1:]))).fetchone()
        return [] if row is None else unpack_statements(row[0])

    def add_names(self, rows: Iterable[tuple[int, Names]]) -> None:
        """Store the names of items."""
        self.add(
            "names",
            (
                (item, names.name, names.description, orjson.dumps(list(names.aliases)), names.article)
                for item, names in rows
            ),
        )

    def names(self, item: int) -> Names | None:
        """Return the names of an item; None if they have not been fetched."""
        query = "SELECT name, description, aliases, article FROM names WHERE item = ?"
        row = self.database.execute(query, (item,)).fetchone()
        return None if row is None else Names(row[0], row[1], orjson.loads(row[2]), row[3])

    def name_of(self, item: int) -> str | None:
        """Return the name of an item; None if it has none, or if it has not been fetched."""
        row = self.database.execute("SELECT name FROM names WHERE item = ?", (item,)).fetchone()
        return row[0] if row is not None else None

    def named_nodes(self, label: int, items: Iterable[int]) -> set[int]:
        """Return the items that are nodes of the label and have a name; a merged item has its target's name."""
        query = (
            "SELECT 1 FROM nodes WHERE label = ? AND item = ? AND "
            "EXISTS (SELECT 1 FROM names WHERE names.item = ? AND name IS NOT NULL)"
        )
        return {item for item in items if self.database.execute(query, (label, item, self.target(item))).fetchone()}

    def target(self, item: int) -> int:
        """Return the item into which an item was merged, or the item itself if it was not merged."""
        seen = {item}
        while row := self.database.execute("SELECT target FROM redirects WHERE item = ?", (item,)).fetchone():
            item = row[0]
            if item in seen:
                break
            seen.add(item)
        return item


ALL_LANGUAGES = "mul"
"""Wikidata's language code for names that apply to every language in which an item has no other name."""


def with_fallback(languages: Sequence[str]) -> list[str]:
    """Return languages with `ALL_LANGUAGES` at the end: `with_fallback(["de"])` is `["de", "mul"]`."""
    return list(dict.fromkeys([*languages, ALL_LANGUAGES]))


def _first(texts: Mapping[str, str], languages: Iterable[str]) -> tuple[str | None, str | None]:
    """Return the first language with a text, and this text; (None, None) if no language has one."""
    for language in languages:
        if text := texts.get(language, "").strip():
            return language, text
    return None, None


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
    language, name = _first(labels, with_fallback(languages))
    accepted = {language or languages[0], ALL_LANGUAGES}
    others = sorted({text.strip() for key in accepted for text in aliases.get(key, ())} - {"", name})
    description = _first(descriptions, (key for key in languages if key != ALL_LANGUAGES))[1]
    return Names(name, description, others, article)


TextsOfItem = Mapping[str, Mapping[str, list[str]]]
"""The texts of an item from RDF by kind (`label`, `description`, `alias` or `article`) and language."""


def names_in_texts(texts: TextsOfItem, languages: Sequence[str]) -> Names:
    """Return an item's names, as `names_of` chooses them; of several texts, the alphabetically first one counts.

    An article is the address of the article, and its language is empty.
    """
    labels, descriptions, articles = (
        {language: min(several) for language, several in texts.get(kind, {}).items()}
        for kind in ("label", "description", "article")
    )
    article = title_of(articles[""]) if articles else None
    return names_of(labels, descriptions, texts.get("alias", {}), article, languages)


def names_in_document(document: Mapping[str, Any], languages: Sequence[str], wikipedia: str) -> Names:
    """Return the names in an entity document, with its article in the Wikipedia of the language `wikipedia`.

    The sitelinks of the document may be titles, or maps with a title as in the dumps.
    """

    def part(key: str) -> dict[str, Any]:
        found = document.get(key)
        return found if isinstance(found, dict) else {}  # without entries, a dump has a list

    labels, descriptions = (
        {language: entry["value"] for language, entry in part(key).items()} for key in ("labels", "descriptions")
    )
    aliases = {language: [alias["value"] for alias in several] for language, several in part("aliases").items()}
    link = part("sitelinks").get(f"{wikipedia.replace('-', '_')}wiki")
    title = link.get("title") if isinstance(link, dict) else link
    return names_of(labels, descriptions, aliases, title, languages)


def title_of(article: str) -> str:
    """Return the title of an article: `"Heat (1995 film)"` for `https://en.wikipedia.org/wiki/Heat_(1995_film)`."""
    return unquote(article.rpartition("/wiki/")[2]).replace("_", " ")
