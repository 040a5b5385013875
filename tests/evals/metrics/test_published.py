"""Our metrics and the published implementation agree on the same tables, except for justified differences."""

import gzip
import importlib
import json
import random
import re
from types import ModuleType
from typing import Any

import pytest

from graphground.evals import tables_match
from graphground.evals.metrics.provenance_similarity import published_provenance_queries
from tests.support.shared_data import SHARED

REFERENCE = SHARED.parent / "reference" / "cypherbench"
pytestmark = pytest.mark.skipif(not REFERENCE.exists(), reason="needs ../shared/reference/cypherbench")
PREDICTIONS = SHARED / "predictions" / "cypherbench_scored.jsonl.gz"
PAIRS = 2_500


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Import the published module of execution accuracy, whose package is not installed."""
    monkeypatch.syspath_prepend(str(REFERENCE))
    importlib.import_module("cypherbench.metrics")
    return importlib.import_module("cypherbench.metrics.execution_accuracy")


def value(rng: random.Random) -> Any:
    return rng.choice(
        [
            None,
            "a",
            "b",
            "2",
            1,
            2,
            2.5,
            "1999-01-01",
            ["a", "b"],
            ["b", "a"],
            [],
            {"k": 1, "l": "x"},
            ["a"],
            -1,
            10**12,
        ]
    )


def pair(rng: random.Random) -> tuple[list[list[Any]], list[list[Any]], bool]:
    """Return a copy of a table, reordered and perhaps changed, then the table itself, and whether the order counts."""
    gold = [[value(rng) for _ in range(width)] for width in [rng.randint(1, 5)] for _ in range(rng.randint(1, 6))]
    columns = rng.sample(range(len(gold[0])), len(gold[0]))
    predicted = [[row[place] for place in columns] for row in gold]
    if rng.random() < 0.6:
        rng.shuffle(predicted)
    if rng.random() < 0.5:
        row = rng.choice(predicted)
        row[rng.randrange(len(row))] = value(rng)
    if rng.random() < 0.1:
        predicted.append(list(rng.choice(predicted)))
    return predicted, gold, rng.random() < 0.4


def published_verdict(published: ModuleType, predicted: list[list[Any]], gold: list[list[Any]], ordered: bool) -> bool:
    tables = [
        [{f"c{place}": published.to_hashable(cell) for place, cell in enumerate(row)} for row in table]
        for table in (predicted, gold)
    ]
    return bool(published._compare_execution(*tables, order_matters=ordered))


def test_tables_without_booleans_and_without_inexact_floats_score_the_same_as_in_the_published_code(
    published: ModuleType,
) -> None:
    rng = random.Random(11)
    equal = 0
    for _ in range(PAIRS):
        predicted, gold, ordered = pair(rng)
        expected = published_verdict(published, predicted, gold, ordered)
        equal += expected
        for rule in ("paper", "published"):
            assert tables_match(predicted, gold, ordered=ordered, rule=rule) is expected, (predicted, gold)
    assert PAIRS * 0.2 < equal < PAIRS * 0.8


def parts_and_nodes(similarity: ModuleType, query: str) -> list[tuple[str, list[str]]]:
    """Return each part of the published provenance query with the variables of its nodes.

    Generated names are changed to those of our queries: relationships have none, and nodes have `published…`.
    """
    parts = [similarity.extract_match_cypher(part) for part in similarity.split_by_union(query)]
    named = [similarity.add_variables(part) for part in parts if part]
    return [
        (re.sub(r"\[rtmp\d+", "[", part).replace("(ntmp", "(published"), similarity.extract_node_variables(part))
        for part in named
    ]


@pytest.mark.skipif(not PREDICTIONS.exists(), reason="needs ../shared/data/predictions")
def test_the_published_rule_makes_the_published_provenance_queries_of_real_predictions(published: ModuleType) -> None:
    similarity = importlib.import_module("cypherbench.metrics.provenance_subgraph_jaccard_similarity")
    with gzip.open(PREDICTIONS, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file][::4]
    for query in dict.fromkeys(record[key] for record in records for key in ("gold_cypher", "pred_cypher")):
        if not query:
            continue
        split_queries = [text.rpartition(" RETURN ") for text in published_provenance_queries(query)]
        expected = parts_and_nodes(similarity, query)
        assert [part for part, _, _ in split_queries] == [part for part, _ in expected], query
        for (_, _, lists), (_, nodes) in zip(split_queries, expected, strict=True):
            found = [name.replace("published", "ntmp") for name in re.findall(r"elementId\((\w+)\)", lists)]
            assert sorted(found) == nodes, query
