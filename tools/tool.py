"""The parts of a tool: a request model, an answer model, and the function from one to the other."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict

from graphground.cypher.diagnostics import LONGEST_MESSAGE, Diagnostic, cut_inside
from graphground.graphs.engines.client_context import setting

if TYPE_CHECKING:
    from graphground.graphs.graph import Graph

LONGEST_INPUT, MOST_INPUTS = 10_000, 100
"""The maximum number of characters of a valid input that a failure suggests, and the maximum number of inputs that it
suggests."""


class ToolFailure(Exception):
    """The failure of a tool call.

    Example: `unknown_graph`, "There is no graph 'nab'.", nearest `["nba"]`, next "Call list_graphs …".
    `nearest` holds valid inputs ready to paste, best first; `next` says which call to make now; `diagnostics` holds the
    findings in a query, with their positions. A failure may repeat the caller's text, so a message is shortened to
    `LONGEST_MESSAGE` characters, and valid inputs longer than `LONGEST_INPUT` are left out, because a shortened input
    could not be pasted.
    """

    def __init__(
        self,
        error: str,
        message: str,
        *,
        nearest: Sequence[str] = (),
        next: str = "",
        diagnostics: Iterable[Diagnostic] = (),
    ):
        self.error, self.message = error, cut_inside(message, LONGEST_MESSAGE)
        self.nearest = [text for text in nearest if len(text) <= LONGEST_INPUT][:MOST_INPUTS]
        self.next = cut_inside(next, LONGEST_MESSAGE)
        super().__init__(self.message)
        self.diagnostics = list(diagnostics)

    def as_dict(self) -> dict[str, Any]:
        """Return the failure as JSON fields."""
        return {
            "error": self.error,
            "message": self.message,
            "nearest": self.nearest,
            "next": self.next,
            "diagnostics": [diagnostic.as_dict() for diagnostic in self.diagnostics],
        }


class Request(BaseModel):
    """The arguments of a tool call: unknown arguments and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Answer(BaseModel):
    """The answer of a tool: plain JSON values in documented fields."""

    def as_text(self) -> str | None:
        """Return the complete answer as text if that is easier to read than JSON; None means compact JSON."""
        return None

    def shortened(self, share: float) -> Answer | None:
        """Return this answer with about `share` (0 to 1) of its rows, marked as truncated;
        None if it cannot be shortened."""
        return None


RequestT = TypeVar("RequestT", bound=Request)
AnswerT = TypeVar("AnswerT", bound=Answer)


class Graphs(Protocol):
    """The opened graphs, as tools use them."""

    def names(self) -> Sequence[str]: ...

    def get(self, name: str | None = None) -> Graph: ...

    def opened(self, name: str) -> Graph | None: ...

    def summaries(self) -> Sequence[Any]: ...

    def open_eager(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Tool(Generic[RequestT, AnswerT]):
    """One tool: `Tool("list_graphs", "List the graphs", "…", Request, Answer, list_graphs)`.

    `description` tells an agent when to call the tool. All tools are read-only.
    """

    name: str
    title: str
    description: str
    request: type[RequestT]
    answer: type[AnswerT]
    run: Callable[[Graphs, RequestT], AnswerT]
    open_world: bool = False
    """Whether the answer depends on something outside the opened graphs."""


def graph_named(graphs: Graphs, name: str | None, *, check_beside: bool = False) -> Graph:
    """Return the graph with this name, or the only graph if no name is given; reread its schema if it has changed.

    With `check_beside`, changes are looked for while the call goes on (see `Graph.check_beside`).

    Raises:
        ToolFailure: there is no graph of that name, or no graph was named and not exactly one is open.
    """
    names = list(graphs.names())
    if name is None and len(names) != 1:
        if not names:
            raise ToolFailure(
                "no_graph",
                "No graph is open.",
                next="Load one with `graphground graphs load FILE`, or pass --uri to the server.",
            )
        raise ToolFailure(
            "graph_required",
            f"{len(names)} graphs are open: name one with `graph`.",
            nearest=names,
            next="Call the tool again with `graph`, or call list_graphs.",
        )
    if name is not None and name not in names:
        from graphground.cypher.names.nearest import closest  # loaded only after a mistake

        raise ToolFailure(
            "unknown_graph",
            f"There is no graph {name!r}.",
            nearest=closest(name, names) or names[:5],
            next="Call list_graphs to see the graphs that are open.",
        )
    graph = graphs.get(name or names[0])
    if check_beside:
        graph.check_beside()
    else:
        graph.check_for_changes()
    return graph


PARTIAL = "Some of this large database could not be read in time, so properties and patterns may be missing; the rest is being read."
NOTE_MARKS = "\n()"
"""The characters that are removed from both ends of a note in a schema's text."""
STALE = "The database has changed since this schema was read; the schema is being read again."
UNREACHABLE = "The database cannot be reached, so this is its schema as it was last read: {}"
EMPTY = "The database is empty: it has no nodes, so there are no labels, relationship types or properties yet."


def settled(graph: Graph) -> str:
    """Read an outdated schema again; return a note for the answer if that takes too long, else an empty string."""
    if graph.await_current_schema():
        return ""
    note = note_on(graph)
    return f"\n({note})" if note else ""


def note_on(graph: Graph) -> str:
    """Return a sentence if the schema is empty or may be outdated, else an empty string; never waits."""
    if graph.unreachable:
        return UNREACHABLE.format(graph.unreachable)
    if graph.partial:
        return PARTIAL
    if graph.stale:
        return STALE
    return EMPTY if graph.engine is not None and not graph.schema.labels and not graph.schema.open else ""


LIFE_SECONDS = 600.0
MAX_ANSWER_BYTES, MAX_OWNER_BYTES, MAX_BYTES = 4_000_000, 16_000_000, 64_000_000
"""The maximum number of bytes kept for one answer, for one client, and in total."""
ROW_BYTES = 64
"""The estimated bytes of memory that a row takes in addition to its JSON text."""

OWNER: ContextVar[str | None] = ContextVar("graphground_owner", default=None)
"""The client of the current call; None if the client has no means of requesting further rows."""


def keeping_for(owner: str | None) -> AbstractContextManager[str | None]:
    """Keep further rows of calls inside the `with` block for this client; with None, keep no rows."""
    return setting(OWNER, owner)


@dataclass(slots=True)
class Rest:
    """The rows of a result from number `first` on, just read or kept; an answer returns the first of them.

    `total` is the number of rows of the whole result, or None if the database has more than were read. `size` is the
    number of bytes that kept rows take; rows that were just read are not kept yet.
    """

    columns: list[str]
    rows: list[Any]
    query: str
    total: int | None
    first: int = 0
    name: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    owner: str = ""
    size: int = 0

    def encode(self, count: int) -> Rest:
        """Return the rows after the first `count` as JSON, as many as fit, to keep for the client of this call."""
        encoded: list[Any] = []
        size = 0
        for row in self.rows[count:]:
            text = orjson.dumps(row, default=str, option=orjson.OPT_NON_STR_KEYS)
            if size + len(text) + ROW_BYTES > MAX_ANSWER_BYTES:
                break
            size += len(text) + ROW_BYTES
            encoded.append(orjson.Fragment(text))
        return replace(self, rows=encoded, first=self.first + count, owner=OWNER.get() or "", size=size)

    def cursor_after(self, count: int) -> str | None:
        """Return the cursor of the row after the first `count`, which are then kept; None if that row was not read."""
        if count >= len(self.rows):
            return None
        if not self.size:
            kept = self.encode(count)
            if not kept.rows:
                return None
            ROWS.keep(kept)
        return f"{self.name}.{self.first + count}"


class RowStore:
    """A thread-safe store of kept rows by their names: `ROWS.keep(rest)`, then `ROWS.find("5cZt….100")`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, Rest]] = OrderedDict()
        """The kept rows by name, with the time of their last use in seconds; the least recently used come first."""

    def keep(self, rest: Rest) -> None:
        """Keep rows under their name, replacing earlier rows of that name."""
        with self._lock:
            self._kept.pop(rest.name, None)
            self._kept[rest.name] = self._clock(), rest
            self._make_room(rest.owner)

    def find(self, cursor: str) -> Rest:
        """Return the rows from a cursor of the calling client on.

        Raises:
            ToolFailure: the cursor is unknown or no longer kept, or belongs to another client.
        """
        name, _, number = cursor.partition(".")
        owner = OWNER.get() or ""
        with self._lock:
            self._make_room(owner)
            _, kept = self._kept.get(name, (0.0, None))
            if kept is not None and kept.owner == owner and number.isascii() and number.isdigit() and len(number) < 10:
                place = int(number) - kept.first
                if 0 <= place < len(kept.rows):
                    self._kept[name] = self._clock(), kept
                    self._kept.move_to_end(name)
                    return replace(kept, rows=kept.rows[place:], first=int(number))
        raise ToolFailure(
            "unknown_cursor",
            "There is no such cursor. Pass an unchanged `cursor` from one of this server's answers to this client. Rows "
            f"are kept for {LIFE_SECONDS / 60:.0f} minutes after their last use, or until newer answers need the memory.",
            next="Run the query again, with a larger limit or with ORDER BY, SKIP and LIMIT.",
        )

    @property
    def size(self) -> int:
        """The number of bytes that are kept."""
        return sum(kept.size for _, kept in self._kept.values())

    def _make_room(self, owner: str) -> None:
        """Remove expired rows; then, until the limits hold, the least recently used rows.

        Rows of the client `owner` are removed first, until its limit holds, then those of all clients.
        """
        for name, (used, _) in list(self._kept.items()):
            if self._clock() - used > LIFE_SECONDS:
                del self._kept[name]
        own = [name for name, (_, kept) in self._kept.items() if kept.owner == owner]
        while own and sum(self._kept[name][1].size for name in own) > MAX_OWNER_BYTES:
            del self._kept[own.pop(0)]
        while self.size > MAX_BYTES:
            self._kept.popitem(last=False)


ROWS = RowStore()
