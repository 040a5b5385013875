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

- A `reduce` that copies its accumulator at least twice into the next value, or lengthens it with `replace`, if the
  first or the next value is certainly a string, a list or a map. Numbers (`total + total * 0.05`), values that may be
  numbers (`$start`, `n.amount`), and lists of at most `FEW` elements are not reported.
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
_SHORTENING = frozenset(
    {"trim", "ltrim", "rtrim", "btrim", "tolower", "toupper", "lower", "upper", "reverse"}
    | {"normalize", "tostring", "tail", "keys", "values"}
)
"""Functions whose result is no larger than their first argument."""
_PARTS = frozenset({"left", "right", "substring"})
_GROWING = (STRING | LIST | MAP).mask
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
        and (_copies(node.step, frozenset({node.accumulator.name})) > 1 or _doubles_entry(node))
    )


def _grows(expression: tree.Expression | None) -> bool:
    """Return whether a value is certainly a string, a list or a map; for a CASE, whether one of its results is."""
    check_work()
    match expression:
        case tree.Binary(operator="+" | "||"):
            # A list plus a number is a list as well, and a string plus a number a string.
            return expression.operator == "||" or _grows(expression.left) or _grows(expression.right)
        case tree.Case():
            results = [branch.result for branch in expression.branches]
            return any(_grows(result) for result in [*results, expression.default])
        case tree.FunctionCall():
            return _gives_text_or_list(expression)
        case tree.Reduce():
            return _grows(expression.initial) or _grows(expression.step)
        case tree.Subquery():
            return expression.kind == "COLLECT"
    return isinstance(
        expression, tree.StringLiteral | tree.ListLiteral | tree.MapLiteral | tree.ListComprehension | tree.Slice
    )


def _gives_text_or_list(call: tree.FunctionCall) -> bool:
    function = FUNCTIONS.get(call.key) or CYPHER25_FUNCTIONS.get(call.key)
    match function.result if function is not None else None:
        case "list":
            return True
        case "same":
            return bool(call.arguments) and _grows(call.arguments[0])
        case "union":
            return bool(call.arguments) and all(_grows(argument) for argument in call.arguments)
        case Type() as result:
            return bool(result.mask) and not result.mask & ~_GROWING
    return False


def _gives_number(call: tree.FunctionCall) -> bool:
    function = FUNCTIONS.get(call.key) or CYPHER25_FUNCTIONS.get(call.key)
    return function is not None and function.result in (INTEGER, FLOAT, BOOLEAN)


def _doubles_entry(node: tree.Reduce | tree.AllReduce) -> bool:
    """Return whether an entry of a map doubles: `reduce(m = {a: 'x'}, i IN range(1, 40) | {a: m.a + m.a})`."""
    if not isinstance(node.initial, tree.MapLiteral) or not isinstance(node.step, tree.MapLiteral):
        return False
    growing = {entry.key.text for entry in node.initial.entries if _grows(entry.value)}
    return any(
        _copies(entry.value, frozenset({_entry(node.accumulator.name, entry.key.text)})) > 1
        for entry in node.step.entries
        if entry.key.text in growing
    )


def _entry(variable: str, key: str) -> str:
    """Return the name under which `_copies` counts an entry of a map; no variable can have that name."""
    return f"{variable}\0{key}"


def _is_short(source: tree.Expression) -> bool:
    """Return whether a list has at most `FEW` elements, whatever the data."""
    if isinstance(source, tree.ListLiteral):
        return len(source.items) <= FEW
    if isinstance(source, tree.FunctionCall) and source.key == "range":
        size = _size(source, {})
        return size is not None and size <= FEW
    return False


def _copies(expression: tree.Expression | None, names: frozenset[str]) -> int:
    """Return how often an expression copies the named values, as text or as elements; 2 means twice or more."""
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
        case tree.Property(subject=tree.Variable() as variable):
            found = int(_entry(variable.name, expression.key.text) in names)
        case tree.Subscript(subject=tree.ListLiteral() as literal):
            found = max((_copies(item, names) for item in literal.items), default=0)
        case tree.Subscript(subject=tree.Variable()):
            found = 0  # an element, which may be a number
        case tree.Subscript() | tree.Property():
            found = _copies(expression.subject, names)
        case tree.Slice():
            found = _of_part(expression.subject, expression.lower, expression.upper, names)
        case tree.FunctionCall():
            found = _of_call(expression, names)
        case tree.ListComprehension():
            found = _of_comprehension(expression, names)
        case tree.Reduce():
            found = _of_reduce(expression, names)
        case _:
            found = 0  # a boolean, a number, or a subquery
    return min(found, 2)


def _sum(parts: Iterable[tree.Expression], names: frozenset[str]) -> int:
    return sum(_copies(part, names) for part in parts)


def _of_call(call: tree.FunctionCall, names: frozenset[str]) -> int:
    if _gives_number(call) or not call.arguments:
        return 0
    if call.key in _PARTS:
        lower, upper = (*call.arguments[1:], None, None)[:2]
        return _of_part(call.arguments[0], lower, upper or (lower if call.key != "substring" else None), names)
    if call.key in ("head", "last"):
        return _copies(call.arguments[0], names) // 2
    if call.key in _SHORTENING:
        return _copies(call.arguments[0], names)
    if call.key == "replace" and len(call.arguments) == 3:
        copied = _sum(call.arguments, names)
        return 2 if copied and _lengthens(call.arguments[1], call.arguments[2]) else copied
    if call.key in ("coalesce", "nullif"):
        return max(_copies(argument, names) for argument in call.arguments)
    function = FUNCTIONS.get(call.key)
    if function is not None and function.result not in (STRING, LIST) and not isinstance(function.result, str):
        return min(1, _sum(call.arguments, names))
    if function is None:  # `apoc.coll.insert(s, apoc.coll.indexOf(s, x), y)` copies the list once
        return max(_copies(argument, names) for argument in call.arguments)
    return _sum(call.arguments, names)


def _lengthens(searched: tree.Expression, replacement: tree.Expression) -> bool:
    """Return whether `replace(s, 'x', 'xx')` makes a text longer in each round: both are literals, so not only once."""
    return (
        isinstance(searched, tree.StringLiteral)
        and isinstance(replacement, tree.StringLiteral)
        and len(replacement.value) > len(searched.value)
    )


def _of_part(
    subject: tree.Expression, lower: tree.Expression | None, upper: tree.Expression | None, names: frozenset[str]
) -> int:
    """Count the copies in a slice.

    A slice that may drop many elements of a single copy counts as 0, because `s[..i] + x + s[i..]` copies s only once.
    """
    whole = _copies(subject, names)
    almost_all = upper is None and (lower is None or isinstance(lower, tree.IntegerLiteral))
    return whole if almost_all or whole > 1 else 0


def _of_comprehension(node: tree.ListComprehension, names: frozenset[str]) -> int:
    """Count the copies in a comprehension: `[x IN a | x + x]` doubles each element, `[x IN a | a]` repeats the list."""
    source = _copies(node.source, names)
    if node.where is not None and source < 2:
        source = 0  # only a part: [e IN s WHERE e < x] + x + [e IN s WHERE e >= x] copies s once
    if node.projection is None:
        return source
    outer = names - {node.variable.name}
    if _mentions(node.projection, outer) and not _is_short(node.source):
        return _copies(node.projection, outer) * 2
    return max(source, _copies(node.projection, outer | {node.variable.name} if source else outer))


def _of_reduce(node: tree.Reduce, names: frozenset[str]) -> int:
    """Count the copies in an inner `reduce`: 0 if none of the names occurs in the inner `reduce`."""
    own = frozenset({node.accumulator.name, node.variable.name})
    initial, source = _copies(node.initial, names), _copies(node.source, names)
    if not initial and not source and not _mentions(node.step, names - own):
        return 0
    inner = names | {node.accumulator.name} | ({node.variable.name} if source else set())
    return max(initial, _copies(node.step, inner))


def _mentions(expression: tree.Expression, names: frozenset[str]) -> bool:
    return any(variable.name in names for variable in expression.find(tree.Variable))
