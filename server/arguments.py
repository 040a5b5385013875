"""Strict arguments: an unknown argument is an error that names the nearest known arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from graphground.cypher.diagnostics import all_of, counted, either
from graphground.tools.failure import ToolFailure

if TYPE_CHECKING:
    from graphground.tools.tool import Tool

WORDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "an object",
}
BOUNDS = {
    "ge": "at least",
    "gt": "more than",
    "le": "at most",
    "lt": "less than",
    "min_length": "at least",
    "max_length": "at most",
}


def explain(tool: Tool[Any, Any], arguments: Mapping[str, Any], error: ValidationError) -> ToolFailure:
    """Return the failure for unknown arguments, else for missing arguments, else for the first wrong value.

    Unknown arguments come first, because they may be misspelt.
    """
    from graphground.cypher.names.nearest import closest  # loaded only after a mistake

    fields = [field.alias or name for name, field in tool.request.model_fields.items()]
    problems = error.errors(include_url=False, include_context=True)
    unknown = [str(problem["loc"][0]) for problem in problems if problem["type"] == "extra_forbidden"]
    missing = [str(problem["loc"][0]) for problem in problems if problem["type"] == "missing"]
    if unknown:
        quoted = [repr(name) for name in unknown]
        free = [field for field in fields if field not in arguments]
        nearest = [word for name in unknown for word in closest(name, free)] or free
        return ToolFailure(
            "unknown_argument",
            f"{tool.name} has no argument {either(quoted)}; its arguments are: {', '.join(fields) or 'none'}.",
            nearest=list(dict.fromkeys(nearest)),
            next=f"Call {tool.name} again without {all_of(quoted)}"
            + (", or with an argument in `nearest` instead." if nearest else "."),
        )
    if missing:
        names = all_of([repr(name) for name in missing])
        return ToolFailure(
            "missing_argument",
            f"{tool.name} needs the argument{'s' if len(missing) > 1 else ''} {names}.",
            nearest=missing,
            next=f"Call {tool.name} again with {names}.",
        )
    message, nearest = explain_value(problems[0])
    argument = ".".join(str(part) for part in problems[0]["loc"][:1])
    return ToolFailure(
        "wrong_argument",
        f"{tool.name}: {message}.",
        nearest=nearest,
        next=f"Call {tool.name} again with a valid {argument!r}."
        if argument
        else f"Call {tool.name} again with valid arguments.",
    )


def explain_value(problem: ErrorDetails) -> tuple[str, list[str]]:
    """Return a message about an invalid value and the nearest valid values.

    For example, `("limit must be at most 50, not 80", ["50"])`.
    """
    place, found, context = ".".join(str(part) for part in problem["loc"]), problem["input"], problem.get("ctx", {})
    expected = WORDS.get(problem["type"])
    if expected:
        return f"{place} must be {expected}, not {kind(found)}", []
    if problem["type"] == "literal_error":
        from graphground.cypher.names.nearest import closest

        allowed = [word.strip(" '") for word in str(context["expected"]).replace(" or ", ",").split(",")]
        best_first = list(dict.fromkeys([*closest(str(found), allowed), *allowed]))
        return f"{place} must be {either(allowed, len(allowed))}, not {found!r}", best_first
    for limit, words in BOUNDS.items():
        if limit in context:
            if isinstance(found, str | list):
                bound = counted(context[limit], "character" if isinstance(found, str) else "item")
                return f"{place} must have {words} {bound}, not {len(found):,}", []
            return f"{place} must be {words} {context[limit]:,}, not {found}", [] if limit == "gt" else [
                str(context[limit])
            ]
    message = problem["msg"].removeprefix("Value error, ")
    return (f"{place}: {message}" if place else message), []


def kind(value: Any) -> str:
    """Return the type of a JSON value in words: `kind(True)` is `true or false`."""
    kinds = {type(None): "null", bool: "true or false", str: "text", int: "a number", list: "a list"}
    return kinds.get(type(value), "a number with a fraction" if isinstance(value, float) else "an object")
