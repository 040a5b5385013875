"""Parses Cypher 25's SEARCH after a MATCH (Cypher manual, clauses, SEARCH)."""

from __future__ import annotations

from graphground.cypher.parser import expressions
from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.tree import Expression, Search, Variable


def begins(c: Cursor) -> bool:
    """Return whether a SEARCH begins here; in Cypher 5 the word has no meaning."""
    return c.cypher25 and c.kinds[c.i] == "SEARCH" and c.names[c.i + 1] is not None


def search(c: Cursor) -> Search:
    """Parse `SEARCH n IN (VECTOR INDEX plots FOR $v WHERE n.year > 1990 LIMIT 5) SCORE AS score`."""
    i = c.i
    c.i += 1
    variable = c.variable()
    c.expect("IN")
    c.expect("(")
    kind = c.kinds[c.i]
    if kind not in ("VECTOR", "FULLTEXT"):
        raise c.fail("VECTOR INDEX or FULLTEXT INDEX")
    c.i += 1
    c.expect("INDEX")
    index = c.name("the name of an index")
    c.expect("FOR")
    query = expressions.expression(c)
    analyzer: Expression | None = None
    if c.accept("WITH"):
        c.expect("ANALYZER")
        analyzer = expressions.expression(c)
    where = expressions.expression(c) if c.accept("WHERE") else None
    skip = expressions.expression(c) if c.accept("SKIP") or c.accept("OFFSET") else None
    c.expect("LIMIT")
    limit = expressions.expression(c)
    c.expect(")")
    score: Variable | None = None
    if c.kinds[c.i] == "SCORE":
        c.i += 1
        c.expect("AS")
        score = c.variable()
    return Search(c.starts[i], c.end, variable, kind, index, query, analyzer, where, skip, limit, score)
