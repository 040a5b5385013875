"""Parses operators, `a OR b AND NOT c < d + e`, from the loosest to the tightest, and suffixes of a value."""

from __future__ import annotations

from graphground.cypher.parser import atoms, labels
from graphground.cypher.parser.cursor import Cursor
from graphground.cypher.parser.types import type_name
from graphground.cypher.tree import (
    Binary,
    ComparisonChain,
    Expression,
    HasLabels,
    IsNormalized,
    IsNull,
    IsTyped,
    LabelNot,
    Property,
    Slice,
    Subscript,
    Unary,
)

_COMPARISONS = frozenset(("=", "<>", "<", ">", "<=", ">=", "!="))
_NO_LABEL = frozenset(
    (
        "AND",
        "OR",
        "XOR",
        "NOT",
        "AS",
        "RETURN",
        "WITH",
        "MATCH",
        "OPTIONAL",
        "UNWIND",
        "CALL",
        "LET",
        "FILTER",
        "FOR",
        "NEXT",
        "UNION",
        "ORDER",
        "SKIP",
        "OFFSET",
        "LIMIT",
        "WHERE",
        "THEN",
        "ELSE",
        "END",
        "WHEN",
        "CREATE",
        "MERGE",
        "SET",
        "REMOVE",
        "DELETE",
        "DETACH",
        "FINISH",
        "USING",
    )
)
_PREDICATES = frozenset(("=~", "IN", "CONTAINS", "STARTS", "ENDS", "IS", "::"))
_FORMS = frozenset(("NFC", "NFD", "NFKC", "NFKD"))
_POSTFIX = frozenset((".", "[", ":", "IS"))


def expression(c: Cursor) -> Expression:
    """Parse `a OR b`."""
    c.deeper()
    left = _exclusive(c)
    while c.kinds[c.i] == "OR":
        at = c.starts[c.i]
        c.i += 1
        right = _exclusive(c)
        left = Binary(left.start, right.end, "OR", left, right, at)
    c.depth -= 1
    return left


def _exclusive(c: Cursor) -> Expression:
    left = _conjunction(c)
    while c.kinds[c.i] == "XOR":
        at = c.starts[c.i]
        c.i += 1
        right = _conjunction(c)
        left = Binary(left.start, right.end, "XOR", left, right, at)
    return left


def _conjunction(c: Cursor) -> Expression:
    left = _negation(c) if c.kinds[c.i] == "NOT" else comparison(c)
    while c.kinds[c.i] == "AND":
        at = c.starts[c.i]
        c.i += 1
        right = _negation(c) if c.kinds[c.i] == "NOT" else comparison(c)
        left = Binary(left.start, right.end, "AND", left, right, at)
    return left


_ENDS_OPERAND = frozenset(("end", ")", "]", "}", ",", ";", "|", "AND", "OR", "XOR", "=", "<>", ".", "AS", "+", "*"))


def _negation(c: Cursor) -> Expression:
    starts = []
    # `not` may also be a variable's name, if no operand follows.
    while c.kinds[c.i] == "NOT" and c.kinds[c.i + 1] not in _ENDS_OPERAND:
        starts.append(c.starts[c.i])
        c.i += 1
    if len(starts) > 40:
        c.depth += len(starts)
        c.deeper()
    operand = comparison(c)
    for start in reversed(starts):
        operand = Unary(start, operand.end, "NOT", operand)
    return operand


def comparison(c: Cursor) -> Expression:
    """Parse `a < b <= c`."""
    left = predicate(c)
    kind = c.kinds[c.i]
    if kind not in _COMPARISONS:
        return left
    operands = [left]
    operators: list[str] = []
    places: list[int] = []
    while kind in _COMPARISONS:
        place = c.starts[c.i]
        if kind == "!=":
            c.note("inequality", place, place + 2, "inequality is written <> in Cypher, not !=")
            kind = "<>"
        operators.append(kind)
        places.append(place)
        c.i += 1
        operands.append(predicate(c))
        kind = c.kinds[c.i]
    if len(operators) == 1:
        return Binary(left.start, operands[1].end, operators[0], left, operands[1], places[0])
    return ComparisonChain(left.start, operands[-1].end, operands, operators, places)


def predicate(c: Cursor) -> Expression:
    """Parse `a IN b`, `a STARTS WITH b` or `a IS NOT NULL`, which cannot be chained."""
    left = sum_(c)
    kind = c.kinds[c.i]
    if kind not in _PREDICATES:
        return left
    i = c.i
    at = c.starts[i]
    if kind == "IN" or kind == "CONTAINS" or kind == "=~":
        c.i = i + 1
    elif kind == "STARTS" or kind == "ENDS":
        c.i = i + 1
        c.expect("WITH")
        kind += " WITH"
    elif kind == "::":
        c.i = i + 1
        type_ = type_name(c)
        return IsTyped(left.start, c.end, left, False, type_)
    else:
        return _is(c, left)
    right = sum_(c)
    return Binary(left.start, right.end, kind, left, right, at)


def _is(c: Cursor, left: Expression) -> Expression:
    c.i += 1
    negated = c.accept("NOT")
    kind = c.kinds[c.i]
    if kind == "NULL":
        c.i += 1
        return IsNull(left.start, c.end, left, negated)
    if kind == "TYPED" or kind == "::":
        c.i += 1
        type_ = type_name(c)
        return IsTyped(left.start, c.end, left, negated, type_)
    form = "NFC"
    if kind in _FORMS:
        form = kind
        c.i += 1
    if not c.accept("NORMALIZED"):
        raise c.fail("NULL, NOT NULL, a type after '::' or TYPED, or NORMALIZED")
    return IsNormalized(left.start, c.end, left, negated, form)


def sum_(c: Cursor) -> Expression:
    """Parse `a + b - c || d`."""
    left = _product(c)
    kind = c.kinds[c.i]
    while kind == "+" or kind == "-" or kind == "||":
        at = c.starts[c.i]
        c.i += 1
        right = _product(c)
        left = Binary(left.start, right.end, kind, left, right, at)
        kind = c.kinds[c.i]
    return left


def _product(c: Cursor) -> Expression:
    left = _power(c)
    kind = c.kinds[c.i]
    while kind == "*" or kind == "/" or kind == "%":
        at = c.starts[c.i]
        c.i += 1
        right = _power(c)
        left = Binary(left.start, right.end, kind, left, right, at)
        kind = c.kinds[c.i]
    return left


def _power(c: Cursor) -> Expression:
    left = _signed(c)
    while c.kinds[c.i] == "^":
        at = c.starts[c.i]
        c.i += 1
        right = _signed(c)
        left = Binary(left.start, right.end, "^", left, right, at)
    return left


def _signed(c: Cursor) -> Expression:
    kind = c.kinds[c.i]
    if kind == "-" or kind == "+":
        start = c.starts[c.i]
        c.i += 1
        operand = atoms.atom(c)
        if c.kinds[c.i] in _POSTFIX:
            operand = postfix(c, operand)
        return Unary(start, operand.end, kind, operand)
    value = atoms.atom(c)
    if c.kinds[c.i] in _POSTFIX:
        return postfix(c, value)
    return value


def postfix(c: Cursor, value: Expression) -> Expression:
    """Parse the suffixes of a value: `.name`, `[0]`, `[1..2]`, `:Label`."""
    links = 0
    while True:
        kind = c.kinds[c.i]
        if kind == ".":
            c.i += 1
            key = c.name("a property name")
            value = Property(value.start, key.end, value, key)
        elif kind == "[":
            value = _subscript(c, value)
        elif kind == ":" or (kind == "IS" and _is_label_follows(c)):
            c.i += 1
            refused = c.starts[c.i] if c.cypher25 and kind == "IS" and c.accept("NOT") else -1
            if c.cypher25 and kind == "IS" and c.kinds[c.i] == "LABELED" and _begins_label(c, c.i + 1):
                c.i += 1
            bars = len(c.bars)
            expected = labels.label_expression(c)
            if refused >= 0:
                expected = LabelNot(refused, c.end, expected)
            if len(c.bars) > bars and c.kinds[c.i] in (".", "["):
                # `[x IN xs WHERE x:A | x.name]`: the bar belonged to the comprehension.
                raise c.fail("an operator")
            value = HasLabels(value.start, c.end, value, expected)
        else:
            return value
        links += 1
        if links > 100:
            c.depth += links
            c.deeper()


def _is_label_follows(c: Cursor) -> bool:
    i = c.i + 1
    after = c.kinds[i]
    if after == "NOT" and c.cypher25:
        i += 1
        after = c.kinds[i]
        if not _begins_label(c, i):
            return False
    if after in ("NOT", "NULL", "TYPED", "::", "NORMALIZED"):
        return False
    if after in _FORMS:
        return c.kinds[i + 1] != "NORMALIZED"
    return True


def _begins_label(c: Cursor, i: int) -> bool:
    return (c.names[i] is not None and c.kinds[i] not in _NO_LABEL) or c.kinds[i] in ("!", "(", "%", "$")


def _subscript(c: Cursor, value: Expression) -> Expression:
    c.i += 1
    lower = None
    if c.kinds[c.i] != "..":
        lower = expression(c)
        if c.kinds[c.i] == "]":
            c.i += 1
            return Subscript(value.start, c.end, value, lower)
        if c.kinds[c.i] != "..":
            raise c.fail("']' or '..'")
    c.i += 1
    upper = None
    if c.kinds[c.i] != "]":
        upper = expression(c)
    c.expect("]")
    return Slice(value.start, c.end, value, lower, upper)
