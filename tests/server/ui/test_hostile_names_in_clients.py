"""Names that contain markup stay text on their way from the server through the official host
of MCP Apps into the view."""

from __future__ import annotations

import re
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.extension import advertise

from graphground.server.apps.extension import EXTENSION, MIME_TYPE, VIEW
from tests.server.apps.conftest import HostServer, View, showing
from tests.server.ui.hostile_graph import HOSTILE_NAMES
from tests.support.browser import Page
from tests.support.node_packages import NotInstalled, install
from tests.support.serving import MODERN

SCRIPT, PICTURE_TAG = HOSTILE_NAMES[0], HOSTILE_NAMES[1]
MISSING = PICTURE_TAG.replace('"', "&quot;") + "\u202egniht a"
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "rows": (
        "execute_cypher",
        {
            "query": "MATCH (t:Thing)-[r:leads_to]->(u:Thing) "
            f"RETURN t.name AS name, t.tags AS `{SCRIPT}`, r.why AS `{PICTURE_TAG}`, u",
            "graph": "hostile",
        },
    ),
    "nothing": (
        "execute_cypher",
        {"query": "MATCH (t:Thing {name: $name}) RETURN t.name", "parameters": {"name": MISSING}, "graph": "hostile"},
    ),
    "schema": ("get_schema", {"graph": "hostile", "form": "enhanced"}),
    "failure": ("get_schema", {"graph": SCRIPT}),
}
MADE = "document.querySelectorAll('main script, main img, main a, main b, main iframe, main [onload], main [onerror]').length"


def answers(address: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the view's document, and each call's result by its name in `CALLS`, as a client of MCP Apps gets them."""

    async def called() -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        extensions = [advertise(EXTENSION, {"mimeTypes": [MIME_TYPE]})]
        with anyio.fail_after(100):
            async with Client(address, mode=MODERN, extensions=extensions) as client:
                [contents] = (await client.read_resource(VIEW)).contents
                results = {}
                for name, (tool, arguments) in CALLS.items():
                    result = await client.call_tool(tool, arguments)
                    results[name] = result.model_dump(mode="json", by_alias=True, exclude_none=True)
                    results[name].pop("resultType", None)
                return contents.model_dump(mode="json", by_alias=True, exclude_none=True), results

    return anyio.run(called)


def as_shown(name: str) -> str:
    """Return a name as the view writes it: characters that reorder text become codes."""
    return re.sub("[\u202a-\u202e\u2066-\u2069]", lambda found: f"\\u{ord(found[0]):04x}", name)


def test_hostile_names_are_text_in_the_official_host_of_mcp_apps(chromium: Page, page_address: str) -> None:
    try:
        install()
    except NotInstalled as error:
        pytest.skip(f"the official host of MCP Apps: {error}")
    contents, results = answers(page_address.replace("/ui/", "/mcp"))
    with HostServer() as host, HostServer() as sandbox:
        show = showing(chromium, (host.address, sandbox.address), "official")
        shown = {}
        for name, result in results.items():
            page = show(contents, CALLS[name][1], result, dark=name == "rows", width=400 if name == "rows" else 900)
            view = View(page)
            view.wait("!document.getElementById('status')")
            shown[name] = view.text
            assert view.evaluate("document.title") == "graphground", name
            assert page.evaluate("document.title") == "host", name
            assert view.evaluate(MADE) == 0, name
            assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown[name]), name
            assert view.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
            if name == "rows":
                cells = view.evaluate(
                    "[...document.querySelectorAll('td:first-child')].map((cell) => cell.textContent)"
                )
                short = {as_shown(name) for name in HOSTILE_NAMES if len(name) < 300}
                assert short < set(cells)
                [long] = set(cells) - short
                assert long.startswith("long xxx")
                assert len(long) < 350
            assert page.errors == [], name
            origins = {address.split("/")[2] for address in page.requests if address.startswith("http")}
            assert origins == {server.split("/")[2] for server in (host.address, sandbox.address)}, name
            assert page.evaluate("window.host.modes().length") == 0, "the view asks for nothing"
    assert SCRIPT in shown["rows"]
    assert PICTURE_TAG in shown["rows"]
    assert "onerror=" in shown["nothing"]
    assert "Schema of hostile" in shown["schema"]
    assert SCRIPT in shown["failure"]
