"""Parses label expressions, `:Person`, `:A|B&!C`, `:A:B`, `:$(name)`, and expressions of relationship types."""

from __future__ import annotations

from graphground.cypher.parser import expressions
from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.tree import (
    DynamicLabel,
    LabelAnd,
    LabelExpression,
    LabelName,
    LabelNot,
    LabelOr,
    LabelWildcard,
    Name,
)


def label_expression(c: Cursor, *, whole: bool = False) -> LabelExpression:
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
    return LabelOr(left.start, c.end, operands, colon, places) if places else left


def _conjunction(c: Cursor) -> LabelExpression:
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
    return LabelAnd(left.start, c.end, operands, colon, places)


def _negation(c: Cursor) -> LabelExpression:
    i = c.i
    name = c.names[i]
    if name is not None:
        c.i = i + 1
        start, end = c.starts[i], c.ends[i]
        return LabelName(start, end, Name(start, end, name))
    kind = c.kinds[i]
    if kind == "!":
        c.i += 1
        c.deeper()
        operand = _negation(c)
        c.depth -= 1
        return LabelNot(c.starts[i], c.end, operand)
    if kind == "%":
        c.i += 1
        return LabelWildcard(c.starts[i], c.ends[i])
    if kind == "(":
        c.i += 1
        c.deeper()
        inner = label_expression(c)
        c.depth -= 1
        c.expect(")")
        return inner
    if kind == "$":
        c.i += 1
        how = ""
        if c.kinds[c.i] in ("ALL", "ANY"):
            how = c.kinds[c.i].lower()
            c.i += 1
        c.expect("(")
        value = expressions.expression(c)
        c.expect(")")
        return DynamicLabel(c.starts[i], c.end, how, value)
    raise c.fail("a label or relationship type")
