"""The parts of a tool: a request model, an answer model, and the function from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from graphground.tools.failure import ToolFailure

if TYPE_CHECKING:
    from graphground.graphs.graph import Graph


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
