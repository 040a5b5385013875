"""A tool call as middleware sees it, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel

from graphground.tools.tool import Answer, Graphs, Request, Tool


@dataclass(slots=True)
class Call:
    """A tool, the arguments as the client sent them, and the request model built from them."""

    tool: Tool[Any, Any]
    arguments: Mapping[str, Any]
    graphs: Callable[[], Graphs]
    request: Request | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: `payload` is the structured answer as JSON, encoded once; `text` is the complete answer as
    text."""

    payload: bytes
    text: str
    is_error: bool = False


Next = Callable[[Call], Outcome]
Middleware = Callable[[Call, Next], Outcome]


def encode(value: Any) -> bytes:
    """Compact JSON of plain values and answer models.

    >>> encode({"rows": [["Heat", 170.0]]})
    b'{"rows":[["Heat",170.0]]}'
    """
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def is_empty(value: Any) -> bool:
    """Whether a value is empty: null, an empty text or an empty list, but not 0 or false."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def encode_answer(answer: Answer) -> bytes:
    """Compact JSON of an answer, under its documented names."""
    return encode(_fields(answer))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _fields(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)


def _fields(model: BaseModel) -> dict[str, Any]:
    """The fields, without pydantic's traversal of every row: the rows of a large answer are encoded once, here.

    A field is left out if it is empty or has its default value, because an agent pays for every word of an answer.
    Requested fields, such as the rows of a query, have no default and are always present.
    """
    fields, values = type(model).model_fields, model.__dict__
    return {
        field.alias or name: values[name]
        for name, field in fields.items()
        if field.is_required() or not (is_empty(values[name]) or values[name] == field.default)
    }
