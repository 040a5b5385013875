"""Tools as clients see them: names, descriptions, JSON schemas, annotations."""

from __future__ import annotations

from typing import Any

from graphground.tools.tool import Tool


def tool_definition(tool: Tool[Any, Any]) -> dict[str, Any]:
    """The wire form of one tool."""
    return {
        "name": tool.name, "title": tool.title, "description": tool.description,
        "inputSchema": input_schema(tool),
        "outputSchema": _slim(tool.answer.model_json_schema(mode="serialization")),
        "annotations": {"title": tool.title, "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True,
                        "openWorldHint": tool.open_world},
    }


def input_schema(tool: Tool[Any, Any]) -> dict[str, Any]:
    """What the tool takes; an optional argument is written as its type alone, since leaving it out says the rest."""
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
    """The schema without pydantic's titles, which only repeat the names: every client pays for them in tokens."""
    slim: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in ("properties", "$defs"):
            slim[key] = {name: _slim(inner) for name, inner in value.items()}
        elif isinstance(value, dict):
            slim[key] = _slim(value)
        elif isinstance(value, list):
            slim[key] = [_slim(one) if isinstance(one, dict) else one for one in value]
        else:
            slim[key] = value
    return slim
