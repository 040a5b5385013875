"""Tokens to a tree: recursive descent, one function a construct, one module a family of them.

`cursor` holds the place, `queries` and `clauses` the frame, `expressions` and `atoms` the values, `patterns` and
`labels` the paths. Where a text can be read in two ways (`(a)-[…]` as a path or a difference) one is tried and
taken back; the error that is reported is the one furthest to the right.

The language is recursive (a subquery is an expression that holds clauses), so its modules are too: they import each
other as modules and look a function up when they call it, so that any of them may be imported first.
"""

from __future__ import annotations

from graphground.cypher.parser.statement import ParseError, parse_text

__all__ = ["ParseError", "parse_text"]
