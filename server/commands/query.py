"""`graphground query GRAPH 'MATCH …'`: run a query from the shell, with the checks that apply to agents."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import (
    FAILED,
    GRAPHS,
    command,
    open_graphs,
    set_up_logging,
    settings_from,
    spinner,
)

MOST_ROWS, MOST_BYTES = 100_000, 64_000_000
"""The maximum number of rows and of bytes that `--all` prints."""


@command(settings=(*(name for name in GRAPHS if name != "graph"), "answer_bytes", "log_level"))
def query(parsed: argparse.Namespace) -> int:
    """Run a read-only query, and print its rows and its problems.

    [GRAPH]                   The graph; optional if there is only one.
    QUERY                     The Cypher query; - reads stdin.

    One of these:
    --json                    Print columns, rows and diagnostics as JSON.
    --csv                     Print the rows as comma-separated values.

    One of these:
    --limit N                 Maximum number of rows to print (default: 100).
    --all                     Print every row, up to 100,000 rows and 64 MB.

    --timeout SECONDS         Time limit in seconds (default: 30).
    -p --parameter NAME=VALUE  A value for $NAME: JSON, or else text; may be repeated.
    --check                   Only check the query; do not run it.
    """
    settings = settings_from(parsed)
    set_up_logging(settings.log_level)
    text = sys.stdin.read() if parsed.query == "-" else parsed.query
    request: dict[str, Any] = {"query": text, "parameters": dict(map(parameter, parsed.parameter)) or None}
    if parsed.graph_name is not None:
        request["graph"] = parsed.graph_name
    tool = "validate_cypher" if parsed.check else "execute_cypher"
    if not parsed.check:
        request |= {"limit": MOST_ROWS if parsed.all else parsed.limit, "timeout_s": parsed.timeout}

    from graphground.server.application import Application

    application = Application(partial(open_graphs, settings), MOST_BYTES if parsed.all else settings.answer_bytes)
    with closing(application), spinner("running the query"):
        outcome = application.call(tool, request, owner="")  # with an owner, all rows are counted
    answer = json.loads(outcome.payload)
    answer.pop("cursor", None)  # the cursor is useless after this process ends
    failed = outcome.is_error or answer.get("valid") is False
    sys.stderr.write("".join(f"{line}\n" for line in diagnostic_lines(text, answer.get("diagnostics", ()))))
    if parsed.json:
        print_json(answer)
    elif outcome.is_error and not answer.get("diagnostics"):
        sys.stderr.write("\n".join(failure_lines(answer)) + "\n")
    elif parsed.check and not failed:
        sys.stdout.write("The query is valid and only reads.\n")
    elif not failed:
        (print_csv if parsed.csv else print_table)(answer)
    if not failed and answer.get("truncated") and not parsed.json:
        most = f"There are more rows: --all prints at most {MOST_ROWS:,} rows and {MOST_BYTES // 1_000_000} MB.\n"
        sys.stderr.write(most if parsed.all else "--all prints more.\n")
    if suggested := suggestion(answer):
        sys.stderr.write(f"try: {suggested}\n")
    return FAILED if failed or has_error(answer) else 0


def has_error(answer: Mapping[str, Any]) -> bool:
    """Whether an answer has a diagnostic of severity `error`: its rows are not those that were meant."""
    found = answer.get("diagnostics")
    return isinstance(found, list) and any(item.get("severity") == "error" for item in found)


def parameter(text: str) -> tuple[str, Any]:
    """Parse `name=value` as a parameter; the value is JSON if it can be parsed as JSON, otherwise text.

    >>> parameter("born=1984"), parameter("name=LeBron James")
    (('born', 1984), ('name', 'LeBron James'))
    """
    name, _, value = text.partition("=")
    try:
        return name.removeprefix("$"), json.loads(value)
    except ValueError:
        return name.removeprefix("$"), value


def suggestion(answer: dict[str, Any]) -> str:
    """Return the suggested correction of the query; an empty string if there is none."""
    nearest = (
        answer.get("nearest") if answer.get("error") in ("invalid_query", "query_failed", "query_timeout") else None
    ) or [""]
    return str(answer.get("suggested_query") or nearest[0])


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
    if step := answer.get("next"):
        # Agents list the graphs with a tool, people with a command.
        lines.append(f"  next: {'graphground graphs list shows the graphs.' if 'list_graphs' in step else step}")
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
