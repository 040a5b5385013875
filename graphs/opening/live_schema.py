"""The schema of your own database: read, kept in a cache, and read again when the data changed.

Before each call `look` asks the database for the mark of its last transaction, a millisecond's work. Nothing more is
done while the mark stays. When it moved, a database that is read quickly is read again at once; a larger one is read
in the background, and until then its schema counts as `stale`: a caller that finds an error calls `settle` first,
and judges again with what the database really holds.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.cancellation import CURRENT, Cancellation
from graphground.graphs.engines.engine import Engine, EngineError, QueryCancelled
from graphground.graphs.schemas.extraction.cache import SchemaCache, fingerprint
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.schemas.extraction.findings import Extraction

OPENING_STEP_SECONDS, OPENING_SECONDS, CLOSING_SECONDS = 10.0, 20.0, 5.0
QUICK_SECONDS = 0.75
"""A database that took no longer to read is read again within the call that finds it changed."""
SETTLE_STEP_SECONDS, SETTLE_SECONDS = 4.0, 8.0
"""The longest that a call waits for a schema that would contradict the database otherwise."""
LEAST_SHARE = 0.2
"""At most this share of the time goes into reading a database that changes all the time."""
FINGERPRINT_SECONDS = 2.0
"""Between looks at a database that gives no transaction marks."""
logger = logging.getLogger(__name__)


class LiveSchema:
    """The schema of one connected database, kept up to date: `LiveSchema(engine, "films", key, cache).open()`.

    `key` tells databases apart in the cache; `naming` sets the property that names the nodes of a label.
    """

    def __init__(
        self, engine: Engine, name: str, key: str, cache: SchemaCache, naming: Mapping[str, str] | None = None
    ) -> None:
        self.engine, self.name, self.key, self.cache = engine, name, key, cache
        self._naming = naming or {}
        self._found: Extraction | None = None
        self._read_mark: str | None = None
        self._mark: str | None = None
        self._looked = self._read_at = self._read_seconds = 0.0
        self._reading = threading.Lock()
        self._stopped = threading.Event()
        self.thread: threading.Thread | None = None
        self._cancellation = Cancellation()

    def open(self) -> None:
        """Take the schema that was read before where the database has not changed since; else read it.

        A database that was never read is read now, for `OPENING_SECONDS` at most: the rest is read in the background.

        Raises:
            EngineError: nothing is cached and the database cannot be read.
        """
        stored = self.cache.load(self.key, self.name)
        if stored is None:
            self._take(self.read(OPENING_STEP_SECONDS, OPENING_SECONDS))
        else:
            self._take(stored.extraction)
            self._read_mark = stored.fingerprint
            self._read_seconds = stored.extraction.elapsed_ms / 1e3
            self.look()
        if self._found is not None and self._found.partial:
            self.follow()

    @property
    def schema(self) -> PropertyGraphSchema:
        """The schema as it was last read; empty and open before that."""
        return self._found.schema if self._found is not None else PropertyGraphSchema(self.name, {}, (), open=True)

    @property
    def samples(self) -> Mapping[tuple[str, str], Sequence[Any]] | None:
        """The sample values that were read with it, if any."""
        return (self._found.samples or None) if self._found is not None else None

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """How many nodes and relationships there were when the schema was read."""
        return (self._found.nodes, self._found.relationships) if self._found is not None else (None, None)

    @property
    def mark(self) -> str | None:
        """The mark of the last transaction that `look` saw."""
        return self._mark

    @property
    def stale(self) -> bool:
        """Whether the database has changed since the schema was read, as far as is known."""
        return self._mark is not None and self._mark != self._read_mark

    def look(self) -> None:
        """Notice a change of the database, and read it again: now where that is quick, else in the background.

        A database that cannot be asked is left to the call itself, which will say so.
        """
        now = time.monotonic()
        try:
            mark = self.engine.transaction_mark()
            if mark is None:
                if now - self._looked < FINGERPRINT_SECONDS:
                    return
                mark = fingerprint(self.engine)
        except EngineError:
            return
        self._looked, self._mark = now, mark
        if not self.stale:
            return
        if self._read_seconds <= QUICK_SECONDS and now - self._read_at >= self._read_seconds / LEAST_SHARE:
            self.settle()
        else:
            self.follow()

    def settle(self) -> bool:
        """Read a stale schema again before it is used against a query; True where it has been read anew."""
        if not self.stale or self._read_seconds > SETTLE_SECONDS:
            return False
        try:
            self.refresh(SETTLE_STEP_SECONDS, SETTLE_SECONDS)
        except EngineError as error:
            logger.warning("the schema of %s could not be read again: %s", self.name, error)
            return False
        return True

    def read(self, step_timeout: float = 60.0, total_timeout: float = 600.0) -> Extraction:
        """Read the database now and keep the answer; what was cancelled meanwhile is not an answer."""
        begin = time.monotonic()
        mark = self.engine.transaction_mark() or fingerprint(self.engine)
        found = extract(self.engine, self.name, step_timeout=step_timeout, total_timeout=total_timeout)
        asked = CURRENT.get()
        if asked is not None and asked.cancelled:
            raise QueryCancelled(f"The schema of {self.name} was not read completely.")
        self._read_at, self._read_mark = time.monotonic(), mark
        self._mark = self._mark or mark
        self._read_seconds = self._read_at - begin
        try:
            self.cache.store(self.key, found, mark)
        except OSError as error:
            logger.warning("the schema of %s could not be kept: %s", self.name, error)
        return found

    def refresh(self, step_timeout: float = 60.0, total_timeout: float = 600.0) -> Extraction:
        """Read the database anew, now; a reading that is under way is waited for, and is enough if nothing changed."""
        with self._reading:
            mark = self.engine.transaction_mark()
            if self._found is None or mark is None or mark != self._read_mark or self._found.partial:
                self._take(self.read(step_timeout, total_timeout))
                self._mark = self._read_mark
        assert self._found is not None
        return self._found

    def follow(self) -> None:
        """Read again in the background; not more often than `LEAST_SHARE` of the time allows."""
        if self.thread is not None and self.thread.is_alive():
            return

        def read_again() -> None:
            CURRENT.set(self._cancellation)
            pause = self._read_at + self._read_seconds / LEAST_SHARE - time.monotonic()
            if self._stopped.wait(max(0.0, pause)):
                return
            try:
                self.refresh()
            except EngineError as error:
                if not self._cancellation.cancelled:
                    logger.warning("the schema of %s could not be read again: %s", self.name, error)

        self.thread = threading.Thread(target=read_again, name=f"schema of {self.name}", daemon=True)
        self.thread.start()

    def stop(self, seconds: float = CLOSING_SECONDS) -> None:
        """End the reading in the background, in the database too, and wait so long for it at most."""
        self._stopped.set()
        until = time.monotonic() + seconds
        for thread in (*self._cancellation.cancel(), *([self.thread] if self.thread is not None else [])):
            thread.join(max(0.0, until - time.monotonic()))

    def _take(self, found: Extraction) -> None:
        labels = found.schema.labels
        named = {
            label: replace(labels[label], naming=key)
            for label, key in self._naming.items()
            if label in labels and key in labels[label].properties
        }
        for label in self._naming.keys() - named.keys():
            logger.warning(
                "graph %r: name_property sets %s=%s, which the database does not have",
                self.name,
                label,
                self._naming[label],
            )
        self._found = replace(found, schema=replace(found.schema, labels={**labels, **named})) if named else found
