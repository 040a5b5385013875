"""The tables of codes: each example triggers its code, and the page is current."""

import runpy
from pathlib import Path

import pytest

from graphground.cypher import validate
from graphground.cypher.codes import LANGUAGE_CODES, SCHEMA_CODES
from graphground.cypher.schema import Label, PropertyGraphSchema
from graphground.cypher.text_values import TextValues
from graphground.graphs.schemas.statistics import LabelStatistics, PropertyStatistics, Statistics, TypeStatistics
from tests.support.checked_graphs import Names
from tests.support.documents import INTERVAL, schema

HERE = Path(__file__).parent
FILMS = schema(
    "films",
    {
        "Movie": {"runtime_minute": "float", "budget_usd": "float"},
        "Person": {"date_of_birth": "date", "citizenship": "list[str]"},
        "Genre": {},
        "Guild": {},
        "Series": {},
    },
    [
        "Movie directedBy Person",
        "Movie hasGenre Genre",
        "Movie follows Movie",
        "Person memberOf Guild",
        "Movie partOfSeries Series",
    ],
    {"memberOf": INTERVAL},
)
DATA = Statistics(
    {
        "Movie": LabelStatistics("Movie", 1684, {"budget_usd": PropertyStatistics(0, 1684)}),
        "Series": LabelStatistics("Series", 0),
    },
    {"partOfSeries": TypeStatistics("partOfSeries", 0)},
)
"""Statistics of a graph whose counts contradict the example queries."""
EXPORTED = PropertyGraphSchema(
    "exported", {"Order": Label("Order", {"freight": "str"}, texts={"freight": TextValues("float", "32.38")})}, ()
)
"""The schema of a connected database whose numbers are stored as text."""


@pytest.mark.parametrize("code", SCHEMA_CODES)
def test_the_example_of_a_schema_code_triggers_it(code: str) -> None:
    example = SCHEMA_CODES[code].example
    report = validate(example, EXPORTED if ":Order" in example else FILMS, entities=Names(("Heat", "Movie")), data=DATA)
    found = {diagnostic.code: diagnostic.severity for diagnostic in report.diagnostics}
    assert found.get(code) == SCHEMA_CODES[code].severity


@pytest.mark.parametrize("code", [code for code in LANGUAGE_CODES if "…" not in LANGUAGE_CODES[code].example])
def test_the_example_of_a_language_code_triggers_it(code: str) -> None:
    report = validate(LANGUAGE_CODES[code].example, read_only=True)
    assert code in {diagnostic.code for diagnostic in report.diagnostics}


def test_the_page_of_codes_matches_the_tables() -> None:
    docs = HERE.parents[1] / "docs"
    generator = runpy.run_path(str(docs / "write_diagnostics.py"))
    page = docs / "diagnostics.md"
    assert page.read_text(encoding="utf-8") == generator["reference_page"](), "run python docs/write_diagnostics.py"
