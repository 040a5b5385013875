import json
from typing import Any

import pytest

from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.server.application import Application, Outcome, encode
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest
from graphground.tools.tool import Tool, ToolFailure


def run_within(most_bytes: int, rows: list[Any]) -> Outcome:
    answer = ExecuteCypherAnswer(
        columns=["a"], rows=rows, row_count=len(rows), truncated=False, elapsed_ms=1.0, diagnostics=[]
    )
    tool: Tool[Any, Any] = Tool("rows", "", "", ExecuteCypherRequest, ExecuteCypherAnswer, lambda graphs, _: answer)
    return Application(lambda: OpenGraphs([]), most_bytes).run_tool(tool, {"query": "RETURN 1"})


def test_an_answer_within_the_budget_is_unchanged() -> None:
    answer = json.loads(run_within(10_000, [["x"]] * 10).payload)
    assert (answer["row_count"], answer["truncated"]) == (10, False)


def test_an_answer_over_the_budget_keeps_whole_rows_and_is_marked() -> None:
    outcome = run_within(2_000, [["x" * (number % 50)] for number in range(1000)])
    answer = json.loads(outcome.payload)
    assert 0 < len(outcome.payload) <= 2_000
    assert answer["truncated"]
    assert answer["row_count"] == len(answer["rows"]) > 10
    assert answer["rows"] == [["x" * (number % 50)] for number in range(answer["row_count"])]


def test_a_small_row_before_a_row_over_the_budget_is_returned() -> None:
    answer = json.loads(run_within(500, [["x"], ["x" * 50_000]]).payload)
    assert (answer["rows"], answer["truncated"]) == ([["x"]], True)


@pytest.mark.parametrize("rows", [[], [["x" * 5000]]])
def test_a_call_whose_answer_cannot_be_shortened_fails_with_the_next_step(rows: list[Any]) -> None:
    with pytest.raises(ToolFailure) as caught:
        run_within(20, rows)
    assert caught.value.error == "answer_too_large"


def test_large_whole_numbers_and_nested_values_are_encoded_exactly() -> None:
    assert encode([2**62, {"a": [None, True, 1.5]}]) == b'[4611686018427387904,{"a":[null,true,1.5]}]'
