"""The tools, resources and prompts that MCP's conformance suite requires, on our own protocol layer, over HTTP.

    python -m tests.support.conformance_server      prints its address on stderr, as `graphground serve` does

The answers are fixtures; the transport, sessions, capabilities, progress, log messages and errors are the server's own.
"""

from __future__ import annotations

import base64
import json
import logging
import re
from typing import Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.server.application import Application
from graphground.server.notifications import Reporting, log_to_clients
from graphground.server.protocol import FIXED, FRESH, Protocol
from graphground.server.settings import Settings
from graphground.server.transports.http import serve_http

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\x08\0data\0\0\0\0").decode()
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
logger = logging.getLogger("graphground.conformance")


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def embedded(uri: str, words: str, kind: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
CONTENTS: dict[str, list[dict[str, Any]]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "test_tool_with_logging": [text("Logged three times.")],
    "test_logging_tool": [text("Logged three times.")],
    "test_tool_with_progress": [text("Reported three times.")],
    "test_error_handling": [text("This tool intentionally returns an error for testing")],
}
PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


class Fixtures(Protocol):
    """The server's protocol layer with the suite's fixtures in place of graphs."""

    async def list_tools(self, context: Any, params: Any) -> Any:
        return {
            "tools": [
                {"name": name, "description": "A fixture of the suite.", "inputSchema": NOTHING} for name in CONTENTS
            ],
            **FIXED,
        }

    async def call_tool(self, context: Any, params: Any) -> Any:
        if params.name not in CONTENTS:
            raise MCPError(code=INVALID_PARAMS, message=f"there is no tool {params.name!r}")
        async with Reporting(context, self.levels):
            for step, words in enumerate(
                ("Tool execution started", "Tool processing data", "Tool execution completed")
            ):
                if params.name in ("test_tool_with_logging", "test_logging_tool"):
                    logger.info(words)
                elif params.name == "test_tool_with_progress":
                    await context.session.report_progress(50.0 * step, 100.0, words)
                else:
                    break
                await anyio.sleep(0.05)
        return {
            "content": CONTENTS[params.name],
            "isError": params.name == "test_error_handling",
            "resultType": "complete",
        }

    async def list_resources(self, context: Any, params: Any) -> Any:
        return {"resources": [{"uri": f"test://static-{kind}", "name": kind} for kind in ("text", "binary")], **FRESH}

    async def list_resource_templates(self, context: Any, params: Any) -> Any:
        return {"resourceTemplates": [{"uriTemplate": "test://template/{id}/data", "name": "template"}], **FIXED}

    async def read_resource(self, context: Any, params: Any) -> Any:
        uri = str(params.uri)
        content: dict[str, Any] = {"uri": uri, "mimeType": "text/plain"}
        match = re.fullmatch(r"test://template/([^/]+)/data", uri)
        if uri == "test://static-text":
            content["text"] = "This is the content of the static text resource."
        elif uri == "test://static-binary":
            content |= {"mimeType": "image/png", "blob": PNG}
        elif match:
            content |= {
                "mimeType": "application/json",
                "text": json.dumps({"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}),
            }
        else:
            return await super().read_resource(context, params)
        return {"contents": [content], **FRESH}

    async def list_prompts(self, context: Any, params: Any) -> Any:
        return {
            "prompts": [
                {
                    "name": name,
                    "description": "A fixture of the suite.",
                    "arguments": [{"name": argument, "required": True} for argument in arguments],
                }
                for name, arguments in PROMPTS.items()
            ],
            **FIXED,
        }

    async def get_prompt(self, context: Any, params: Any) -> Any:
        arguments = params.arguments or {}
        contents = {
            "test_simple_prompt": [text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments": [
                text(f"Prompt with arguments: arg1='{arguments.get('arg1')}', arg2='{arguments.get('arg2')}'")
            ],
            "test_prompt_with_embedded_resource": [
                embedded(arguments.get("resourceUri", ""), "Embedded resource content for testing."),
                text("Please process the embedded resource above."),
            ],
            "test_prompt_with_image": [IMAGE, text("Please analyze the image above.")],
        }.get(params.name)
        if contents is None:
            return await super().get_prompt(context, params)
        return {"messages": [{"role": "user", "content": content} for content in contents], "resultType": "complete"}


def main() -> None:
    """Serve on a free port until interrupted."""
    logging.basicConfig(level="WARNING")
    log_to_clients()
    serve_http(lambda: Fixtures(Application(lambda: OpenGraphs([]))).server, Settings(transport="http", port=0))


if __name__ == "__main__":
    main()
