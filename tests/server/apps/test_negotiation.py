"""A client that declares MCP Apps receives the view; other clients receive none."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.extension import advertise

from graphground.server.apps.extension import EXTENSION, MIME_TYPE, TOOLS, VIEW, with_view
from graphground.server.definitions import tool_definition
from graphground.tools import all_tools
from tests.support.serving import LEGACY, MODERN, http_server

DECLARED: dict[str, Any] = {"mimeTypes": ["text/plain", MIME_TYPE], "later": True}
UNDECLARED: list[dict[str, Any] | None] = [
    None,
    {},
    {"mimeTypes": []},
    {"mimeTypes": ["text/html"]},
    {"mimeTypes": MIME_TYPE},
]


@asynccontextmanager
async def client_of(server: Any, mode: str, settings: dict[str, Any] | None) -> AsyncIterator[Client]:
    extensions = [] if settings is None else [advertise(EXTENSION, settings)]
    with anyio.fail_after(100):
        async with Client(server, mode=mode, extensions=extensions) as client:
            yield client


@pytest.fixture(scope="module")
def apps_address(data_folder: Path) -> Any:
    with http_server(data_folder, "--graph", "nba") as address:
        yield address


def listed(tools: Any) -> str:
    return str(tools.model_dump_json(by_alias=True, exclude_none=True))


@pytest.mark.anyio
@pytest.mark.parametrize("mode", [MODERN, LEGACY])
async def test_a_client_that_declares_views_gets_the_view(mode: str, apps_address: str) -> None:
    async with client_of(apps_address, mode, DECLARED) as client:
        tools = (await client.list_tools()).tools
        with_view = {tool.name for tool in tools if (tool.meta or {}).get("ui", {}).get("resourceUri") == VIEW}
        assert with_view == set(TOOLS)
        assert VIEW in [str(resource.uri) for resource in (await client.list_resources()).resources]
        [contents] = (await client.read_resource(VIEW)).contents
        assert contents.mime_type == MIME_TYPE
        assert contents.meta is not None
        assert not any(contents.meta["ui"]["csp"].values())


@pytest.mark.anyio
@pytest.mark.parametrize("mode", [MODERN, LEGACY])
async def test_a_client_that_does_not_declare_views_gets_no_view(mode: str, apps_address: str) -> None:
    seen = set()
    for settings in UNDECLARED:
        async with client_of(apps_address, mode, settings) as client:
            tools = listed(await client.list_tools())
            resources = listed(await client.list_resources())
        seen.add((tools, resources))
        assert "ui://" not in tools + resources
        assert "resourceUri" not in tools
    assert len(seen) == 1


def test_the_definitions_with_views_are_only_slightly_longer() -> None:
    plain = [tool_definition(tool) for tool in all_tools().values()]
    assert len(json.dumps([with_view(tool) for tool in plain])) - len(json.dumps(plain)) < 200
