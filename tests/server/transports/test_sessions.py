"""Sessions with limits: if there are too many, a new session replaces the idle session with the fewest requests."""

import asyncio
import http.client
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import REQUEST_CANCELLED, StreamableHTTPServerTransport
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from starlette.requests import Request

from graphground.server.transports import sessions
from graphground.server.transports.sessions import PlainAnswers, make_room
from tests.support.http_calls import INITIALIZE

MOST = 3
Serve = Callable[..., tuple[str, int]]


@pytest.fixture
def address(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a server without tools that keeps at most three sessions."""
    monkeypatch.setattr(sessions, "MOST_SESSIONS", MOST)
    server = Server("sessions")
    app = server.streamable_http_app(streamable_http_path="/mcp", max_sessions=None, session_idle_timeout=600)
    make_room(server.session_manager)
    host, port = serve(app, 64)
    return f"http://{host}:{port}/mcp"


def posted(address: str, message: dict[str, object], session: str = "") -> tuple[int, str]:
    """Post a message; return the status of the response, and the session that the response names (empty if none)."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if session:
        headers |= {"mcp-session-id": session, "MCP-Protocol-Version": "2025-06-18"}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address, json.dumps(message).encode(), headers), timeout=30
        ) as answer:
            answer.read()
            return answer.status, answer.headers.get("mcp-session-id", "")
    except urllib.error.HTTPError as error:
        with error:
            error.read()
        return error.code, ""


def opened(address: str) -> str:
    status, session = posted(address, INITIALIZE)
    assert status == 200
    return session


def used(address: str, session: str) -> bool:
    """Make a request in a session; return whether the server still keeps the session."""
    return posted(address, {"jsonrpc": "2.0", "id": 2, "method": "ping"}, session)[0] == 200


def test_a_new_session_is_never_refused_and_unused_sessions_are_dropped_first(address: str) -> None:
    innocent = opened(address)
    assert used(address, innocent)
    attackers = [opened(address) for _ in range(5 * MOST)]
    assert used(address, innocent)
    assert used(address, attackers[-1])
    assert not used(address, attackers[0])


def test_a_session_that_does_not_exist_is_refused_and_costs_nothing(address: str) -> None:
    kept = [opened(address) for _ in range(MOST)]
    assert not any(used(address, f"guess-{number}") for number in range(20))
    assert all(used(address, session) for session in kept)


@pytest.mark.anyio
async def test_a_call_that_is_cut_off_by_the_end_of_the_server_is_answered_with_503(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, sent = asyncio.Event(), list[Any]()

    async def never_end(*_: object) -> None:
        begun.set()
        await asyncio.sleep(600)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    monkeypatch.setattr(StreamableHTTPServerTransport, "_handle_post_request", never_end)
    scope: Any = {"type": "http", "method": "POST", "headers": []}
    transport = PlainAnswers.__new__(PlainAnswers)
    task = asyncio.create_task(transport._handle_post_request(scope, Request(scope, receive), receive, send))
    await asyncio.wait_for(begun.wait(), 20)
    task.cancel()
    await asyncio.wait_for(task, 20)
    assert sent[0]["status"] == 503


@pytest.fixture(params=["in the task of the request", "as another version of the SDK runs it"])
def calls(serve: Serve, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Yield a server with two tools: `wait` runs until its call is cancelled, `fail` fails."""
    if request.param.startswith("as another"):
        monkeypatch.setattr(sessions, "OF_SDK", {"a name that the SDK does not have"})
    begun, ended = threading.Event(), threading.Event()

    async def call_tool(context: Any, params: Any) -> Any:
        if params.name == "fail":
            raise MCPError(code=INVALID_PARAMS, message="no such tool")
        begun.set()
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()
        return {}

    server: Server[Any] = Server("calls", on_call_tool=call_tool)
    app = server.streamable_http_app(streamable_http_path="/mcp", session_idle_timeout=600)
    make_room(server.session_manager)
    host, port = serve(app, 64)
    with ThreadPoolExecutor(1) as pool:
        connection = http.client.HTTPConnection(host, port, timeout=30)
        yield SimpleNamespace(address=f"http://{host}:{port}/mcp", begun=begun, ended=ended, pool=pool, to=connection)
        connection.close()


def call(calls: SimpleNamespace, session: str, tool: str) -> tuple[int, dict[str, Any]]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
    calls.to.request("POST", "/mcp", json.dumps(message), headers | {"mcp-session-id": session})
    answer = calls.to.getresponse()
    return answer.status, json.loads(answer.read())


def test_a_call_ends_when_its_client_cancels_it(calls: SimpleNamespace) -> None:
    session = opened(calls.address)
    waiting = calls.pool.submit(call, calls, session, "wait")
    assert calls.begun.wait(30)
    cancel: dict[str, object] = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    assert posted(calls.address, cancel, session)[0] == 202
    status, answer = waiting.result(30)
    assert (status, answer["id"], answer["error"]["code"]) == (200, 7, REQUEST_CANCELLED)
    assert calls.ended.wait(30)
    assert used(calls.address, session)


def test_a_call_ends_when_its_session_is_deleted(calls: SimpleNamespace) -> None:
    session = opened(calls.address)
    waiting = calls.pool.submit(call, calls, session, "wait")
    assert calls.begun.wait(30)
    request = urllib.request.Request(calls.address, headers={"mcp-session-id": session}, method="DELETE")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 200
    status, body = waiting.result(30)
    assert status == 500
    assert "terminated" in body["error"]["message"]
    assert calls.ended.wait(30)
    assert not used(calls.address, session)


def test_the_error_of_a_call_is_answered_as_the_sdk_answers_it(calls: SimpleNamespace) -> None:
    status, answer = call(calls, opened(calls.address), "fail")
    assert (status, answer["id"], answer["error"]) == (200, 7, {"code": INVALID_PARAMS, "message": "no such tool"})
