"""A tool call as middleware sees it, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import BaseModel

if TYPE_CHECKING:
    from graphground.tools.tool import Answer, Graphs, Request, Tool


@dataclass(slots=True)
class Call:
    """A tool, the arguments that the client sent, and the request model built from the arguments.

    `hide` replaces what a failure must not contain, such as paths of this machine.
    """

    tool: Tool[Any, Any]
    arguments: Mapping[str, Any]
    graphs: Callable[[], Graphs]
    request: Request | None = None
    hide: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call: `payload` is the structured answer as encoded JSON, `text` the same answer as text."""

    payload: bytes
    text: str
    is_error: bool = False


Next = Callable[[Call], Outcome]
Middleware = Callable[[Call, Next], Outcome]


def encode(value: Any) -> bytes:
    """Encode plain values and answer models as compact JSON.

    >>> encode({"rows": [["Heat", 170.0]]})
    b'{"rows":[["Heat",170.0]]}'
    """
    return orjson.dumps(value, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def is_empty(value: Any) -> bool:
    """Whether a value is empty: null, an empty text, list or map, but not 0 or false."""
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def encode_answer(answer: Answer) -> bytes:
    """Encode an answer as compact JSON, without empty fields, and with the documented names of its fields."""
    return encode(_fields(answer))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _fields(value)
    if isinstance(value, set | frozenset | tuple):
        return list(value)
    return str(value)


def _fields(model: BaseModel) -> dict[str, Any]:
    """Return the fields of an answer that are not empty and not at their default.

    The other fields are left out because an agent pays for every word of an answer. Required fields, such as the rows
    of a query, have no default and are always present. pydantic's `model_dump` is not used, because it copies every
    row.
    """
    fields, values = type(model).model_fields, model.__dict__
    return {
        field.alias or name: values[name]
        for name, field in fields.items()
        if field.is_required() or not (is_empty(values[name]) or values[name] == field.default)
    }
