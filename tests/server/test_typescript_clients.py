"""The official TypeScript clients, on which most applications are built, receive every answer and every failure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphground.prompts.template import all_templates
from graphground.tools import NAMES
from tests.support import wrong_use
from tests.support.node_packages import placed, run_node
from tests.support.serving import COMMAND, ERROR_FIELDS, environment
from tests.support.wrong_use import WRONG_USES

SCRIPTS = Path(__file__).with_name("typescript")
RIGHT_USES: list[tuple[str, dict[str, Any]]] = [
    ("list_graphs", {}),
    ("get_schema", {"graph": "nba"}),
    ("get_schema", {"graph": "nba", "form": "json"}),
    ("get_filtered_schema", {"graph": "nba", "question": "Who plays for the Chicago Bulls?"}),
    ("find_entities", {"graph": "nba", "mentions": ["lebron james"]}),
    ("validate_cypher", {"graph": "nba", "query": "MATCH (t:Team RETURN t"}),
    ("ground_question", {"graph": "nba", "question": "Who plays for the Chicago Bulls?"}),
    ("execute_cypher", {"graph": "nba", "query": "MATCH (t:Team {name: 'x'}) RETURN t, null AS nothing"}),
    (
        "execute_cypher",
        {
            "graph": "nba",
            "query": "MATCH p = (t:Team)-[r]->() RETURN t, r, p, [1, null] AS list, "
            "{a: 0.5} AS map, date('1999-01-01') AS day LIMIT 2",
        },
    ),
    ("execute_cypher", {"graph": "nba", "query": "MATCH (t:Team) RETURN count(t) AS teams"}),
]


@pytest.mark.parametrize(("script", "transport"), [("sdk_1.mjs", "stdio"), ("sdk_2.mjs", "http")])
@pytest.mark.usefixtures("node")
def test_a_typescript_client_receives_every_answer_and_every_failure(
    script: str,
    transport: str,
    data_folder: Path,
    wrong_variables: dict[str, str],
    tmp_path: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = (
        {"command": COMMAND[0], "args": [*COMMAND[1:], "serve"]}
        if transport == "stdio"
        else {"url": request.getfixturevalue("wrong_address")}
    )
    for variable, value in environment(data_folder, wrong_variables).items():
        monkeypatch.setenv(variable, value)
    work = tmp_path / "calls.json"
    right = [{"tool": tool, "arguments": arguments} for tool, arguments in RIGHT_USES]
    work.write_text(json.dumps({"calls": [*right, *wrong_use.calls()]}))
    result = run_node(placed(SCRIPTS / script), work, json.dumps(target))
    assert result.returncode == 0, result.stderr
    check(json.loads(result.stdout))


def check(seen: dict[str, Any]) -> None:
    assert seen["tools"] == list(NAMES)
    thrown = [result["thrown"] for result in seen["answers"] if "thrown" in result]
    assert not thrown, "the client's own validation refuses an answer"
    answers = [result["answer"] for result in seen["answers"]]
    for (tool, arguments), answer in zip(RIGHT_USES, answers, strict=False):
        assert not answer.get("isError"), (tool, arguments, answer)
        assert answer["structuredContent"], (tool, arguments)
    assert answers[len(RIGHT_USES) - 1]["structuredContent"]["rows"] == [[30]]
    for wrong, answer in zip(WRONG_USES, answers[len(RIGHT_USES) :], strict=True):
        assert answer["isError"], wrong.what
        assert "structuredContent" not in answer, wrong.what
        wrong_use.check(wrong, json.loads(answer["content"][0]["text"]))
    assert [page["truncated"] for page in seen["continued"]] == [*[True] * (len(seen["continued"]) - 1), False]
    assert len(seen["continued"]) > 1
    assert seen["continued"][0]["total"] == 30
    names = [row[0] for page in seen["continued"] for row in page["rows"]]
    assert len(names) == 30
    assert names == sorted(set(names))
    assert set(seen["unknown"]["thrown"]["data"]) == ERROR_FIELDS
    assert "did you mean 'execute_cypher'" in seen["unknown"]["thrown"]["message"]
    assert "nba" in seen["missing"]["message"]
    assert "graph://catalog" in seen["resources"]
    assert "(:Team" in seen["schema"]
    assert seen["prompts"] == list(all_templates())
    assert seen["messages"] == 2
    assert seen["completed"] == ["nba"]
