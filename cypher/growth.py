"""Finds text and lists that double in each round of a `reduce`: forty rounds ask for more memory than any machine has.

    >>> from graphground.cypher.api import parse
    >>> [found.name for found in doublings(parse("RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x"))]
    ['s']
    >>> doublings(parse("RETURN reduce(s = '', name IN ['a', 'b'] | s + name) AS x"))
    []

An ArcadeDB server runs out of memory and ends, before any time limit; a Neo4j fails or times out. Only clear cases
are found: the value of the next round holds the accumulator at least twice, as text or list. Numbers are not
(`total + total * 0.05`), nor is a list of at most `FEW` elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphground.cypher import tree
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS
from graphground.cypher.types import BOOLEAN, FLOAT, INTEGER, LIST, STRING
from graphground.cypher.work import check_work

CODE = "value_doubles"
FEW = 16
"""The longest list for which doubling is harmless: 65,536 times the first value."""
_SHORTENING = frozenset(
    {"left", "right", "substring", "trim", "ltrim", "rtrim", "btrim", "tolower", "toupper", "lower", "upper", "reverse"}
    | {"normalize", "tostring", "tail", "head", "last", "keys", "values"}
)
"""Functions whose result is no larger than their first argument."""
_REDUCING = (tree.Reduce, tree.AllReduce)


class Doubling(NamedTuple):
    """A `reduce` that doubles its accumulator: where it stands, and the accumulator's name."""

    start: int
    end: int
    name: str


def doublings(query: tree.Query) -> list[Doubling]:
    """Every `reduce` of a query whose accumulator doubles."""
    return [
        Doubling(node.start, node.end, node.accumulator.name)
        for node in query.walk()
        if isinstance(node, _REDUCING)
        and not _is_number(node.initial)
        and not _is_short(node.source)
        and _copies(node.step, frozenset({node.accumulator.name})) > 1
    ]


def _is_number(expression: tree.Expression) -> bool:
    """Whether a value is certainly a number or a truth value."""
    if isinstance(expression, tree.Unary):
        return True
    if isinstance(expression, tree.Binary):
        return expression.operator not in ("+", "||") or (_is_number(expression.left) and _is_number(expression.right))
    if isinstance(expression, tree.FunctionCall):
        return _gives_number(expression)
    if isinstance(expression, tree.Subquery):
        return expression.kind != "COLLECT"
    return isinstance(expression, tree.IntegerLiteral | tree.FloatLiteral | tree.BooleanLiteral | tree.CountStar)


def _gives_number(call: tree.FunctionCall) -> bool:
    function = FUNCTIONS.get(call.key) or CYPHER25_FUNCTIONS.get(call.key)
    return function is not None and function.result in (INTEGER, FLOAT, BOOLEAN)


def _is_short(source: tree.Expression) -> bool:
    """Whether a list has at most `FEW` elements, whatever the data."""
    if isinstance(source, tree.ListLiteral):
        return len(source.items) <= FEW
    if isinstance(source, tree.FunctionCall) and source.key == "range":
        bounds = [bound.value for bound in source.arguments if isinstance(bound, tree.IntegerLiteral)]
        return len(bounds) == len(source.arguments) == 2 and bounds[1] - bounds[0] < FEW
    return False


def _copies(expression: tree.Expression | None, names: frozenset[str]) -> int:
    """How often a value holds the value of one of the names, as text or as elements; 2 stands for any more."""
    check_work()
    match expression:
        case tree.Variable():
            found = int(expression.name in names)
        case tree.Binary(operator="+" | "||"):
            found = _sum([expression.left, expression.right], names)
        case tree.ListLiteral():
            found = _sum(expression.items, names)
        case tree.MapLiteral():
            found = _sum([entry.value for entry in expression.entries], names)
        case tree.Case():
            results = [branch.result for branch in expression.branches]
            found = max(_copies(result, names) for result in [*results, expression.default])
        case tree.Subscript() | tree.Property():
            found = _copies(expression.subject, names)
        case tree.Slice():
            whole = _copies(expression.subject, names)
            found = min(whole, 1) if isinstance(expression.upper, tree.IntegerLiteral) else whole
        case tree.FunctionCall():
            found = _of_call(expression, names)
        case tree.ListComprehension():
            found = _of_comprehension(expression, names)
        case tree.Reduce():
            found = _of_reduce(expression, names)
        case _:
            found = 0  # a truth value, a number, or a subquery
    return min(found, 2)


def _sum(parts: Iterable[tree.Expression], names: frozenset[str]) -> int:
    return sum(_copies(part, names) for part in parts)


def _of_call(call: tree.FunctionCall, names: frozenset[str]) -> int:
    if _gives_number(call) or not call.arguments:
        return 0
    if call.key in _SHORTENING:
        return _copies(call.arguments[0], names)
    if call.key in ("coalesce", "nullif"):
        return max(_copies(argument, names) for argument in call.arguments)
    function = FUNCTIONS.get(call.key)
    if function is not None and function.result not in (STRING, LIST) and not isinstance(function.result, str):
        return min(1, _sum(call.arguments, names))
    return _sum(call.arguments, names)


def _of_comprehension(node: tree.ListComprehension, names: frozenset[str]) -> int:
    """`[x IN a | x + x]` doubles each element, `[x IN a | a]` holds the whole list once for each."""
    source = _copies(node.source, names)
    if node.projection is None:
        return source
    outer = names - {node.variable.name}
    if _mentions(node.projection, outer) and not _is_short(node.source):
        return _copies(node.projection, outer) * 2
    return max(source, _copies(node.projection, outer | {node.variable.name} if source else outer))


def _of_reduce(node: tree.Reduce, names: frozenset[str]) -> int:
    """An inner `reduce` that never mentions the names holds none of them."""
    own = frozenset({node.accumulator.name, node.variable.name})
    initial, source = _copies(node.initial, names), _copies(node.source, names)
    if not initial and not source and not _mentions(node.step, names - own):
        return 0
    inner = names | {node.accumulator.name} | ({node.variable.name} if source else set())
    return max(initial, _copies(node.step, inner))


def _mentions(expression: tree.Expression, names: frozenset[str]) -> bool:
    return any(variable.name in names for variable in expression.find(tree.Variable))
