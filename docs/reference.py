"""Writes reference.md, index.md, server/tool_definitions.json, and the generated parts of databases.md, security.md,
evaluation.md and architecture.md.

    python docs/reference.py                  write the pages
    python docs/reference.py --transcripts    also run the commands of the transcripts and store their output

A test fails while the written pages differ from the code.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from graphground.cypher.safety import allowed
from graphground.evals.metrics.registry import METRICS
from graphground.graphs.engines.dialects import MEMGRAPH_UNSUPPORTED
from graphground.prompts.template import all_templates
from graphground.server.cli import COMMANDS
from graphground.server.commands.command_line import parser_of
from graphground.server.definitions import PREPARED, described_output_schema, input_schema, tool_definition
from graphground.server.resources import CATALOG, TEMPLATES
from graphground.server.settings import options
from graphground.tools import all_tools

ROOT = Path(__file__).resolve().parents[1]
README, REFERENCE, INDEX = ROOT / "README.md", ROOT / "docs" / "reference.md", ROOT / "docs" / "index.md"
DATABASES, EVALUATION = ROOT / "docs" / "databases.md", ROOT / "docs" / "evaluation.md"
SECURITY = ROOT / "docs" / "security.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
FOLDERS = {
    ".ci": "The checks that every change must pass (`run`), and the slow ones (`slow`).",
    "benchmarks": "Benchmarks, in folders named after what they measure; the figures are in `docs/figures.md`.",
    "cypher": "The language: tokens, tree, scopes, types, checks against a schema, repair, printing. No I/O.",
    "docs": "This documentation; `docs/reference.py` generates the parts that come from the code.",
    "graphground": "The import package; its parts are the folders beside it.",
    "graphs": "Graphs: storage, loading, opening, schemas, search, queries and explanations of empty answers.",
    "prompts": "Prompt texts as Markdown templates, and their loader.",
    "release": "Builds and checks what is published: wheel, registry entry, bundle, bundled graph.",
    "requirements": "The lock files, and the command that remakes them.",
    "server": "The MCP application: registration of tools, settings, transports, the command line.",
    "server/ui/static": "The front end of the page: HTML, style sheet, ES modules; no build step.",
    "server/ui/static/views": "The views of the page, one module each.",
    "tests": "Tests, in folders that mirror the code; `tests/support` holds shared helpers.",
    "training": "Makers of the learned files that graphground ships; each file has a card beside it.",
    "tools": "The seven tools, one module each: a request model in, an answer model out.",
}
OTHER_VARIABLES = """| variable | default | |
|---|---|---|
| `NEO4J_PASSWORD` | | The password for `--uri`. |
| `GRAPHGROUND_TOKEN` | | A bearer token that HTTP clients must send (16 characters or more). |
| `GRAPHGROUND_OPERATOR_TOKEN` | | A bearer token whose holder sees the calls of all clients on the page. |
| `GRAPHGROUND_ADMIN_PASSWORD` | | The password of a user who may write, for `graphs load --into`. |
| `GRAPHGROUND_ENGINE_HEAP` | a sixth of the memory, 2 to 4 GiB | The engine's maximum heap (`512m`, `2g`). |
| `GRAPHGROUND_ENGINE_IDLE_S` | `900` | Seconds without a query after which the embedded engine stops. |
| `GRAPHGROUND_ENGINE_JVM_ARGS` | | Further options for the engine's JVM. |
| `GRAPHGROUND_LOADER_HEAP` | `2g` | The maximum heap of the process that loads a graph. |
| `GRAPHGROUND_LOADER_JVM_ARGS` | | Further options for the JVM of the process that loads a graph. |
| `GRAPHGROUND_ENGINE_ARCHIVE` | the user's cache folder | Folder of the engine's class archive, for faster starts; `off`: no archive. |
| `GRAPHGROUND_MIRROR` | | Servers to download published graphs from, for `graphs pull`. |
| `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` | | Keys of model providers, for `agent` and `eval`. |
| `SSL_CERT_FILE` | the system's | Trusted certificate authorities, for installing and for addresses such as `neo4j+s://…`. |"""
CONSOLE = re.compile(r"```console\n\$ (.+)\n((?:(?!```).*\n)*)```")


def reference() -> str:
    """Return the text of docs/reference.md."""
    parts = [
        "# Reference",
        "Every tool, resource, prompt, setting and command. Written by `python docs/reference.py` from the code.",
        "## Tools",
    ]
    for name, tool in all_tools().items():
        takes, answers = input_schema(tool), described_output_schema(tool)
        parts += [
            f"### `{name}`",
            tool.description,
            _fields("argument", takes, takes),
            "Answer:",
            _fields("field", answers, answers),
        ]
    parts += [
        "A failed call returns `isError` and the fields `error` (a short code), `message`, "
        "`nearest` (valid inputs, best first), `next` (the call to make now) and `diagnostics`.",
        "## Resources",
        "\n".join(
            [
                f"- `{CATALOG}`: the graphs that can be queried.",
                *(f"- `{template['uriTemplate']}`: {template['description']}" for template in TEMPLATES),
            ]
        ),
        "## Prompts",
    ]
    for template in all_templates().values():
        rows = ["| argument | | |", "|---|---|---|"]
        rows += [
            f"| `{argument.name}` | {'required' if argument.required else ''} | {argument.description} |"
            for argument in template.arguments
        ]
        parts += [f"### `{template.name}`", template.description, "\n".join(rows)]
    rows = ["| option | variable | default | |", "|---|---|---|---|"]
    rows += [
        f"| `--{option.name.replace('_', '-')}` | `{option.variable}` | {_default(option.default)} | {option.help} |"
        for option in options()
    ]
    parts += [
        "## Settings",
        "Each setting is an option of `graphground serve` and an environment variable. The settings file may contain all "
        "of them but `--settings`, `--uri`, `--user`, `--database` and `--name`, each under the option's name with `_` for "
        "`-`; a database is a table `[graphs.NAME]` there. Options override variables, and variables override the "
        "file.",
        "\n".join(rows),
        "A `[graphs.NAME]` table of the settings file has `uri`, `username`, `password` or "
        "`password_variable`, `database`, `description`, `name_property` "
        "(see [Use your own Neo4j](databases.md#use-your-own-neo4j-from-end-to-end)), "
        "`vector_index` with `vector_model` (see [Finding the entities in a question](entities.md)), and tables "
        "`users.NAME` for callers with a [database user of their own](databases.md). `NEO4J_PASSWORD` is "
        "the password for `--uri`.",
        "A `[queries.NAME]` table is a query of your own that becomes a tool: `description`, `cypher`, `graph`, "
        "`title`, "
        "`limit`, `timeout_s`, and `[queries.NAME.parameters.PARAMETER]` with `type`, `description`, `default`, "
        "`required`, `enum`, `minimum`, `maximum`, `min_length`, `max_length`, `pattern`, `items` (see [Queries of your own "
        "as tools](databases.md#queries-of-your-own-as-tools)).",
        "Further environment variables:",
        OTHER_VARIABLES,
        "## Commands",
        "\n".join(f"- `graphground {name}`: {text}" for name, text in COMMANDS.items()),
        *subcommands(),
    ]
    return "\n\n".join(parts) + "\n"


def subcommands() -> list[str]:
    """Return the sections of all commands: arguments and options, but only the names of settings that many share."""
    parts = []
    settings = {"--" + setting.name.replace("_", "-") for setting in options()}
    for name in COMMANDS:
        command = parser_of(name)
        for parser in command.subcommands().values() or [command]:
            positional = [action for action in parser._actions if not action.option_strings]
            chosen = [
                action
                for action in parser._actions
                if action.option_strings and action.dest != "help" and not is_setting(action, settings)
            ]
            shared = [action.option_strings[0] for action in parser._actions if is_setting(action, settings)]
            written = "".join(
                f" {metavar(action)}" if action.required and action.nargs != "*" else f" [{metavar(action)}]"
                for action in positional
            )
            rows = [f"| `{cell(metavar(action))}` | {cell(action.help)} |" for action in positional]
            rows += [
                f"| `{'`, `'.join(action.option_strings)}` | {cell(action.help)}{choices(action)} |"
                for action in chosen
            ]
            parts += [f"### `{parser.prog}{written}`", parser.description]
            parts += ["\n".join(["| argument | |", "|---|---|", *rows])] if rows else []
            if shared:
                every = len(shared) == len(settings)
                parts += ["Settings: " + ("all of them." if every else f"`{'`, `'.join(shared)}`.")]
    return parts


def is_setting(action: Any, settings: set[str]) -> bool:
    """Return whether an option is a setting, and not an option of one command that has the name of a setting."""
    return action.default is argparse.SUPPRESS and not settings.isdisjoint(action.option_strings)


def metavar(action: Any) -> str:
    """Return the name of a positional argument in the usage line: `FILE`, or `FILE…` if it may be repeated."""
    name = str(action.metavar or (action.choices and "|".join(action.choices)) or action.dest.upper())
    return f"{name}…" if action.nargs in ("*", "+") else name


def choices(action: Any) -> str:
    """Return a sentence with the values that an option accepts, or an empty text if it accepts any value."""
    return f" One of {', '.join(f'`{value}`' for value in action.choices)}." if action.choices else ""


def cell(text: str | None) -> str:
    """Return a text escaped for a table cell in Markdown; an empty text for None."""
    return " ".join((text or "").replace("%%", "%").replace("|", "\\|").split())


def _fields(heading: str, schema: dict[str, Any], root: dict[str, Any]) -> str:
    rows = [f"| {heading} | type | |", "|---|---|---|"]
    for name, field in schema.get("properties", {}).items():
        rows.append(f"| `{name}` | {_type(field, root)} | {field.get('description', '')} |")
    return "\n".join(rows) if len(rows) > 2 else "No arguments."


def _type(schema: dict[str, Any], root: dict[str, Any]) -> str:
    if "$ref" in schema:
        inner = root["$defs"][schema["$ref"].rpartition("/")[2]]
        return "{" + ", ".join(inner.get("properties", {})) + "}"
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(branch, root) for branch in schema["anyOf"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}), root)}"
    return str(schema.get("type", "any value"))


def _default(value: Any) -> str:
    return "" if value in (None, ()) else f"`{value}`"


def written_index(text: str) -> str:
    """Return the text of index.md with its list of pages renewed: each title, and what the page is about."""
    lines: list[str] = []
    for section in yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"][1:]:
        for heading, entries in section.items():
            lines += ["", f"## {heading}", "", *(listed(name) for entry in entries for name in entry.values())]
    return marked(text, "pages", "\n".join(lines[1:]))


def listed(name: str) -> str:
    """Return the line for one page in the index."""
    title, *paragraphs = (ROOT / "docs" / name).read_text(encoding="utf-8").split("\n\n")
    first = " ".join(paragraphs[0].split()) if paragraphs else ""
    sentence = re.match(r"([^#|<].*?\.)(?: |$)", first)
    return f"- [{title.removeprefix('# ').strip()}]({name})" + (
        f": {sentence[1]}" if sentence and "](" not in sentence[1] else ""
    )


def folders() -> str:
    """Return the table of folders, each with its text in `FOLDERS` or the first paragraph of its docstring."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=30
    ).stdout.split("\0")
    found = {parent for name in names if name for parent in Path(name).parents if str(parent) != "."}
    rows = ["| folder | what is in it |", "|---|---|"]
    for folder in sorted(found):
        package = ROOT / folder / "__init__.py"
        if folder.parts[0] in ("tests", "benchmarks", "docs") and len(folder.parts) > 1:
            continue  # these folders mirror other folders of the table
        text = FOLDERS.get(str(folder), "")
        if not text and package.exists():
            words = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
            text = " ".join(words.split("\n\n")[0].split())
        if text:
            rows.append(f"| `{folder}/` | {text.replace('|', chr(92) + '|')} |")
        elif any(Path(name).parent == folder and name.endswith(".py") for name in names):
            raise SystemExit(
                f"{folder}/ has no description: write a docstring in {package}, or add it to FOLDERS in docs/reference.py"
            )
    return "\n".join(rows)


def marked(text: str, mark: str, content: str) -> str:
    """Replace the part of a text between `<!-- mark -->` and `<!-- /mark -->` with `content`; return the new text."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- /{mark} -->"
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    return f"{head}{begin}{content}\n{end}{tail}"


def unsupported_tables() -> str:
    """Return two tables of features: those that no version of Memgraph supports, then those that some versions do."""
    parts = []
    for some in (False, True):
        hints = [
            (feature.construct, feature.hint.replace("|", "\\|"))
            for feature in MEMGRAPH_UNSUPPORTED
            if feature.some_versions is some
        ]
        rows = [f"| `{construct}` | {hint} |" for construct, hint in hints]
        parts.append("\n".join(["| Neo4j's | hint |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def written_databases(text: str) -> str:
    """Return the text of databases.md with its generated tables renewed."""
    return marked(text, "memgraph", unsupported_tables())


def written_security(text: str) -> str:
    """Return the text of security.md with its generated lists renewed: what a query may call."""
    return marked(text, "allowed", allowed_section())


def allowed_section() -> str:
    """Return the section of security.md that lists the allowed procedures and functions with the reasons."""
    lines = [
        "## What a query may call",
        "",
        "The procedures and functions that a query may call, each with the reason. Written by "
        "`python docs/reference.py` from `cypher/safety/allowed.py`; a test compares the two.",
        "",
        "A query may call the procedures and functions below, and Cypher's own functions except `graph.byName` and "
        "others that access another graph, which are refused with `file_or_network_access`. Any other procedure, and "
        "any other function with a namespace, is refused with `forbidden_procedure`. Those below were reviewed in the "
        "source code of APOC Core 5.26, or in the manuals of Neo4j 5.26 and Graph Data Science: none builds or runs "
        "Cypher, opens a file or an address, or lists settings or users, and the time and memory of each are bounded by "
        "the size of its arguments, or by the part of the graph that it reads.",
        "",
    ]
    for title, reasons in (
        ("Procedures", allowed.PROCEDURE_REASONS),
        ("Functions of plug-ins", allowed.FUNCTION_REASONS),
    ):
        lines += [f"### {title}", "", "| why it is allowed | names |", "|---|---|"]
        lines += [f"| {why} | {', '.join(f'`{name}`' for name in names.split())} |" for why, names in reasons.items()]
        lines.append("")
    options = "; ".join(
        f"`{name}`: {', '.join(f'`{value}`' for value in sorted(values))}"
        for name, values in allowed.OPTIONS_ALLOWED.items()
    )
    lines += [
        "### Options after CYPHER",
        "",
        f"The versions `5` and `25`, and {options}. Any other is refused with `forbidden_option`.",
        "",
    ]
    _, _, excluded = (allowed.__doc__ or "").partition("\n\n- ")
    lines += ["### Excluded, and why", "", f"- {excluded.strip()}", ""]
    return "\n".join(lines).strip()


def written_architecture(text: str) -> str:
    """Return the text of architecture.md with its generated table renewed."""
    return marked(text, "folders", folders())


def written_evaluation(text: str) -> str:
    """Return the text of evaluation.md with its generated table of metrics renewed."""
    rows = [f"| {metric.title} | {metric.definition} | {metric.source} |" for metric in METRICS.values()]
    return marked(text, "metrics", "\n".join(["| metric | definition | source |", "|---|---|---|", *rows]))


def words_of(command: str) -> list[str]:
    """Return the words after `graphground` in a command of a transcript."""
    name, *words = shlex.split(command)
    assert name == "graphground", command
    return words


def run_command(command: str) -> str:
    """Run a command of a transcript, and return its output without times."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NEO4J_")}
    process = subprocess.run(
        [sys.executable, "-m", "graphground", *words_of(command)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env={**environment, "COLUMNS": "100", "NO_COLOR": "1"},
    )
    return without_times(process.stdout + process.stderr)


def without_times(text: str) -> str:
    """Replace times, which differ from run to run: `1.84 ms` becomes `… ms`."""
    lines = re.sub(r"\b\d+(?:\.\d+)? ms\b", "… ms", re.sub(r"elapsed_ms: [\d.]+", "elapsed_ms: …", text)).splitlines()
    return "".join(line.rstrip() + "\n" for line in lines)


def replayed(text: str, output: Callable[[str], str] = run_command) -> str:
    """Return a text in which each transcript has the output that its command has now."""
    return CONSOLE.sub(lambda found: f"```console\n$ {found[1]}\n{output(found[1])}```", text)


def prepared_text() -> str:
    """Return the definitions of the tools as JSON, from which servers answer `tools/list`."""
    return json.dumps([tool_definition(tool) for tool in all_tools().values()], indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the generated files; with `--transcripts`, also run the commands of the transcripts."""
    PREPARED.write_text(prepared_text(), encoding="utf-8")
    REFERENCE.write_text(reference(), encoding="utf-8")
    INDEX.write_text(written_index(INDEX.read_text(encoding="utf-8")), encoding="utf-8")
    ARCHITECTURE.write_text(written_architecture(ARCHITECTURE.read_text(encoding="utf-8")), encoding="utf-8")
    DATABASES.write_text(written_databases(DATABASES.read_text(encoding="utf-8")), encoding="utf-8")
    SECURITY.write_text(written_security(SECURITY.read_text(encoding="utf-8")), encoding="utf-8")
    EVALUATION.write_text(written_evaluation(EVALUATION.read_text(encoding="utf-8")), encoding="utf-8")
    if "--transcripts" in sys.argv:
        for page in (README, *sorted(REFERENCE.parent.glob("*.md"))):
            page.write_text(replayed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
