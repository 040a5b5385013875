"""`graphground call TOOL '{json}'`: run a tool from the shell."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

from graphground.server.commands.command_line import (
    FAILED,
    GRAPHS,
    WrongUse,
    check_names,
    command,
    open_graphs,
    set_up_logging,
    settings_from,
    spinner,
)
from graphground.server.commands.query import SHOWN, failure_lines, has_error, indented_lines, print_json, print_table

if TYPE_CHECKING:
    from graphground.tools.tool import Tool


@command(settings=(*GRAPHS, "answer_bytes", "log_level"))
def call(parsed: argparse.Namespace) -> int:
    """Run one tool and print its answer.

    [TOOL]       A tool's name, such as list_graphs.
    [ARGUMENTS]  The tool's arguments as a JSON object; - reads stdin.
    --list       List the tools.
    -h --help    Show this help; with TOOL, that tool's arguments.
    --json       Print the structured answer as JSON.
    """
    if parsed.help and parsed.tool is None:
        parsed.parser.print_help()
        return 0
    if parsed.tool is None and not parsed.list:
        raise WrongUse("name a tool; `graphground call --list` lists them")
    settings = settings_from(parsed)
    if parsed.list or parsed.help:
        from graphground.tools import all_tools
        from graphground.tools.owner_queries import OwnTools

        tools = {**all_tools(), **OwnTools(settings.queries).all()}
        if parsed.help:
            return describe(parsed.tool, tools)
        width = max(map(len, tools))
        for name, tool in tools.items():
            sys.stdout.write(f"{name:<{width}}  {tool.description.partition('. ')[0].rstrip('.')}.\n")
        sys.stdout.write("\ngraphground call TOOL --help shows a tool's arguments.\n")
        return 0
    set_up_logging(settings.log_level)
    check_names(settings)
    request = arguments_in(sys.stdin.read() if parsed.arguments == "-" else parsed.arguments or "{}")

    from graphground.server.application import Application

    application = Application(partial(open_graphs, settings), settings.answer_bytes, settings.queries)
    with closing(application), spinner(f"{parsed.tool} is working"):
        outcome = application.call(parsed.tool, request)
    answer = json.loads(outcome.payload)
    if parsed.json:
        print_json(answer)
    elif outcome.is_error:
        sys.stderr.write("\n".join(failure_lines(answer)) + "\n")
    elif set(answer) >= {"columns", "rows"}:
        print_table(answer)
        for diagnostic in answer.get("diagnostics", ()):
            instead = ", ".join(diagnostic.get("suggestions", [])[:SHOWN])
            sys.stdout.write(
                f"{diagnostic['severity']}: {diagnostic['message']}{f' Suggested: {instead}' if instead else ''}\n"
            )
    elif outcome.text != outcome.payload.decode():
        sys.stdout.write(outcome.text + "\n")
    else:
        sys.stdout.write("\n".join(indented_lines(answer)) + "\n")
    return FAILED if outcome.is_error or has_error(answer) else 0


def arguments_in(text: str) -> dict[str, Any]:
    """Parse a tool's arguments from JSON.

    Raises:
        WrongUse: the text is not a JSON object.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise WrongUse(f"the arguments are not JSON: {error}") from None
    if not isinstance(value, dict):
        raise WrongUse('the arguments must be a JSON object, such as \'{"graph": "nba"}\'')
    return value


def describe(name: str, tools: Mapping[str, Tool[Any, Any]]) -> int:
    """Print a tool's description and its arguments; return the exit status, which is 1 if there is no such tool."""
    from graphground.cypher.names.nearest import did_you_mean
    from graphground.server.definitions import input_schema

    tool = tools.get(name)
    if tool is None:
        sys.stderr.write(f"graphground: there is no tool {name!r}{did_you_mean(name, tools)}\n")
        return FAILED
    schema = input_schema(tool)
    lines = [tool.description, "", f"graphground call {name} '{{…}}'", ""]
    for argument, field in schema.get("properties", {}).items():
        notes = ["required"] if argument in schema.get("required", ()) else []
        notes += [f"default {json.dumps(field['default'])}"] if field.get("default") is not None else []
        lines += [f"  {argument} ({', '.join([described_type(field), *notes])})", f"      {field['description']}"]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def described_type(field: dict[str, Any]) -> str:
    """Return the type in a JSON schema as text: `integer, 1 to 1000`, `"auto" | "exact"`, `list of string`."""
    if "enum" in field:
        return " | ".join(json.dumps(value) for value in field["enum"])
    if "anyOf" in field:
        return " or ".join(described_type(branch) for branch in field["anyOf"] if branch.get("type") != "null")
    kind = f"list of {described_type(field['items'])}" if field.get("items") else str(field.get("type", "any"))
    least, most = field.get("minimum", field.get("exclusiveMinimum")), field.get("maximum")
    return kind + (f", {least} to {most}" if least is not None and most is not None else "")
