"""Writes docs/diagnostics.md from the tables of codes: `python docs/write_diagnostics.py`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from graphground.cypher.codes import DATABASE_CODES, LANGUAGE_CODES, QUESTION_CODES, SCHEMA_CODES, Code

INTRODUCTION = """\
# Diagnostic codes

Every code with its severity, its meaning and a query that triggers it. This page is written from the code by
`python docs/write_diagnostics.py`; a test fails if the page is stale.

A diagnostic has `code`, `severity`, `message`, `line`, `column`, `end_line`, `end_column`, `found` and `suggestions`.
Lines and columns count from 1. The end is just past the last character, `found` is the text from start to end, and each
suggestion can replace that text; the best suggestion comes first. An `error` makes a query invalid; a `warning` or a
`hint` does not.
"""


def reference_page() -> str:
    """Return the whole page as Markdown."""
    return "\n".join(
        [
            INTRODUCTION,
            _section("Language", "Reported even without a schema.", LANGUAGE_CODES),
            _section(
                "Schema and data",
                "Reported if the graph's schema is known. If the schema is open (possibly incomplete), labels, types, "
                "properties, directions and values are not checked; values of a property of mixed or unknown type are "
                "never checked.",
                SCHEMA_CODES,
            ),
            _section(
                "Database",
                "Reported by `execute_cypher` with an answer or a refusal. `validate_cypher` reports the first two as well.",
                DATABASE_CODES,
            ),
            _section(
                "Question",
                "Reported by `validate_cypher` and `execute_cypher` if the call has the argument `question`. The check "
                "needs an index of the graph's names.",
                QUESTION_CODES,
            ),
        ]
    )


def _section(title: str, note: str, codes: Mapping[str, Code]) -> str:
    rows = [
        f"| `{name}` | {code.severity} | {_cell(code.meaning)} | `{_cell(code.example)}` |"
        for name, code in codes.items()
    ]
    return "\n".join(
        [f"## {title}", "", note, "", "| code | severity | meaning | for example |", "|---|---|---|---|", *rows, ""]
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    Path(__file__).with_name("diagnostics.md").write_text(reference_page(), encoding="utf-8")
