"""`graphground call TOOL '{json}'`: run a tool from the shell."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from graphground.server.commands.serving import add_options, open_graphs, set_up_logging, settings_from

SERVING_ALONE = ("transport", "host", "port", "allowed_host")


def main(arguments: Sequence[str]) -> int:
    """Print the answer; the exit status is 1 when the tool failed."""
    parser = argparse.ArgumentParser("graphground call", description="Run one tool and print its answer.")
    parser.add_argument("tool", help="A tool's name, such as list_graphs.")
    parser.add_argument("arguments", nargs="?", default="{}", help="Its arguments as a JSON object; - reads stdin.")
    parser.add_argument("--json", action="store_true", help="Print the structured answer as JSON.")
    add_options(parser, leave_out=SERVING_ALONE)
    parsed = parser.parse_args(arguments)
    settings = settings_from(parsed, parser)
    set_up_logging(settings.log_level)
    text = sys.stdin.read() if parsed.arguments == "-" else parsed.arguments
    try:
        given = json.loads(text)
    except ValueError as error:
        parser.error(f"the arguments are not JSON: {error}")
    if not isinstance(given, dict):
        parser.error("the arguments must be a JSON object, such as '{\"graph\": \"nba\"}'")

    from graphground.server.application import Application

    application = Application(partial(open_graphs, settings), settings.answer_bytes)
    try:
        outcome = application.call(parsed.tool, given)
    finally:
        application.close()
    answer = json.loads(outcome.payload)
    if parsed.json:
        sys.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2) + "\n")
    elif outcome.is_error:
        sys.stderr.write(_failure_text(answer))
    elif set(answer) >= {"columns", "rows"}:
        _print_table(answer)
    elif outcome.text != outcome.payload.decode():
        sys.stdout.write(outcome.text + "\n")
    else:
        sys.stdout.write("\n".join(_lines(answer)) + "\n")
    return 1 if outcome.is_error else 0


def _failure_text(answer: dict[str, Any]) -> str:
    lines = [f"graphground: {answer['message']}"]
    if answer["nearest"]:
        lines.append(f"  nearest: {', '.join(answer['nearest'])}")
    if answer["next"]:
        lines.append(f"  next: {answer['next']}")
    return "\n".join(lines) + "\n"


def _print_table(answer: dict[str, Any]) -> None:
    """Rows as a table, then what is to be known of them."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*answer["columns"])
    for row in answer["rows"]:
        table.add_row(*(_cell(value) for value in row))
    console = Console(markup=False, highlight=False)
    console.print(table)
    more = ", and there are more" if answer["truncated"] else ""
    rows = "1 row" if answer["row_count"] == 1 else f"{answer['row_count']} rows"
    console.print(f"{rows}{more}; {answer['elapsed_ms']} ms")
    for diagnostic in answer["diagnostics"]:
        console.print(f"{diagnostic['severity']}: {diagnostic['message']}")


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _lines(value: Any, indent: str = "") -> list[str]:
    """Nested maps and lists as indented lines; what is empty is not shown."""
    lines: list[str] = []
    entries = value.items() if isinstance(value, dict) else [("-", one) for one in value]
    for key, one in entries:
        if key != "-" and one in (None, [], {}):
            continue
        mark = key if key == "-" else f"{key}:"
        if isinstance(one, dict | list) and one:
            inner = _lines(one, indent + "  ")
            lines += [f"{indent}{mark} {inner[0].strip()}", *inner[1:]] if key == "-" else [f"{indent}{mark}", *inner]
        else:
            lines.append(f"{indent}{mark} {_cell(one)}")
    return lines
