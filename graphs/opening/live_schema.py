"""Your own database as an opened graph, with the schema that was read from it."""

from __future__ import annotations

import logging
import threading
import time
from functools import partial
from pathlib import Path

from graphground.graphs.engines.cancellation import CURRENT, Cancellation
from graphground.graphs.engines.engine import Engine, EngineError, QueryCancelled
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.extraction.cache import SchemaCache, fingerprint
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.schemas.extraction.findings import Extraction

OPENING_STEP_SECONDS, OPENING_SECONDS, CLOSING_SECONDS = 10.0, 20.0, 5.0
logger = logging.getLogger(__name__)


def connected_graph(name: str, description: str, engine: Engine, key: str, folder: Path) -> Graph:
    """The graph of a connected database; `key` tells databases apart in the cache.

    A schema that was read before is taken from the cache at once, and checked in the background against the
    database, by its fingerprint; a changed one is read again and takes the old one's place. A database that was
    never read is read now, for `OPENING_SECONDS` at most: what is missing then is read in the background.

    Raises:
        EngineError: nothing is cached and the database cannot be read.
    """
    live = LiveSchema(engine, name, key, SchemaCache(folder))
    known = live.cached()
    if known is None:
        known = live.read(OPENING_STEP_SECONDS, OPENING_SECONDS)
    graph = Graph(name, known.schema, description, engine, samples=known.samples or None)
    graph.refresh = partial(live.refresh, graph)
    graph.before_close = live.stop
    live.follow(graph, again=known.partial)
    return graph


class LiveSchema:
    """The schema of one connected database: read, cached, kept up to date."""

    def __init__(self, engine: Engine, name: str, key: str, cache: SchemaCache) -> None:
        self.engine, self.name, self.key, self.cache = engine, name, key, cache
        self.thread: threading.Thread | None = None
        self._cancellation = Cancellation()

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

    def refresh(self, graph: Graph) -> Extraction:
        """Read the database anew and give the graph the new schema."""
        found = self.read()
        graph.schema = found.schema
        return found

    def follow(self, graph: Graph, again: bool = False) -> None:
        """Check in the background, once, and read again where the data changed."""
        def work() -> None:
            CURRENT.set(self._cancellation)
            try:
                if again or self.changed():
                    self.refresh(graph)
            except EngineError as error:
                if not self._cancellation.cancelled:
                    logger.warning("the schema of %s could not be checked: %s", graph.name, error)

        self.thread = threading.Thread(target=work, name=f"schema of {graph.name}", daemon=True)
        self.thread.start()

    def stop(self, seconds: float = CLOSING_SECONDS) -> None:
        """End the reading in the background, in the database too, and wait so long for it at most."""
        until = time.monotonic() + seconds
        for thread in (*self._cancellation.cancel(), *([self.thread] if self.thread is not None else [])):
            thread.join(max(0.0, until - time.monotonic()))
