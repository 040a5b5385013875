"""Translates a driver's exceptions into readable errors: what failed, where, and what to do."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator

from neo4j import exceptions

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.engine import (
    EngineBusy,
    EngineError,
    EngineUnavailable,
    EngineUnreachable,
    QueryFailed,
    timed_out,
)

PLACE = re.compile(r"\(line (\d+), column (\d+)(?: \(offset: \d+\))?\)")
MEMGRAPH_PLACE = re.compile(r"(?:^|: )line (\d+):(\d+) |Error on line (\d+) position (\d+)")
"""The position in a message of Memgraph, such as `line 1:9 mismatched input …`: line and column, both from 1.

Source: `frontend/opencypher/parser.hpp` of Memgraph.
"""
JAVA_CLASS = re.compile(r"^(?:(?:[a-z][\w$]*\.)+[A-Z]\w*(?:Exception|Error): ?)+")
TIMEOUT_CODES = frozenset(
    {
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration",
    }
)
RESTARTED_CODES = frozenset(
    {
        "Neo.TransientError.General.DatabaseUnavailable",
        "Neo.TransientError.Cluster.NotALeader",
        "Neo.ClientError.Cluster.NotALeader",
        "Neo.TransientError.Transaction.LeaseExpired",
    }
)
MEMGRAPH_ENDED = re.compile(r"Transactions? was asked to abort")
"""The beginning of Memgraph's messages about a terminated query: on request, at a time limit, or at a shutdown.
Memgraph marks these errors as retriable (source: `query/exceptions.hpp` of Memgraph).
"""
BUSY_CODES = frozenset({"Neo.TransientError.Request.NoThreadsAvailable"})


def was_ended(error: exceptions.Neo4jError | exceptions.DriverError) -> bool:
    """Whether Memgraph terminated this query deliberately; such a query is not retried."""
    return isinstance(error, exceptions.Neo4jError) and MEMGRAPH_ENDED.search(error.message or "") is not None


OUT_OF_MEMORY = "OutOfMemory"
"""Part of Neo4j's error codes for a query over its memory limit; Neo4j calls them transient, but a retry fails."""


def ran_out_of_memory(error: exceptions.Neo4jError | exceptions.DriverError) -> bool:
    """Whether the query was terminated because it used too much memory; a retry would fail in the same way."""
    return OUT_OF_MEMORY in (getattr(error, "code", None) or "")


def translated(error: BaseException, address: BoltAddress, timeout: float | None = None) -> EngineError:
    """Return the `EngineError` that corresponds to a driver's exception."""
    where = address.where()
    code = getattr(error, "code", None) or ""
    message = str((isinstance(error, exceptions.Neo4jError) and error.message) or error)
    match error:
        case EngineError():
            return error
        case exceptions.AuthError():
            problem = "requires a user and a password, and no user was given. Set"
            if address.user:
                problem = f"refused the user {address.user!r} or its password. Check"
            return EngineUnavailable(
                f"{where} {problem} the user (--user, NEO4J_USERNAME, or `username` in the settings file) and the "
                "password (NEO4J_PASSWORD, `password_variable` in the settings file, or GRAPHGROUND_ADMIN_PASSWORD for "
                "`graphs load --into`)."
            )
        case exceptions.ClientError() if code.startswith("Neo.ClientError.Security.Auth"):
            user = f"the user {address.user!r}" if address.user else "a connection without a user"
            return EngineUnavailable(f"{where} refused {user}: {message}")
        case exceptions.ClientError() if code == "Neo.ClientError.Database.DatabaseNotFound":
            named = f"database {address.database!r}" if address.database else "default database for the user"
            return EngineUnavailable(
                f"{where} has no {named}. Name an existing database with --database, NEO4J_DATABASE, or `database` in the "
                "settings file."
            )
        case exceptions.Neo4jError() if code in TIMEOUT_CODES or (was_ended(error) and "timeout" in message):
            return timed_out(timeout)
        case exceptions.Neo4jError() if OUT_OF_MEMORY in code:
            return QueryFailed(
                "The query needs more memory than the database allows for one query. Narrow it: fewer "
                "rows before collect(), DISTINCT or ORDER BY, fewer hops, a LIMIT.",
                code,
            )
        case exceptions.Neo4jError() if code in BUSY_CODES:
            return EngineBusy(f"{where} is busy; try again in a moment.")
        case exceptions.Neo4jError() if code in RESTARTED_CODES:
            return EngineUnavailable(f"{where} cannot serve the database at the moment: {message}")
        case exceptions.Neo4jError():
            return failed(message, code)
        case exceptions.WriteServiceUnavailable() | exceptions.ReadServiceUnavailable():
            return EngineUnavailable(
                f"{where} cannot serve the database at the moment: none of its servers accepts "
                "queries, for example during a leader change. Try again in a moment."
            )
        case exceptions.SessionExpired() | exceptions.ServiceUnavailable():
            return _about_encryption(error, address) or _unreachable(where, message)
        case ValueError() if "resolve address" in message:  # raised by drivers before 6 for an unknown host
            return _unreachable(where, message)
        case exceptions.ConfigurationError() | exceptions.UnsupportedServerProduct():
            return EngineUnavailable(f"{where} cannot be used: {_first_line(message)}")
        case exceptions.DriverError() if "acquire" in message or "pool" in message:
            return EngineBusy(f"All connections to {where} are in use; try again in a moment.")
        case RecursionError() | TypeError() if "ecursion" in message:  # raised by Python or by orjson
            return QueryFailed(
                "The query, a parameter or a value of the answer is nested too deeply. Flatten it: a "
                "list of maps instead of lists in lists, `IN [a, b]` instead of many ORs.",
                "nesting",
            )
        case ValueError() | TypeError() | OverflowError():
            return QueryFailed(f"A parameter cannot be sent to the database: {message}", "parameter")
    return EngineUnavailable(f"{where}: {type(error).__name__}: {_first_line(message)}")


def _about_encryption(error: BaseException, address: BoltAddress) -> EngineUnavailable | None:
    """Return the error for a connection that uses TLS on one side only or has an untrusted certificate, else None."""
    where, scheme = address.where(), address.uri.partition("://")[0]
    plain = scheme.partition("+")[0]
    found = list(_causes(error))
    for cause in found:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return EngineUnavailable(
                f"The certificate of {where} is not trusted ({cause.verify_message}). Write {plain}+ssc:// to "
                "accept a self-signed one, or set SSL_CERT_FILE to the certificate file of the authority that signed it."
            )
    if any(isinstance(cause, ssl.SSLError | ConnectionResetError) for cause in found) and scheme != plain:
        return EngineUnreachable(f"{where} does not speak TLS. Write {plain}:// instead, or turn TLS on there.")
    if scheme == plain and "incomplete handshake" in " ".join(map(str, found)):
        return EngineUnreachable(
            f"{where} closed the connection before the Bolt handshake. If it requires TLS, write "
            f"{plain}+s://, or {plain}+ssc:// for a self-signed certificate."
        )
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all errors that led to it: causes, contexts, and the members of groups."""
    waiting, seen = [error], set[int]()
    while waiting:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        parts = current.exceptions if isinstance(current, BaseExceptionGroup) else ()
        waiting += [part for part in (*parts, current.__cause__, current.__context__) if part is not None]


def _unreachable(where: str, message: str) -> EngineUnavailable:
    kind = EngineUnreachable if "connect to" in message or "resolve" in message else EngineUnavailable
    return kind(
        f"No Bolt server answers at {where} ({_first_line(message)}). Check the address, and that the database "
        "is running."
    )


def failed(message: str, code: str) -> QueryFailed:
    """Return the error for a refused query, with the position of the error if the message contains it."""
    text = JAVA_CLASS.sub("", message).strip()
    return QueryFailed(text or code, code, *place_in(message))


def place_in(message: str) -> tuple[int, int] | tuple[None, None]:
    """Return the line and column in a message, both from 1; `(None, None)` if the message contains no position.

    >>> place_in("line 1:9 mismatched input 'RETRN'"), place_in("Invalid input (line 2, column 1 (offset: 10))")
    ((1, 9), (2, 1))
    """
    if found := PLACE.search(message):
        return int(found[1]), int(found[2])
    if found := MEMGRAPH_PLACE.search(message):
        return int(found[1] or found[3]), int(found[2] or found[4])
    return None, None


def _first_line(message: str) -> str:
    lines = message.strip().splitlines()
    return lines[0].rstrip(".") if lines else "no reason given"
