"""The schema of your own database: read, cached, and reread when the data has changed.

At a call of a tool, but at most every `CHECK_SECONDS`, `check_for_changes` reads the mark of the database's last
transaction: a text that changes with every transaction. While the mark is unchanged, nothing else happens. When the
mark has changed, a small database is reread immediately. A larger database is reread in the background, and until then
its schema is `stale`. A caller that finds an error in a query first calls `await_current_schema`, which always reads
the mark, and then checks the query again against the current schema: only a good query may be judged by a schema that
is a quarter of a second old, and the database itself runs that query.

A database that is not in the cache is read before the first call, for at most `OPENING_SECONDS`. What is left then is
read in the background. Until then the schema is `partial` and open, so nothing that it lacks is an error.
"""

from __future__ import annotations

import hashlib
import logging
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from graphground.cypher.schema import PropertyGraphSchema
from graphground.cypher.text_values import TextValues
from graphground.graphs.engines.client_context import CANCELLATION, BackgroundWork
from graphground.graphs.engines.engine import Engine, EngineError, EngineUnavailable, QueryCancelled
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.schemas.extraction.findings import Extraction
from graphground.graphs.storage.home import replacing

if TYPE_CHECKING:
    from pydantic import TypeAdapter


VERSION = 6
CHEAP_SECONDS = 5.0
CHEAP_QUERIES = (
    "MATCH (n) RETURN count(n) AS c",
    "MATCH ()-[r]->() RETURN count(r) AS c",
    "CALL db.labels()",
    "CALL db.relationshipTypes()",
    "CALL db.propertyKeys()",
)


def fingerprint(engine: Engine) -> str:
    """Return a hash of the numbers of nodes and relationships, and of the names of labels, types and properties.

    The hash stays the same if a value changes in place or a property moves to another label; call `Graph.refresh` after
    such a change.
    """
    answers: list[Any] = []
    for query in CHEAP_QUERIES:
        try:
            answers.append(sorted(map(str, engine.run(query, limit=100_000, timeout=CHEAP_SECONDS).rows)))
        except EngineError:
            answers.append(None)
    return hashlib.sha256(orjson.dumps(answers)).hexdigest()[:16]


class SchemaCache:
    """A folder of stored schemas: `SchemaCache(home.schemas).load("bolt://localhost:7687 neo4j reader", "films")`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return the path of the file for a database; `key` consists of its address, its name and the user."""
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"

    def load(self, key: str, name: str) -> tuple[Extraction, str] | None:
        """Return the stored extraction, with `name` as the graph's name; None if no readable file is stored.

        The second value is the fingerprint that the database had when its schema was read.
        """
        try:
            document = orjson.loads(self.path(key).read_bytes())
            if document["version"] != VERSION:
                return None
            found = _extraction_form().validate_python(document["extraction"])
            return replace(found, schema=replace(found.schema, name=name)), document["fingerprint"]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, key: str, extraction: Extraction, mark: str) -> None:
        """Store an extraction and `mark`, the fingerprint of its database; an older file is replaced atomically."""
        self.folder.mkdir(parents=True, exist_ok=True)
        document = {"version": VERSION, "fingerprint": mark, "extraction": extraction}
        with replacing(self.path(key), private=True) as file:
            file.write(orjson.dumps(document, default=sorted))


@cache
def _extraction_form() -> TypeAdapter[Extraction]:
    from pydantic import TypeAdapter  # imported on first use, like all of pydantic

    form = TypeAdapter(Extraction)
    form.rebuild(_types_namespace={"TextValues": TextValues})  # which `cypher.schema` imports for type checkers alone
    return form


OPENING_STEP_SECONDS, OPENING_SECONDS = 10.0, 20.0
QUICK_SECONDS = 0.75
"""The maximum duration of the last reading, in seconds, for a changed database to be reread immediately."""
SETTLE_STEP_SECONDS, SETTLE_SECONDS = 4.0, 8.0
"""The longest time, in seconds, that a call waits for the schema to be reread: for each query, and in all."""
REREAD_SECONDS = 600.0
"""The seconds for which work in the background waits for a partial or stale schema to be reread."""
MAX_COMPLETIONS = 3
"""The number of times that a partial schema is read again, until the database changes."""
MOST_SHARE = 0.2
"""The largest share of the time that may be spent rereading a continuously changing database."""
CHECK_SECONDS = 0.25
"""The minimum time, in seconds, between reads of the last transaction's mark; each takes a round trip."""
FINGERPRINT_SECONDS = 2.0
"""The minimum time, in seconds, between checks for changes in a database that does not mark its transactions."""
logger = logging.getLogger(__name__)


class LiveSchema(BackgroundWork):
    """The schema of one connected database, kept up to date: `LiveSchema(engine, "films", key, cache).open()`.

    `key` identifies the database in the cache. `naming` maps labels to the properties that name their nodes.
    """

    def __init__(
        self, engine: Engine, name: str, key: str, cache: SchemaCache, naming: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.engine, self.name, self.key, self.cache, self._naming = engine, name, key, cache, naming or {}
        self._found: Extraction | None = None
        self._read_mark: str | None = None
        self.mark: str | None = None
        """The latest known mark of the last transaction, or the fingerprint of a database without marks."""
        self._looked = self._read_at = -math.inf  # the monotonic clock of a machine that has just started is near 0
        self._read_seconds = 0.0
        self._completions = 0
        self.unreachable: str | None = None
        """The reason why the database could not be reached when changes were last looked for; None if it could."""
        self._reading = threading.Lock()

    def open(self) -> None:
        """Use the cached schema, and reread the database if it has changed since (see `check_for_changes`).

        A database without a cached schema is read now, for at most `OPENING_SECONDS`. If the schema is then partial,
        the complete schema is read in the background.

        Raises:
            EngineError: nothing is cached and the database cannot be read.
        """
        stored = self.cache.load(self.key, self.name)
        if stored is None:
            self._take(self.read(OPENING_STEP_SECONDS, OPENING_SECONDS))
            self._read_at = -math.inf  # what is left is read without a pause
        else:
            found, self._read_mark = stored
            self._take(found)
            self._read_seconds = found.elapsed_ms / 1e3
            self.check_for_changes()
        if self.partial:
            self.follow()

    @property
    def schema(self) -> PropertyGraphSchema:
        """The schema as it was last read; before the first reading, an empty schema with `open=True`."""
        return self._found.schema if self._found is not None else PropertyGraphSchema(self.name, {}, (), open=True)

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """The numbers of nodes and relationships when the schema was read; None if unknown."""
        return (self._found.nodes, self._found.relationships) if self._found is not None else (None, None)

    @property
    def stale(self) -> bool:
        """Whether the database is known to have changed since the schema was read."""
        return self.mark is not None and self.mark != self._read_mark

    @property
    def partial(self) -> bool:
        """Whether something of the schema could not be read, or not in time."""
        return self._found is not None and self._found.partial

    def complete(self) -> tuple[PropertyGraphSchema, str | None]:
        """Return the schema, and the mark of the last transaction before it was read.

        Wait first while the schema is being read in the background.

        Raises:
            QueryCancelled: the graph has been closed.
        """
        if self.partial or self.stale:
            self._wait(REREAD_SECONDS)
        if self._stopped.is_set():
            raise QueryCancelled(f"The graph {self.name} has been closed.")
        with self._reading:
            # Statistics made from a partial schema carry no mark, so that they are computed again.
            return self.schema, None if self.partial else self._read_mark

    def after_reading(self) -> PropertyGraphSchema:
        """Return the schema, after waiting for a reading in progress."""
        with self._reading:
            return self.schema

    def check_for_changes(self) -> None:
        """Detect a change of the database, and reread it: immediately if that is quick, otherwise in the background.

        If the database cannot be queried, this raises nothing: the call that follows reports the failure.
        """
        now = time.monotonic()
        if now - self._looked < CHECK_SECONDS or not self._read_latest_mark():
            return
        if not self.stale:
            if self.partial and self._completions < MAX_COMPLETIONS:
                self.follow()  # a reading in a hurry was cut off
            return
        if self._read_seconds <= QUICK_SECONDS and now - self._read_at >= self._read_seconds / MOST_SHARE:
            self.await_current_schema()
        else:
            self.follow()

    def _read_latest_mark(self) -> bool:
        """Read the mark of the last transaction; return False if it is unknown, or a fingerprint was read recently."""
        now = time.monotonic()
        try:
            mark = self.engine.transaction_mark()
            if mark is None:
                if now - self._looked < FINGERPRINT_SECONDS:
                    return False
                mark = fingerprint(self.engine)
        except EngineError as error:
            self.unreachable = str(error) if isinstance(error, EngineUnavailable) else None
            return False
        self._looked, self.mark, self.unreachable = now, mark, None
        return True

    def await_current_schema(self) -> bool:
        """Reread a stale schema before a query is checked.

        Return whether the schema has been replaced. If the last reading took more than `SETTLE_SECONDS`, a stale schema
        is not reread here.
        """
        if not self.stale:
            self._read_latest_mark()
        if not self.stale or self._read_seconds > SETTLE_SECONDS:
            return False
        try:
            self.refresh(SETTLE_STEP_SECONDS, SETTLE_SECONDS)
        except EngineError as error:
            logger.warning("the schema of %s could not be read again: %s", self.name, error)
            return False
        return True

    def read(self, step_timeout: float = 60.0, total_timeout: float = 600.0) -> Extraction:
        """Read the database now and cache the result.

        Args:
            step_timeout: seconds for each query of the reading.
            total_timeout: seconds for the whole reading; if some steps cannot run in this time, the result is partial.

        Raises:
            QueryCancelled: the reading was cancelled.
            EngineError: the database cannot be read.
        """
        begin = time.monotonic()
        mark = self.engine.transaction_mark() or fingerprint(self.engine)
        found = extract(self.engine, self.name, step_timeout=step_timeout, total_timeout=total_timeout)
        cancellation = CANCELLATION.get()
        if cancellation is not None and cancellation.cancelled:
            raise QueryCancelled(f"The schema of {self.name} was not read completely.")
        if mark != self._read_mark:
            self._completions = 0
        self._read_at, self._read_mark = time.monotonic(), mark
        self.mark = self.mark or mark
        self._read_seconds = self._read_at - begin
        try:
            self.cache.store(self.key, found, mark)
        except OSError as error:
            logger.warning("the schema of %s could not be cached: %s", self.name, error)
        return found

    def refresh(self, step_timeout: float = 60.0, total_timeout: float = 600.0) -> Extraction:
        """Return the current schema and its counts, after reading the database if necessary.

        Wait first for a reading in progress. The database is read if its schema is incomplete, or if the database has
        changed or may have changed since the last reading. The timeouts are those of `read`, in seconds.
        """
        with self._reading:
            mark = self.engine.transaction_mark()
            if self._found is None or self.partial or mark is None or mark != self._read_mark:
                self._take(self.read(step_timeout, total_timeout))
                self.mark = self._read_mark
        assert self._found is not None
        return self._found

    def follow(self) -> None:
        """Start a thread that rereads the database, unless one is running.

        The thread waits before it reads, so that readings take at most `MOST_SHARE` of the time.
        """

        def read_again() -> None:
            pause = self._read_at + self._read_seconds / MOST_SHARE - time.monotonic()
            if self._stopped.wait(max(0.0, pause)):
                return
            begin = time.monotonic()
            self._completions += 1
            try:
                self.refresh()
            except EngineError as error:
                self._read_at = time.monotonic()
                self._read_seconds = max(self._read_seconds, self._read_at - begin)
                if not self._cancellation.cancelled:
                    logger.warning("the schema of %s could not be read again: %s", self.name, error)

        self._start(f"schema of {self.name}", read_again)

    def _take(self, found: Extraction) -> None:
        labels = found.schema.labels
        named = {
            label: replace(labels[label], naming=key)
            for label, key in self._naming.items()
            if label in labels and key in labels[label].properties
        }
        for label in self._naming.keys() - named.keys():
            message = "graph %r: name_property sets %s=%s, which the database does not have"
            logger.warning(message, self.name, label, self._naming[label])
        self._found = replace(found, schema=replace(found.schema, labels={**labels, **named})) if named else found
