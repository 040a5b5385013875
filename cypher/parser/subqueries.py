"""Parses values that declare variables: comprehensions, list predicates, reduce,
EXISTS / COUNT / COLLECT subqueries."""

from __future__ import annotations

from typing import Literal, cast

from graphground.cypher import tree as t
from graphground.cypher.parser import expressions, patterns, statement
from graphground.cypher.parser.cursor import Cursor, Failure


def comprehension(c: Cursor) -> t.Expression | None:
    """Parse `[x IN xs WHERE … | …]` or `[(n)-->(m) | m.name]`; None if the bracket opens an ordinary list."""
    i = c.i
    depth = c.depth
    kinds = c.kinds
    first = c.names[i + 1] is not None
    try:
        if first and kinds[i + 2] == "IN":
            return _list_comprehension(c)
        if kinds[i + 1] == "(" or (first and kinds[i + 2] == "=" and kinds[i + 3] == "("):
            if i in c.no_pattern:
                return None
            return _pattern_comprehension(c)
    except Failure:
        c.i = i
        c.depth = depth
        c.no_pattern.add(i)
    return None


def _list_comprehension(c: Cursor) -> t.ListComprehension:
    start = c.skip()
    variable = c.variable()
    c.i += 1
    source = up_to_bar(c, ("WHERE", "|", "]"))
    where = _where(c, ("|", "]"))
    projection = expressions.expression(c) if c.accept("|") else None
    c.expect("]", "']'" if projection is not None else "'|' or ']'" if where is not None else "WHERE, '|' or ']'")
    return t.ListComprehension(start, c.end, variable, source, where, projection)


def _where(c: Cursor, after: tuple[str, ...]) -> t.Expression | None:
    return up_to_bar(c, after) if c.accept("WHERE") else None


def up_to_bar(c: Cursor, after: tuple[str, ...]) -> t.Expression:
    """Parse an expression up to a bar that belongs to the comprehension, not to a label expression: `x:A | x.name`."""
    begin, depth, bars = c.i, c.depth, len(c.bars)
    try:
        where = expressions.expression(c)
        if c.kinds[c.i] in after or len(c.bars) == bars:
            return where
    except Failure:
        if len(c.bars) == bars:
            raise
    for bar in reversed(c.bars[bars:]):
        c.i, c.depth, c.stop_bar = begin, depth, bar
        try:
            where = expressions.expression(c)
        except Failure:
            continue
        finally:
            c.stop_bar = -1
        if c.i == bar:
            return where
    raise c.fail("'|' or ']'")


def _pattern_comprehension(c: Cursor) -> t.PatternComprehension:
    start = c.skip()
    path: t.Variable | None = None
    if c.kinds[c.i + 1] == "=":
        path = c.variable()
        c.i += 1
    pattern = patterns.simple_path(c)
    where = _where(c, ("|",))
    c.expect("|", "'|'" if where is not None else "WHERE or '|'")
    projection = expressions.expression(c)
    c.expect("]")
    return t.PatternComprehension(start, c.end, path, pattern, where, projection)


def subquery(c: Cursor) -> t.Expression | None:
    """Parse `EXISTS { … }`, `COUNT { … }` or `COLLECT { … }`; None if the word is a name."""
    i = c.i
    if c.kinds[i + 1] != "{":
        return None
    kind = c.kinds[i]
    start = c.starts[i]
    depth = c.depth
    if _is_map_projection(c, i + 2):
        return None
    c.i = i + 2
    c.deeper()
    if kind == "COLLECT" or statement.at_query(c):
        try:
            body = statement.body(c)
            c.expect("}", "a clause such as RETURN, or '}'")
            c.depth = depth
            return t.Subquery(start, c.end, _subquery_kind(kind), body, [], None)
        except Failure:
            if kind == "COLLECT" or c.kinds[i + 3] != "=":
                raise
            c.i = i + 2
            c.depth = depth + 1
    patterns.match_mode(c)
    found = c.several(patterns.path)
    where = expressions.after(c, "WHERE")
    c.expect("}", "',', WHERE or '}'" if where is None else "'}'")
    c.depth = depth
    return t.Subquery(start, c.end, _subquery_kind(kind), None, found, where)


def _is_map_projection(c: Cursor, i: int) -> bool:
    kind = c.kinds[i]
    return kind == "." or kind == "}" or (c.names[i] is not None and c.kinds[i + 1] in (":", ",", "}"))


def _subquery_kind(kind: str) -> Literal["EXISTS", "COUNT", "COLLECT"]:
    return cast("Literal['EXISTS', 'COUNT', 'COLLECT']", kind)


def list_predicate(c: Cursor) -> t.Expression | None:
    """Parse `any(x IN xs WHERE x > 1)`; None if `any` begins an ordinary call or is a name."""
    i = c.i
    if c.kinds[i + 1] != "(" or c.names[i + 2] is None or c.kinds[i + 3] != "IN":
        return None
    kind = cast("Literal['all', 'any', 'none', 'single']", c.kinds[i].lower())
    c.i = i + 2
    variable = c.variable()
    c.i += 1
    source = expressions.expression(c)
    where = expressions.after(c, "WHERE")
    c.expect(")", "WHERE or ')'" if where is None else "')'")
    return t.ListPredicate(c.starts[i], c.end, kind, variable, source, where)


def reduce(c: Cursor) -> t.Expression | None:
    """Parse `reduce(total = 0, x IN xs | total + x)` or `allReduce(total = 0, x IN xs | total + x, total < 9)`.

    Return None for an ordinary call: `reduce(a, b)`.
    """
    i = c.i
    depth = c.depth
    steps = c.kinds[i] == "ALLREDUCE"
    if c.kinds[i + 1] != "(" or c.names[i + 2] is None or c.kinds[i + 3] != "=" or (steps and not c.cypher25):
        return None
    c.i = i + 2
    try:
        accumulator = c.variable()
        c.i += 1
        initial = expressions.expression(c)
        c.expect(",")
        variable = c.variable()
        c.expect("IN")
        source = up_to_bar(c, ("|",))
        c.expect("|")
    except Failure:
        # `reduce(a = 1, b)` is parsed as a call, and later rejected as such.
        c.i = i
        c.depth = depth
        return None
    step = expressions.expression(c)
    if steps:
        c.expect(",")
        predicate = expressions.expression(c)
        c.expect(")")
        return t.AllReduce(c.starts[i], c.end, accumulator, initial, variable, source, step, predicate)
    c.expect(")")
    return t.Reduce(c.starts[i], c.end, accumulator, initial, variable, source, step)


def shortest_path(c: Cursor) -> t.Expression | None:
    """Parse `shortestPath((a)-[*]-(b))` as a value; None if no pattern follows."""
    i = c.i
    if c.kinds[i + 1] != "(" or c.kinds[i + 2] != "(":
        return None
    path = patterns.shortest_function(c, None)
    return t.PatternExpression(c.starts[i], c.end, path)


def trim(c: Cursor) -> t.Expression | None:
    """Parse `trim(BOTH 'x' FROM name)`; None for an ordinary call, `trim(name)`."""
    i = c.i
    if c.kinds[i + 1] != "(":
        return None
    depth = c.depth
    c.i = i + 2
    try:
        kind = ""
        if c.kinds[c.i] in ("BOTH", "LEADING", "TRAILING") and c.kinds[c.i + 1] not in (")", ",", "."):
            kind = c.kinds[c.i]
            c.i += 1
        letters = None
        if c.kinds[c.i] != "FROM" or c.kinds[c.i + 1] in ("FROM", ")", ","):
            letters = expressions.expression(c)
        if not kind and c.kinds[c.i] != "FROM":
            c.i = i
            c.depth = depth
            return None
        c.expect("FROM")
        source = expressions.expression(c)
        c.expect(")")
    except Failure:
        if not kind:
            c.i = i
            c.depth = depth
            return None
        raise
    where = t.StringLiteral(c.starts[i], c.ends[i], kind or "BOTH")
    arguments: list[t.Expression] = [where, source] if letters is None else [where, letters, source]
    return t.FunctionCall(c.starts[i], c.end, "trim", arguments, False, c.ends[i])


def normalize(c: Cursor) -> t.Expression | None:
    """Parse `normalize(text, NFD)`, in which the form is a keyword; None for an ordinary call, `normalize(text)`."""
    i = c.i
    if c.kinds[i + 1] != "(":
        return None
    depth = c.depth
    c.i = i + 2
    try:
        text = expressions.expression(c)
        if c.kinds[c.i] == "," and c.kinds[c.i + 1] in ("NFC", "NFD", "NFKC", "NFKD") and c.kinds[c.i + 2] == ")":
            form = t.StringLiteral(c.starts[c.i + 1], c.ends[c.i + 1], c.kinds[c.i + 1])
            c.i += 3
            return t.FunctionCall(c.starts[i], c.end, c.names[i] or "", [text, form], False, c.ends[i])
    except Failure:
        pass
    c.i = i
    c.depth = depth
    return None
