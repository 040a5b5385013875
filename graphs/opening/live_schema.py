"""The schema of your own database: read, kept in a cache, and read again when the data changed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.cancellation import CURRENT, Cancellation
from graphground.graphs.engines.engine import Engine, EngineError, QueryCancelled
from graphground.graphs.schemas.extraction.cache import SchemaCache, fingerprint
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.schemas.extraction.findings import Extraction

OPENING_STEP_SECONDS, OPENING_SECONDS, CLOSING_SECONDS = 10.0, 20.0, 5.0
logger = logging.getLogger(__name__)


class LiveSchema:
    """The schema of one connected database, kept up to date: `LiveSchema(engine, "films", key, cache).open()`.

    `key` tells databases apart in the cache.
    """

    def __init__(self, engine: Engine, name: str, key: str, cache: SchemaCache) -> None:
        self.engine, self.name, self.key, self.cache = engine, name, key, cache
        self._found: Extraction | None = None
        self.thread: threading.Thread | None = None
        self._cancellation = Cancellation()

    def open(self) -> None:
        """Take the schema that was read before, and check it in the background by its fingerprint.

        A changed schema is read again and takes the old one's place. A database that was never read is read now,
        for `OPENING_SECONDS` at most: the rest is read in the background.

        Raises:
            EngineError: nothing is cached and the database cannot be read.
        """
        cached = self.cached()
        self._found = cached or self.read(OPENING_STEP_SECONDS, OPENING_SECONDS)
        self.follow(again=self._found.partial)

    @property
    def schema(self) -> PropertyGraphSchema:
        """The schema as it was last read; empty and open before that."""
        return self._found.schema if self._found is not None else PropertyGraphSchema(self.name, {}, (), open=True)

    @property
    def samples(self) -> Mapping[tuple[str, str], Sequence[Any]] | None:
        """The sample values that were read with it, if any."""
        return (self._found.samples or None) if self._found is not None else None

    def cached(self) -> Extraction | None:
        """What was read before, as it was."""
        stored = self.cache.load(self.key, self.name)
        return stored.extraction if stored is not None else None

    def read(self, step_timeout: float = 60.0, total_timeout: float = 600.0) -> Extraction:
        """Read the database now and keep the answer; what was cancelled meanwhile is not an answer."""
        mark = fingerprint(self.engine)
        found = extract(self.engine, self.name, step_timeout=step_timeout, total_timeout=total_timeout)
        asked = CURRENT.get()
        if asked is not None and asked.cancelled:
            raise QueryCancelled(f"The schema of {self.name} was not read to its end.")
        try:
            self.cache.store(self.key, found, mark)
        except OSError as error:
            logger.warning("the schema of %s could not be kept: %s", self.name, error)
        return found

    def changed(self) -> bool:
        """Whether the database no longer is what was read."""
        stored = self.cache.load(self.key, self.name)
        return stored is None or stored.extraction.partial or stored.fingerprint != fingerprint(self.engine)

    def refresh(self) -> Extraction:
        """Read the database anew, now."""
        self._found = self.read()
        return self._found

    def follow(self, again: bool = False) -> None:
        """Check in the background, once, and read again where the data changed."""
        def check() -> None:
            CURRENT.set(self._cancellation)
            try:
                if again or self.changed():
                    self.refresh()
            except EngineError as error:
                if not self._cancellation.cancelled:
                    logger.warning("the schema of %s could not be checked: %s", self.name, error)

        self.thread = threading.Thread(target=check, name=f"schema of {self.name}", daemon=True)
        self.thread.start()

    def stop(self, seconds: float = CLOSING_SECONDS) -> None:
        """End the reading in the background, in the database too, and wait so long for it at most."""
        until = time.monotonic() + seconds
        for thread in (*self._cancellation.cancel(), *([self.thread] if self.thread is not None else [])):
            thread.join(max(0.0, until - time.monotonic()))
