"""The definition of a tool from a query in the settings file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

ParameterType = Literal["string", "integer", "number", "boolean", "date", "array"]


@dataclass(frozen=True, slots=True)
class OwnParameter:
    """An argument of the tool: `OwnParameter("team", "string", "The team's full name.")` is `$team` in the query.

    The bounds mean the same as in JSON Schema. If a call omits an optional argument that has no default,
    the parameter is null.
    """

    name: str
    type: ParameterType
    description: str
    required: bool = True
    default: Any = None
    enum: tuple[Any, ...] = ()
    items: ParameterType = "string"
    """The type of the items of an array."""
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class OwnQuery:
    """A query offered as a tool: `OwnQuery("roster", "The players of a team.", "MATCH … {name: $team} …")`."""

    name: str
    description: str
    cypher: str
    place: str = ""
    """The place of the definition: `settings.toml: [queries.roster]`."""
    graph: str | None = None
    """The graph to query; None for the only open graph."""
    title: str = ""
    limit: int = 100
    timeout_s: float = 30.0
    parameters: tuple[OwnParameter, ...] = ()
