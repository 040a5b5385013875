"""Notifications are sent before an answer, and when a graph is added while the server runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.subscriptions import ResourcesListChanged
from mcp_types import LoggingMessageNotification, ResourceListChangedNotification

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from graphground.server.notifications import LogLevels
from tests.support.data_folders import copied
from tests.support.serving import LEGACY, MODERN, stdio
from tests.support.small_graph import loaded

pytestmark = [pytest.mark.anyio, pytest.mark.engine]
SLOW = "UNWIND range(1, 40000) AS a UNWIND range(1, 40000) AS b WITH a, b WHERE a + b = -1 RETURN count(*) AS found"


@pytest.fixture(scope="module")
def own_home(bundled_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = copied(bundled_home, tmp_path_factory.mktemp("notified") / "home")
    yield home.folder
    end_engine(home)


async def test_a_call_that_takes_over_a_second_reports_progress(own_home: Path) -> None:
    heard: list[tuple[float, str | None]] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    with anyio.fail_after(90):
        async with Client(stdio(own_home), mode=LEGACY) as client:  # test_behind_a_balancer.py does it over HTTP
            await client.call_tool(
                "execute_cypher", {"graph": "nba", "query": SLOW, "timeout_s": 3}, progress_callback=progressed
            )
    assert len(heard) >= 2
    assert [progress for progress, _ in heard] == sorted(progress for progress, _ in heard)
    assert all(progress >= 1 and message for progress, message in heard)


async def test_log_messages_are_sent_from_the_requested_level_on(own_home: Path) -> None:
    heard: list[Any] = []

    async def note(message: Any) -> None:
        if isinstance(message, LoggingMessageNotification):
            heard.append(message.params)

    with anyio.fail_after(90):
        async with Client(stdio(own_home), mode=LEGACY, message_handler=note) as client:
            await client.call_tool("list_graphs", {})
            assert heard == []
            await client.session.send_request(*set_level("info"))
            await client.call_tool("list_graphs", {})
    assert [(params.level, params.logger) for params in heard] == [("info", "graphground.server.application")]
    assert str(heard[0].data).startswith("list_graphs ok")


def set_level(level: str) -> tuple[Any, Any]:
    from mcp_types import EmptyResult, SetLevelRequest, SetLevelRequestParams

    return SetLevelRequest(params=SetLevelRequestParams(level=level)), EmptyResult


async def test_a_graph_that_is_loaded_while_servers_run_is_announced_and_served(own_home: Path, tmp_path: Path) -> None:
    changed = anyio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, ResourceListChangedNotification):
            changed.set()

    with anyio.fail_after(100):
        async with (
            Client(stdio(own_home), mode=MODERN) as modern,
            Client(stdio(own_home), mode=LEGACY, message_handler=note) as legacy,
            modern.listen(resources_list_changed=True) as heard,
        ):
            for client in (modern, legacy):
                before = await client.list_resources()
                assert "graph://people/schema" not in [resource.uri for resource in before.resources]
            await anyio.to_thread.run_sync(loaded, Home(own_home), tmp_path, PEOPLE, "people")
            assert await anext(aiter(heard)) == ResourcesListChanged()
            await changed.wait()
            for client in (modern, legacy):
                after = await client.list_resources()
                assert "graph://people/schema" in [resource.uri for resource in after.resources]
                answer = await client.call_tool("execute_cypher", {"graph": "people", "query": NAMES})
                assert answer.structured_content["rows"] == [["Ada"]]


NAMES = "MATCH (p:Person) RETURN p.name"
PEOPLE: dict[str, Any] = {
    "schema": {"name": "people", "entities": [{"label": "Person", "properties": {"name": "str"}}], "relations": []},
    "entities": [{"eid": "1", "label": "Person", "name": "Ada", "properties": {}}],
    "relations": [],
}


@pytest.mark.parametrize(("session", "remembered"), [("4711", True), (None, False)])
def test_a_log_level_is_stored_only_for_an_http_session(session: str | None, remembered: bool) -> None:
    headers = {} if session is None else {"mcp-session-id": session}
    context = SimpleNamespace(
        request=SimpleNamespace(headers=headers, scope={}), protocol_version="2025-06-18", meta=None
    )
    levels = LogLevels()
    levels.set(context, "debug")
    assert ("debug" in levels.allowed(context)) is remembered
    other = SimpleNamespace(request=SimpleNamespace(headers={}, scope={}), protocol_version="2025-06-18", meta=None)
    assert "debug" not in levels.allowed(other)
