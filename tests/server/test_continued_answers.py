"""Long answers can be continued over HTTP, but only by the client that received them.

`test_typescript_clients.py` continues one over stdio.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

from tests.support.serving import LEGACY, MODERN, connected, failure_in, http_server, with_token

pytestmark = [pytest.mark.anyio, pytest.mark.engine]
PLAYERS = {"graph": "nba", "query": "MATCH (p:Player) RETURN p.name ORDER BY p.name", "limit": 5_000}
SMALL = ("--answer-bytes", "5000")
"""An option with which only a part of the players fits into an answer."""


@pytest.fixture(scope="module")
def address(data_folder: Path) -> Iterator[str]:
    with http_server(data_folder, *SMALL) as address:
        yield address


async def answered(client: Client, arguments: dict[str, Any]) -> dict[str, Any]:
    answer = await client.call_tool("execute_cypher", arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    return dict(answer.structured_content)


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
async def test_a_client_reads_a_long_answer_page_by_page(mode: str, address: str) -> None:
    async with connected(address, mode) as client:
        await client.list_tools()  # from here on the client checks answers against the output schemas
        page = await answered(client, PLAYERS)
        names, total = [row[0] for row in page["rows"]], page["total"]
        while page.get("cursor"):
            page = await answered(client, {"cursor": page["cursor"], "limit": 5_000})
            names += [row[0] for row in page["rows"]]
        counted = await answered(client, {"graph": "nba", "query": "MATCH (p:Player) RETURN count(p) AS players"})
    assert len(names) == total == counted["rows"][0][0]
    assert not page["truncated"]
    assert "cursor" not in counted


async def test_an_http_session_cannot_read_rows_kept_for_another_session(address: str) -> None:
    with anyio.fail_after(90):
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
