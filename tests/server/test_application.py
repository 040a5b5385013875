""""""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from graphground.cypher.diagnostics import LONGEST_MESSAGE
from graphground.server.application import Application
from graphground.server.commands.command_line import open_graphs
from graphground.server.resources import RequestRefused, read_resource
from graphground.server.settings import Settings
from tests.support.films import films_alone

LONG = "ﷺ" * 99_000
SHAPE = {"error", "message", "nearest", "next", "diagnostics"}


def failure(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    outcome = Application(films_alone).call(name, arguments)
    assert outcome.is_error
    answer: dict[str, Any] = json.loads(outcome.payload)
    assert set(answer) == SHAPE
    assert json.loads(outcome.text) == answer
    return answer


@pytest.mark.parametrize(
    ("tool", "arguments", "step"),
    [
        ("execute_cypher", {"querry": "RETURN 1"}, "without 'querry', or with an argument in `nearest` instead."),
        ("validate_cypher", {}, "with 'query'."),
        ("execute_cypher", {"query": "RETURN 1", "limit": 0}, "with a valid 'limit'."),
    ],
)
def test_the_next_step_after_wrong_arguments_names_only_what_must_change(
    tool: str, arguments: dict[str, Any], step: str
) -> None:
    assert failure(tool, arguments)["next"] == f"Call {tool} again {step}"


def test_the_text_of_a_schema_is_the_schema_itself() -> None:
    outcome = Application(films_alone).call("get_schema", {"graph": "films"})
    assert not outcome.text.startswith("{")
    assert "(:Movie)-[:directedBy]->(:Person)" in outcome.text
    assert "directedBy" in json.loads(outcome.payload)["schema"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (LONG, {}),
        ("get_schema", {LONG: 1}),
        ("get_schema", {f"{number} {LONG[:50]}": 1 for number in range(1_000)}),
        ("get_schema", {"graph": LONG}),
        ("get_schema", {"form": LONG}),
        ("get_schema", {"max_tokens": -(10**4_000)}),
        ("get_filtered_schema", {"question": "films", "graph": LONG}),
        ("get_filtered_schema", {"question": "films", "method": LONG}),
        ("find_entities", {"mentions": ["Heat"], "label": LONG}),
        ("find_entities", {"mentions": ["Heat"], "property": LONG}),
        ("find_entities", {"mentions": [LONG]}),
        ("ground_question", {"question": "films", "graph": LONG}),
        ("execute_cypher", {"cursor": LONG}),
        ("execute_cypher", {"query": f"MATCH (n:`{LONG}`) RETURN m"}),
        ("execute_cypher", {"query": f"RETURN ${'a' * 99_000} AS x"}),
        ("execute_cypher", {"query": f"CALL {'a' * 49_000}.{'b' * 49_000}()"}),
        ("execute_cypher", {"query": "RETURN " + "f()," * 20_000 + "1"}),
    ],
)
def test_a_failure_repeats_little_of_its_arguments(tool: str, arguments: dict[str, Any]) -> None:
    start = process_time()
    answer = failure(tool, arguments)
    assert process_time() - start < 5.0
    assert len(answer["message"]) <= LONGEST_MESSAGE
    assert len(json.dumps(answer, ensure_ascii=False)) < 60_000
    assert len(answer["next"]) <= LONGEST_MESSAGE


@pytest.fixture
def application(data_folder: Path) -> Application:
    return Application(partial(open_graphs, Settings(home=data_folder)))


def test_the_schema_of_an_unknown_graph_names_the_graphs(application: Application) -> None:
    with pytest.raises(RequestRefused, match="There is no graph 'nope'"):
        read_resource(application, "graph://nope/schema")
