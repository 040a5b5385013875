"""Long answers can be continued only by the client that received them; `test_typescript_clients.py` continues one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

from tests.support.serving import LEGACY, failure_in, http_server, with_token

pytestmark = [pytest.mark.anyio, pytest.mark.engine]
PLAYERS = {"graph": "nba", "query": "MATCH (p:Player) RETURN p.name ORDER BY p.name", "limit": 5_000}
SMALL = ("--answer-bytes", "5000")
"""An option with which only a part of the players fits into an answer."""


async def answered(client: Client, arguments: dict[str, Any]) -> dict[str, Any]:
    answer = await client.call_tool("execute_cypher", arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


async def test_an_http_session_cannot_read_rows_kept_for_another_session(data_folder: Path) -> None:
    with http_server(data_folder, *SMALL) as address, anyio.fail_after(90):
        async with Client(address, mode=LEGACY) as first, Client(address, mode=LEGACY) as second:
            cursor = (await answered(first, PLAYERS))["cursor"]
            failure = failure_in(await second.call_tool("execute_cypher", {"cursor": cursor}))
            assert failure["error"] == "unknown_cursor"
            assert (await answered(first, {"cursor": cursor, "limit": 1}))["row_count"] == 1


async def test_a_client_with_another_token_cannot_read_the_rows_kept_for_a_client(
    data_folder: Path, tmp_path: Path
) -> None:
    first, second = "a token of sixteen or more", "another token of that size"
    (tmp_path / "tokens").write_text(f"{first}\n{second}\n")
    with http_server(data_folder, *SMALL, "--token-file", str(tmp_path / "tokens")) as address, anyio.fail_after(90):
        async with with_token(address, first) as client:
            cursor = (await answered(client, PLAYERS))["cursor"]
        async with with_token(address, second) as client:
            failure = failure_in(await client.call_tool("execute_cypher", {"cursor": cursor}))
            assert failure["error"] == "unknown_cursor"
        async with with_token(address, first) as client:
            assert (await answered(client, {"cursor": cursor, "limit": 1}))["row_count"] == 1
