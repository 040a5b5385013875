"""Parses SPARQL results in JSON; an incomplete result raises an error that describes the problem.

>>> bindings(b'{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value": "a"}}]}}')
[{'x': {'type': 'literal', 'value': 'a'}}]
"""

from __future__ import annotations

from itertools import chain
from operator import itemgetter
from typing import Any

import orjson

Binding = dict[str, dict[str, Any]]
TIMEOUT_SIGNS = (b"TimeoutException", b"QueryTimeout", b"timed out", b"Timeout", b"timeout")
SHOWN = 160


class AnswerError(ValueError):
    """A response that is not a SPARQL result.

    `timed_out` is true if the endpoint's time limit cut the response off, `cut` if the response ends early for an
    unknown reason.
    """

    def __init__(self, message: str, *, timed_out: bool = False, cut: bool = False) -> None:
        super().__init__(message)
        self.timed_out, self.cut = timed_out, cut


def bindings(body: bytes) -> list[Binding]:
    """Return the solutions in a result, each a map from variables to terms.

    Raises:
        AnswerError: the response is cut off, is an HTML page, or has another shape.
    """
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise _problem(body) from None
    try:
        found = document["results"]["bindings"]
    except (KeyError, TypeError):
        raise AnswerError(f"JSON, but not a SPARQL result: {_beginning(body)}") from None
    if not isinstance(found, list) or not _are_bindings(found):
        raise AnswerError(f"JSON, but not a SPARQL result: {_beginning(body)}")
    return found


def _are_bindings(found: list[Any]) -> bool:
    # No loop in Python: a loop would take as long as all other steps of reading an answer.
    try:
        terms = list(chain.from_iterable(map(dict.values, found)))
        values, types = map(itemgetter("value"), terms), map(itemgetter("type"), terms)
        return set(map(type, values)) | set(map(type, types)) <= {str}
    except (KeyError, TypeError):
        return False


def _problem(body: bytes) -> AnswerError:
    beginning = body.lstrip()[:200].lower()
    if beginning.startswith((b"<!doctype", b"<html", b"<?xml")):
        return AnswerError(f"a web page, not a SPARQL result: {_beginning(body)}")
    if any(sign in body[-4000:] for sign in TIMEOUT_SIGNS):
        return AnswerError("the response was cut off by the endpoint's time limit", timed_out=True)
    if beginning.startswith(b"{"):
        return AnswerError("the response is truncated", cut=True)
    return AnswerError(f"not JSON: {_beginning(body)}")


def _beginning(body: bytes) -> str:
    text = " ".join(body[: 4 * SHOWN].decode("utf-8", "replace").split())
    return repr(text[:SHOWN]) + ("…" if len(text) > SHOWN else "")
