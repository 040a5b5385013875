"""Tools as clients see them: names, descriptions, JSON schemas, annotations."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphground.tools.tool import Tool

PREPARED = Path(__file__).with_name("tool_definitions.json")
"""The definitions of the seven tools, written by `python docs/reference.py`; a test compares them with the code."""

LENGTHS = ("minLength", "maxLength", "minItems", "maxItems")
MOST_REPETITIONS = 500
"""The largest limit on the length of a text or list that a tool's schema states.

llama.cpp turns the schemas into a grammar and refuses a grammar with more than 2,000 repetitions, where nested
repetitions are multiplied; the server of `llama-cpp-python` 0.3.36 crashes instead. Larger limits are enforced, without
being stated, when the tool is called.
"""


@cache
def prepared_definitions() -> dict[str, dict[str, Any]]:
    """Return the definitions of the seven tools by name.

    They are read from a file: loading the tools and making their schemas took a third of the start of a server.
    """
    return {definition["name"]: definition for definition in json.loads(PREPARED.read_bytes())}


def tool_definition(tool: Tool[Any, Any]) -> dict[str, Any]:
    """Return the definition of a tool in the form that `tools/list` returns."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool),
        "outputSchema": output_schema(tool),
        # Hints on destructive or repeatable calls apply only to tools that write.
        "annotations": {"readOnlyHint": True, "openWorldHint": tool.open_world},
    }


def output_schema(tool: Tool[Any, Any]) -> dict[str, Any]:
    """Return the schema of a tool's answer, reduced to what clients check: names, types and required fields.

    Descriptions are only in the reference (`described_output_schema`), because every conversation pays for the tokens
    of this schema, and agents see the answers themselves.
    """
    schema = described_output_schema(tool)
    return {
        "type": "object",
        "required": schema["required"],
        "properties": _types_alone(schema, schema.get("$defs", {}))["properties"],
    }


def described_output_schema(tool: Tool[Any, Any]) -> dict[str, Any]:
    """Return the complete schema of a tool's answer, with descriptions."""
    return _slim(tool.answer.model_json_schema(mode="serialization"))


def _types_alone(schema: dict[str, Any], defined: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _types_alone(defined[schema["$ref"].rpartition("/")[2]], defined)
    if "anyOf" in schema:
        branches = [_types_alone(branch, defined) for branch in schema["anyOf"]]
        # An optional field is never null: `server.call` leaves an empty field out.
        return branches[0] if schema.get("default", ...) is None else {"anyOf": branches}
    alone: dict[str, Any] = {"type": schema["type"]} if "type" in schema else {}
    if "properties" in schema:
        alone["properties"] = {name: _types_alone(inner, defined) for name, inner in schema["properties"].items()}
    if schema.get("items"):
        alone["items"] = _types_alone(schema["items"], defined)
    return alone


def input_schema(tool: Tool[Any, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments; its types exclude null, because a call can omit optional arguments."""
    schema = _slim(tool.request.model_json_schema())
    properties = schema.setdefault("properties", {})
    for name, definition in properties.items():
        branches = [branch for branch in definition.get("anyOf", ()) if branch != {"type": "null"}]
        if len(branches) == 1:
            rest = {key: value for key, value in definition.items() if key not in ("anyOf", "default")}
            properties[name] = {**branches[0], **rest}
    schema.pop("description", None)
    return schema


def _slim(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without pydantic's titles, which repeat names, and without lengths above `MOST_REPETITIONS`."""
    slim: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in LENGTHS and isinstance(value, int) and value > MOST_REPETITIONS:
            continue
        if key in ("properties", "$defs"):
            slim[key] = {name: _slim(inner) for name, inner in value.items()}
        elif isinstance(value, dict):
            slim[key] = _slim(value)
        elif isinstance(value, list):
            slim[key] = [_slim(item) if isinstance(item, dict) else item for item in value]
        else:
            slim[key] = value
    return slim
