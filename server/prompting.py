"""Fills in the prompt templates and adds the schema as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphground.cypher.diagnostics import LONGEST_MESSAGE, cut_inside
from graphground.cypher.names.nearest import closest
from graphground.prompts.template import all_templates
from graphground.server.application import Application
from graphground.server.resources import UnknownResource, read_resource, schema_uri


class PromptError(Exception):
    """A prompt that cannot be returned; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(cut_inside(message, LONGEST_MESSAGE))


def list_prompts() -> list[dict[str, Any]]:
    """Return the entries of `prompts/list`, one for each prompt."""
    return [
        {
            "name": template.name,
            "title": template.title,
            "description": template.description,
            "arguments": [
                {"name": argument.name, "description": argument.description, "required": argument.required}
                for argument in template.arguments
            ],
        }
        for template in all_templates().values()
    ]


def get_prompt(application: Application, name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return a prompt with its arguments filled in; if a graph is named, its schema follows as a second message.

    Raises:
        PromptError: the prompt, an argument or the graph is unknown, or a required argument is missing.
    """
    templates = all_templates()
    if name not in templates:
        raise PromptError(f"there is no prompt {name!r}; there are: {', '.join(templates)}")
    template = templates[name]
    known = [argument.name for argument in template.arguments]
    for argument in given:
        if argument not in known:
            nearest = closest(argument, known)
            raise PromptError(
                f"the prompt {name} has no argument {argument!r}; "
                + (f"did you mean {nearest[0]!r}?" if nearest else f"its arguments are: {', '.join(known)}")
            )
    for needed in template.arguments:
        if needed.required and not given.get(needed.name, "").strip():
            raise PromptError(f"the prompt {name} needs the argument {needed.name!r}")
    graph = given.get("graph") or ""
    values = dict.fromkeys(known, "") | dict(given)
    values["graph"] = f"`{graph}`" if graph else "that `list_graphs` shows"
    values["schema_call"] = _schema_call(graph, given.get("method") or "full")
    messages = [_message({"type": "text", "text": template.fill(values)})]
    if graph:
        try:
            resource = read_resource(application, schema_uri(graph))
        except UnknownResource as error:
            raise PromptError(str(error)) from None
        messages.append(_message({"type": "resource", "resource": resource}))
    return {"description": template.description, "messages": messages}


def _schema_call(graph: str, method: str) -> str:
    if method == "full":
        return "it is the resource below" if graph else "`get_schema`"
    return f"`get_filtered_schema` with the question and method `{method}`"


def _message(content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": content}
