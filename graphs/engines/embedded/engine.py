"""The engine of a graph in the data folder; it chooses the process in which each query runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphground.graphs.engines.callers import CALLER, CLIENTS_QUERY
from graphground.graphs.engines.embedded.lane import Lane
from graphground.graphs.engines.embedded.may_not_end import may_not_end
from graphground.graphs.engines.embedded.quarantine import QUARANTINE
from graphground.graphs.engines.engine import Capabilities, EngineBusy, QueryMoved, QueryTimeout, timed_out
from graphground.graphs.engines.table import Table
from graphground.graphs.storage.home import Home

if TYPE_CHECKING:
    from graphground.cypher.tree import Query


class EmbeddedEngine:
    """The engine of one graph: `EmbeddedEngine(Home.default(), "nba-5f0c21aa").run("MATCH (n) RETURN count(n)")`.

    Queries that the engine may not be able to terminate run in a second process of lower priority, which can be killed
    without affecting the queries in the first process. If a harmless-looking query could not be terminated, all queries
    of its caller run in the second process for a while. A client's query that takes long moves to the second process
    while other callers are active. The server's own lookups run in the first process only.
    """

    def __init__(self, home: Home, database: str, **bolt: Any) -> None:
        self._shared = Lane(home, database, apart=False, **bolt)
        self._apart = Lane(home.apart(), database, apart=True, **bolt)

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query; if the process ends meanwhile, retry on a new process.

        Raises:
            EngineBusy: too many queries are running; or a process is still starting; or a recent query of this caller
                could not be terminated, and this query may not be terminable either.
        """
        suspect = not isinstance(query, str) and may_not_end(query)
        if suspect and (wait := QUARANTINE.wait(CALLER.get())):
            raise EngineBusy(
                "One of your queries could not be terminated at its time limit, so the engine had to be "
                "killed. Queries with reduce, nested list expressions or range() are accepted again in "
                f"{wait:.0f} s; other queries are accepted now."
            )
        left = timeout
        if not suspect and not (CLIENTS_QUERY.get() and QUARANTINE.knows(CALLER.get())):
            start = time.monotonic()
            try:
                return self._shared.run(query, parameters, limit=limit, timeout=timeout)
            except QueryMoved:
                left = None if timeout is None else timeout - (time.monotonic() - start)
                if left is not None and left <= 0:
                    raise timed_out(timeout) from None
        try:
            return self._apart.run(query, parameters, limit=limit, timeout=left)
        except QueryTimeout:
            raise timed_out(timeout) from None

    def stream(self, query: str, parameters: Mapping[str, Any] | None = None) -> Iterator[list[Any]]:
        """Stream the rows of a read-only query without a row limit; meant for exports."""
        yield from self._shared.connected().stream(query, parameters)

    def warm(self) -> None:
        """Start the engine process early, so that the first query does not wait for it."""
        self._shared.connected()

    def explain(self, query: str) -> None:
        """Compile a query without running it."""
        self._shared.explain(query)

    def cancel(self) -> None:
        """Terminate all queries that run through this engine."""
        self._shared.cancel()
        self._apart.cancel()

    def transaction_mark(self) -> str | None:
        """Return None: the data of a loaded graph never change, since a new load is opened as a new database."""
        return None

    def capabilities(self) -> Capabilities:
        """Return the engine's capabilities; its trial write is made only once."""
        return self._shared.connected().capabilities()

    def close(self) -> None:
        """Close the connections. The processes continue to serve other servers, and stop when idle."""
        self._shared.close()
        self._apart.close()
