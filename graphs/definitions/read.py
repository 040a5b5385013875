"""Reads a definition file (TOML) and checks it; each problem is reported with its line, its key and a message.

>>> check_text('name = "films"\\n[nodes.Movie]\\nwikidata = "11424"\\n')[1][0].message
"must look like 'Q5', not '11424'"
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphground.graphs.definitions.consistency import inconsistencies, nearest
from graphground.graphs.definitions.lines import Lines
from graphground.graphs.definitions.model import Definition
from graphground.graphs.definitions.structure import structured

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
CATALOG = Path(__file__).with_name("catalog")


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with one key: `Problem(3, "nodes.Movie.wikidata", "must look like 'Q5', not '11424'")`.

    The line is 0 if the problem concerns the whole file.
    """

    line: int
    place: str
    message: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (f"line {self.line}" if self.line else "", self.place, self.message)))


class DefinitionError(ValueError):
    """A definition that is invalid or cannot be read; `problems` lists what is wrong."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        self.source, self.problems = source, list(problems)
        super().__init__(
            f"{source}: "
            + "; ".join(map(str, self.problems[:3]))
            + (f"; and {len(self.problems) - 3} more" if len(self.problems) > 3 else "")
        )


def check_text(text: str) -> tuple[Definition | None, list[Problem]]:
    """Return the definition in a text, and its problems sorted by line; with problems, the definition is None."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return None, [Problem(*_toml_place(str(error), text))]
    definition, misfits = structured(Definition, document, nearest)
    problems = [(misfit.place, misfit.message) for misfit in misfits] if definition is None else []
    if definition is not None:
        problems = list(inconsistencies(definition))
    if not problems:
        return definition, []
    lines = Lines(text)
    return None, sorted((Problem(lines.of(place), _dotted(place), message) for place, message in problems), key=_order)


def read_definition(source: str | Path) -> Definition:
    """Read a definition from a file, or the definition of a bundled domain.

    `read_definition(Path("films.toml"))` reads a file, `read_definition("nba")` the definition of the domain `nba`.

    Raises:
        DefinitionError: there is no such file or domain, the file cannot be read, or the definition is invalid.
    """
    text, name = definition_text(source)
    definition, problems = check_text(text)
    if definition is None:
        raise DefinitionError(name, problems)
    return definition


def definition_text(source: str | Path) -> tuple[str, str]:
    """Return the text of a definition, and the name of its file or domain for error messages.

    Raises:
        DefinitionError: there is no such file or domain, or the file cannot be read.
    """
    path = Path(source)
    if str(source) in DOMAINS and not path.is_file():
        return (CATALOG / f"{source}.toml").read_text("utf-8"), str(source)
    try:
        return path.read_text("utf-8"), path.name
    except FileNotFoundError:
        suggestion = nearest(str(source), DOMAINS)
        hint = f" Did you mean {suggestion!r}?" if suggestion else ""
        raise DefinitionError(
            str(source),
            [
                Problem(
                    0,
                    "",
                    f"there is no such file, nor a domain of that name.{hint} The domains are {', '.join(DOMAINS)}",
                )
            ],
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(path.name, [Problem(0, "", f"cannot be read ({error})")]) from None


def _order(problem: Problem) -> tuple[int, str, str]:
    return problem.line, problem.place, problem.message


def _toml_place(message: str, text: str) -> tuple[int, str, str]:
    """Return the line, place (empty) and message of a `Problem` for an error of `tomllib`.

    `Invalid value (at line 3, column 5)` becomes `(3, "", "not TOML: Invalid value (column 5)")`.
    """
    reason, _, where = message.rpartition(" (at ")
    line = "".join(filter(str.isdigit, where.partition(",")[0]))
    end = len(text.splitlines()) or 1
    return (
        int(line) if line else end,
        "",
        f"not TOML: {reason or message}"
        + (f" (column {where.rpartition(' ')[2].rstrip(')')})" if line else " (at the end)"),
    )


def _dotted(place: Sequence[str | int]) -> str:
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + part
    return text
