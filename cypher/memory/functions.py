"""Derives what is certain about the results of operators and functions from what is certain about their arguments.

Certain is an exact number, the possible constants, or a minimum size.

>>> result("range", [Number(1), Number(1000)]).size
1000
>>> combined("^", Number(10), Number(8))
Number(value=100000000.0)
>>> result("replace", [known_text("aaa"), known_text("a"), known_text("xyz")]).size
9
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from graphground.cypher import tree
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS
from graphground.cypher.memory.conditions import OPERATORS, compared, for_each, is_varying, negation
from graphground.cypher.memory.filters import count_of
from graphground.cypher.memory.values import (
    BOXED,
    FALSE,
    HEADER,
    LONGEST_TEXT,
    MOST_OPTIONS,
    NULL,
    REFERENCE,
    TRUE,
    Choice,
    Constant,
    Items,
    Number,
    Present,
    Text,
    Value,
    choice,
    constant,
    known_text,
    may_be_null,
    options_of,
)

MOST = 2**63
_ROUNDING: dict[str, Callable[[float], int]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "tointeger": int,
    "tointegerornull": int,
}
_SAME_SIZE = frozenset({"toupper", "tolower", "upper", "lower", "reverse", "tostring", "tostringornull"})
PAIR, COUNTED = 48, 168
"""The sizes in bytes, in a JVM with a small heap, of a list of two elements and of a map with an item and its count.

The list is an object and an array of 24 bytes each; the map is an object of 56 bytes, a table of 32 bytes, and two
entries of 40 bytes each.
"""
_SAME_LENGTH = {
    "tostringlist": HEADER,
    "tointegerlist": BOXED,
    "tofloatlist": BOXED,
    "tobooleanlist": 0,
    "apoc.coll.sort": BOXED,
    "apoc.coll.shuffle": BOXED,
    "apoc.coll.pairs": PAIR,
    "apoc.coll.pairwithoffset": PAIR,
    "apoc.coll.runningtotal": BOXED,
    "apoc.convert.tolist": BOXED,
}
"""Functions that turn a list into a new list of the same length, with the minimum size in bytes of each new element."""
_NULL_OF_NULL = frozenset(
    {
        "size",
        "length",
        "char_length",
        "character_length",
        "toupper",
        "tolower",
        "upper",
        "lower",
        "trim",
        "ltrim",
        "rtrim",
    }
    | {"reverse", "tostring", "tointeger", "tofloat", "toboolean", "abs", "floor", "ceil", "round", "sign", "sqrt"}
    | {"head", "last", "tail", "keys", "labels", "type", "properties", "nodes", "relationships", "startnode", "endnode"}
)
"""Functions whose result for null is null."""
_OF_NO_ROWS: dict[str, Value] = {"collect": Items(0), "count": Number(0), "sum": Number(0)}
_OF_NO_ROWS |= dict.fromkeys(("min", "max", "avg", "stdev", "stdevp", "percentilecont", "percentiledisc"), NULL)


def combined(operator: str, left: Value, right: Value) -> Value:
    """Return what is known about the result of `left operator right`."""
    if operator in OPERATORS:
        return compared(operator, left, right)
    if is_varying(left) or is_varying(right):
        return for_each(lambda pair: combined(operator, *pair), [left, right])
    match left, right:
        case Number(), Number():
            return _number(operator, left.value, right.value)
        case (Text(), _) | (_, Text()) if operator in ("+", "||") and not _is_list(left, right):
            return _joined(left, right)
        case (Items(), _) | (_, Items()) if operator in ("+", "||"):
            return _concatenated(left, right)
        case (Present(), Number() | Present()) | (Number(), Present()) if operator in ("+", "-", "*", "/", "%", "^"):
            return Present(BOXED)
    return None


def _is_list(left: Value, right: Value) -> bool:
    return isinstance(left, Items) or isinstance(right, Items)


def _number(operator: str, left: float, right: float) -> Value:
    whole = isinstance(left, int) and isinstance(right, int)
    try:
        match operator:
            case "+":
                value = left + right
            case "-":
                value = left - right
            case "*":
                value = left * right
            case "/":
                value = math.trunc(left / right) if whole else left / right
            case "%":
                value = int(math.fmod(left, right)) if whole else math.fmod(left, right)
            case "^":
                value = float(left) ** float(right)
            case _:
                return None
    except (ArithmeticError, ValueError):
        return None
    return Number(value) if isinstance(value, int | float) and abs(value) < MOST else None


def negated(operand: Value, operator: str) -> Value:
    """Return what is known about the result of `-operand`, `+operand` or `NOT operand`."""
    if operator == "NOT":
        return negation(operand)
    if isinstance(operand, Number):
        return Number(-operand.value) if operator == "-" else operand
    return operand if isinstance(operand, Present) else None


def _joined(left: Value, right: Value) -> Value:
    """Join two strings, or a string and a value that is converted to a string."""
    parts = [_as_text(left), _as_text(right)]
    first, second = parts
    if first is None or second is None:
        return None
    size = first.size + second.size
    if first.text is not None and second.text is not None and size <= LONGEST_TEXT:
        return known_text(first.text + second.text)
    if first.counts is not None and second.counts is not None:
        return Text(size, None, Counter(first.counts) + Counter(second.counts))
    return Text(size)


def _as_text(value: Value) -> Text | None:
    match value:
        case Text():
            return value
        case Number(value=int()):
            return known_text(str(value.value))
        case Number() | Present() | Choice(options=(True | False,)):
            return Text(1)
    return None


def _concatenated(left: Value, right: Value) -> Value:
    """Concatenate two lists, or a list and an element; the database makes a view and copies no list."""
    if may_be_null(left) or may_be_null(right):
        return None  # null, or a list of unknown length
    size = sum(side.size if isinstance(side, Items) else 1 for side in (left, right))
    sides = [side for side in (left, right) if isinstance(side, Items)]
    known = all(not isinstance(side, Present) for side in (left, right))  # a `Present` value may be a list itself
    return Items(
        size,
        lazy=True,
        exact=known and all(side.exact for side in sides),
        present=all(side.present for side in sides),
        inside=sum(side.inside for side in sides),
        options=_options(left, right),
    )


def _options(left: Value, right: Value) -> tuple[Constant, ...]:
    """Return the elements of two lists, or of a list and an element; empty if any is unknown, or there are too many."""
    options: list[Constant] = []
    for side in (left, right):
        of_side = side.options if isinstance(side, Items) else options_of(side) or ()
        if not of_side and not (isinstance(side, Items) and side.empty):
            return ()
        options += of_side
    return tuple(options) if len(options) <= MOST_OPTIONS else ()


def part(whole: Value, lower: tree.Expression | None, upper: tree.Expression | None) -> Value:
    """Return the bounds of the list `whole[lower..upper]`.

    Its minimum length is known if `lower` is absent or an integer literal. Nothing is known, and the result is None, if
    `upper` is given or `whole` may be something other than a list.
    """
    if not isinstance(whole, Items) or upper is not None:
        return None
    if lower is not None and not isinstance(lower, tree.IntegerLiteral):
        return whole._replace(size=0, exact=whole.empty, numbers=None, options=())
    start = 0 if lower is None else lower.value
    return whole._replace(size=max(whole.size - start, 0), numbers=None, options=whole.options[start:])


def element(source: Value) -> Value:
    """Return an element of a list, as in a comprehension or UNWIND; a range creates a new integer each time."""
    if not isinstance(source, Items):
        return None
    if source.options:
        return choice(source.options)
    if not source.present:
        return None
    if source.lazy:
        return Present(BOXED, source.size if source.numbers else 0, numbers=source.numbers)
    return Present(max(source.each - REFERENCE, 0))


def is_aggregate(node: tree.Node) -> bool:
    """Return whether an expression aggregates rows: `count(*)`, `collect(x)`, `apoc.agg.first(x)`."""
    if isinstance(node, tree.CountStar):
        return True
    if not isinstance(node, tree.FunctionCall):
        return False
    function = FUNCTIONS.get(node.key) or CYPHER25_FUNCTIONS.get(node.key)
    return function.aggregating if function is not None else node.key.startswith("apoc.agg.")


def of_no_rows(key: str) -> Value:
    """Return the result of an aggregate over no rows; None if unknown."""
    return _OF_NO_ROWS.get(key)


def entry(whole: Value, index: Value) -> Value:
    """Return what is known about `whole[index]`."""
    if whole == NULL:
        return NULL
    if not isinstance(whole, Items) or not whole.exact or not isinstance(index, Number):
        return None
    position = index.value
    if not isinstance(position, int) or not -whole.size <= position < whole.size:
        return NULL if isinstance(position, int) else None
    return constant(whole.options[position]) if whole.options else None


def result(key: str, arguments: list[Value]) -> Value:
    """Return what is known about the result of a function, or None if nothing is certain."""
    if key == "coalesce":
        return next((value for value in arguments if value != NULL and not may_be_null(value)), None)
    if arguments and arguments[0] == NULL and key in _NULL_OF_NULL:
        return NULL
    if any(map(is_varying, arguments)):
        return for_each(lambda chosen: result(key, chosen), arguments)
    match key, arguments:
        case "isempty", [Items(exact=True, size=size)]:
            return FALSE if size else TRUE
        case "isempty", [Text(text=str() as text)]:
            return FALSE if text else TRUE
        case "head", [Items() as items]:
            return entry(items, Number(0))
        case "last", [Items() as items]:
            return entry(items, Number(-1))
        case "range", [Number(value=int() as first), Number(value=int() as last), *step]:
            return _range(first, last, step)
        case "size" | "length" | "char_length" | "character_length", [Items(exact=True, size=size)]:
            return Number(size)
        case "size" | "char_length" | "character_length", [Text(text=str() as text)]:
            return Number(len(text))
        case (("floor" | "ceil" | "round" | "tointeger" | "tointegerornull"), [Number(value=value)]):
            return Number(_ROUNDING[key](value)) if math.isfinite(value) else None
        case (("tointeger" | "tointegerornull" | "tofloat" | "tofloatornull"), [Text(text=str() as text)]):
            return _parsed(text, whole=key.startswith("toi"))
        case "tofloat" | "tofloatornull", [Number(value=value)]:
            return Number(float(value))
        case "abs", [Number(value=value)]:
            return Number(abs(value))
        case "tail", [Items() as items]:
            return items._replace(size=max(items.size - 1, 0), numbers=None, options=items.options[1:])
        case "reverse", [Items() as items]:
            return items._replace(options=items.options[::-1])
        case "replace", [Text() as text, Text() as search, Text() as replacement]:
            return _replaced(text, search, replacement)
        case "split", [Text() as text, Text(text="")]:
            return Items(text.size, REFERENCE + HEADER, exact=False)
        case "apoc.text.join", [Items() as items, Text() as between]:
            return Text(max(items.size - 1, 0) * between.size)
        case "apoc.convert.tojson", [Items() as items]:
            return Text(2 * items.size)
        case "apoc.coll.zip", [Items() as items, Items(size=other)] if other:
            return Items(items.size, REFERENCE + PAIR, items.exact)
        case "apoc.coll.pairsmin", [Items() as items]:
            return Items(max(items.size - 1, 0), REFERENCE + PAIR, items.exact)
        case "apoc.coll.frequencies", [Items(numbers=range()) as items]:
            return Items(items.size, REFERENCE + COUNTED, items.exact)
        case _, [Items() as items, *_] if key in _SAME_LENGTH:
            return Items(items.size, REFERENCE + _SAME_LENGTH[key], items.exact, present=items.present)
        case _, [Text() as text] if key in _SAME_SIZE:
            return Text(text.size) if key != "tostring" else text
    return None


def _range(first: int, last: int, step: list[Value]) -> Value:
    by = step[0].value if step and isinstance(step[0], Number) else None if step else 1
    if not isinstance(by, int) or by == 0:
        return None
    numbers = range(first, last + (1 if by > 0 else -1), by)
    return Items(count_of(numbers), lazy=True, numbers=numbers)


def _parsed(text: str, *, whole: bool) -> Value:
    try:
        number = float(text) if len(text) < 40 else math.nan
    except ValueError:
        return None
    if not math.isfinite(number) or abs(number) >= MOST:
        return None
    return Number(int(number) if whole else number)


def _replaced(text: Text, search: Text, replacement: Text) -> Value:
    if text.text is not None and search.text and replacement.text is not None:
        times = text.text.count(search.text)
        if len(text.text) + times * (len(replacement.text) - len(search.text)) <= LONGEST_TEXT:
            return known_text(text.text.replace(search.text, replacement.text))
    if text.counts is not None and search.text is not None and len(search.text) == 1:
        times = text.counts.get(search.text, 0)
        size = text.size + times * (replacement.size - 1)
        if replacement.counts is None:
            return Text(size)
        counts = {letter: number for letter, number in text.counts.items() if letter != search.text}
        for letter, number in replacement.counts.items():
            counts[letter] = counts.get(letter, 0) + times * number
        return Text(size, None, counts)
    return Text(text.size if replacement.size >= search.size else 0)
