"""Turns tokens into a tree: recursive descent, one function per construct, one module per family of constructs.

`cursor` holds the position; `statement` parses queries and clauses, `expressions` and `atoms` parse values, and
`patterns` parses paths. If a text can be parsed in two ways (`(a)-[…]` as a path or a difference), the
parser tries the first way and backtracks if it fails; the error furthest to the right is reported.

The language is recursive (a subquery is an expression that contains clauses), and so are its modules: each imports the
others as whole modules and looks functions up when it calls them, so that any module may be imported first.
"""

from __future__ import annotations

from graphground.cypher.parser.statement import ParseError, parse_text

__all__ = ["ParseError", "parse_text"]
