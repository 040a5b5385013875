"""The suggested queries as a grammar for constrained decoding.

Both forms describe the same language: one of the patterns, then the returned properties of `n`, an order and a limit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import orjson

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.suggestions.suggest import Suggestion

NUMBER = "[1-9][0-9]{0,3}"


def gbnf(schema: PropertyGraphSchema, suggestions: Sequence[Suggestion]) -> str:
    """The grammar in llama.cpp's notation: `root ::= "MATCH (n:Movie)…" return-Movie | …`."""
    targets = list(dict.fromkeys(one.shape.target for one in suggestions))
    rules = [
        "root ::= "
        + " | ".join(
            f"{_quoted(f'MATCH {one.shape.cypher()} WITH DISTINCT n RETURN ')} return-{targets.index(one.shape.target)}"
            for one in suggestions
        )
    ]
    for number, label in enumerate(targets):
        keys = " | ".join(_quoted(key) for key in _properties(schema, label))
        rules += [
            f'return-{number} ::= "count(n)" | property-{number} '
            f'(", " property-{number})? (" ORDER BY " property-{number} " DESC"?)? (" LIMIT " number)?',
            f"property-{number} ::= {keys}",
        ]
    return "\n".join([*rules, "number ::= [1-9] [0-9]? [0-9]? [0-9]?"])


def regular_expression(schema: PropertyGraphSchema, suggestions: Sequence[Suggestion]) -> str:
    """The same as a regular expression without look-around."""
    branches = []
    for one in suggestions:
        key = f"(?:{'|'.join(map(re.escape, _properties(schema, one.shape.target)))})"
        branches.append(
            re.escape(f"MATCH {one.shape.cypher()} WITH DISTINCT n RETURN ")
            + rf"(?:count\(n\)|{key}(?:, {key})?"
            + rf"(?: ORDER BY {key}(?: DESC)?)?(?: LIMIT {NUMBER})?)"
        )
    return f"(?:{'|'.join(branches)})"


def _properties(schema: PropertyGraphSchema, label: str) -> list[str]:
    hidden = {"eid", "aliases", "description", "provenance"} & schema.labels[label].reserved
    return [f"n.{quoted_name(key)}" for key in schema.labels[label].properties if key not in hidden] or ["n"]


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()
