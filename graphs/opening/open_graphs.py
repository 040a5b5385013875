"""The graphs of one server, each opened at first use.

>>> graphs = OpenGraphs([GraphSource("films", "Films and who made them", "none", lambda: films)])
>>> graphs.get(None).name
'films'
"""

from __future__ import annotations

import logging
import math
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from graphground.cypher.names.nearest import closest
from graphground.graphs.engines.client_context import CALLER, subject_of
from graphground.graphs.engines.engine import EngineError, EngineUnavailable, EngineUnreachable
from graphground.graphs.graph import Graph

Counts = tuple[int | None, int | None]
CLOSING_SECONDS = 2.0
WARM_UP_SECONDS = 60.0
USER = "\0"
"""The character between the name of a graph and the database user, in the key of a graph that is open for that user."""
CHECK_SECONDS = 0.25
"""The minimum time, in seconds, between checks whether graphs were added, removed or loaded again."""
logger = logging.getLogger(__name__)


class UnknownGraph(LookupError):
    """An unknown name of a graph, or a missing name if there is not exactly one graph.

    `nearest` lists similar names or, if there are none, the names of other graphs.
    """

    def __init__(self, message: str, nearest: Sequence[str]) -> None:
        super().__init__(message)
        self.nearest = list(nearest)


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """A graph as shown in a list: `GraphSummary("nba", "Players, teams, …", "embedded", 4327, 18991)`.

    The numbers of nodes and relationships are None while unknown. `problem` is the reason why the graph is unavailable
    now, or None. `write_protected` is whether the graph's database refused a trial write; None if unknown.
    """

    name: str
    description: str
    engine: str
    nodes: int | None
    relationships: int | None
    problem: str | None = None
    write_protected: bool | None = None


@dataclass(frozen=True, slots=True)
class GraphSource:
    """A graph that can be opened: its name, and the function that opens it.

    `counts` returns the numbers of nodes and relationships without opening the graph; None for an unknown number.
    When the result of `version` changes, the graph is reopened. Shortly after a server's first request, it opens each
    `eager` graph in the background and runs the query `warm_up`, so that one-time work of the engine is done before the
    first real query.
    """

    name: str
    description: str
    engine: str
    open: Callable[[], Graph]
    counts: Callable[[], Counts] = lambda: (None, None)
    version: Callable[[], object] = lambda: None
    eager: bool = False
    warm_up: str | None = None
    users: Mapping[str, GraphSource] = field(default_factory=dict)
    """The graph as other database users see it, by the subject of the callers who are that user.

    Each has a connection, a schema, statistics and an index of its own: nothing read as one user reaches another.
    """
    problem: Callable[[], str | None] | None = None
    """A function that returns, within a second, the reason why the graph is unavailable, or None if it is available.

    Without this function, a graph is known to be unavailable only after an attempt to open it has failed.
    """


def as_caller(source: GraphSource) -> GraphSource:
    """Return the source as the caller's database user sees it; the source itself if the caller has no such user."""
    return source.users.get(subject_of(CALLER.get()), source) if source.users else source


def _by_name(sources: Iterable[GraphSource]) -> dict[str, GraphSource]:
    named: dict[str, GraphSource] = {}
    for source in sources:
        if source.name in named:
            raise ValueError(f"two graphs are named {source.name!r}; give one of them another name")
        named[source.name] = source
    return named


class OpenGraphs:
    """The graphs of one server by name. Every method may be called from any thread."""

    def __init__(
        self,
        sources: Iterable[GraphSource],
        reread: Callable[[], Iterable[GraphSource]] | None = None,
        stamp: Callable[[], object] = lambda: None,
        hide: Callable[[str], str] = str,
    ) -> None:
        """Offer the graphs of `sources`, without opening them.

        `stamp` is called at an access, at most every `CHECK_SECONDS`. When it returns a new value, `reread` is called
        for the current sources.
        `hide` replaces what the problems in summaries must not contain, such as paths of this machine.
        """
        self._hide = hide
        self._reread, self._stamp, self._seen = reread, stamp, stamp()
        self._sources = _by_name(sources)
        self._locks: dict[str, threading.Lock] = {}
        self._opened: dict[str, tuple[object, Graph]] = {}
        self._problems: dict[str, str] = {}
        self._retired: list[weakref.finalize[[Graph], Graph]] = []
        self._unused: deque[Graph] = deque()
        self._retiring = threading.Lock()
        self._closed = False
        self._rereading = threading.Lock()
        self._checked = -math.inf
        self._verified: dict[str, float] = {}
        """For each open graph, the monotonic time at which its version was last compared."""

    def names(self) -> list[str]:
        """Return the names of the graphs, in the order of the sources."""
        return list(self._current())

    def _lock(self, name: str) -> threading.Lock:
        return self._locks.setdefault(name, threading.Lock())

    def _current(self) -> dict[str, GraphSource]:
        """Return the sources, reread if graphs were added or removed; close a removed graph when no thread uses it."""
        now = time.monotonic()
        if self._reread is None or now - self._checked < CHECK_SECONDS:
            return self._sources
        self._checked, stamp = now, self._stamp()
        if stamp == self._seen:
            return self._sources
        with self._rereading:
            if stamp != self._seen:
                self._sources, self._seen = _by_name(self._reread()), stamp
                for name in [name for name in self._opened if name.partition(USER)[0] not in self._sources]:
                    with self._lock(name):
                        known = self._opened.pop(name, None)
                    if known is not None:
                        self._retire(known[1])
        return self._sources

    def _retire(self, graph: Graph) -> None:
        """Close a replaced or removed graph when no thread holds it any more, so that no running call fails.

        A finalizer runs when the last reference is gone. That may happen in any thread, even during garbage collection,
        where closing could wait for a lock that the same thread holds. The finalizer therefore only queues a copy of
        the graph, and the next `get` closes the copy.
        """
        finalizer = weakref.finalize(graph, self._unused.append, replace(graph))
        with self._retiring:
            self._retired = [*(earlier for earlier in self._retired if earlier.alive), finalizer]

    def _close_unused(self) -> None:
        while self._unused:
            try:
                graph = self._unused.popleft()
            except IndexError:  # another thread took the last unused graph
                return
            graph.close()

    def get(self, name: str | None = None) -> Graph:
        """Return the graph called `name`, opened now if necessary; None selects the only graph.

        Raises:
            UnknownGraph: no graph has that name, or no name was given and there is not exactly one graph.
            EngineError: the graph cannot be opened, for the reason in the message; other graphs are not affected.
        """
        source = as_caller(self._source(name))
        self._close_unused()
        now, known = time.monotonic(), self._opened.get(source.name)
        if known is not None and not self._closed and now - self._verified.get(source.name, -math.inf) < CHECK_SECONDS:
            return known[1]  # without the lock, and without reading the catalog: most calls end here
        with self._lock(source.name):
            if self._closed:
                raise EngineUnavailable("The server is shutting down.")
            version = source.version()
            known = self._opened.get(source.name)
            if known is not None and known[0] == version:
                self._verified[source.name] = now
                return known[1]
            graph = self._open(source)
            self._opened[source.name] = version, graph
            self._verified[source.name] = now
            if known is not None:
                self._retire(known[1])
            return graph

    def opened(self, name: str) -> Graph | None:
        """Return the graph called `name` if it is already open, else None."""
        source = self._sources.get(name)
        known = self._opened.get(as_caller(source).name if source is not None else name)
        return known[1] if known is not None else None

    def open_eager(self) -> None:
        """Open the eager graphs now. A failure is only logged: `get` tries again to open the graph."""
        for source in self._current().values():
            if source.eager and not self._closed:
                try:
                    graph = self.get(source.name)
                    if source.warm_up is not None:
                        graph.run(source.warm_up, limit=1, timeout=WARM_UP_SECONDS)
                except EngineError as error:
                    if not self._closed:
                        logger.warning("graph %r: %s", source.name, error)

    def summaries(self) -> list[GraphSummary]:
        """Return a summary of each graph, including whether its database can be reached; takes at most a second."""
        checks = {name: source.problem for name, source in self._current().items() if source.problem is not None}
        with ThreadPoolExecutor(max(len(checks), 1)) as pool:
            found = dict(zip(checks, pool.map(lambda check: check(), checks.values()), strict=True))
        return [self._summary(source, found.get(source.name)) for source in self._sources.values()]

    def close(self) -> None:
        """Close every open graph; may be called twice.

        A graph that another thread is still opening after `CLOSING_SECONDS` is not closed.
        """
        self._closed = True
        for name, lock in list(self._locks.items()):
            if not lock.acquire(timeout=CLOSING_SECONDS):
                continue
            try:
                known = self._opened.pop(name, None)
            finally:
                lock.release()
            if known is not None:
                if known[1].engine is not None:
                    known[1].engine.cancel()
                known[1].close()
        for finalizer in self._retired:
            finalizer()
        self._close_unused()

    def _source(self, name: str | None) -> GraphSource:
        sources = self._current()
        if name is None:
            if len(sources) == 1:
                return next(iter(sources.values()))
            message = (
                "no graph is open; load one with `graphground graphs load FILE`"
                if not sources
                else f"{len(sources)} graphs are open ({', '.join(sources)}): name one"
            )
            raise UnknownGraph(message, self.names())
        source = sources.get(name)
        if source is None:
            similar = closest(name, self.names()) or self.names()[:3]
            raise UnknownGraph(
                f"there is no graph {name!r}" + (f"; nearest: {', '.join(similar)}" if similar else ""), similar
            )
        return source

    def _open(self, source: GraphSource) -> Graph:
        try:
            graph = source.open()
        except EngineError as error:
            # An unreachable server is not remembered: `source.problem` checks whether it is reachable again.
            if source.problem is None or not isinstance(error, EngineUnreachable):
                self._problems[source.name] = str(error)
            raise
        except Exception as error:
            self._problems[source.name] = message = (
                f"The graph {source.name.partition(USER)[0]!r} cannot be opened: {error}"
            )
            raise EngineUnavailable(message) from error
        self._problems.pop(source.name, None)
        return graph

    def _summary(self, source: GraphSource, unreachable: str | None = None) -> GraphSummary:
        key = as_caller(source).name
        problem = unreachable or self._problems.get(key)
        counts: Counts = (None, None)
        try:
            counts = source.counts()
        except Exception as error:
            problem = problem or str(error)
        problem = self._hide(problem) if problem else None
        description = f"{source.description} (cannot be opened: {problem})".strip() if problem else source.description
        known = self._opened.get(key)
        if known is not None and counts[0] is None:
            counts = known[1].counts
        protected = known[1].write_protected if known is not None else None
        return GraphSummary(source.name, description, source.engine, *counts, problem, protected)
