"""Three-valued conditions: which of true, false and null a condition may be.

>>> compared("<", Number(5), Number(3))
Choice(options=(False,))
>>> compared("=", NULL, Number(3))
Choice(options=(None,))
>>> connected("AND", Choice((True, False)), NULL)
Choice(options=(None, False))
>>> from graphground.cypher.memory.values import known_text
>>> compared("=", Number(1), known_text("1")) is None   # databases differ
True

Rows count as dropped only if a condition is certainly false or null. A condition that cannot be evaluated is unknown
(None). So is a condition that databases evaluate differently: a comparison of different types or of NaN, and the order
of strings with characters beyond Unicode's basic plane.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from operator import eq, ge, gt, le, lt, ne

from graphground.cypher.memory.values import (
    FALSE,
    NULL,
    TRUE,
    Choice,
    Constant,
    Items,
    Number,
    Present,
    Value,
    choice,
    constant,
    options_of,
)

Comparison = Callable[[float, float], bool]
COMPARISONS: dict[str, Comparison] = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "<>": ne}
_TEXT_COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "STARTS WITH": str.startswith,
    "ENDS WITH": str.endswith,
    "CONTAINS": str.__contains__,
}
_CONNECTIVES = frozenset({"AND", "OR", "XOR"})
OPERATORS = frozenset({*COMPARISONS, *_TEXT_COMPARISONS, *_CONNECTIVES, "IN", "=~"})
"""The operators whose result is a condition."""
MOST_COMBINATIONS = 256
"""The maximum number of combinations of constants for which an operator or a function is computed."""
_LAST_SORTED_ALIKE = "\ud7ff"
"""The last character up to which strings sort alike by UTF-16 units, as in Java, and by code points."""


def outcomes(value: Value) -> frozenset[bool | None]:
    """Return which of true, false and null a value may be when it is used as a condition."""
    if isinstance(value, Choice) and all(option is None or isinstance(option, bool) for option in value.options):
        return frozenset(option if option is None else bool(option) for option in value.options)
    return frozenset({True, False} if isinstance(value, Present) else {True, False, None})


def of_outcomes(possible: frozenset[bool | None]) -> Value:
    """Return the value of a condition with these possible outcomes; None if all three are possible."""
    return choice(option for option in (True, None, False) if option in possible) if len(possible) < 3 else None


def negation(value: Value) -> Value:
    """Return the possible outcomes of `NOT value`."""
    return of_outcomes(frozenset(None if option is None else not option for option in outcomes(value)))


def is_null(value: Value, *, negated: bool) -> Value:
    """Return the possible outcomes of `value IS NULL`, or of `IS NOT NULL`."""
    if value is None:
        return Choice((True, False))
    if isinstance(value, Choice):
        return choice((option is None) != negated for option in value.options)
    return TRUE if negated else FALSE


def connected(operator: str, left: Value, right: Value) -> Value:
    """Return the possible outcomes of `left AND right`, `left OR right` or `left XOR right`."""
    return of_outcomes(
        frozenset(_connected(operator, first, second) for first in outcomes(left) for second in outcomes(right))
    )


def _connected(operator: str, left: bool | None, right: bool | None) -> bool | None:
    deciding = operator == "OR"
    if operator != "XOR" and (left is deciding or right is deciding):
        return deciding
    if left is None or right is None:
        return None
    return left != right if operator == "XOR" else not deciding


def compared(operator: str, left: Value, right: Value) -> Value:
    """Return the possible outcomes of a comparison, a connective, IN or a string test."""
    if operator in _CONNECTIVES:
        return connected(operator, left, right)
    if operator == "IN":
        return _in(left, right)
    if NULL in (left, right):
        return NULL
    if isinstance(left, Items) and isinstance(right, Items) and operator in ("=", "<>"):
        return _lists(operator, left, right)
    first, second = options_of(left), options_of(right)
    if first is None or second is None or len(first) * len(second) > MOST_COMBINATIONS:
        return _intervals(operator, left, right)
    results = [_constants(operator, *pair) for pair in product(first, second)]
    return None if None in results else choice(option for result in results for option in options_of(result) or ())


def _constants(operator: str, left: Constant, right: Constant) -> Value:
    """Compare two constants; return None if databases give different results."""
    if left is None or right is None:
        return NULL
    if isinstance(left, bool) or isinstance(right, bool):
        alike = isinstance(left, bool) and isinstance(right, bool) and operator in ("=", "<>")
        return choice([(left == right) == (operator == "=")]) if alike else None
    if isinstance(left, str) and isinstance(right, str):
        return _texts(operator, left, right)
    if isinstance(left, str) or isinstance(right, str) or operator not in COMPARISONS:
        return None
    return choice([COMPARISONS[operator](left, right)]) if math.isfinite(left) and math.isfinite(right) else None


def _texts(operator: str, left: str, right: str) -> Value:
    if operator in _TEXT_COMPARISONS:
        return choice([_TEXT_COMPARISONS[operator](left, right)])
    if operator in ("=", "<>"):
        return choice([(left == right) == (operator == "=")])
    if operator not in COMPARISONS or max(left + right, default="") > _LAST_SORTED_ALIKE:
        return None
    return choice([COMPARISONS[operator]((left > right) - (left < right), 0)])


def _in(element: Value, whole: Value) -> Value:
    """Return the possible outcomes of `element IN whole`."""
    if whole == NULL:
        return NULL
    if not isinstance(whole, Items):
        return None
    if whole.empty:
        return FALSE
    if element == NULL:
        return NULL if whole.size else None
    if whole.numbers is not None and isinstance(element, Number) and isinstance(element.value, int):
        return choice([element.value in whole.numbers])
    if not whole.options or not whole.exact:
        return None
    value: Value = FALSE
    for option in whole.options:
        value = connected("OR", value, compared("=", element, constant(option)))
    return value


def _lists(operator: str, left: Items, right: Items) -> Value:
    """Compare two lists by their lengths; None if a length is not exact, or if both lengths are equal and not 0."""
    if not left.exact or not right.exact or (left.size == right.size and left.size):
        return None
    return choice([(left.size == right.size) == (operator == "=")])


def _intervals(operator: str, left: Value, right: Value) -> Value:
    """Compare two values by the smallest and the largest number that each may be; None if these are unknown."""
    first, second = _interval(left), _interval(right)
    if first is None or second is None or operator not in COMPARISONS:
        return None
    if operator in ("=", "<>"):
        apart = first[1] < second[0] or second[1] < first[0]
        same = first[0] == first[1] == second[0] == second[1]
        return choice([same == (operator == "=")]) if apart or same else Choice((True, False))
    compare = COMPARISONS[operator]
    return choice([compare(first[0], second[1]), compare(first[1], second[0])])


def _interval(value: Value) -> tuple[float, float] | None:
    """Return the smallest and the largest number that a value may be, or None if they are unknown."""
    if isinstance(value, Present) and value.numbers:
        ends = value.numbers[0], value.numbers[-1]
        return min(ends), max(ends)
    options = options_of(value)
    if options is None or not all(isinstance(option, int | float) for option in options):
        return None
    numbers = [option for option in options if isinstance(option, int | float)]
    return (min(numbers), max(numbers)) if numbers and not any(isinstance(option, bool) for option in numbers) else None


def is_varying(value: Value) -> bool:
    """Return whether a value is one of several constants."""
    return isinstance(value, Choice) and len(value.options) > 1


def for_each(compute: Callable[[list[Value]], Value], arguments: list[Value]) -> Value:
    """Return the results of an operator or a function for all combinations of its arguments' constants."""
    alternatives: list[list[Value]] = [
        [constant(option) for option in argument.options] if isinstance(argument, Choice) else [argument]
        for argument in arguments
    ]
    if math.prod(map(len, alternatives)) > MOST_COMBINATIONS:
        return None
    results = [compute(list(combination)) for combination in product(*alternatives)]
    constants = [options_of(result) for result in results]
    if all(options is not None for options in constants):
        return choice(option for options in constants for option in options or ())
    if None in results or any(isinstance(result, Choice) and None in result.options for result in results):
        return None
    return Present()
