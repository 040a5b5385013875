"""Splits a query at its last RETURN, so that its rows can be counted in the database instead of returned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = re.compile(r"\b(?:RETURN|ORDER\s+BY|SKIP|LIMIT)\b", re.IGNORECASE)
_ALIAS = re.compile(r"(.*\S)\s+AS\s+(?:\w+|`[^`]*`)\Z", re.IGNORECASE | re.DOTALL)
_SKIPPED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`")


@dataclass(frozen=True, slots=True)
class Projection:
    """A query in its parts: those before, in and after its last RETURN.

    In `MATCH (n:Film) RETURN DISTINCT n.name AS film, n.year ORDER BY n.year`, `before` is `MATCH (n:Film)`, `items`
    are `n.name` and `n.year` without their aliases, and `after` is ` ORDER BY n.year`.
    """

    before: str
    distinct: bool
    items: tuple[str, ...]
    after: str


def projection_of(query: str) -> Projection | None:
    """Return the parts of a query; None if it has no RETURN outside brackets, or returns everything with `*`."""
    words = [(start, end, query[start:end].upper()) for start, end in _words(query)]
    returns = [(start, end) for start, end, word in words if word == "RETURN"]
    if not returns:
        return None
    start, end = returns[-1]
    stop = min((begin for begin, _, word in words if begin > start), default=len(query))
    text = query[end:stop].strip()
    distinct = text.upper().startswith("DISTINCT ")
    items = [_unnamed(item) for item in _split(text[9:] if distinct else text)]
    if not all(items) or "*" in items:
        return None
    after = query[stop:].rstrip().rstrip(";")
    return Projection(query[:start].rstrip(), distinct, tuple(items), f" {after}" if after else "")


def _unnamed(item: str) -> str:
    found = _ALIAS.match(item.strip())
    return found[1] if found else item.strip()


def _outside(text: str) -> Iterator[int]:
    """Yield the positions in a text that are outside strings, quoted names and brackets."""
    at, depth = 0, 0
    while at < len(text):
        quoted = _SKIPPED.match(text, at)
        if quoted:
            at = quoted.end()
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            yield at
        at += 1


def _words(query: str) -> Iterator[tuple[int, int]]:
    outside = set(_outside(query))
    return (found.span() for found in _WORD.finditer(query) if found.start() in outside)


def _split(text: str) -> list[str]:
    outside = [at for at in _outside(text) if text[at] == ","]
    return [text[start:end] for start, end in zip([0, *(at + 1 for at in outside)], [*outside, len(text)], strict=True)]
