"""Tokens to a tree: recursive descent, one function a construct, one module a family of them.

`cursor` holds the place, `queries` and `clauses` the frame, `expressions` and `atoms` the values, `patterns` and
`labels` the paths. Where a text can be read in two ways (`(a)-[…]` as a path or a difference) one is tried and
taken back; the error that is reported is the one furthest to the right.
"""

from __future__ import annotations

from graphground.cypher.parser import cursor as _cursor  # noqa: F401  (first, to load the circle in order)
from graphground.cypher.parser.statement import ParseError, parse_text

__all__ = ["ParseError", "parse_text"]
