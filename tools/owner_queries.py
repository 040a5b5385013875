"""Queries of the server's owner, offered as tools: defined in the settings and run like a query of `execute_cypher`.

    own = OwnQuery("roster", "The players of a team.", "MATCH … {name: $team} …", parameters=(OwnParameter("team", …),))
    OwnTools([own]).offered()     # {"roster": Tool(…)}: left out while the query has a problem

The definitions are pydantic dataclasses: a wrong key, type or bound raises `pydantic.ValidationError`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, WithJsonSchema, create_model
from pydantic.dataclasses import dataclass as checked_dataclass

from graphground.cypher import validate
from graphground.cypher.diagnostics import Diagnostic, either, sentence
from graphground.cypher.names.nearest import closest
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.tools.diagnostics import missing_parameters, parameters_of
from graphground.tools.execute_cypher import LONGEST_QUERY, ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import Graphs, Request, Tool, ToolFailure, graph_named

ParameterType = Literal["string", "integer", "number", "boolean", "date", "array"]
ItemType = Literal["string", "integer", "number", "boolean", "date"]
MAX_ROWS, MAX_SECONDS, MAX_DESCRIPTION = 100_000, 600, 1_000
BOUNDS = {
    "string": ("enum", "pattern", "min_length", "max_length"),
    "date": ("enum",),
    "integer": ("enum", "minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "boolean": (),
    "array": ("items", "min_length", "max_length"),
}
"""The keys that a parameter of each type may have, besides the common keys."""
STRICT = ConfigDict(extra="forbid", strict=True)
logger = logging.getLogger(__name__)


def _checked_date(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"must be a date such as 2000-01-31, not {text!r}") from None
    return text


TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "date": Annotated[str, AfterValidator(_checked_date), WithJsonSchema({"type": "string", "format": "date"})],
}
SAMPLES: dict[str, Any] = {"string": "", "integer": 1, "number": 1.5, "boolean": True, "date": "2000-01-01"}
"""A sample value for each type except `array`; queries are checked with these values before any call."""


@checked_dataclass(frozen=True, slots=True, config=STRICT)
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
    enum: Annotated[tuple[Any, ...], Field(strict=False, min_length=1)] | None = None
    items: ItemType = "string"
    """The type of the items of an array."""
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None


@checked_dataclass(frozen=True, slots=True, config=STRICT)
class OwnQuery:
    """A query offered as a tool: `OwnQuery("roster", "The players of a team.", "MATCH … {name: $team} …")`."""

    name: str
    description: Annotated[str, Field(min_length=1, max_length=MAX_DESCRIPTION)]
    cypher: Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)]
    place: str = ""
    """The place of the definition: `settings.toml: [queries.roster]`."""
    graph: str | None = None
    """The graph to query; None for the only open graph."""
    title: str = ""
    limit: Annotated[int, Field(gt=0, le=MAX_ROWS)] = 100
    timeout_s: Annotated[float, Field(gt=0, le=MAX_SECONDS)] = 30.0
    parameters: Annotated[tuple[OwnParameter, ...], Field(strict=False)] = ()


def request_model(own: OwnQuery) -> type[Request]:
    """Return a model with one field for each parameter, whose alias is the parameter's name.

    >>> model = request_model(OwnQuery("roster", "…", "…", parameters=(OwnParameter("team", "string", "A team."),)))
    >>> model.model_validate({"team": "Chicago Bulls"}).model_dump(by_alias=True)
    {'team': 'Chicago Bulls'}
    """
    fields: dict[str, Any] = {}
    for number, parameter in enumerate(own.parameters):
        annotation = annotation_of(parameter)
        if not parameter.required and parameter.default is None:
            annotation = annotation | None
        default = ... if parameter.required else parameter.default
        # Names such as `schema` or `copy` are methods of pydantic models, so parameter names are used only as aliases.
        fields[f"parameter_{number}"] = (
            annotation,
            Field(default, alias=parameter.name, description=parameter.description),
        )
    model: type[Request] = create_model(f"{own.name}_request", __base__=Request, **fields)
    return model


def annotation_of(parameter: OwnParameter) -> Any:
    """Return the type of a parameter with its bounds, as pydantic expects it."""
    if parameter.enum:
        return Literal[parameter.enum]
    if parameter.type == "array":
        return Annotated[
            GenericAlias(list, (TYPES[parameter.items],)),
            Field(min_length=parameter.min_length, max_length=parameter.max_length),
        ]
    bounds: dict[str, Any] = {
        "ge": parameter.minimum,
        "le": parameter.maximum,
        "min_length": parameter.min_length,
        "max_length": parameter.max_length,
        "pattern": parameter.pattern,
    }
    return Annotated[
        TYPES[parameter.type], Field(**{name: bound for name, bound in bounds.items() if bound is not None})
    ]


def check_parameter(parameter: OwnParameter, given: Sequence[str]) -> None:
    """Refuse bounds that do not apply to the type, and an invalid default; `given` are the keys of the definition.

    Raises:
        ValueError, TypeError, SchemaError: the default or a bound is invalid.
    """
    for key in given:
        if key in {"enum", "pattern", "items", "minimum", "maximum", "min_length", "max_length"} - {
            *BOUNDS[parameter.type]
        }:
            raise TypeError(f"{key} is not allowed for the type {parameter.type}")
    adapter: TypeAdapter[Any] = TypeAdapter(annotation_of(parameter))
    if parameter.default is not None:
        adapter.validate_python(parameter.default, strict=True)
    items: TypeAdapter[Any] = TypeAdapter(TYPES.get(parameter.type, list))
    for value in parameter.enum or ():
        items.validate_python(value, strict=True)


def sample_values(own: OwnQuery) -> dict[str, Any]:
    """Return a sample value for each parameter, so that the types in a query can be checked."""
    return {parameter.name: _sample(parameter) for parameter in own.parameters}


def _sample(parameter: OwnParameter) -> Any:
    if parameter.enum:
        return parameter.enum[0]
    return [SAMPLES[parameter.items]] if parameter.type == "array" else SAMPLES[parameter.type]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: `Problem("settings.toml: [queries.roster], cypher, line 1, column 10", "There is no label 'Taem'.",
    "…")`."""

    place: str
    message: str
    fix: str
    diagnostic: Diagnostic | None = None


def problems_of(own: OwnQuery, graph: Graph) -> list[Problem]:
    """Return the errors in a query; an empty list if the query can be offered as a tool.

    Each parameter is assumed to have a value of its type; names of entities in the query are not looked up.
    """
    graph.await_current_schema()
    report = validate(own.cypher, graph.schema, parameters=sample_values(own), read_only=True, language=graph.language)

    def problem(error: Diagnostic, message: str, fix: str) -> Problem:
        return Problem(f"{own.place}, cypher, line {error.line}, column {error.column}", message, fix, error)

    found = [
        problem(error, sentence(error.message), _fix(error, report.suggested_query))
        for error in report.diagnostics
        if error.severity == "error"
    ]
    if report.query is None:
        return found
    declared, used = [parameter.name for parameter in own.parameters], parameters_of(report.query)
    found += [
        problem(
            missing,
            f"The query uses {missing.found}, which is not among its parameters.",
            f"Add [queries.{own.name}.parameters.{missing.found[1:]}] with a type and a description.",
        )
        for missing in missing_parameters(report.query, declared)
    ]
    found += [
        Problem(
            f"{own.place}, parameters.{name}",
            f"The query does not use the parameter {name!r}.",
            f"Use ${name} in the query, or remove [queries.{own.name}.parameters.{name}].",
        )
        for name in declared
        if name not in used
    ]
    return found


def wrong_graph(own: OwnQuery, names: list[str]) -> Problem | None:
    """Return the problem with a query's graph, if any: it is unknown, or not named although several graphs are open."""
    if own.graph is None and len(names) > 1:
        return Problem(
            own.place, f"{len(names)} graphs are open.", f"Name the graph of the query: graph = {names[0]!r}."
        )
    if own.graph is not None and own.graph not in names:
        nearest = closest(own.graph, names) or names[:5]
        return Problem(
            f"{own.place}, graph",
            f"There is no graph {own.graph!r}.",
            f"Write {either([repr(name) for name in nearest])}, or load the graph." if nearest else "Load the graph.",
        )
    return None


def _fix(error: Diagnostic, suggested_query: str | None) -> str:
    if suggested_query:
        return f"Write `{suggested_query}`."
    if error.suggestions == ("",):
        return f"Delete {error.found!r}."
    if error.suggestions:
        return f"Write {either(error.suggestions)} in place of {error.found!r}."
    return "Change the query as the message says."


class OwnTools:
    """The tools for the owner's queries; records which of them are broken.

    `check` opens the graph of each query and checks the query. Each call checks its query again, because a database may
    change.
    """

    def __init__(self, queries: Sequence[OwnQuery] = ()) -> None:
        self.queries = {own.name: own for own in queries}
        self._tools: dict[str, Tool[Any, Any]] = {}
        self._broken: dict[str, list[Problem]] = {}
        self._lock = threading.Lock()

    def all(self) -> Mapping[str, Tool[Any, Any]]:
        """Return every tool, including the broken ones."""
        with self._lock:
            if not self._tools:
                self._tools = {name: self._tool(own) for name, own in self.queries.items()}
            return self._tools

    def offered(self) -> dict[str, Tool[Any, Any]]:
        """Return the tools that are not known to be broken."""
        return {name: tool for name, tool in self.all().items() if name not in self._broken}

    def names(self) -> list[str]:
        """Return the names of the tools that are not known to be broken, without creating the tools."""
        return [name for name in self.queries if name not in self._broken]

    def check(self, graphs: Graphs, *, quietly: bool = False) -> dict[str, list[Problem]]:
        """Check every query, opening its graph; return the problems of the broken queries.

        Newly found problems are logged unless `quietly`. A query whose graph cannot be opened now keeps its state.
        """
        for own in self.queries.values():
            names = list(graphs.names())
            wrong = wrong_graph(own, names)
            if wrong is not None:
                self._note(own, [wrong], quietly)
            elif names:
                try:
                    self._note(own, problems_of(own, graphs.get(own.graph or names[0])), quietly)
                except EngineError as error:
                    logger.info("the query %r is not checked: %s", own.name, error)
        return dict(self._broken)

    def _note(self, own: OwnQuery, problems: list[Problem], quietly: bool = False) -> None:
        """Store the problems of a query; when it becomes broken, log the first problem, unless `quietly`."""
        if not problems:
            self._broken.pop(own.name, None)
            return
        if own.name not in self._broken and not quietly:
            first = problems[0]
            logger.warning(
                "%s: %s %s The tool %r is left out; `graphground doctor` has the details.",
                first.place,
                first.message,
                first.fix,
                own.name,
            )
        self._broken[own.name] = problems

    def _tool(self, own: OwnQuery) -> Tool[Any, Any]:
        return Tool(
            own.name,
            own.title or own.name.replace("_", " ").replace("-", " ").capitalize(),
            own.description,
            request_model(own),
            ExecuteCypherAnswer,
            partial(self._run, own),
        )

    def _run(self, own: OwnQuery, graphs: Graphs, request: Request) -> ExecuteCypherAnswer:
        """Run the query like a query of `execute_cypher`, with the arguments as its parameters."""
        graph: Graph = graph_named(graphs, own.graph)
        problems = problems_of(own, graph)
        self._note(own, problems)
        if problems:
            raise ToolFailure(
                "broken_query",
                f"The query behind the tool {own.name!r} is broken: {problems[0].message}",
                diagnostics=[problem.diagnostic for problem in problems if problem.diagnostic is not None],
                next="Write the query yourself and call execute_cypher; the server's owner can run `graphground doctor`.",
            )
        return execute_cypher(
            graphs,
            ExecuteCypherRequest(
                query=own.cypher,
                graph=own.graph,
                parameters=request.model_dump(by_alias=True),
                limit=own.limit,
                timeout_s=own.timeout_s,
            ),
        )
