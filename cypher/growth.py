"""Finds strings and lists that double in each round of a `reduce`: forty rounds need more memory than any machine has.

    >>> from graphground.cypher.api import parse
    >>> [found.name for found in doublings(parse("RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x"))]
    ['s']
    >>> doublings(parse("RETURN reduce(s = '', name IN ['a', 'b'] | s + name) AS x"))
    []

Such a query crashes an ArcadeDB server, which runs out of memory before any time limit; on Neo4j the query fails or
times out. Only clear cases are reported: each round copies the accumulator at least twice into the next value, and
the first or the next value is certainly a string, a list or a map. Numbers (`total + total * 0.05`), values that may
be numbers (`$start`, `n.amount`), and lists of at most `FEW` elements are not reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from graphground.cypher import tree
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS
from graphground.cypher.types import BOOLEAN, FLOAT, INTEGER, LIST, MAP, STRING, Type
from graphground.cypher.work import check_work

CODE = "value_doubles"
FEW = 16
"""The longest list over which doubling is harmless: after 16 rounds the value is 65,536 times as large."""
_SHORTENING = frozenset(
    {"trim", "ltrim", "rtrim", "btrim", "tolower", "toupper", "lower", "upper", "reverse"}
    | {"normalize", "tostring", "tail", "keys", "values"}
)
"""Functions whose result is no larger than their first argument."""
_PARTS = frozenset({"left", "right", "substring"})
_GROWING = (STRING | LIST | MAP).mask
_REDUCING = (tree.Reduce, tree.AllReduce)


class Doubling(NamedTuple):
    """A `reduce` that doubles its accumulator: the offsets of the `reduce` and the accumulator's name."""

    start: int
    end: int
    name: str


def doublings(query: tree.Query) -> list[Doubling]:
    """Return every `reduce` in a query that doubles its accumulator in each round."""
    return [
        Doubling(node.start, node.end, node.accumulator.name)
        for node in query.walk()
        if isinstance(node, _REDUCING)
        and (_grows(node.initial) or _grows(node.step))
        and not _is_short(node.source)
        and (_copies(node.step, frozenset({node.accumulator.name})) > 1 or _doubles_entry(node))
    ]


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
        bounds = [bound.value for bound in source.arguments if isinstance(bound, tree.IntegerLiteral)]
        return len(bounds) == len(source.arguments) == 2 and bounds[1] - bounds[0] < FEW
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
    if call.key in ("coalesce", "nullif"):
        return max(_copies(argument, names) for argument in call.arguments)
    function = FUNCTIONS.get(call.key)
    if function is not None and function.result not in (STRING, LIST) and not isinstance(function.result, str):
        return min(1, _sum(call.arguments, names))
    if function is None:  # `apoc.coll.insert(s, apoc.coll.indexOf(s, x), y)` copies the list once
        return max(_copies(argument, names) for argument in call.arguments)
    return _sum(call.arguments, names)


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
