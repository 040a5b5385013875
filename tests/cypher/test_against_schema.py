"""The checks against a schema, on shared data: real schemas, real queries, and planted mistakes."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.cypher.mutations import Mutator
from graphground.cypher import validate
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.shared_data import SHARED, needs

NEEDED = [needs("schemas"), needs("cypherbench_tasks", "train.jsonl.gz")]
STEP = 6
"""Mistakes are planted in every sixth query here, and in every query by `benchmarks/cypher/against_schema.py`."""


def lines(*parts: str) -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED.joinpath(*parts), "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


@pytest.fixture(scope="module")
def schemas() -> dict[str, PropertyGraphSchema]:
    return {
        path.stem: PropertyGraphSchema.from_cypherbench(path.read_bytes())
        for path in (SHARED / "schemas").glob("*.json")
    }


@pytest.fixture(scope="module")
def gold() -> list[dict[str, Any]]:
    """Return the real queries; of those that differ in their literals alone, one: 2,700 of 8,534."""
    rows = lines("cypherbench_tasks", "train.jsonl.gz")
    return list({(row["graph"], re.sub(r"'[^']*'|\d+", "x", row["gold_cypher"])): row for row in rows}.values())


class TestWithRealQueries:
    pytestmark = NEEDED

    def test_no_gold_query_has_an_error(
        self, schemas: dict[str, PropertyGraphSchema], gold: list[dict[str, Any]]
    ) -> None:
        reports = ((row["gold_cypher"], validate(row["gold_cypher"], schemas[row["graph"]])) for row in gold)
        flagged = [(query, report.diagnostics) for query, report in reports if not report.valid]
        assert flagged == []

    def test_a_reversed_relationship_is_corrected(
        self, schemas: dict[str, PropertyGraphSchema], gold: list[dict[str, Any]]
    ) -> None:
        rng = random.Random(3)
        for row in gold[::STEP]:
            schema = schemas[row["graph"]]
            mutant = Mutator(rng, schema).reversed(row["gold_cypher"])
            if mutant is not None:
                assert validate(mutant.text, schema).suggested_query == row["gold_cypher"]

    @pytest.mark.parametrize("kind", ["label", "type", "property"])
    def test_for_a_misspelled_name_the_correct_name_is_suggested_first(
        self, schemas: dict[str, PropertyGraphSchema], gold: list[dict[str, Any]], kind: str
    ) -> None:
        rng = random.Random(5)
        right, total = 0, 0
        for row in gold[::STEP]:
            schema = schemas[row["graph"]]
            mutant = Mutator(rng, schema).misspelt(row["gold_cypher"], kind, rng.choice((1, 2)))
            if mutant is not None:
                total += 1
                right += any(
                    diagnostic.code == mutant.code and diagnostic.suggestions[:1] == (mutant.right,)
                    for diagnostic in validate(mutant.text, schema).diagnostics
                )
        assert total > 300
        assert right >= 0.98 * total

    def test_broken_text_raises_no_exception(
        self, schemas: dict[str, PropertyGraphSchema], gold: list[dict[str, Any]]
    ) -> None:
        rng = random.Random(11)
        for row in gold[:: 4 * STEP]:
            text = row["gold_cypher"]
            for _ in range(5):
                place = rng.randrange(len(text))
                cut = (
                    text[:place]
                    + rng.choice(["", "(", ")", "[", ":", "'", "MATCH ", "*", "|", "$", "{", "n"])
                    + text[place + rng.randrange(6) :]
                )
                validate(cut, schemas[row["graph"]])
