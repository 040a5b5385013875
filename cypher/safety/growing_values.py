"""Finds the values that a single expression builds and that certainly need more memory or time than a query may have.

    >>> from graphground.cypher.api import parse
    >>> [found.code for found in growing_values(parse("RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x"), {})]
    ['value_doubles']
    >>> [found.code for found in growing_values(parse("RETURN size([i IN range(1, $n) | i]) AS x"), {"n": 10**9})]
    ['value_too_large']
    >>> growing_values(parse("UNWIND range(1, 1000000000) AS i RETURN sum(i) AS x"), {})
    []

Databases stop a query between two rows, not inside an expression, and do not count the memory of an expression. Only
clear cases are reported; what rows store (`collect`, DISTINCT, sorts) is left to the database's own limits.

- A `reduce` that copies its accumulator at least twice into the next value, if the first or the next value is certainly
  a string, a list or a map. Numbers (`total + total * 0.05`), values that may be numbers (`$start`, `n.amount`), and
  lists of at most `FEW` elements are not reported, nor is growth by `replace` or inside an entry of a map.
- More than `MAX_DOUBLINGS` additions of a variable to itself, `WITH l + l AS l WITH l + l AS l …`.
- A `range` outside UNWIND with more than `MAX_ELEMENTS` elements, as far as numbers and parameters say. In a query that
  calls a function of a plug-in, which receives a list as a whole, every such `range` must have known bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, NamedTuple

from graphground.cypher import tree
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.types import BOOLEAN, FLOAT, INTEGER, LIST, MAP, STRING, Type

DOUBLES, TOO_LARGE = "value_doubles", "value_too_large"
CODES = frozenset({DOUBLES, TOO_LARGE})
FEW = 16
"""The longest list over which doubling is harmless: after 16 rounds the value is 65,536 times as large."""
MAX_DOUBLINGS = 4
"""The number of times that a query may add a variable to itself; each addition may double the value's size."""
MAX_ELEMENTS = 1_000_000
"""The number of elements of all ranges outside UNWIND, multiplied because one may be nested in another."""
_PARTS = frozenset({"left", "right", "substring", "head", "last"})
_GROWING = (STRING | LIST | MAP).mask
_TEXTS_AND_LISTS = (tree.StringLiteral, tree.ListLiteral, tree.MapLiteral, tree.ListComprehension, tree.Slice)
_REDUCING = (tree.Reduce, tree.AllReduce)
_GROWING_NODES = frozenset({tree.FunctionCall, tree.Unwind, tree.Binary, *_REDUCING})


class GrowingValue(NamedTuple):
    """An expression that builds too large a value: its code, its offsets, and a message that says what to write."""

    code: str
    start: int
    end: int
    message: str


def growing_values(query: tree.Query, parameters: Mapping[str, Any]) -> list[GrowingValue]:
    """Return the expressions of a query that certainly build too large a value, with the given parameters."""
    found: list[GrowingValue] = []
    ranges: list[tree.FunctionCall] = []
    streamed: set[int] = set()
    additions = 0
    calls_plugin = False
    for node in query.walk():
        if type(node) not in _GROWING_NODES:
            continue
        if isinstance(node, tree.FunctionCall):
            if node.key == "range":
                if node.start not in streamed:
                    ranges.append(node)
            elif "." in node.name and node.key not in FUNCTIONS:
                calls_plugin = True
        elif isinstance(node, tree.Unwind):
            streamed.add(node.source.start)
        elif isinstance(node, tree.Binary):
            if node.operator in ("+", "||") and _is_doubled(node):
                additions += 1
                if additions == MAX_DOUBLINGS + 1:
                    found.append(
                        _doubling(node, query.source(node.left), "this query adds a variable to itself again and again")
                    )
        elif isinstance(node, _REDUCING) and _reduce_doubles(node):
            found.append(_doubling(node, node.accumulator.name, "each round of this reduce multiplies its value"))
    if ranges:
        found += _large_ranges(ranges, parameters, calls_plugin=calls_plugin)
    return found


def _is_doubled(node: tree.Binary) -> bool:
    return (
        isinstance(node.left, tree.Variable)
        and isinstance(node.right, tree.Variable)
        and node.left.name == node.right.name
    )


def _doubling(node: tree.Node, name: str, what: str) -> GrowingValue:
    return GrowingValue(
        DOUBLES,
        node.start,
        node.end,
        f"{what}: a string or list that doubles forty times needs more memory than any database has. Collect the parts "
        f"without repeating {name}; for a number, write 2 * {name}",
    )


def _large_ranges(
    ranges: list[tree.FunctionCall], parameters: Mapping[str, Any], *, calls_plugin: bool
) -> list[GrowingValue]:
    sizes = [_size(node, parameters) for node in ranges]
    if prod(size for size in sizes if size) > MAX_ELEMENTS:
        largest = max(range(len(sizes)), key=lambda number: sizes[number] or 0)
        what = (
            "this range has"
            if sum((size or 0) > 1 for size in sizes) == 1
            else "the ranges of this query, nested, have"
        )
        message = f"{what} {prod(size for size in sizes if size):,} elements; outside UNWIND at most {MAX_ELEMENTS:,} are allowed"
        message += ". UNWIND range(…) AS i streams a range of any length"
    elif calls_plugin and None in sizes:
        largest = sizes.index(None)
        message = "a query that calls a plug-in's function may use range() only with numbers or parameters as bounds"
    else:
        return []
    return [GrowingValue(TOO_LARGE, ranges[largest].start, ranges[largest].end, message)]


def _size(node: tree.FunctionCall, parameters: Mapping[str, Any]) -> int | None:
    """Return the number of elements of a `range`; None if it depends on more than numbers and parameters."""
    bounds = [_integer(argument, parameters) for argument in node.arguments]
    if len(bounds) not in (2, 3) or None in bounds:
        return None
    first, last, step = (*bounds, 1)[:3]
    return max(0, (last - first) // step + 1) if step else 0  # type: ignore[operator]


def _integer(expression: tree.Expression, parameters: Mapping[str, Any]) -> int | None:
    match expression:
        case tree.IntegerLiteral():
            return expression.value
        case tree.Parameter():
            value = parameters.get(expression.name)
            return value if isinstance(value, int) else None
        case tree.Unary(operator="-"):
            value = _integer(expression.operand, parameters)
            return None if value is None else -value
        case tree.Binary(operator="+" | "-" | "*"):
            left, right = _integer(expression.left, parameters), _integer(expression.right, parameters)
            if left is None or right is None:
                return None
            return (
                left * right if expression.operator == "*" else left + (right if expression.operator == "+" else -right)
            )
    return None


def _reduce_doubles(node: tree.Reduce | tree.AllReduce) -> bool:
    return (
        (_grows(node.initial) or _grows(node.step))
        and not _is_short(node.source)
        and _copies(node.step, frozenset({node.accumulator.name})) > 1
    )


def _is_short(source: tree.Expression) -> bool:
    """Return whether a list has at most `FEW` elements, whatever the data."""
    if isinstance(source, tree.FunctionCall) and source.key == "range":
        return (size := _size(source, {})) is not None and size <= FEW
    return isinstance(source, tree.ListLiteral) and len(source.items) <= FEW


def _grows(expression: tree.Expression | None) -> bool:
    """Return whether a value is certainly a string, a list or a map; for a CASE, whether one of its results is."""
    check_work()
    match expression:
        case tree.Binary(operator="+"):
            # A list plus a number is a list as well, and a string plus a number a string.
            return _grows(expression.left) or _grows(expression.right)
        case tree.Case():
            return any(map(_grows, (*(branch.result for branch in expression.branches), expression.default)))
        case tree.FunctionCall():
            result = _result(expression)
            return result == "list" or (isinstance(result, Type) and 0 < result.mask == result.mask & _GROWING)
        case tree.Reduce():
            return _grows(expression.initial) or _grows(expression.step)
        case tree.Binary(operator="||") | tree.Subquery(kind="COLLECT"):
            return True
    return isinstance(expression, _TEXTS_AND_LISTS)


def _result(call: tree.FunctionCall) -> Type | str | None:
    function = FUNCTIONS.get(call.key) or CYPHER25_FUNCTIONS.get(call.key)
    return function.result if function is not None else None


def _copies(expression: tree.Expression | None, names: frozenset[str]) -> int:
    """Return how often an expression copies the named values as a whole; 2 means twice or more.

    An entry of a map, an element of a list and a part of a text are not the whole: `s[..i] + x + s[i..]` copies s once.
    """
    check_work()
    parts: Iterable[tree.Expression | None] = ()
    match expression:
        case tree.Variable():
            return int(expression.name in names)
        case tree.Binary(operator="+" | "||"):
            parts = (expression.left, expression.right)
        case tree.ListLiteral():
            parts = expression.items
        case tree.MapLiteral():
            parts = (entry.value for entry in expression.entries)
        case tree.Case():
            results = (*(branch.result for branch in expression.branches), expression.default)
            return max(_copies(result, names) for result in results)
        case tree.Slice():
            copied = _copies(expression.subject, names)
            return copied if copied > 1 or (expression.upper is None and _is_constant(expression.lower)) else 0
        case tree.FunctionCall():
            return _copies_in_call(expression, names)
        case tree.ListComprehension():
            source = _copies(expression.source, names)
            if expression.projection is None or expression.where is not None:
                return source // 2 if expression.where is not None else source
            # `[x IN s | s]` repeats the list for each element, `[x IN s | x + x]` doubles each element.
            outer = names - {expression.variable.name}
            if not _is_short(expression.source) and any(
                variable.name in outer for variable in expression.projection.find(tree.Variable)
            ):
                return min(2, 2 * _copies(expression.projection, outer))
            inside = outer | {expression.variable.name} if source else outer
            return max(source, _copies(expression.projection, inside))
        case tree.Reduce():
            initial, source = _copies(expression.initial, names), _copies(expression.source, names)
            inner = names - {expression.accumulator.name, expression.variable.name}
            inner |= {expression.accumulator.name} if initial else set()
            return max(initial, _copies(expression.step, inner | ({expression.variable.name} if source else set())))
    return min(2, sum(_copies(part, names) for part in parts))


def _copies_in_call(call: tree.FunctionCall, names: frozenset[str]) -> int:
    if _result(call) in (INTEGER, FLOAT, BOOLEAN) or not call.arguments:
        return 0
    found = [_copies(argument, names) for argument in call.arguments]
    if call.key in _PARTS:
        return found[0] if found[0] > 1 else 0
    # `apoc.coll.insert(s, apoc.coll.indexOf(s, x), y)` copies the list once, as `coalesce(s, t)` does.
    alternatives = call.key in ("coalesce", "nullif") or _result(call) is None
    return min(2, max(found) if alternatives else sum(found))


def _is_constant(bound: tree.Expression | None) -> bool:
    return bound is None or isinstance(bound, tree.IntegerLiteral)
