"""The owner's queries as tools over real connections: listed, called, checked,
and left out when they no longer work."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp_types import ToolListChangedNotification

from graphground.tools import NAMES
from tests.support.commands import Ended, RunCommand
from tests.support.node_packages import placed, run_node
from tests.support.serving import LEGACY, MODERN, connected, failure_in, http_server, stdio

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


@pytest.fixture(scope="module")
def address(data_folder: Path, settings: Path) -> Iterator[str]:
    with http_server(data_folder, "--settings", str(settings)) as address:
        yield address


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
async def test_a_client_calls_a_query_of_the_owner(mode: str, address: str) -> None:
    async with connected(address, mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[: len(NAMES)] == list(NAMES)
        assert "roster" in names
        answer = await client.call_tool("roster", {"team": "Chicago Bulls"})
        assert not answer.is_error, answer.content
        first = answer.structured_content
        assert (first["columns"], first["row_count"], first["truncated"]) == (["player"], 4, True)
        players = [row[0] for row in first["rows"]]
        assert players == sorted(set(players))
        assert failure_in(await client.call_tool("roster", {"taem": "x"}))["nearest"] == ["team"]
        assert failure_in(await client.call_tool("roster", {"team": 7}))["error"] == "wrong_argument"
        assert failure_in(await client.call_tool("broken", {}))["error"] == "broken_query"
        assert "broken" not in [tool.name for tool in (await client.list_tools()).tools]


async def test_a_client_is_notified_that_a_broken_query_is_left_out(data_folder: Path, settings: Path) -> None:
    changed = anyio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    with anyio.fail_after(90):
        async with Client(stdio(data_folder, "--settings", str(settings)), mode=LEGACY, message_handler=note) as client:
            await changed.wait()
            names = [tool.name for tool in (await client.list_tools()).tools]
    assert "roster" in names
    assert "broken" not in names


@pytest.mark.parametrize("script", ["sdk_1.mjs", "sdk_2.mjs"])
@pytest.mark.usefixtures("node")
def test_a_typescript_client_calls_a_query_of_the_owner(script: str, address: str, tmp_path: Path) -> None:
    calls = [{"team": "Chicago Bulls"}, {"taem": "x"}]
    work = tmp_path / "calls.json"
    work.write_text(json.dumps({"calls": [{"tool": "roster", "arguments": arguments} for arguments in calls]}))
    scripts = Path(__file__).with_name("typescript")
    result = run_node(placed(scripts / script), work, json.dumps({"url": address}))
    assert result.returncode == 0, result.stderr
    seen = json.loads(result.stdout)
    assert "roster" in seen["tools"]
    right, wrong = (result["answer"] for result in seen["answers"])
    assert right["structuredContent"]["row_count"] == 4
    assert json.loads(wrong["content"][0]["text"])["error"] == "unknown_argument"


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
