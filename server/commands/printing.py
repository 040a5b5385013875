"""Prints answers for people: tables, nested values as indented lines, failures, and diagnostics with a caret."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from graphground.cypher.wording import counted

SHOWN = 3
"""The maximum number of suggestions printed for one diagnostic."""
WIDEST = 100_000
"""The width of lines, in characters, where stdout is not a terminal, so that no row is wrapped."""


def print_table(answer: Mapping[str, Any]) -> None:
    """Print rows as a table on stdout, then their number and the elapsed time."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*answer["columns"])
    for row in answer["rows"]:
        table.add_row(*(cell(value).replace("\n", "\\n") for value in row))
    # Without a terminal, a row must not be wrapped to an assumed width.
    console = Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else WIDEST)
    console.print(table)
    total = answer.get("total")
    more = (f" of {total:,}" if total else ", and there are more") if answer["truncated"] else ""
    console.print(f"{counted(answer['row_count'], 'row')}{more}; {answer['elapsed_ms']} ms")


def print_csv(answer: Mapping[str, Any]) -> None:
    """Print rows as comma-separated values on stdout, below a line of column names."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer["columns"])
    writer.writerows([["" if value is None else cell(value) for value in row] for row in answer["rows"]])


def cell(value: Any) -> str:
    """Return the text for a value in a row: a text unchanged, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def print_json(answer: Mapping[str, Any]) -> None:
    """Print a tool's answer as JSON on stdout, with each row, candidate or diagnostic on a separate line.

    {
      "columns": ["m.name", "m.year"],
      "rows": [
        ["Heat", 1995],
        ["Ronin", 1998]
      ],
      "row_count": 2
    }
    """
    lines = []
    for key, value in answer.items():
        if isinstance(value, list) and value and all(isinstance(item, list | dict) for item in value):
            items = ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in value)
            lines.append(f"  {json.dumps(key)}: [\n{items}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    inner = ",\n".join(lines)
    sys.stdout.write(f"{{\n{inner}\n}}\n" if lines else "{}\n")


def failure_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return the lines for a tool's failure: its message, the nearest valid inputs, the next step."""
    lines = [f"graphground: {answer['message']}"]
    if answer.get("nearest"):
        lines.append(f"  nearest: {', '.join(answer['nearest'])}")
    if answer.get("next"):
        lines.append(f"  next: {answer['next']}")
    return lines


def diagnostic_lines(query: str, diagnostics: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return lines that show each diagnostic with its line of the query, and carets under the position.

    error: There is no label 'Taem'. (unknown_label)
      1 | MATCH (t:Taem) RETURN t
        |          ^^^^ Team
    """
    lines: list[str] = []
    source = query.split("\n")
    for diagnostic in diagnostics:
        lines.append(f"{diagnostic['severity']}: {diagnostic['message'].partition(chr(10))[0]} ({diagnostic['code']})")
        number, column = diagnostic["line"], diagnostic["column"]
        text = source[number - 1] if number <= len(source) else ""
        same_line = diagnostic["end_line"] == number
        length = (diagnostic["end_column"] if same_line else len(text) + 1) - column
        if length <= 0:
            continue  # the diagnostic concerns the whole query
        margin = " " * len(str(number))
        before = "".join("\t" if character == "\t" else " " for character in text[: column - 1])
        instead = f" {' or '.join(diagnostic['suggestions'][:SHOWN])}" if diagnostic.get("suggestions") else ""
        lines += [f"  {number} | {text}", f"  {margin} | {before}{'^' * length}{instead}"]
    return lines


def indented_lines(value: Any, indent: str = "") -> list[str]:
    """Return nested maps and lists as indented lines, without empty values."""
    lines: list[str] = []
    entries = value.items() if isinstance(value, dict) else [("-", item) for item in value]
    for key, item in entries:
        if key != "-" and item in (None, [], {}):
            continue
        mark = key if key == "-" else f"{key}:"
        if isinstance(item, dict | list) and item:
            inner = indented_lines(item, indent + "  ")
            lines += [f"{indent}{mark} {inner[0].strip()}", *inner[1:]] if key == "-" else [f"{indent}{mark}", *inner]
        else:
            lines.append(f"{indent}{mark} {cell(item)}")
    return lines
