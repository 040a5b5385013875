from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from graphground.agents import replies, trace, verification
from graphground.agents.replies import grade_in, list_in, query_in, stance_in


@pytest.mark.parametrize("module", [replies, trace, verification])
def test_the_examples_in_docstrings_are_true(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("```cypher\nMATCH (n) RETURN n\n```<|im_end|>", "MATCH (n) RETURN n"),
        (
            "First ```cypher\nMATCH (a) RETURN a\n``` or better\n```cypher\nMATCH (b) RETURN b\n```",
            "MATCH (b) RETURN b",
        ),
        ("```cypher\nMATCH (n)\nRETURN n", "MATCH (n)\nRETURN n"),
        ("Sure!\nMATCH (n)\nRETURN n\n\nThis lists all.", "MATCH (n)\nRETURN n"),
        ("With pleasure: the return was late.", ""),
        ("```sql\nSELECT * FROM teams\n```", ""),
        ("", ""),
    ],
)
def test_the_query_is_extracted_from_a_reply(text: str, query: str) -> None:
    assert query_in(text) == query


def test_grades_lists_and_stances_are_parsed_from_loosely_formatted_replies() -> None:
    assert grade_in('{"grade": "error", "reason": "no rows"}') == ("error", "no rows")
    assert grade_in("**Grade**: Accept") == ("accept", "")
    assert grade_in("I would accept this.") is None
    assert list_in('Here: ["a", {"value": "b"}] and [c]') == ["a", {"value": "b"}]
    assert list_in("[see above]") is None
    assert stance_in("No such film.\nSTANCE: not_in_graph") == "not_in_graph"
    assert stance_in("My stance is clear.") == "answer"


def test_a_cut_text_says_its_whole_length() -> None:
    assert trace.shortened("x" * 1_201, 1_200).endswith("x… (of 1,201 characters)")
    assert trace.shortened("short", 5) == "short"
