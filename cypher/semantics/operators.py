"""Checks operators: which types can be combined, according to Neo4j's own signatures."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.semantics import expressions
from graphground.cypher.semantics.checker import Checker
from graphground.cypher.types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DURATION,
    FLOAT,
    INTEGER,
    LIST,
    LOCALDATETIME,
    LOCALTIME,
    NUMBER,
    STRING,
    TEMPORAL,
    TIME,
    Type,
    list_of,
)

_LOGIC = frozenset(("AND", "OR", "XOR"))
_ARITHMETIC: dict[str, tuple[tuple[Type, Type, Type], ...]] = {
    "-": (
        (INTEGER, INTEGER, INTEGER),
        (FLOAT, FLOAT, FLOAT),
        (DURATION, DURATION, DURATION),
        *((item, DURATION, item) for item in (DATE, TIME, LOCALTIME, LOCALDATETIME, DATETIME)),
    ),
    "*": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT), (DURATION, FLOAT, DURATION), (FLOAT, DURATION, DURATION)),
    "/": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT), (DURATION, FLOAT, DURATION)),
    "%": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT)),
    "^": ((FLOAT, FLOAT, FLOAT),),
}


def binary(c: Checker, node: tree.Binary) -> Type:
    """Check `a + b` and return its type; a long chain nests to the left,
    so a loop processes it instead of recursion."""
    chain: list[tree.Binary] = []
    first: tree.Expression = node
    while type(first) is tree.Binary and not (c.projected and chain and first.shape() in c.projected):
        chain.append(first)
        first = first.left
    operand = first
    left = _operand(c, operand, chain[-1].operator)
    while chain:
        operation = chain.pop()
        right = _operand(c, operation.right, operation.operator)
        left = _result(c, operation, left, right)
        c.types[operation] = left
    return left


def _operand(c: Checker, node: tree.Expression, operator: str) -> Type:
    if operator in _LOGIC:
        expressions.condition(c, node)
        return BOOLEAN
    return expressions.infer(c, node)


def _result(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    operator = node.operator
    if operator in _LOGIC:
        if type(node.left) is tree.Binary and node.left.operator not in _LOGIC and not left.may_be(BOOLEAN):
            c.problem("type_mismatch", node.left, f"a condition must be true or false, but this has the type {left}")
        return BOOLEAN
    if operator in _ARITHMETIC:
        return _arithmetic(c, node, left, right)
    if operator == "+":
        return _plus(c, node, left, right)
    if operator == "IN":
        c.expect(node.right, right, LIST, "a list")
    elif operator == "=~":
        c.expect(node.left, left, STRING)
        c.expect(node.right, right, STRING)
    elif operator == "||":
        if c.expect(node.left, left, STRING | LIST):
            c.expect(
                node.right,
                right,
                STRING if left.mask == STRING.mask else LIST if left.mask == LIST.mask else STRING | LIST,
            )
        return left if left.known else STRING | LIST
    return BOOLEAN


def _arithmetic(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    signatures = _ARITHMETIC[node.operator]
    fitting = [signature for signature in signatures if left.may_be(signature[0])]
    if not fitting:
        c.problem("type_mismatch", node.left, f"`{node.operator}` cannot take {left} on its left")
        return ANY
    chosen = [signature for signature in fitting if right.may_be(signature[1])]
    if not chosen:
        expected = fitting[0][1]
        for alternative in fitting[1:]:
            expected |= alternative[1]
        c.problem(
            "type_mismatch",
            node.right,
            f"`{node.operator}` cannot take {right} on its right after {left}; expected {expected}",
        )
        return ANY
    if len(chosen) > 1 and left.mask == INTEGER.mask and right.mask == INTEGER.mask:
        return INTEGER
    found = chosen[0][2]
    for choice in chosen[1:]:
        found |= choice[2]
    return found


def _plus(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    mask, other = left.mask, right.mask
    if mask == LIST.mask:
        if left.inner is None or not right.known:
            return LIST
        added = right.inner if other == LIST.mask else right
        return list_of(left.inner | added) if added is not None else LIST
    if mask == other == INTEGER.mask or mask == other == STRING.mask:
        return left
    found = 0
    if mask & NUMBER.mask and other & NUMBER.mask:
        found |= NUMBER.mask if FLOAT.mask not in (mask, other) else FLOAT.mask
    if (mask & STRING.mask and other & (STRING | NUMBER).mask) or (mask & NUMBER.mask and other & STRING.mask):
        found |= STRING.mask
    if mask & TEMPORAL.mask and other & DURATION.mask:
        found |= mask & TEMPORAL.mask
    if mask & DURATION.mask:
        found |= other & (TEMPORAL | DURATION).mask
    if (mask | other) & LIST.mask:
        found |= LIST.mask
    if not found:
        expected = LIST
        if mask & (STRING | NUMBER).mask:
            expected = expected | STRING | NUMBER
        if mask & TEMPORAL.mask:
            expected |= DURATION
        if mask & DURATION.mask:
            expected = expected | TEMPORAL | DURATION
        c.problem("type_mismatch", node.right, f"`+` cannot add {right} to {left}; only {expected} can be added to it")
        return ANY
    return ANY if mask == other == ANY.mask else Type(found)


def chain(c: Checker, node: tree.ComparisonChain) -> Type:
    """Check `1 < x <= 3` and return its type, Boolean."""
    for operand in node.operands:
        expressions.infer(c, operand)
    return BOOLEAN


def unary(c: Checker, node: tree.Unary) -> Type:
    """Check `NOT a`, `-a` or `+a`, and return its type."""
    if node.operator == "NOT":
        expressions.condition(c, node.operand)
        return BOOLEAN
    found = expressions.infer(c, node.operand)
    if not c.expect(node.operand, found, NUMBER):
        return NUMBER
    return found if not found.mask & ~NUMBER.mask else NUMBER
