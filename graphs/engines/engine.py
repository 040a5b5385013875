"""The interface to a database and its exceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from graphground.cypher.diagnostics import Language

if TYPE_CHECKING:
    from graphground.cypher.tree import Query
    from graphground.graphs.engines.dialects import Dialect

TrialWrite = Literal["refused", "accepted", "failed", "impossible"]
"""The outcome of a trial write: refused because of missing permissions, accepted, failed for another reason, or
impossible because the database has no label that the write could use."""


class EngineError(Exception):
    """A failure of a database. The message says what failed and what to do."""


class EngineUnavailable(EngineError):
    """A database that cannot be used: wrong address, refused password, missing database, engine that did not start."""


class EngineUnreachable(EngineUnavailable):
    """A database to which no connection can be made. The query never ran, so a retry is safe."""


class QueryUnanswered(EngineError):
    """A query without an answer, on a database that can be used."""


class EngineBusy(QueryUnanswered):
    """A database that cannot run the query now, for instance because too many queries run; a later call may succeed."""


class QueryFailed(QueryUnanswered):
    """A query that the database refused or could not complete.

    `code` is the database's error code, or a word such as `parameter` if GraphGround found the problem. `line` and
    `column` (from 1) are set if the database reports them.
    """

    def __init__(self, message: str, code: str = "", line: int | None = None, column: int | None = None):
        super().__init__(message)
        self.code, self.line, self.column = code, line, column


class QueryTimeout(QueryUnanswered):
    """A query that was terminated in the database at its time limit."""


def timed_out(timeout: float | None) -> QueryTimeout:
    """Return the error for a query that was terminated at a limit of `timeout` seconds."""
    return QueryTimeout("The query was terminated at its time limit" + (f" of {timeout:g} s." if timeout else "."))


class QueryCancelled(QueryUnanswered):
    """A query that was terminated because its caller cancelled or disconnected."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of one database."""

    version: str
    dialect: Dialect
    """The differences between this kind of database and others."""
    trial_write: TrialWrite
    """The outcome of a trial write in a read session."""
    language: Language = "cypher5"
    """The version of Cypher that applies to a query that does not state one."""


class QueryRunner(Protocol):
    """What reading a schema or statistics needs of a database: queries, and what the database is capable of."""

    def run(
        self,
        query: str | Query,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        """Run one read-only query, given as text or as a tree.

        Return at most `limit` rows; terminate the query after `timeout` seconds. None means no limit.
        """

    def capabilities(self) -> Capabilities:
        """Return the capabilities of this database."""


class Engine(QueryRunner, Protocol):
    """A connected database, used read-only. Every method may be called from any thread.

    A failure is raised as `EngineError` or a subclass, never as a driver's exception. No method writes: loading is in
    `loading.into_database`, which no tool can reach.
    """

    def cancel(self) -> None:
        """Terminate, in the database, all queries that run through this engine; their calls raise `QueryCancelled`.

        Waits briefly until the queries have ended. Use `cancellation.cancellable` to terminate a single query.
        """

    def transaction_mark(self) -> str | None:
        """Return a text that changes with every committed transaction of any client; None if there is no such text.

        For Neo4j the text is the bookmark of the last transaction. Neo4j sends it with the result of any query; a query
        just to read it takes about a millisecond.
        """

    def close(self) -> None:
        """Close the connections; may be called twice."""


@dataclass(frozen=True, slots=True)
class Table:
    """The columns and rows of a result: `Table(["m.name"], [["Heat"], ["Ronin"]], False, 1.8)`.

    Engines return plain JSON values: dates as ISO 8601 text; nodes, relationships and paths as maps. `truncated` is
    true if there were more rows than requested, or than fit into an answer. `elapsed_ms` is in milliseconds.
    """

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    elapsed_ms: float


def is_empty_answer(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether an answer is empty: it has no rows, or a single row of zeros, nulls and empty lists.

    >>> is_empty_answer([[0, None]]), is_empty_answer([["Heat"]])
    (True, False)
    """
    return not rows or (
        len(rows) == 1 and all(value is None or value == [] or (value == 0 and value is not False) for value in rows[0])
    )
