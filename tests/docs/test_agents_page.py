"""The page on agents: its commands are run on the real server, with a model that follows a script."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from graphground.server.commands.command_line import run
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, say, use
from tests.support.scripted_roles import script_of
from tests.support.serving import http_server

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sh\ngraphground agent ([^\n]+)\n```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
QUERY = "MATCH (t:Team) RETURN count(t) AS teams"


def calls_tools(request: Asked) -> Answer:
    if request.results:
        assert "[30]" in request.last  # the final text depends on the server's answers
        return say("There are 30 teams.")
    return use("execute_cypher", graph="nba", query=QUERY)


def test_the_three_examples_print_what_the_page_shows(data_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pydantic_ai", reason="needs the extra `agents`")
    roles = {
        "zero_shot": [f"```cypher\n{QUERY}\n```"],
        "tool_agent": calls_tools,
        "generator": [QUERY],
        "evaluator": ["GRADE: accept"],
        "interpreter": ["There are 30 teams."],
    }
    assert [command.split()[0] for command, _ in EXAMPLES] == ["zero-shot", "tools", "loop"]
    with http_server(data_folder) as address, ScriptedEndpoint(script_of(roles)) as endpoint:
        for command, printed in EXAMPLES:
            words = [*shlex.split(command), "--endpoint", endpoint.openai, "--server", address, "--no-cache"]
            assert run("agent", words) == 0
            assert capsys.readouterr().out == printed
