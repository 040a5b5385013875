"""Calls of real clients are recorded on every transport, without secrets, and only if recording is enabled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from graphground.server.traces.event import Event, read_events
from tests.support.serving import LEGACY, MODERN, connected, http_server, stdio, with_token

PASSWORD = "correct-horse-battery"
CALLS = [
    ("list_graphs", {}),
    ("validate_cypher", {"query": f"MATCH (t:Taem {{password: '{PASSWORD}'}}) RETURN t"}),
    ("get_schema", {"graph": "nab"}),
    ("get_schema", {"grph": "nba", "apiKey": PASSWORD}),
]


@pytest.mark.anyio
async def test_the_calls_of_a_client_are_recorded_without_secrets(data_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    async with connected(stdio(data_folder, "--record", str(path), "--graph", "nba")) as client:
        for name, arguments in CALLS:
            await client.call_tool(name, arguments)
        with pytest.raises(MCPError):
            await client.call_tool("get_shema", {"token": PASSWORD})
    assert PASSWORD not in path.read_text(encoding="utf-8")
    events = list(read_events(path))
    assert len({event.session for event in events}) == 1
    assert [event.name for event in events] == [*(name for name, _ in CALLS), "get_shema"]
    assert [event.failed for event in events] == [False, False, True, True, True]
    assert events[1].diagnostics[0]["code"] == "unknown_label"
    assert events[2].answer["error"] == "unknown_graph"
    assert all(event.client.startswith("mcp") for event in events)
    assert all(event.seconds is not None and event.tokens_out for event in events)


def test_a_server_that_does_not_record_does_not_import_the_recorder() -> None:
    script = (
        "import sys, graphground.server.protocol, graphground.server.commands.serve\n"
        "print([name for name in sys.modules if name.startswith('graphground.server.traces')])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.strip() == "[]"


ADA, BOB, OPERATOR = "a-token-of-ada-0001", "a-token-of-bob-0002", "a-token-of-the-operator"


async def ask(client: httpx2.AsyncClient, path: str, token: str, body: Any = None) -> Any:
    """Send a request to the page's data, and return the answer."""
    headers = {"Authorization": f"Bearer {token}"}
    response = await client.post(path, json=body, headers=headers)
    assert response.status_code == 200, response.text
    return response.json()["answer"]


async def read_stream(client: httpx2.AsyncClient, token: str, until: str) -> str:
    """Return the page's stream of calls up to a text, or what has come after two seconds without the text."""
    text = ""
    with anyio.move_on_after(10 if until else 2):
        async with client.stream("GET", "ui/api/work?after=0", headers={"Authorization": f"Bearer {token}"}) as answer:
            async for chunk in answer.aiter_text():
                text += chunk
                if until and until in text:
                    break
    return text


@pytest.mark.anyio
async def test_each_token_sees_its_own_calls_and_an_operator_sees_all(data_folder: Path, tmp_path: Path) -> None:
    tokens, watched = tmp_path / "tokens", tmp_path / "watched.jsonl"
    tokens.write_text(f"{ADA}\n{BOB}\n")
    watched.write_bytes(Event(name="watched_tool", answer="of another server").as_line())
    options = ("--ui", "--graph", "nba", "--token-file", str(tokens), "--watch", str(watched))
    with http_server(data_folder, *options, more={"GRAPHGROUND_OPERATOR_TOKEN": OPERATOR}) as address:
        for token, mode in ((ADA, LEGACY), (BOB, MODERN)):
            with anyio.fail_after(60):
                async with with_token(address, token, mode) as client:
                    await client.call_tool("validate_cypher", {"query": f"RETURN '{token[11:14]} asked' AS x"})
        async with httpx2.AsyncClient(base_url=address.replace("mcp", ""), timeout=30) as client:
            for token, own, other in ((ADA, "ada asked", "bob asked"), (BOB, "bob asked", "ada asked")):
                for form in ("jsonl", "markdown"):
                    text = (await ask(client, "ui/api/export", token, {"form": form}))["text"]
                    assert own in text
                    assert other not in text
                    assert "watched_tool" not in text
                for stream in (await read_stream(client, token, own), await read_stream(client, token, "")):
                    assert own in stream
                    assert other not in stream
                    assert "watched_tool" not in stream
            text = (await ask(client, "ui/api/export", OPERATOR, {"form": "jsonl"}))["text"]
            assert "ada asked" in text
            assert "bob asked" in text
            assert "watched_tool" in text
            sessions = {json.loads(line)["session"] for line in text.splitlines() if "asked" in line}
            for session in sessions:
                seen = [
                    await ask(client, "ui/api/export", token, {"form": "jsonl", "session": session})
                    for token in (ADA, BOB)
                ]
                assert sorted(bool(answer["text"]) for answer in seen) == [False, True]
            for word in ("ada asked", "bob asked", "watched_tool"):
                assert word in await read_stream(client, OPERATOR, word)
