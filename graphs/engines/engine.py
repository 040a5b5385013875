"""The interface to a database, and the errors that it raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from graphground.cypher.language import Language
from graphground.graphs.engines.dialects import Dialect
from graphground.graphs.engines.table import Table

if TYPE_CHECKING:
    from graphground.cypher.tree import Query


class EngineError(Exception):
    """A database failed. The message says what failed and what to do."""


class EngineUnavailable(EngineError):
    """Unreachable: a wrong address, a refused password, a missing database, an engine that did not start."""


class EngineUnreachable(EngineUnavailable):
    """No server listens at the address, so the query never ran: a retry is safe."""


class EngineBusy(EngineError):
    """Too many queries at once; the same call may succeed later."""


class QueryFailed(EngineError):
    """The database refused the query or failed; `code` is the database's own error code.

    `line` and `column` (from 1) are set if the database reports them.
    """

    def __init__(self, message: str, code: str = "", line: int | None = None, column: int | None = None):
        super().__init__(message)
        self.code, self.line, self.column = code, line, column


class QueryTimeout(EngineError):
    """The query was terminated in the database at its time limit."""


def timed_out(timeout: float | None) -> QueryTimeout:
    """The error for a query that was terminated at `timeout` seconds."""
    return QueryTimeout("The query was terminated at its time limit" + (f" of {timeout:g} s." if timeout else "."))


class QueryCancelled(EngineError):
    """The query was terminated because its caller cancelled or disconnected."""


class QueryMoved(EngineError):
    """The query was terminated, to be run again where it delays no other caller. Callers of an engine never see it."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of one database; code tests these, never a product's name."""

    product: str
    version: str
    dialect: Dialect
    """The differences of this kind of database."""
    enforces_read_only: bool
    """Whether the database itself refuses writes in read sessions (tried, not assumed)."""
    can_terminate: bool
    """Whether a single query can be terminated without affecting others."""
    has_vector_index: bool = False
    language: Language = "cypher5"
    """The version of Cypher that applies to a query that does not state one."""


class Engine(Protocol):
    """A connected database, used read-only. Every method may be called from any thread.

    All raise `EngineError` or a subclass, never a driver's own exception. Nothing here writes: loading is
    `loading.into_database`, which no tool can reach.
    """

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query, given as text or as a tree.

        At most `limit` rows are kept; `timeout` is in seconds.
        """
        ...

    def explain(self, query: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Compile without running. Raises `QueryFailed` with the position if the database refuses the query."""
        ...

    def cancel(self) -> None:
        """Terminate all queries that run through this engine, in the database; they raise `QueryCancelled`.

        Waits briefly until they have ended. Use `cancellation.cancellable` to terminate a single query.
        """
        ...

    def capabilities(self) -> Capabilities:
        """The capabilities of this database."""
        ...

    def transaction_mark(self) -> str | None:
        """A mark that changes with every committed transaction of any client; None if the database has none.

        Neo4j returns it with any query, in about a millisecond: the bookmark of the last transaction.
        """
        ...

    def close(self) -> None:
        """Close the connections; may be called twice."""
        ...
