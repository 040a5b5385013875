"""Reads the openCypher compatibility kit: the queries of each scenario, and whether they must compile.

The queries of a scenario outline are read once for each of its examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """One query of the kit; `compile_error` is the kind of error that it must have, or empty if it must compile."""

    feature: str
    scenario: str
    query: str
    compile_error: str


_STEP = re.compile(r"^\s*(Given|When|Then|And|But)\b\s*(.*)$")


def cases(folder: Path) -> Iterator[Case]:
    """Yield all queries of all features below a folder, including queries that only prepare or check a scenario."""
    for path in sorted(folder.rglob("*.feature")):
        yield from _feature(path)


def _feature(path: Path) -> Iterator[Case]:
    lines = path.read_text(encoding="utf-8").split("\n")
    place = 0
    while place < len(lines):
        found = re.match(r"^\s*Scenario(?: Outline)?:\s*(.*)$", lines[place])
        place += 1
        if found is None:
            continue
        end = place
        while end < len(lines) and not re.match(r"^\s*(Scenario(?: Outline)?:|@)", lines[end]):
            end += 1
        yield from _scenario(path.stem, found[1], lines[place:end])


def _scenario(feature: str, scenario: str, lines: list[str]) -> Iterator[Case]:
    queries: list[tuple[str, bool]] = []
    errors: list[str] = []
    examples: list[dict[str, str]] = []
    place = 0
    step = ""
    while place < len(lines):
        line = lines[place]
        place += 1
        found = _STEP.match(line)
        if found is not None:
            step = found[2]
            raised = re.match(r"an? (\w+) should be raised at (compile time|runtime|any time):\s*(\S*)", step)
            if raised is not None and raised[2] == "compile time":
                errors.append(raised[3] or raised[1])
        elif line.strip() == '"""' and step.startswith(("executing query", "executing control", "having executed")):
            start = place
            while lines[place].strip() != '"""':
                place += 1
            indent = len(line) - len(line.lstrip())
            text = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines[start:place])
            queries.append((text, step.startswith("executing query")))
            place += 1
        elif line.strip() == '"""':
            while lines[place].strip() != '"""':
                place += 1
            place += 1
        elif line.strip().startswith("Examples:"):
            rows = []
            while place < len(lines) and (not lines[place].strip() or lines[place].strip()[0] in "|#"):
                if lines[place].strip().startswith("|"):
                    rows.append(_cells(lines[place]))
                place += 1
            examples += [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    for values in examples or [{}]:
        for query, tested in queries:
            text, error = query, errors[0] if errors and tested else ""
            for key, value in values.items():
                text = text.replace(f"<{key}>", value)
                error = error.replace(f"<{key}>", value)
            yield Case(feature, scenario, text, error)


def _cells(line: str) -> list[str]:
    inner = line.strip()[1:-1]
    return [cell.strip().replace("\\|", "|").replace("\\n", "\n") for cell in re.split(r"(?<!\\)\|", inner)]
