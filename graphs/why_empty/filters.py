"""Finds the condition that removes all rows, and the values that exist instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rapidfuzz import fuzz, process

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, all_of
from graphground.graphs.why_empty.probe import Probe, quoted

MOST_VALUES = 2_000
MOST_SHOWN = 3


def blame_condition(probe: Probe, before: str, conditions: Sequence[t.Expression]) -> Iterator[Diagnostic]:
    """Report each condition that alone removes every row; if there is none, the first whose removal leaves rows.

    If there is no such condition either, report that each condition alone leaves rows, but all together leave none.
    `before` is the text of the clauses to which the conditions apply.
    """

    def left(remaining: Sequence[t.Expression]) -> bool:
        return probe.has_rows(before + _where(probe, remaining))

    alone = [condition for condition in conditions if not left([condition])]
    if alone:
        for condition in alone:
            yield explain_condition(probe, before, condition)
        return
    for condition in conditions:
        if left([other for other in conditions if other is not condition]):
            yield explain_condition(
                probe,
                before + _where(probe, [conjunct for conjunct in conditions if conjunct is not condition]),
                condition,
                rest=True,
            )
            return
    if conditions:
        yield probe.diagnostic(
            "filter_removes_all", conditions[-1], "Each condition alone leaves rows, but together they leave none."
        )


def _where(probe: Probe, conditions: Sequence[t.Expression]) -> str:
    return " WHERE " + " AND ".join(f"({probe.source(condition)})" for condition in conditions) if conditions else ""


def explain_condition(probe: Probe, before: str, condition: t.Expression, rest: bool = False) -> Diagnostic:
    """Explain a condition by the values that exist: for `n.year > 2000`, that `n.year` ranges from 1901 to 1987.

    `rest` is True if `before` includes the other conditions.
    """
    where = "the rows that the other conditions leave" if rest else "the rows before this condition"
    opening = f"This condition removes every row: {probe.source(condition)}."
    inner, negated = _without_not(condition)
    compared = _comparison(inner)
    if compared is None:
        return probe.diagnostic("filter_removes_all", condition, opening)
    subject, literal = compared
    value = probe.value(literal)
    text = probe.source(subject)
    verb = _verb(inner, subject)
    if verb is not None and isinstance(value, str) and not isinstance(literal, t.FunctionCall):
        is_list = isinstance(inner, t.Binary) and inner.operator == "IN"
        existing = _values(probe, before, text, is_list)
        values = [item for item in existing if isinstance(item, str)]
        if not values:
            reason = _without_texts(text, value, [item for item in existing if item is not None], is_list)
            return probe.diagnostic("filter_removes_all", condition, f"{opening} In {where}, {reason}.")
        if negated:
            always = f"{text} is always {quoted(value)}" if verb == "is" else f"{text} always {verb} {quoted(value)}"
            return probe.diagnostic("filter_removes_all", condition, f"{opening} In {where}, {always}, or is null.")
        nearest = [text_ for text_, _, _ in process.extract(value, values, scorer=fuzz.WRatio, limit=MOST_SHOWN)]
        return probe.diagnostic(
            "filter_removes_all",
            condition,
            f"{opening} {text} {'is never' if verb == 'is' else f'never {verb}'} {quoted(value)} in {where}; "
            f"{'similar values are' if len(nearest) > 1 else 'a similar value is'} "
            f"{all_of([quoted(candidate) for candidate in nearest])}.",
            [probe.source(condition).replace(probe.source(literal), quoted(candidate)) for candidate in nearest],
        )
    span = probe.rows(f"{before} RETURN min({text}) AS least, max({text}) AS most", 1)
    if not span or span[0][0] is None:
        return probe.diagnostic("filter_removes_all", condition, f"{opening} {text} is null in {where}.")
    is_text = isinstance(value, str) and not isinstance(literal, t.FunctionCall)  # a date in a row is a text too
    least, most = (bound if isinstance(bound, str) and not is_text else quoted(bound) for bound in span[0])
    found = f"is always {least}, or is null" if least == most else f"ranges from {least} to {most}"
    return probe.diagnostic("filter_removes_all", condition, f"{opening} In {where}, {text} {found}.")


def _without_texts(text: str, value: str, existing: Sequence[Any], is_list: bool) -> str:
    """Return why a property, whose values that are not null are `existing`, equals no text."""
    if is_list:
        return f"{text} contains no text" if existing else f"{text} is null or an empty list"
    if existing and isinstance(existing[0], list):
        return f"{text} is a list; compare with its items: {quoted(value)} IN {text}"
    return f"{text} is not a text; one of its values is {quoted(existing[0])}" if existing else f"{text} is null"


_VERBS = {
    "=": "is",
    "<>": "is",
    "CONTAINS": "contains",
    "STARTS WITH": "starts with",
    "ENDS WITH": "ends with",
    "=~": "matches",
}


def _without_not(condition: t.Expression) -> tuple[t.Expression, bool]:
    """Return a condition without the NOTs before it, and whether it is negated; `<>` counts as one more NOT."""
    negated = False
    while isinstance(condition, t.Unary) and condition.operator == "NOT":
        condition, negated = condition.operand, not negated
    return condition, negated != (isinstance(condition, t.Binary) and condition.operator == "<>")


def _verb(condition: t.Expression, subject: t.Expression) -> str | None:
    """Return the verb that describes a comparison of the property `subject` with a text: `is` for `n.name = 'Heat'`.

    None for a comparison by order, and if the constant is searched for the property, as in `'Heat 2' CONTAINS n.name`.
    """
    if not isinstance(condition, t.Binary):
        return None
    if condition.operator == "IN":
        return "contains" if condition.right is subject else None
    return _VERBS.get(condition.operator) if condition.left is subject or condition.operator in ("=", "<>") else None


def _comparison(condition: t.Expression) -> tuple[t.Expression, t.Expression] | None:
    """Return the property and the constant of a comparison such as `n.year > 1999` or `'x' IN n.list`, else None."""
    if isinstance(condition, t.ComparisonChain):
        properties = [operand for operand in condition.operands if isinstance(operand, t.Property)]
        others = [conjunct for conjunct in condition.operands if not isinstance(conjunct, t.Property)]
        return (properties[0], others[0]) if properties and others else None
    if not isinstance(condition, t.Binary) or condition.operator in ("OR", "XOR"):
        return None
    for side, opposite in ((condition.left, condition.right), (condition.right, condition.left)):
        subject = side
        while isinstance(subject, t.FunctionCall) and len(subject.arguments) == 1 and subject.key in _FOLDING:
            subject = subject.arguments[0]
        if isinstance(subject, t.Property | t.Variable) and not isinstance(opposite, t.Property | t.Variable):
            return side, opposite
    return None


_FOLDING = frozenset({"tolower", "toupper", "trim", "tostring", "lower", "upper"})


def _values(probe: Probe, before: str, text: str, listed: bool) -> list[Any]:
    query = f"UNWIND {text} AS value RETURN DISTINCT value" if listed else f"RETURN DISTINCT {text} AS value"
    return [row[0] for row in probe.rows(f"{before} {query}", MOST_VALUES)]
