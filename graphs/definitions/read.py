"""Reads a definition file (TOML) and checks it; a problem is reported with its line, its place and a correction.

>>> check_text('name = "films"\n[nodes.Movie]\nwikidata = "11424"\n')[1][0].message
"must look like 'Q5', not '11424'"
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from graphground.graphs.definitions.consistency import Place, inconsistencies, nearest
from graphground.graphs.definitions.lines import Lines
from graphground.graphs.definitions.model import Definition, Link, Node, Part, Property, Relationship, RelationshipType

DOMAINS = (
    "art",
    "biology",
    "company",
    "fictional_character",
    "flight_accident",
    "geography",
    "movie",
    "nba",
    "politics",
    "soccer",
    "terrorist_attack",
)
EXAMPLES = {"Q": "Q5", "P": "P31"}


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem at one place: `Problem(3, "nodes.Movie.wikidata", "must look like 'Q5', not '11424'")`.

    The line is 0 if the problem concerns the whole file.
    """

    line: int
    place: str
    message: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (f"line {self.line}" if self.line else "", self.place, self.message)))


class DefinitionError(ValueError):
    """An invalid definition; `problems` lists all of its problems."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source, self.problems = source, list(problems)
        super().__init__(
            f"{source}: "
            + "; ".join(map(str, self.problems[:3]))
            + (f"; and {len(self.problems) - 3} more" if len(self.problems) > 3 else "")
        )


def check_text(text: str) -> tuple[Definition | None, list[Problem]]:
    """Return the definition in a text and its problems by line; if there are problems, the definition is None."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return None, [Problem(*_toml_place(str(error), text))]
    lines = Lines(text)
    try:
        definition = Definition.model_validate(document)
    except ValidationError as error:
        return None, sorted(_distinct(error, document, lines), key=_order)
    problems = [Problem(lines.of(place), _dotted(place), message) for place, message in inconsistencies(definition)]
    return (None if problems else definition), sorted(problems, key=_order)


def read_definition(source: str | Path) -> Definition:
    """Read a definition from a file, `read_definition(Path("films.toml"))`, or that of a bundled domain,
    `read_definition("nba")`.

    Raises:
        DefinitionError: there is no such file or domain, or the definition is invalid; the message lists the problems.
    """
    text, name = definition_text(source)
    definition, problems = check_text(text)
    if definition is None:
        raise DefinitionError(name, problems)
    return definition


def definition_text(source: str | Path) -> tuple[str, str]:
    """Return the text of a definition and the name under which errors report it."""
    path = Path(source)
    if str(source) in DOMAINS and not path.is_file():
        return (files("graphground.graphs.definitions") / "catalog" / f"{source}.toml").read_text("utf-8"), str(source)
    try:
        return path.read_text("utf-8"), path.name
    except FileNotFoundError:
        near = nearest(str(source), DOMAINS)
        meant = f" Did you mean {near!r}?" if near else ""
        raise DefinitionError(
            str(source),
            [
                Problem(
                    0,
                    "",
                    f"there is no such file, nor a domain of that name.{meant} The domains are {', '.join(DOMAINS)}",
                )
            ],
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(path.name, [Problem(0, "", f"cannot be read ({error})")]) from None


def _distinct(error: ValidationError, document: Any, lines: Lines) -> set[Problem]:
    """Return one problem per place; for a value with several possible forms, the problem of the most similar form."""
    found: dict[str, tuple[bool, Problem]] = {}
    for details in error.errors():
        problem = _problem(details, document, lines)
        vague = details["type"] in ("list_type", "literal_error", "string_type")
        if problem.place not in found or (found[problem.place][0] and not vague):
            found[problem.place] = vague, problem
    return {problem for _, problem in found.values()}


def _order(problem: Problem) -> tuple[int, str, str]:
    return problem.line, problem.place, problem.message


def _toml_place(message: str, text: str) -> tuple[int, str, str]:
    """Return the line, an empty place and the text of tomllib's message `Invalid value (at line 3, column 5)`."""
    what, _, where = message.rpartition(" (at ")
    line = "".join(filter(str.isdigit, where.partition(",")[0]))
    end = len(text.splitlines()) or 1
    return (
        int(line) if line else end,
        "",
        f"not TOML: {what or message}"
        + (f" (column {where.rpartition(' ')[2].rstrip(')')})" if line else " (at the end)"),
    )


def _dotted(place: Sequence[str | int]) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + part
    return text


def _problem(details: ErrorDetails, document: Any, lines: Lines) -> Problem:
    place = _place_in(details["loc"], document)
    kind, value, context = details["type"], details.get("input"), details.get("ctx", {})
    if kind == "extra_forbidden":
        key, fields = str(place[-1]), list(_fields(place[:-1]))
        near = nearest(key, fields)
        message = "is not known here; " + (f"did you mean {near!r}?" if near else f"known are {', '.join(fields)}")
    elif kind == "missing":
        message = f"{place[-1]!r} is missing"
        place = place[:-1]
    elif kind == "string_pattern_mismatch":
        pattern = str(context.get("pattern", ""))
        example = EXAMPLES.get(pattern[1:2])
        message = (
            f"must look like {example!r}, not {value!r}"
            if example
            else f"{value!r} cannot be used: letters, digits and '_' only, not beginning with a digit"
        )
    elif kind == "literal_error":
        near = nearest(str(value), str(context["expected"]).replace(" or ", ", ").split(", "))
        message = f"{value!r} is not allowed; it must be {context['expected']}" + (
            f"; did you mean {near}?" if near else ""
        )
    else:
        message = f"{details['msg'][0].lower()}{details['msg'][1:]}" + (
            "" if isinstance(value, dict | list) else f", not {value!r}"
        )
    return Problem(lines.of(place), _dotted(place), message)


def _place_in(location: Sequence[str | int], document: Any) -> Place:
    """Return an error's path in the document, without pydantic's names of alternatives, which are not keys."""
    place: list[str | int] = []
    at: Any = document
    for position, part in enumerate(location):
        if isinstance(at, dict) and (part in at or position == len(location) - 1):
            at = at.get(part)
        elif isinstance(at, list | tuple) and isinstance(part, int) and part < len(at):
            at = at[part]
        else:
            continue
        place.append(part)
    return tuple(part for part in place if part != "[key]")


def _fields(place: Sequence[str | int]) -> Sequence[str]:
    """Return the keys that are allowed at a place."""
    model: type[Part] = Definition
    rest = list(place)
    if rest[:1] == ["nodes"]:
        model = Node
    elif rest[:1] == ["relationships"]:
        model = Relationship
    elif rest[:1] == ["types"]:
        model = RelationshipType
    if "properties" in rest:
        model = Property
    if rest and isinstance(rest[-1], int) and rest[-2:-1] != ["relationships"]:
        model = Link
    return list(model.model_fields)
