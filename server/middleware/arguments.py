"""Argument strictness: what a tool does not know is an error that names the nearest it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from graphground.server.call import Call, Next, Outcome
from graphground.tools.failure import ToolFailure, nearest
from graphground.tools.tool import Tool

WORDS = {"string_type": "text", "int_type": "a whole number", "int_from_float": "a whole number",
         "float_type": "a number", "bool_type": "true or false", "list_type": "a list", "dict_type": "an object"}


def check_arguments(call: Call, proceed: Next) -> Outcome:
    """Make the request model of the arguments, or say in words what is wrong with them."""
    try:
        call.request = call.tool.request.model_validate(call.arguments)
    except ValidationError as error:
        raise explain(call.tool, call.arguments, error) from None
    return proceed(call)


def explain(tool: Tool[Any, Any], arguments: Mapping[str, Any], error: ValidationError) -> ToolFailure:
    """The failure for arguments that do not fit: unknown ones first, since they explain missing ones."""
    fields = list(tool.request.model_fields)
    problems = error.errors(include_url=False, include_context=True)
    unknown = [str(problem["loc"][0]) for problem in problems if problem["type"] == "extra_forbidden"]
    missing = [str(problem["loc"][0]) for problem in problems if problem["type"] == "missing"]
    again = f"Call {tool.name} again with {', '.join(fields) or 'no arguments'}."
    if unknown:
        names = ", ".join(repr(name) for name in unknown)
        near = [word for name in unknown for word in nearest(name, [field for field in fields
                                                                    if field not in arguments])]
        return ToolFailure("unknown_argument", f"{tool.name} has no argument {names}; its arguments are: "
                                               f"{', '.join(fields) or 'none'}.",
                           nearest=list(dict.fromkeys(near)), next=again)
    if missing:
        names = ", ".join(repr(name) for name in missing)
        return ToolFailure("missing_argument", f"{tool.name} needs the argument {names}.", nearest=missing, next=again)
    problem = problems[0]
    place = ".".join(str(part) for part in problem["loc"])
    allowed = problem.get("ctx", {}).get("expected")
    wanted = WORDS.get(problem["type"])
    message = f"{tool.name}: {place} must be {wanted}, not {kind(problem['input'])}." if wanted else \
        f"{tool.name}: {place}: {problem['msg']}."
    near = [] if allowed is None else [word.strip(" '") for word in str(allowed).replace(" or ", ",").split(",")]
    return ToolFailure("wrong_argument", message, nearest=near, next=again)


def kind(value: Any) -> str:
    """What a JSON value is, in words: `kind(True)` is `true or false`."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "text"
        case int() | float():
            return "a number"
        case list():
            return "a list"
    return "an object"
