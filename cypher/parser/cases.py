"""Parses CASE in both forms, with the comparisons and lists allowed after WHEN."""

from __future__ import annotations

from graphground.cypher.parser import expressions
from graphground.cypher.parser.cursor import Cursor, Failure
from graphground.cypher.parser.types import type_name
from graphground.cypher.tree import Case, CaseComparison, Expression, WhenThen

_COMPARISONS = frozenset(("=", "<>", "<", ">", "<=", ">=", "!="))


def case(c: Cursor) -> Expression | None:
    """Parse `CASE … END`; None if CASE is a variable's name."""
    i = c.i
    depth = c.depth
    try:
        return _case(c)
    except Failure as failure:
        if failure.at > i + 1:
            raise
        # `case` alone, or before a token that begins no expression, is a name.
        c.i = i
        c.depth = depth
        return None


def _case(c: Cursor) -> Case:
    start = c.starts[c.i]
    c.i += 1
    subject: Expression | None = None
    if c.kinds[c.i] != "WHEN":
        subject = expressions.expression(c)
        if c.kinds[c.i] != "WHEN":
            raise c.fail("WHEN")
    branches: list[WhenThen] = []
    while c.kinds[c.i] == "WHEN":
        begin = c.starts[c.i]
        c.i += 1
        conditions: list[Expression] = []
        if subject is None:
            conditions.append(expressions.expression(c))
        else:
            conditions.append(_operand(c))
            while c.accept(","):
                conditions.append(_operand(c))
        if c.kinds[c.i] != "THEN":
            raise c.fail("THEN")
        c.i += 1
        result = expressions.expression(c)
        branches.append(WhenThen(begin, result.end, conditions, result))
    default: Expression | None = None
    if c.accept("ELSE"):
        default = expressions.expression(c)
    if c.kinds[c.i] != "END":
        raise c.fail("END" if default is not None else "WHEN, ELSE or END")
    c.i += 1
    return Case(start, c.end, subject, branches, default)


def _operand(c: Cursor) -> Expression:
    kind = c.kinds[c.i]
    start = c.starts[c.i]
    after = c.kinds[c.i + 1]
    if kind in _COMPARISONS:
        c.i += 1
        operand = expressions.predicate(c)
        return CaseComparison(start, operand.end, "<>" if kind == "!=" else kind, operand)
    if kind == "=~":
        c.i += 1
        operand = expressions.sum_(c)
        return CaseComparison(start, operand.end, kind, operand)
    if kind in ("STARTS", "ENDS") and after == "WITH":
        c.i += 2
        operand = expressions.sum_(c)
        return CaseComparison(start, operand.end, f"{kind} WITH", operand)
    if kind == "::":
        c.i += 1
        return CaseComparison(start, c.end, f"IS :: {type_name(c)}", None)
    if kind == "IS" and after in ("NOT", "NULL", "TYPED", "::", "NFC", "NFD", "NFKC", "NFKD", "NORMALIZED"):
        begin = c.i
        c.i += 1
        c.accept("NOT")
        if c.kinds[c.i] in ("TYPED", "::"):
            c.i += 1
            type_name(c)
        elif not c.accept("NULL"):
            if c.kinds[c.i] in ("NFC", "NFD", "NFKC", "NFKD"):
                c.i += 1
            c.expect("NORMALIZED")
        return CaseComparison(start, c.end, " ".join(c.kinds[begin : c.i]), None)
    return expressions.expression(c)
