"""Every diagnostic code: its severity, its meaning, and a query that triggers it. codes.json holds the tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from graphground.cypher.diagnostics import Severity


class Code(NamedTuple):
    """The severity and meaning of a diagnostic code, and a query that triggers it:
    `CODES["undefined_variable"].meaning`."""

    severity: Severity
    meaning: str
    example: str


_TABLES: dict[str, dict[str, Code]] = {
    name: {code: Code(**fields) for code, fields in table.items()}
    for name, table in json.loads((Path(__file__).parent / "codes.json").read_text(encoding="utf-8")).items()
}
LANGUAGE_CODES: Mapping[str, Code] = _TABLES["language"]
"""The codes that need no schema."""
SCHEMA_CODES: Mapping[str, Code] = _TABLES["schema"]
"""The codes that need a schema. A code that is also in `LANGUAGE_CODES` has the same meaning in both tables."""
DATABASE_CODES: Mapping[str, Code] = _TABLES["database"]
"""The codes that depend on the kind of the connected database, on its response, or on the parameters of the call."""
QUESTION_CODES: Mapping[str, Code] = _TABLES["question"]
"""The codes of findings from comparing a query with the question that it should answer."""
