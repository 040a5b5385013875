"""The owner's queries as tools: listed, called, checked, and left out when they no longer work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp_types import ToolListChangedNotification

from graphground.tools import NAMES
from tests.support.commands import Ended, RunCommand
from tests.support.serving import LEGACY, failure_in, stdio

pytestmark = [pytest.mark.anyio, pytest.mark.engine]
SETTINGS = """
[queries.roster]
description = "The players of a team, by name."
graph = "nba"
cypher = "MATCH (p:Player)-[:playsFor]->(t:Team {name: $team}) RETURN DISTINCT p.name AS player ORDER BY player"
limit = 4
parameters.team = {type = "string", description = "The team's full name."}

[queries.broken]
description = "A query with a label that does not exist."
graph = "nba"
cypher = "MATCH (t:Taem) RETURN t.name"
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("own queries") / "settings.toml"
    file.write_text(SETTINGS, encoding="utf-8")
    return file


async def test_a_client_is_notified_that_a_broken_query_is_left_out_and_calls_the_other(
    data_folder: Path, settings: Path
) -> None:
    changed = anyio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    with anyio.fail_after(90):
        async with Client(stdio(data_folder, "--settings", str(settings)), mode=LEGACY, message_handler=note) as client:
            await changed.wait()
            assert [tool.name for tool in (await client.list_tools()).tools] == [*NAMES, "roster"]
            answer = await client.call_tool("roster", {"team": "Chicago Bulls"})
            assert not answer.is_error, answer.content
            first = answer.structured_content
            assert (first["columns"], first["row_count"], first["truncated"]) == (["player"], 4, True)
            players = [row[0] for row in first["rows"]]
            assert players == sorted(set(players))
            assert failure_in(await client.call_tool("roster", {"taem": "x"}))["nearest"] == ["team"]
            assert failure_in(await client.call_tool("broken", {}))["error"] == "broken_query"


def test_the_shell_lists_describes_and_calls_queries_of_the_owner_and_doctor_reports_broken_queries(
    run_command: RunCommand, data_folder: Path, settings: Path
) -> None:
    def shell(*words: str) -> Ended:
        return run_command(*words, "--settings", str(settings), home=data_folder)

    assert "roster" in shell("call", "--list").stdout
    assert "team (string, required)" in shell("call", "roster", "--help").stdout
    called = shell("call", "roster", '{"team": "Chicago Bulls"}', "--json")
    assert json.loads(called.stdout)["row_count"] == 4
    doctor = shell("doctor", "--json")
    found = {finding["what"]: finding for finding in json.loads(doctor.stdout)["findings"]}
    assert doctor.returncode == 1
    assert found["query roster"]["status"] == "ok"
    assert "[queries.broken], cypher, line 1, column 10" in found["query broken"]["found"]
    assert "Team" in found["query broken"]["fix"]
