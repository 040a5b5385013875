from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest

from graphground.agents.model_settings import ModelFailure, ServerFailure
from graphground.agents.server_connection import connect, passed_on
from tests.support.serving import environment

pytestmark = pytest.mark.anyio


async def test_the_failure_of_a_tool_is_returned_as_an_answer_with_the_message_for_the_model(
    data_folder: Path, tmp_path: Path
) -> None:
    # Another module named like this on PYTHONPATH would stop the server.
    (tmp_path / "mcp.py").write_text("raise SystemExit(9)", encoding="utf-8")
    variables = environment(data_folder, {"PYTHONPATH": str(tmp_path)})
    with anyio.fail_after(60):
        async with connect(environment=variables) as connection:
            assert "execute_cypher" in [offer.name for offer in await connection.tools()]
            answer = await connection.call("get_schema", {"graph": "nbaa"})
    assert answer.failed
    assert '"nba"' in answer.text
    with pytest.raises(ServerFailure, match="get_schema failed"):
        answer.require()


@pytest.mark.parametrize(
    "server",
    ["http://127.0.0.1:9/mcp", ("/nowhere/graphground", "serve"), (sys.executable, "-c", "raise SystemExit(3)")],
)
async def test_a_server_that_cannot_be_reached_is_reported_with_its_name(server: str | tuple[str, ...]) -> None:
    with anyio.fail_after(60), pytest.raises(ServerFailure, match="cannot connect to"):
        async with connect(server, timeout=20):
            raise AssertionError("there is no such server")


async def test_an_exception_raised_while_connected_arrives_unchanged(data_folder: Path) -> None:
    with anyio.fail_after(60), pytest.raises(ModelFailure, match="no more"):
        async with connect(environment=environment(data_folder)):
            raise ModelFailure("quota", "no more")


async def test_a_server_receives_settings_and_passwords_but_no_keys_of_models_and_no_variables_of_python() -> None:
    kept = {
        "GRAPHGROUND_HOME": "/data",
        "NEO4J_PASSWORD": "x",
        "FILMS_PASSWORD": "y",
        "LC_ALL": "C",
        "https_proxy": "z",
    }
    left = {"OPENAI_API_KEY": "k", "PYTHONPATH": "/lib", "PYTHONHOME": "/p", "VIRTUAL_ENV": "/v", "MY_LANG": "x"}
    assert passed_on(kept | left) == kept
    assert passed_on({"FILMS_KEY": "x", "OTHER_KEY": "y"}, {"FILMS_KEY", "UNSET"}) == {"FILMS_KEY": "x"}
