"""Parses paths: `p = (a:Person {name: 'x'})-[r:KNOWS*1..3]->(b)`, including quantified and shortest paths."""

from __future__ import annotations

from typing import Literal

from graphground.cypher import tree as t
from graphground.cypher.parser import atoms, expressions
from graphground.cypher.parser.cursor import Cursor

Elements = list[t.NodePattern | t.RelationshipPattern | t.ParenthesizedPath]
_DASHES = frozenset(("-", "dash"))
_LEFT = frozenset(("<", "left_head"))
_RIGHT = frozenset((">", "right_head"))
_BEGINS_RELATIONSHIP = frozenset(("-", "dash", "<", "left_head"))
_SHORTEST = {"SHORTESTPATH": "shortestPath", "ALLSHORTESTPATHS": "allShortestPaths"}

_MODES = frozenset(("WALK", "TRAIL", "ACYCLIC"))
_AFTER_MODE = frozenset(("(", "PATH", "PATHS"))


def path(c: Cursor) -> t.PathPattern:
    """Parse one path of a MATCH, CREATE or MERGE."""
    i = c.i
    variable: t.Variable | None = None
    selector: t.PathSelector | None = None
    kind = c.kinds[i]
    if kind != "(":
        if c.names[i] is not None and c.kinds[i + 1] == "=":
            variable = c.variable()
            c.i += 1
            kind = c.kinds[c.i]
        if kind in ("ANY", "ALL", "SHORTEST") or (c.cypher25 and kind in _MODES and c.kinds[c.i + 1] in _AFTER_MODE):
            selector = _selector(c)
            kind = c.kinds[c.i]
        if kind in _SHORTEST and c.kinds[c.i + 1] == "(":
            found = shortest_function(c, variable)
            found.selector = selector
            found.start = c.starts[i]
            return found
        if kind != "(":
            if variable is None and selector is None and c.names[c.i] is not None:
                # A word here can only be the path's variable, so the error is in the token after it.
                c.i += 1
                raise c.fail("'=' after the path's variable, or a graph pattern before it")
            raise c.fail("a graph pattern such as (n)" if variable is None and selector is None else "'('")
    elements = path_elements(c)
    return t.PathPattern(c.starts[i], c.end, variable, selector, None, elements)


def path_elements(c: Cursor) -> Elements:
    """Parse alternating nodes and relationships, with parenthesized paths between them."""
    elements: Elements = []
    while True:
        if c.kinds[c.i + 1] in ("(", "SHORTESTPATH") or (c.names[c.i + 1] is not None and c.kinds[c.i + 2] == "="):
            elements.append(_parenthesized(c))
        else:
            elements.append(node(c))
            while c.kinds[c.i] in _BEGINS_RELATIONSHIP:
                elements += (relationship(c, True), node(c))
        if c.kinds[c.i] != "(":
            return elements


def _parenthesized(c: Cursor) -> t.ParenthesizedPath:
    start = c.skip()
    c.deeper()
    inner = path(c)
    where = expressions.after(c, "WHERE")
    c.depth -= 1
    c.expect(")", "WHERE or ')'" if where is None else "')'")
    found = _quantifier(c)
    parenthesized = t.ParenthesizedPath(start, c.end, inner.variable, inner.elements, where, found)
    if inner.selector is not None:
        message = "a path selector such as SHORTEST belongs at the start of the whole path, not inside parentheses"
        c.note("pattern", inner.selector.start, inner.selector.end, message)
    if inner.shortest is not None:
        c.note("pattern", inner.start, inner.end, f"{inner.shortest}() is not allowed inside parentheses")
    return parenthesized


def shortest_function(c: Cursor, variable: t.Variable | None) -> t.PathPattern:
    """Parse `shortestPath((a)-[*]-(b))`."""
    i = c.i
    c.i += 2
    if c.kinds[c.i] != "(":
        raise c.fail("'('")
    elements = path_elements(c)
    c.expect(")")
    name: Literal["shortestPath", "allShortestPaths"] = (
        "shortestPath" if c.kinds[i] == "SHORTESTPATH" else "allShortestPaths"
    )
    return t.PathPattern(c.starts[i], c.end, variable, None, name, elements)


def simple_path(c: Cursor) -> t.PathPattern:
    """Parse a path of at least one relationship, as in a condition or a pattern comprehension."""
    i = c.i
    elements: Elements = [node(c)]
    if c.kinds[c.i] not in _BEGINS_RELATIONSHIP:
        raise c.fail("'-' or '<-'")
    while c.kinds[c.i] in _BEGINS_RELATIONSHIP:
        elements += (relationship(c, False), node(c))
    return t.PathPattern(c.starts[i], c.end, None, None, None, elements)


def node(c: Cursor) -> t.NodePattern:
    """Parse a node: `(n:Person {name: 'x'} WHERE n.age > 3)`."""
    c.expect("(")
    i = c.i
    variable: t.Variable | None = None
    name = c.names[i]
    if name is not None and not _is_keyword_here(c):
        c.i = i + 1
        variable = t.Variable(c.starts[i], c.ends[i], name)
    labels_: t.LabelExpression | None = None
    expected = _ALL
    if c.kinds[c.i] in (":", "IS"):
        c.i += 1
        labels_ = label_expression(c, whole=True)
        expected = "'|', '&', '{', WHERE"
    properties, where, expected = _conditions(c, expected)
    if c.kinds[c.i] != ")":
        not_empty = variable is not None or expected != _ALL
        raise c.fail(f"{expected} or ')'" if not_empty else "a variable name, ':' with a label, '{', WHERE or ')'")
    c.i += 1
    return t.NodePattern(c.starts[i - 1], c.end, variable, labels_, properties, where)


def _is_keyword_here(c: Cursor) -> bool:
    """Return whether WHERE or IS is a keyword here and not the name of the variable."""
    kind = c.kinds[c.i]
    if kind != "WHERE" and kind != "IS":
        return False
    after = c.kinds[c.i + 1]
    if after == "$":
        return c.kinds[c.i + 3] not in (")", "]")
    if after == "{":
        # `(where {x: 1})` is a node with properties, `(WHERE {x: 1} = $p)` a condition.
        place, depth = c.i + 2, 1
        while depth and c.kinds[place] != "end":
            depth += (c.kinds[place] == "{") - (c.kinds[place] == "}")
            place += 1
        return c.kinds[place] not in (")", "]", "WHERE", "end")
    return after not in (")", "]", ":", "WHERE", "IS", "*")


_ALL = "':' with a label, '{', WHERE"


def _conditions(c: Cursor, expected: str) -> tuple[t.Expression | None, t.Expression | None, str]:
    """Parse the map and the WHERE of a node or relationship; return them with what may follow."""
    properties: t.Expression | None = None
    kind = c.kinds[c.i]
    if kind == "{" or kind == "$":
        properties = atoms.map_literal(c) if kind == "{" else atoms.parameter(c)
        expected = "WHERE"
    if c.kinds[c.i] != "WHERE":
        return properties, None, expected
    return properties, expressions.after(c, "WHERE"), "AND, OR"


def relationship(c: Cursor, quantified: bool) -> t.RelationshipPattern:
    """Parse a relationship: `-[r:KNOWS*1..3 {since: 1999}]->`, `<--`, `--`."""
    kinds = c.kinds
    i = c.i
    start = c.starts[i]
    left = kinds[i] in _LEFT
    if left:
        i += 1
    c.i = i
    if kinds[i] not in _DASHES:
        raise c.fail("'-'")
    c.i = i = i + 1
    variable: t.Variable | None = None
    types: t.LabelExpression | None = None
    length: t.PathLength | None = None
    properties: t.Expression | None = None
    where: t.Expression | None = None
    if kinds[i] == "[":
        c.i = i = i + 1
        name = c.names[i]
        if name is not None and not _is_keyword_here(c):
            c.i = i + 1
            variable = t.Variable(c.starts[i], c.ends[i], name)
        expected = (
            "a variable name, ':' with a type, '*', '{', WHERE"
            if variable is None
            else "':' with a type, '*', '{', WHERE"
        )
        kind = kinds[c.i]
        if kind == ":" or kind == "IS":
            c.i += 1
            types = label_expression(c, whole=True)
            expected = "'|', '*', '{', WHERE"
            kind = kinds[c.i]
        if kind == "*":
            length = _length(c)
            expected = _after_length(c)
        properties, where, expected = _conditions(c, expected)
        c.expect("]", f"{expected} or ']'")
    i = c.i
    if kinds[i] not in _DASHES:
        raise c.fail("'-'" if kinds[i - 1] == "]" else "'-' or '['")
    c.i = i = i + 1
    right = kinds[i] in _RIGHT
    if right:
        c.i = i + 1
    direction: t.Direction = "both" if left == right else "left" if left else "right"
    found = _quantifier(c) if quantified else None
    return t.RelationshipPattern(start, c.end, variable, types, length, properties, where, direction, found)


def _length(c: Cursor) -> t.PathLength:
    start = c.skip()
    minimum: int | None = None
    maximum: int | None = None
    if c.kinds[c.i] == "integer":
        minimum = maximum = c.integer()
    if c.kinds[c.i] == "..":
        c.i += 1
        maximum = c.integer() if c.kinds[c.i] == "integer" else None
    return t.PathLength(start, c.end, minimum, maximum)


def _after_length(c: Cursor) -> str:
    """Return what may follow the part of a length that was parsed: `*`, `*1`, `*1..` or `*1..3`."""
    last = c.kinds[c.i - 1]
    number = "a whole number, " if last != "integer" else ""
    dots = "'..', " if last != ".." and c.kinds[c.i - 2] != ".." else ""
    return f"{number}{dots}'{{', WHERE"


def _quantifier(c: Cursor) -> t.PathQuantifier | None:
    kind = c.kinds[c.i]
    if kind not in ("+", "*", "{"):
        return None
    start = c.skip()
    if kind != "{":
        return t.PathQuantifier(start, c.end, 1 if kind == "+" else 0, None)
    minimum = maximum = c.integer() if c.kinds[c.i] == "integer" else None
    if minimum is None or not c.accept("}"):
        c.expect(",", "a whole number or ','" if minimum is None else "',' or '}'")
        maximum = c.integer() if c.kinds[c.i] == "integer" else None
        c.expect("}")
    if maximum == 0:
        c.note("pattern", start, c.end, "a quantifier for a path must not be limited to 0 repetitions")
    elif maximum is not None and (minimum or 0) > maximum:
        message = f"the quantifier's lower bound {minimum} is above its upper bound {maximum}"
        c.note("pattern", start, c.end, message)
    return t.PathQuantifier(start, c.end, minimum or 0, maximum)


def _count(c: Cursor) -> t.Expression | None:
    if c.kinds[c.i] == "integer":
        start = c.starts[c.i]
        value = c.integer()
        if value == 0:
            c.note("pattern", start, c.end, "the number of paths must be at least 1")
        return t.IntegerLiteral(start, c.end, value)
    if c.cypher25 and c.kinds[c.i] == "$":
        return atoms.parameter(c)
    return None


def _selector(c: Cursor) -> t.PathSelector:
    start = c.starts[c.i]
    first = c.kinds[c.i]
    c.i += 1
    count: t.Expression | None = None
    begin = c.i
    if first in _MODES:
        c.i -= 1
        kind = "all"
        _paths(c)
    elif first == "SHORTEST":
        count = _count(c)
        paths = _paths(c)
        kind = "shortest"
        if c.one_of(("GROUP", "GROUPS")):
            kind = "shortest_groups"
        elif count is None:
            raise c.fail("a number of paths" if not paths else "GROUP or GROUPS")
    elif c.accept("SHORTEST"):
        kind = "any_shortest" if first == "ANY" else "all_shortest"
        _paths(c)
    else:
        count = _count(c) if first == "ANY" else None
        kind = first.lower()
        _paths(c)
    mode = next((item for item in c.kinds[begin - 1 : c.i] if item in _MODES), None) if c.cypher25 else None
    return t.PathSelector(start, c.end, kind, count, mode)


def _paths(c: Cursor) -> bool:
    if c.cypher25 and c.kinds[c.i] in _MODES:
        c.i += 1
    return bool(c.one_of(("PATH", "PATHS")))


def match_mode(c: Cursor) -> str | None:
    """Parse `REPEATABLE ELEMENTS` or `DIFFERENT RELATIONSHIPS` after MATCH; None if neither follows."""
    i = c.i
    kind = c.kinds[i]
    after = c.kinds[i + 1]
    if kind == "REPEATABLE" and after in ("ELEMENT", "ELEMENTS"):
        mode = "REPEATABLE ELEMENTS"
    elif kind == "DIFFERENT" and after in ("RELATIONSHIP", "RELATIONSHIPS"):
        mode = "DIFFERENT RELATIONSHIPS"
    else:
        return None
    c.i += 2
    if after in ("ELEMENT", "RELATIONSHIP"):
        c.accept("BINDINGS")
    if not c.cypher25:
        c.note("syntax", c.starts[i], c.end, f"{mode} needs Cypher 25; this query is read as Cypher 5")
    return mode


# Parses label expressions, `:Person`, `:A|B&!C`, `:A:B`, `:$(name)`, and expressions of relationship types


def label_expression(c: Cursor, *, whole: bool = False) -> t.LabelExpression:
    """Parse a label expression after the colon, or after IS.

    A bar without a label after it ends the expression, or is an error if `whole`, as in the pattern `(:A|)`.
    """
    left = _conjunction(c)
    if c.kinds[c.i] != "|":
        return left
    operands = [left]
    colon = False
    places: list[int] = []
    while c.kinds[c.i] == "|":
        # In a list comprehension `[x IN xs WHERE x:A | x.name]` the bar does not belong to the label.
        if c.names[c.i + 1] is None and c.kinds[c.i + 1] not in ("(", "!", "%", ":", "$"):
            if whole:
                c.i += 1
                raise c.fail("a label or relationship type")
            break
        if c.i == c.stop_bar:
            break
        c.bars.append(c.i)
        places.append(c.starts[c.i])
        c.i += 1
        if c.accept(":"):
            colon = True
        operands.append(_conjunction(c))
    return t.LabelOr(left.start, c.end, operands, colon, places) if places else left


def _conjunction(c: Cursor) -> t.LabelExpression:
    left = _negation(c)
    kind = c.kinds[c.i]
    if kind != "&" and kind != ":":
        return left
    operands = [left]
    colon = False
    places: list[int] = []
    while kind == "&" or kind == ":":
        places.append(c.starts[c.i])
        if kind == ":":
            colon = True
        c.i += 1
        operands.append(_negation(c))
        kind = c.kinds[c.i]
    return t.LabelAnd(left.start, c.end, operands, colon, places)


def _negation(c: Cursor) -> t.LabelExpression:
    i = c.i
    name = c.names[i]
    if name is not None:
        c.i = i + 1
        start, end = c.starts[i], c.ends[i]
        return t.LabelName(start, end, t.Name(start, end, name))
    kind = c.kinds[i]
    if kind == "!":
        c.i += 1
        c.deeper()
        operand = _negation(c)
        c.depth -= 1
        return t.LabelNot(c.starts[i], c.end, operand)
    if kind == "%":
        c.i += 1
        return t.LabelWildcard(c.starts[i], c.ends[i])
    if kind == "(":
        c.i += 1
        c.deeper()
        inner = label_expression(c)
        c.depth -= 1
        c.expect(")")
        return inner
    if kind == "$":
        c.i += 1
        how = c.one_of(("ALL", "ANY")).lower()
        c.expect("(")
        value = expressions.expression(c)
        c.expect(")")
        return t.DynamicLabel(c.starts[i], c.end, how, value)
    raise c.fail("a label or relationship type")
