"""The MCP Apps extension: decides which clients receive the interactive view, and adds it to tools and resources."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
VIEW = "ui://graphground/view.html"
TOOLS = ("get_schema", "execute_cypher")
"""The tools whose answers the view shows."""
META = {
    "csp": {"connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": []},
    "prefersBorder": True,
}
"""The metadata of the view: the view may load nothing from other addresses, and the host should draw a border."""


def supports_apps(context: Any) -> bool:
    """Whether the client of a request has declared that it can show HTML views.

    The SDK's `mcp.server.apps` has the same check, but importing that module loads the SDK's whole upper layer.
    """
    capabilities = context.session.client_capabilities
    declared = (capabilities.extensions if capabilities is not None else None) or {}
    settings = declared.get(EXTENSION)
    types = settings.get("mimeTypes") if isinstance(settings, Mapping) else None
    return isinstance(types, list | tuple) and MIME_TYPE in types


def with_view(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition of a tool, with the view's address if the view shows the tool's answers.

    >>> with_view({"name": "get_schema"})["_meta"]
    {'ui': {'resourceUri': 'ui://graphground/view.html'}}
    """
    if definition["name"] not in TOOLS:
        return definition
    return {**definition, "_meta": {"ui": {"resourceUri": VIEW}}}


def view_resource() -> dict[str, Any]:
    """Return the view as an entry of `resources/list`."""
    return {
        "uri": VIEW,
        "name": "view",
        "title": "Schema and rows",
        "description": "Shows answers of get_schema and execute_cypher in the conversation.",
        "mimeType": MIME_TYPE,
        "_meta": {"ui": META},
    }


def view_contents() -> dict[str, Any]:
    """Return the view as an entry of the contents that `resources/read` returns."""
    return {"uri": VIEW, "mimeType": MIME_TYPE, "text": view_html(), "_meta": {"ui": META}}


@cache
def view_html() -> str:
    """Return the view's HTML; its content security policy allows only the inlined script and style, by their hashes."""
    page, style, script = (
        Path(__file__).with_name(f"view.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
    )
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    return page.replace("{policy}", policy).replace("{style}", style).replace("{script}", script)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
