"""Operators: which types go together, as Neo4j's own signatures have it."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.semantics import expressions
from graphground.cypher.semantics.checker import Checker
from graphground.cypher.types import (
    ANY,
    BOOLEAN,
    DURATION,
    FLOAT,
    INTEGER,
    LIST,
    NUMBER,
    STRING,
    TEMPORAL,
    Type,
    list_of,
)

_LOGIC = frozenset(("AND", "OR", "XOR"))
_ARITHMETIC: dict[str, tuple[tuple[Type, Type, Type], ...]] = {
    "-": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT), (DURATION, DURATION, DURATION),
          *((one, DURATION, one) for one in (Type(1 << place) for place in range(8, 13)))),
    "*": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT), (DURATION, FLOAT, DURATION),
          (FLOAT, DURATION, DURATION)),
    "/": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT), (DURATION, FLOAT, DURATION)),
    "%": ((INTEGER, INTEGER, INTEGER), (FLOAT, FLOAT, FLOAT)),
    "^": ((FLOAT, FLOAT, FLOAT),),
}


def binary(c: Checker, node: tree.Binary) -> Type:
    """`a + b`; long chains lean to the left, so they are walked and not recursed into."""
    chain: list[tree.Binary] = []
    first: tree.Expression = node
    while type(first) is tree.Binary:
        chain.append(first)
        first = first.left
    operand = first
    left = _operand(c, operand, chain[-1].operator)
    while chain:
        one = chain.pop()
        right = _operand(c, one.right, one.operator)
        left = _result(c, one, left, right)
        c.types[one] = left
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
            c.problem("type_mismatch", node.left, f"a condition must be true or false, but this is {left}")
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
            c.expect(node.right, right, STRING if left.mask == STRING.mask else LIST if left.mask == LIST.mask
                     else STRING | LIST)
        return left if left.known else STRING | LIST
    return BOOLEAN


def _arithmetic(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    signatures = _ARITHMETIC[node.operator]
    fitting = [one for one in signatures if left.may_be(one[0])]
    if not fitting:
        c.problem("type_mismatch", node.left, f"`{node.operator}` cannot take {left} on its left")
        return ANY
    chosen = [one for one in fitting if right.may_be(one[1])]
    if not chosen:
        wanted = fitting[0][1]
        for one in fitting[1:]:
            wanted |= one[1]
        c.problem("type_mismatch", node.right, f"`{node.operator}` cannot take {right} on its right after {left}; "
                                               f"expected {wanted}")
        return ANY
    if len(chosen) > 1 and left.mask == INTEGER.mask and right.mask == INTEGER.mask:
        return INTEGER
    found = chosen[0][2]
    for one in chosen[1:]:
        found |= one[2]
    return found


def _plus(c: Checker, node: tree.Binary, left: Type, right: Type) -> Type:
    mask = left.mask
    if mask == LIST.mask:
        if left.inner is None or not right.known:
            return LIST
        added = right.inner if right.mask == LIST.mask else right
        return list_of(left.inner | added) if added is not None else LIST
    if mask == 65535 or mask & LIST.mask:
        return ANY
    wanted = LIST
    if mask & (STRING | NUMBER).mask:
        wanted = wanted | STRING | NUMBER
    if mask & TEMPORAL.mask:
        wanted |= DURATION
    if mask & DURATION.mask:
        wanted = wanted | TEMPORAL | DURATION
    if not right.mask & wanted.mask:
        c.problem("type_mismatch", node.right, f"`+` cannot add {right} to {left}; expected {wanted}")
        return ANY
    if right.mask == LIST.mask:
        return LIST
    if right.mask == 65535:
        return _sums(mask)
    if not (mask | right.mask) & ~NUMBER.mask:
        return INTEGER if mask == right.mask == INTEGER.mask else FLOAT if FLOAT.mask in (mask, right.mask) else NUMBER
    if not (mask | right.mask) & ~(NUMBER | STRING).mask:
        return STRING if STRING.mask in (mask, right.mask) else STRING | NUMBER
    if not mask & ~TEMPORAL.mask:
        return left
    return ANY if mask & DURATION.mask and right.mask != DURATION.mask else left if mask == DURATION.mask else ANY


def _sums(mask: int) -> Type:
    """What adding something unknown to a known thing can give."""
    found = LIST
    if mask & NUMBER.mask:
        found = found | NUMBER | STRING
    if mask & STRING.mask:
        found |= STRING
    if mask & DURATION.mask:
        found = found | DURATION | TEMPORAL
    return found | Type(mask & TEMPORAL.mask) if mask & TEMPORAL.mask else found


def chain(c: Checker, node: tree.ComparisonChain) -> Type:
    """`1 < x <= 3`."""
    for operand in node.operands:
        expressions.infer(c, operand)
    return BOOLEAN


def unary(c: Checker, node: tree.Unary) -> Type:
    """`NOT a`, `-a`, `+a`."""
    if node.operator == "NOT":
        expressions.condition(c, node.operand)
        return BOOLEAN
    found = expressions.infer(c, node.operand)
    if not c.expect(node.operand, found, NUMBER):
        return NUMBER
    return found if not found.mask & ~NUMBER.mask else NUMBER
