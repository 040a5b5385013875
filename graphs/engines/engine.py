"""The one interface to a database, and the errors that it raises."""

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
    """A database could not do its job. The message says what failed and what to do, in words for a person."""


class EngineUnavailable(EngineError):
    """Unreachable: a wrong address, a refused password, a missing database, an engine that did not start."""


class EngineUnreachable(EngineUnavailable):
    """No server listens at the address, so the query never ran: a retry is safe."""


class EngineBusy(EngineError):
    """Too many queries at once; the same call later may do."""


class QueryFailed(EngineError):
    """The database refused or failed the query; `code` is its own code for that.

    `line` and `column` (from 1) are given where the database tells them.
    """

    def __init__(self, message: str, code: str = "", line: int | None = None, column: int | None = None):
        super().__init__(message)
        self.code, self.line, self.column = code, line, column


class QueryTimeout(EngineError):
    """The query was ended in the database at its time limit."""


class QueryCancelled(EngineError):
    """The query was terminated because its caller cancelled or disconnected."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one database can do; the rest of the program asks here, never for a product's name."""

    product: str
    version: str
    dialect: Dialect
    """What this kind of database does in its own way."""
    enforces_read_only: bool
    """Whether the database itself refuses writes on the read path (tried, not assumed)."""
    can_terminate: bool
    """Whether one query can be ended without ending others."""
    has_vector_index: bool = False
    language: Language = "cypher5"
    """The version of Cypher that a query is in which does not say its own."""


class Engine(Protocol):
    """A connected database that is only read. Every method may be called from any thread.

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
        """Run one reading query, given as a text or as its tree.

        At most `limit` rows are kept; `timeout` is in seconds.
        """
        ...

    def explain(self, query: str, parameters: Mapping[str, Any] | None = None) -> None:
        """Compile without running. Raises `QueryFailed` with the place where the database refuses it."""
        ...

    def cancel(self) -> None:
        """End all queries that run through this engine, in the database; they raise `QueryCancelled`.

        Waits a moment until they are over.

        One query alone is ended through `cancellation.cancellable`.
        """
        ...

    def capabilities(self) -> Capabilities:
        """What this database can do."""
        ...

    def transaction_mark(self) -> str | None:
        """A mark that changes with every committed transaction of any client; None where there is none.

        Neo4j gives it with any query, in about a millisecond: the bookmark of the last transaction.
        """
        ...

    def close(self) -> None:
        """Close the connections; may be called twice."""
        ...
