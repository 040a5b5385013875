"""Parses clauses such as MATCH, WITH, RETURN, UNWIND and LOAD CSV.

`CLAUSES` and `NEWER` map each keyword to the function that parses its clause.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from graphground.cypher import tree as t
from graphground.cypher.parser import atoms, expressions, patterns, subqueries
from graphground.cypher.parser.cursor import Cursor


def match(c: Cursor) -> t.Match:
    """Parse `MATCH (n)-->(m) WHERE n.x = 1`."""
    i = c.i
    optional = c.kinds[i] == "OPTIONAL"
    c.i = i + 2 if optional else i + 1
    mode = patterns.match_mode(c) if c.kinds[c.i] in ("REPEATABLE", "DIFFERENT") else None
    found = c.several(patterns.path)
    hints: list[t.IndexHint] = []
    while c.kinds[c.i] == "USING":
        hints.append(_hint(c))
    searched = search(c) if begins(c) else None
    where = expressions.after(c, "WHERE")
    if searched is None and begins(c):
        searched = search(c)
    return t.Match(c.starts[i], c.end, optional, mode, found, hints, searched, where)


def optional(c: Cursor) -> t.Clause:
    """Parse OPTIONAL MATCH or OPTIONAL CALL."""
    after = c.kinds[c.i + 1]
    if after == "MATCH":
        return match(c)
    if after == "CALL":
        return expressions.call(c)
    c.i += 1
    raise c.fail("MATCH or CALL")


def _hint(c: Cursor) -> t.IndexHint:
    start = c.skip()
    kind = c.kinds[c.i]
    c.i += 1
    if kind == "JOIN":
        c.expect("ON")
        joined = c.several(Cursor.variable)
        return t.IndexHint(start, c.end, kind, joined, None, [])
    if kind == "SCAN":
        variable = c.variable()
        c.expect(":")
        return t.IndexHint(start, c.end, kind, [variable], c.name("a label"), [])
    if kind in ("TEXT", "RANGE", "POINT", "BTREE"):
        c.expect("INDEX")
        kind = f"{kind} INDEX"
    elif kind != "INDEX":
        c.i -= 1
        raise c.fail("INDEX, SCAN or JOIN")
    if c.kinds[c.i] == "SEEK" and c.names[c.i + 1] is not None:
        c.i += 1
    variable = c.variable()
    c.expect(":")
    label = c.name("a label")
    c.expect("(")
    keys = c.several(_key)
    c.expect(")")
    return t.IndexHint(start, c.end, kind, [variable], label, keys)


def _key(c: Cursor) -> t.Name:
    return c.name("a property name")


def with_(c: Cursor) -> t.With:
    """Parse `WITH n, count(*) AS c WHERE c > 1`."""
    start = c.skip()
    found = projection(c)
    where = expressions.after(c, "WHERE")
    return t.With(start, c.end, found, where)


def return_(c: Cursor) -> t.Return:
    """Parse `RETURN DISTINCT n.name AS name ORDER BY name LIMIT 3`."""
    start = c.skip()
    found = projection(c)
    return t.Return(start, c.end, found)


def projection(c: Cursor) -> t.Projection:
    """Parse the part of WITH or RETURN after the keyword, up to LIMIT."""
    i = c.i
    distinct = c.kinds[i] == "DISTINCT" and c.kinds[i + 1] not in (",", ".", "end", "AS", ")", "}", "=", "+")
    if distinct:
        c.i += 1
    star = c.accept("*")
    items = c.several(_return_item) if not star or c.accept(",") else []
    group = _group(c) if c.kinds[c.i] == "GROUP" and c.cypher25 else None
    order = _order(c) if c.kinds[c.i] == "ORDER" else []
    skip, limit = _page(c)
    return t.Projection(c.starts[i], c.end, distinct, star, items, group, order, skip, limit)


def _group(c: Cursor) -> list[t.Expression] | None:
    """Parse `GROUP BY n.x, y`; None for `GROUP BY ALL`, which is the default."""
    c.i += 1
    c.expect("BY")
    if c.accept("ALL"):
        return None
    if c.kinds[c.i] == "(" and c.kinds[c.i + 1] == ")":
        c.i += 2
        return []
    return c.several(expressions.expression)


def _return_item(c: Cursor) -> t.ReturnItem:
    i = c.i
    start = c.starts[i]
    name = c.names[i]
    after = c.kinds[i + 1]
    # Most items are just a variable; this shortcut saves ten calls.
    value: t.Expression
    if name is not None and (after == "," or after == "end") and c.kinds[i] not in ("TRUE", "FALSE", "NULL"):
        if c.kinds[i] in ("INF", "NAN", "INFINITY"):
            value = atoms.atom(c)
        else:
            c.i = i + 1
            value = t.Variable(start, c.ends[i], name)
    else:
        value = expressions.expression(c)
    if c.kinds[c.i] == "AS":
        c.i += 1
        alias = c.variable()
        return t.ReturnItem(start, alias.end, value, alias, alias.name)
    if isinstance(value, t.Variable):
        return t.ReturnItem(start, value.end, value, None, value.name)
    if isinstance(value, t.MapProjection):
        return t.ReturnItem(start, value.end, value, None, value.subject.name)
    # Parentheses around an item belong to the column's name, so the item ends at the last token.
    end = c.ends[c.i - 1]
    return t.ReturnItem(start, end, value, None, c.text[start:end])


def _order(c: Cursor) -> list[t.SortItem]:
    c.i += 1
    c.expect("BY")
    return c.several(_sort_item)


def _sort_item(c: Cursor) -> t.SortItem:
    start = c.starts[c.i]
    value = expressions.expression(c)
    descending = c.kinds[c.i] in ("DESC", "DESCENDING")
    if descending or c.kinds[c.i] in ("ASC", "ASCENDING"):
        c.i += 1
    return t.SortItem(start, c.end, value, descending)


def _page(c: Cursor) -> tuple[t.Expression | None, t.Expression | None]:
    skip: t.Expression | None = None
    limit: t.Expression | None = None
    if c.kinds[c.i] in ("SKIP", "OFFSET"):
        c.i += 1
        skip = expressions.expression(c)
    if c.kinds[c.i] == "LIMIT":
        c.i += 1
        limit = expressions.expression(c)
    return skip, limit


def order_and_page(c: Cursor) -> t.OrderAndPage:
    """Parse ORDER BY, SKIP and LIMIT as a separate clause."""
    start = c.starts[c.i]
    order = _order(c) if c.kinds[c.i] == "ORDER" else []
    skip, limit = _page(c)
    return t.OrderAndPage(start, c.end, order, skip, limit)


def unwind(c: Cursor) -> t.Unwind:
    """Parse `UNWIND xs AS x`."""
    start = c.skip()
    source = expressions.expression(c)
    c.expect("AS", "AS")
    variable = c.variable()
    return t.Unwind(start, variable.end, source, variable)


def for_(c: Cursor) -> t.Unwind:
    """Parse `FOR x IN xs`, Cypher 25's alternative to UNWIND."""
    start = c.skip()
    variable = c.variable()
    c.expect("IN")
    source = expressions.expression(c)
    return t.Unwind(start, source.end, source, variable)


def load_csv(c: Cursor) -> t.LoadCsv:
    """Parse `LOAD CSV WITH HEADERS FROM $url AS row`."""
    start = c.skip()
    c.expect("CSV")
    headers = c.accept("WITH")
    if headers:
        c.expect("HEADERS")
    c.expect("FROM")
    source = expressions.expression(c)
    c.expect("AS")
    variable = c.variable()
    terminator: t.Expression | None = None
    if c.accept("FIELDTERMINATOR"):
        terminator = atoms.string(c)
    return t.LoadCsv(start, c.end, headers, source, variable, terminator)


def use(c: Cursor) -> t.Use:
    """Parse `USE movies` or `USE graph.byName('movies')`."""
    start = c.skip()
    if c.kinds[c.i] == "GRAPH" and c.kinds[c.i + 1] != "." and c.names[c.i + 1] is not None:
        c.i += 1
    brackets = 0
    while c.accept("("):
        brackets += 1
    begin = c.i
    first = c.name("the name of a graph")
    while c.accept("."):
        c.name("the name of a graph")
    graph: t.Name | t.FunctionCall
    if c.kinds[c.i] == "(":
        c.i = begin
        called = atoms.call(c)
        if not isinstance(called, t.FunctionCall):
            raise c.fail("the name of a graph")
        graph = called
    else:
        graph = t.Name(first.start, c.end, ".".join(c.names[k] or "" for k in range(begin, c.i, 2)))
    for _ in range(brackets):
        c.expect(")")
    return t.Use(start, c.end, graph)


def finish(c: Cursor) -> t.Finish:
    """Parse `FINISH`."""
    c.i += 1
    return t.Finish(c.starts[c.i - 1], c.end)


def let(c: Cursor) -> t.Let:
    """Parse `LET x = 1, y = 2`."""
    start = c.skip()
    items = c.several(_let_item)
    return t.Let(start, c.end, items)


def _let_item(c: Cursor) -> t.LetItem:
    variable = c.variable()
    c.expect("=")
    value = expressions.expression(c)
    return t.LetItem(variable.start, value.end, variable, value)


def filter_(c: Cursor) -> t.Filter:
    """Parse `FILTER n.x = 1` or `FILTER WHERE n.x = 1`."""
    start = c.skip()
    c.accept("WHERE")
    where = expressions.expression(c)
    return t.Filter(start, where.end, where)


# Parses Cypher 25's SEARCH after a MATCH (Cypher manual, clauses, SEARCH)


def begins(c: Cursor) -> bool:
    """Return whether a SEARCH begins here; in Cypher 5 the word has no meaning."""
    return c.cypher25 and c.kinds[c.i] == "SEARCH" and c.names[c.i + 1] is not None


def search(c: Cursor) -> t.Search:
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
    analyzer: t.Expression | None = None
    if c.accept("WITH"):
        c.expect("ANALYZER")
        analyzer = expressions.expression(c)
    where = expressions.after(c, "WHERE")
    skip = expressions.expression(c) if c.accept("SKIP") or c.accept("OFFSET") else None
    c.expect("LIMIT")
    limit = expressions.expression(c)
    c.expect(")")
    score: t.Variable | None = None
    if c.accept("SCORE"):
        c.expect("AS")
        score = c.variable()
    return t.Search(c.starts[i], c.end, variable, kind, index, query, analyzer, where, skip, limit, score)


# Parses writing clauses: CREATE, INSERT, MERGE, SET, REMOVE, DELETE, FOREACH


def create(c: Cursor) -> t.Create:
    """Parse `CREATE (n:Person {name: 'x'})` or `INSERT (n:Person)`."""
    i = c.i
    insert = c.kinds[i] == "INSERT"
    c.i += 1
    found = c.several(patterns.path)
    return t.Create(c.starts[i], c.end, found, insert)


def merge(c: Cursor) -> t.Merge:
    """Parse `MERGE (n) ON CREATE SET n.x = 1`."""
    start = c.skip()
    pattern = patterns.path(c)
    actions: list[t.MergeAction] = []
    while c.kinds[c.i] == "ON":
        begin = c.skip()
        kind = c.kinds[c.i]
        if kind not in ("CREATE", "MATCH"):
            raise c.fail("CREATE or MATCH")
        c.i += 1
        c.expect("SET")
        on: Literal["create", "match"] = "create" if kind == "CREATE" else "match"
        items = c.several(_set_item)
        actions.append(t.MergeAction(begin, c.end, on, items))
    return t.Merge(start, c.end, pattern, actions)


def set_(c: Cursor) -> t.Set:
    """Parse `SET n.x = 1, n += $map, n:Person`."""
    start = c.skip()
    items = c.several(_set_item)
    return t.Set(start, c.end, items)


def _set_item(c: Cursor) -> t.SetItem:
    start = c.starts[c.i]
    if c.names[c.i] is not None:
        after = c.kinds[c.i + 1]
        if after in ("=", "+="):
            variable = c.variable()
            c.i += 1
            value = expressions.expression(c)
            return t.SetProperties(start, value.end, variable, value, after == "+=")
        if after in (":", "IS"):
            variable = c.variable()
            found = _labels(c)
            return t.SetLabels(start, c.end, variable, found)
    target = _target(c)
    c.expect("=")
    value = expressions.expression(c)
    return t.SetProperty(start, value.end, target, value)


def _target(c: Cursor) -> t.Expression:
    """Parse the target of SET or REMOVE: a property, as `n.x` or `n['x']`."""
    value = atoms.atom(c)
    while c.kinds[c.i] in (".", "["):
        if c.kinds[c.i] == ".":
            c.i += 1
            key = c.name("a property name")
            value = t.Property(value.start, key.end, value, key)
        else:
            c.i += 1
            index = expressions.expression(c)
            c.expect("]")
            value = t.Subscript(value.start, c.end, value, index)
    if not isinstance(value, t.Property | t.Subscript):
        raise c.fail("'.', '[', ':', '=' or '+='" if isinstance(value, t.Variable) else "'.'")
    return value


def _labels(c: Cursor) -> list[t.LabelExpression]:
    c.i += 1
    found = patterns.label_expression(c)
    if isinstance(found, t.LabelAnd) and found.colon:
        return found.operands
    return [found]


def remove(c: Cursor) -> t.Remove:
    """Parse `REMOVE n.x, n:Person`."""
    start = c.skip()
    items = c.several(_remove_item)
    return t.Remove(start, c.end, items)


def _remove_item(c: Cursor) -> t.RemoveProperty | t.RemoveLabels:
    start = c.starts[c.i]
    if c.names[c.i] is not None and c.kinds[c.i + 1] in (":", "IS"):
        variable = c.variable()
        found = _labels(c)
        return t.RemoveLabels(start, c.end, variable, found)
    target = _target(c)
    return t.RemoveProperty(start, target.end, target)


def delete(c: Cursor) -> t.Delete:
    """Parse `DETACH DELETE n, r`."""
    start = c.starts[c.i]
    kind = c.kinds[c.i]
    c.i += 1
    detach: str | None = None
    if kind != "DELETE":
        detach = kind
        c.expect("DELETE")
    found = c.several(expressions.expression)
    return t.Delete(start, c.end, detach, found)


def foreach(c: Cursor) -> t.Foreach:
    """Parse `FOREACH (x IN xs | SET x.y = 1)`."""
    start = c.skip()
    c.expect("(")
    variable = c.variable()
    c.expect("IN")
    source = subqueries.up_to_bar(c, ("|",))
    c.expect("|")
    c.deeper()
    found: list[t.Clause] = []
    while c.kinds[c.i] in CLAUSES:
        found.append(CLAUSES[c.kinds[c.i]](c))
    c.depth -= 1
    if not found:
        raise c.fail("a clause such as SET or CREATE")
    c.expect(")")
    return t.Foreach(start, c.end, variable, source, found)


CLAUSES: dict[str, Callable[[Cursor], t.Clause]] = {
    "MATCH": match,
    "OPTIONAL": optional,
    "WITH": with_,
    "RETURN": return_,
    "UNWIND": unwind,
    "CALL": expressions.call,
    "CREATE": create,
    "INSERT": create,
    "MERGE": merge,
    "SET": set_,
    "REMOVE": remove,
    "DELETE": delete,
    "DETACH": delete,
    "NODETACH": delete,
    "FOREACH": foreach,
    "LOAD": load_csv,
    "USE": use,
    "FINISH": finish,
    "ORDER": order_and_page,
    "SKIP": order_and_page,
    "OFFSET": order_and_page,
    "LIMIT": order_and_page,
}

NEWER: dict[str, Callable[[Cursor], t.Clause]] = {"LET": let, "FILTER": filter_, "FOR": for_}
