"""Questions about the bundled graph: on the embedded engine, their gold queries give the stated answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graphground.cypher.api import validate
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.bundled import bundled_graph
from graphground.graphs.graph import Graph

HERE = Path(__file__).parent
QUESTIONS: list[dict[str, Any]] = json.loads((HERE / "questions.json").read_text(encoding="utf-8"))
BY_QUESTION = {question["question"]: question for question in QUESTIONS}
DOCUMENTATION = HERE.parents[2] / "docs" / "tutorial.md"
EXAMPLE = re.compile(r"^\d+\. (?P<question>[^\n]+\?)\n\n\s+```cypher\n(?P<cypher>.*?)\s+```", re.MULTILINE | re.DOTALL)


def comparable(rows: list[list[Any]], ordered: bool) -> list[Any]:
    return rows if ordered else sorted(rows, key=lambda row: json.dumps(row, ensure_ascii=False))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_the_gold_query_gives_the_answer(nba: Graph, question: dict[str, Any]) -> None:
    table = nba.run(question["cypher"], timeout=30)
    assert comparable(table.rows, question["ordered"]) == comparable(question["answer"], question["ordered"])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_the_gold_query_is_valid_for_the_schema(question: dict[str, Any]) -> None:
    schema = PropertyGraphSchema.from_cypherbench(bundled_graph("nba").document()["schema"])
    report = validate(question["cypher"], schema)
    assert [diagnostic for diagnostic in report.diagnostics if diagnostic.severity == "error"] == []
    assert report.access == "read"


def test_at_least_forty_questions_together_use_every_label_and_relationship_type() -> None:
    assert len(QUESTIONS) >= 40
    assert len({question["id"] for question in QUESTIONS}) == len(BY_QUESTION) == len(QUESTIONS)
    schema = PropertyGraphSchema.from_cypherbench(bundled_graph("nba").document()["schema"])
    queries = " ".join(question["cypher"] for question in QUESTIONS)
    assert [name for name in (*schema.labels, *schema.relationship_types) if f":{name}" not in queries] == []


def test_the_counts_of_the_loaded_graph_equal_those_of_the_document(nba: Graph) -> None:
    document = bundled_graph("nba").document()
    counted = nba.run("MATCH (n) RETURN labels(n)[0] AS label, count(n) AS nodes", timeout=30).rows
    assert dict(map(tuple, counted)) == Counter(entity["label"] for entity in document["entities"])
    assert nba.run("MATCH ()-[r]->() RETURN count(r)", timeout=30).rows == [[len(document["relations"])]]


def test_the_documentation_states_the_counts_of_the_graph() -> None:
    documentation = DOCUMENTATION.read_text(encoding="utf-8")
    for label, count in Counter(entity["label"] for entity in bundled_graph("nba").document()["entities"]).items():
        assert f"`{label}` ({count})" in documentation


def test_the_examples_of_the_documentation_are_among_the_questions_here() -> None:
    examples = list(EXAMPLE.finditer(DOCUMENTATION.read_text(encoding="utf-8")))
    assert len(examples) == 10
    for example in examples:
        assert " ".join(example["cypher"].split()) == BY_QUESTION[example["question"]]["cypher"]
