"""Prints names, in backticks if they are not plain words or if the language might take them for a keyword."""

from __future__ import annotations

import re

from graphground.cypher.quoting import in_backticks

_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_CAUTIOUS = frozenset(
    (
        "NOT",
        "NULL",
        "TRUE",
        "FALSE",
        "CASE",
        "EXISTS",
        "COUNT",
        "COLLECT",
        "ALL",
        "ANY",
        "NONE",
        "SINGLE",
        "REDUCE",
        "DISTINCT",
        "WHERE",
        "IS",
        "INF",
        "INFINITY",
        "NAN",
        "IN",
        "SHORTESTPATH",
        "ALLSHORTESTPATHS",
        "SHORTEST",
        "TYPED",
        "NORMALIZED",
        "WHEN",
        "END",
        "ELSE",
        "THEN",
        "AND",
        "OR",
        "XOR",
        "STARTS",
        "ENDS",
        "CONTAINS",
        "AS",
        "ORDER",
        "SKIP",
        "LIMIT",
        "OFFSET",
        "UNION",
        "TRIM",
        "NORMALIZE",
        "ALLREDUCE",
        "ASC",
        "DESC",
        "FROM",
        "BOTH",
        "LEADING",
        "TRAILING",
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "RETURN",
        "MATCH",
        "WITH",
        "CALL",
        "USING",
        "YIELD",
        "ON",
        "NEXT",
    )
)


def name(text: str) -> str:
    """Print a name, in backticks if it is not a plain word or might be taken for a keyword.

    >>> name("title"), name("first name"), name("order")
    ('title', '`first name`', '`order`')
    """
    if _PLAIN.match(text) and text.upper() not in _CAUTIOUS:
        return text
    return in_backticks(text)


def dotted(text: str) -> str:
    """Print the name of a function or procedure: `apoc.text.join`."""
    return ".".join(part if _PLAIN.match(part) else name(part) for part in text.split("."))
