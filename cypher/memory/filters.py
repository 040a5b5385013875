"""Counts how many numbers of a range certainly satisfy a condition: `i > 0` keeps all of `range(1, 100)`.

>>> from graphground.cypher import parse
>>> where = parse("UNWIND range(1, 100) AS i WITH i WHERE i % 2 = 0 AND i <= 90 RETURN i").body.clauses[1].where
>>> least_kept(where, "i", range(1, 101))
40
"""

from __future__ import annotations

from itertools import pairwise

from graphground.cypher import tree
from graphground.cypher.memory.conditions import COMPARISONS
from graphground.cypher.work import check_work

_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


def count_of(numbers: range) -> int:
    """Return the length of a range; unlike `len`, this works for a very long range too."""
    return max(0, (numbers.stop - numbers.start + numbers.step - (1 if numbers.step > 0 else -1)) // numbers.step)


def least_kept(condition: tree.Expression, name: str, numbers: range) -> int:
    """Return a lower bound for the number of values of `name` for which a condition is true.

    `name` takes each of `numbers` once.
    """
    check_work()
    whole = count_of(numbers)
    match condition:
        case tree.BooleanLiteral(value=True):
            return whole
        case tree.IsNull(negated=True, operand=tree.Variable() as variable):
            return whole if variable.name == name else 0
        case tree.Binary(operator="AND"):
            left = least_kept(condition.left, name, numbers)
            return max(0, left + least_kept(condition.right, name, numbers) - whole) if left else 0
        case tree.Binary(operator="OR"):
            return max(least_kept(condition.left, name, numbers), least_kept(condition.right, name, numbers))
        case tree.Binary(operator=operator) if operator in COMPARISONS:
            return _compared(operator, condition.left, condition.right, name, numbers)
        case tree.ComparisonChain():
            dropped = sum(
                whole - _compared(operator, left, right, name, numbers)
                for operator, (left, right) in zip(condition.operators, pairwise(condition.operands), strict=True)
            )
            return max(0, whole - dropped)
    return 0


def _compared(operator: str, left: tree.Expression, right: tree.Expression, name: str, numbers: range) -> int:
    first, second = _number(left), _number(right)
    if first is not None and second is not None:
        return count_of(numbers) if COMPARISONS[operator](first, second) else 0
    if first is not None:
        return _compared(_SWAPPED[operator], right, left, name, numbers)
    if second is None or operator not in COMPARISONS:
        return 0
    match left:
        case tree.Variable() if left.name == name:
            return _beside(operator, second, numbers)
        case tree.Binary(operator="%", left=tree.Variable() as variable, right=tree.IntegerLiteral(value=by)):
            divisible = operator == "=" and second == 0 and by > 0 and numbers.step in (1, -1)
            return count_of(numbers) // by if divisible and variable.name == name else 0
    return 0


def _beside(operator: str, bound: float, numbers: range) -> int:
    """Return the minimum number of values of a range that satisfy a comparison with a number; 0 for `=`."""
    whole = count_of(numbers)
    if operator in ("=", "<>"):
        return max(whole - 1, 0) if operator == "<>" else 0
    compare = COMPARISONS[operator]
    low, high = 0, whole  # the values that satisfy the comparison are at one end of the range
    if not whole:
        return 0
    at_start = compare(numbers.start, bound)
    if at_start == compare(numbers.start + numbers.step * (whole - 1), bound):
        return whole if at_start else 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if compare(numbers.start + numbers.step * middle, bound) == at_start else (low, middle)
        )
    return high if at_start else whole - high


def _number(node: tree.Expression) -> float | None:
    match node:
        case tree.IntegerLiteral() | tree.FloatLiteral():
            return node.value
        case tree.Unary(operator="-"):
            inner = _number(node.operand)
            return None if inner is None else -inner
    return None
