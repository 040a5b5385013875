"""Tokens to a tree: recursive descent, one function per construct, one module per family.

`cursor` holds the position, `queries` and `clauses` the frame, `expressions` and `atoms` the values, `patterns` and
`labels` the paths. If a text can be parsed in two ways (`(a)-[…]` as a path or a difference), one is tried and undone;
the reported error is the one furthest to the right.

The language is recursive (a subquery is an expression that contains clauses), and so are its modules: they import each
other as modules and look functions up at the call, so that any of them may be imported first.
"""

from __future__ import annotations

from graphground.cypher.parser.statement import ParseError, parse_text

__all__ = ["ParseError", "parse_text"]
