"""Parses queries: single queries, unions, and Cypher 25's conditional and sequential queries."""

from __future__ import annotations

from graphground.cypher.parser import clauses, commands, expressions
from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.tree import Braced, Clause, Conditional, Next, QueryBody, SingleQuery, Union, When

CLAUSES_25 = frozenset(("LET", "FILTER", "FOR"))


def at_query(c: Cursor) -> bool:
    """Return whether a query begins here, and not a pattern."""
    kind = c.kinds[c.i]
    return kind in clauses.CLAUSES or (c.cypher25 and (kind in CLAUSES_25 or kind in ("WHEN", "{")))


def statement(c: Cursor) -> QueryBody:
    """Parse a whole statement: a command or a query."""
    found = commands.command(c)
    if found is not None:
        return found
    return body(c)


def body(c: Cursor) -> QueryBody:
    """Parse a query up to its end; the caller checks the token after it."""
    first = union(c)
    if not c.cypher25 or c.kinds[c.i] != "NEXT":
        return first
    parts = [first]
    while c.accept("NEXT"):
        parts.append(union(c))
    return Next(first.start, parts[-1].end, parts)


def union(c: Cursor) -> QueryBody:
    """Parse `… UNION ALL …`."""
    if c.cypher25 and c.kinds[c.i] == "WHEN":
        # A conditional query can be a part of a UNION only in braces.
        return _conditional(c)
    first = single(c)
    if c.kinds[c.i] != "UNION":
        return first
    parts = [first]
    all_: list[bool] = []
    places: list[int] = []
    while c.kinds[c.i] == "UNION":
        places.append(c.starts[c.i])
        c.i += 1
        if c.kinds[c.i] == "ALL":
            c.i += 1
            all_.append(True)
        else:
            if c.kinds[c.i] == "DISTINCT":
                c.i += 1
            all_.append(False)
        parts.append(single(c))
    return Union(first.start, parts[-1].end, parts, all_, places)


def single(c: Cursor) -> QueryBody:
    """Parse a sequence of clauses."""
    start = c.starts[c.i]
    if c.cypher25 and c.kinds[c.i] == "{":
        c.i += 1
        c.deeper()
        inner = body(c)
        c.depth -= 1
        c.expect("}")
        return Braced(start, c.end, inner)
    found: list[Clause] = []
    kinds = c.kinds
    parsers = clauses.CLAUSES
    while True:
        kind = kinds[c.i]
        parse = parsers.get(kind)
        if parse is None and c.cypher25 and kind in CLAUSES_25:
            parse = clauses.NEWER[kind]
        if parse is None:
            break
        found.append(parse(c))
    if not found:
        raise c.fail("a clause such as MATCH, WITH or RETURN")
    return SingleQuery(start, c.end, found)


def _conditional(c: Cursor) -> Conditional:
    start = c.starts[c.i]
    branches: list[When] = []
    while c.kinds[c.i] == "WHEN":
        begin = c.starts[c.i]
        c.i += 1
        condition = expressions.expression(c)
        c.expect("THEN")
        inner = single(c)
        branches.append(When(begin, inner.end, condition, inner))
    if c.kinds[c.i] == "ELSE":
        begin = c.starts[c.i]
        c.i += 1
        inner = single(c)
        branches.append(When(begin, inner.end, None, inner))
    return Conditional(start, c.end, branches)
