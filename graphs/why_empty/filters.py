"""Finds the condition that removes all rows, and the values that exist instead."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rapidfuzz import fuzz, process, utils

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, all_of, counted
from graphground.cypher.quoting import quoted_name
from graphground.cypher.text_values import FORMS, are_milliseconds, guard, text_values
from graphground.graphs.why_empty.probe import PLACEHOLDERS, Probe, quoted

MOST_VALUES = 2_000
MOST_SHOWN = 3
SIMILAR, CLEARLY = 75.0, 8.0
"""The least similarity (of 100) of a value that is called similar, and the lead that makes the first one the fix."""
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_NUMBERS = ("{}", "replace({}, ',', '')", "replace({}, '.', '')", "replace(replace({}, '.', ''), ',', '.')")
"""How text becomes a number: as it is, with commas or points between thousands, or with a decimal comma."""


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
    absent = _placeholders(probe, before, condition)
    if absent is not None:
        return probe.diagnostic("filter_removes_all", condition, f"{opening} {absent[0]}", absent[1], clear=True)
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
        never = f"{opening} {text} {'is never' if verb == 'is' else f'never {verb}'} {quoted(value)} in {where}"
        if verb == "starts with" and any(item.endswith(value) for item in values):
            ends = probe.source(condition).replace(probe.source(literal), "").rstrip()[: -len("STARTS WITH")]
            fixed = [f"{ends}ENDS WITH {quoted(value)}"]
            return probe.diagnostic(
                "filter_removes_all", condition, f"{never}, but it ends with it: {fixed[0]}.", fixed, clear=True
            )
        scored = process.extract(
            value, values, scorer=fuzz.WRatio, processor=utils.default_process, limit=MOST_SHOWN, score_cutoff=SIMILAR
        )
        nearest = [found for found, score, _ in scored if scored[0][1] - score < 2 * CLEARLY]
        shown = nearest or [item for item in values if item.strip()][:MOST_SHOWN]
        elsewhere = "" if nearest or verb != "is" else _elsewhere(probe, value)
        kind = "similar values are" if len(nearest) > 1 else "a similar value is" if nearest else "its values include"
        return probe.diagnostic(
            "filter_removes_all",
            condition,
            f"{never}; {kind} {all_of([quoted(candidate) for candidate in shown])}.{elsewhere}",
            [probe.source(condition).replace(probe.source(literal), quoted(candidate)) for candidate in nearest],
            clear=bool(nearest) and (len(scored) == 1 or scored[0][1] - scored[1][1] >= CLEARLY),
        )
    converted = _converted(probe, before, inner, subject, literal) if not negated else None
    if converted is not None:
        in_map = text not in probe.source(condition)  # a condition has no place there
        fixed = [] if in_map else [converted[1]]
        return probe.diagnostic("filter_removes_all", condition, f"{opening} {converted[0]}", fixed, clear=True)
    if isinstance(literal, t.FunctionCall):
        missing = sorted(
            item
            for item in _values(probe, before, text, False)
            if isinstance(item, str) and item.strip().lower() in PLACEHOLDERS
        )
        if missing:
            stand = f"{all_of([quoted(item) for item in missing])} stand{'s' if len(missing) == 1 else ''}"
            # What is valid after today includes what is open-ended.
            today = literal.key == "date" and not literal.arguments and getattr(inner, "operator", "") in (">", ">=")
            fixed = [f"{text} IN [{', '.join(map(quoted, missing))}]"] if today and not negated else []
            message = f"{opening} {text} is text, and {stand} in it for a missing value."
            return probe.diagnostic("filter_removes_all", condition, message, fixed, clear=True)
    span = probe.rows(f"{before} RETURN min({text}) AS least, max({text}) AS most", 1)
    if not span or span[0][0] is None:
        return probe.diagnostic("filter_removes_all", condition, f"{opening} {text} is null in {where}.")
    year = isinstance(value, int) and 1000 <= value <= 9999
    if are_milliseconds(*span[0]) and (year or (isinstance(literal, t.FunctionCall) and literal.key == "date")):
        moment = f"datetime({{epochMillis: {text}}})"
        read = f"{moment}.year" if year else f"date({moment})"
        fixed = [probe.source(condition).replace(text, read)] if text in probe.source(condition) else []
        message = f"{opening} {text} holds times as milliseconds since 1970: compare {read}."
        return probe.diagnostic("filter_removes_all", condition, message, fixed, clear=True)
    is_text = isinstance(value, str) and not isinstance(literal, t.FunctionCall)  # a date in a row is a text too
    least, most = (bound if isinstance(bound, str) and not is_text else quoted(bound) for bound in span[0])
    found = f"is always {least}, or is null" if least == most else f"ranges from {least} to {most}"
    return probe.diagnostic("filter_removes_all", condition, f"{opening} In {where}, {text} {found}.")


def _elsewhere(probe: Probe, value: str) -> str:
    """Return the sentence that says which other nodes have a value; empty if none is known."""
    lookup = probe.graph.indexed_entities
    found = [item for item in lookup.find(value) if item.name == value] if lookup is not None else []
    places = dict.fromkeys(
        f"(:{quoted_name(item.label)} {{{quoted_name(item.property)}: {quoted(value)}}})" for item in found
    )
    return f" {all_of(list(places), 3)} exist{'s' if len(places) == 1 else ''}." if places else ""


def _placeholders(probe: Probe, before: str, condition: t.Expression) -> tuple[str, list[str]] | None:
    """Return the sentence about texts such as 'N/A' that stand for the nulls that a condition asks for, and its fix.

    `n.until IS NULL` becomes `n.until IN ['', 'N/A']`, also as an alternative of an OR.
    """
    for test in condition.find(t.IsNull):
        if test.negated or not isinstance(test.operand, t.Property):
            continue
        text = probe.source(test.operand)
        rows = probe.rows(
            f"{before} WITH {text} AS value RETURN value, count(*) AS times ORDER BY times DESC", MOST_VALUES
        )
        found = [
            (value, times) for value, times in rows if isinstance(value, str) and value.strip().lower() in PLACEHOLDERS
        ]
        if not found:
            continue
        values = sorted(quoted(value) for value, _ in found)
        fix = f"{text} = {values[0]}" if len(values) == 1 else f"{text} IN [{', '.join(values)}]"
        whole = probe.source(condition).replace(probe.source(test), fix)
        number = sum(times for _, times in found)
        return f"{text} is never null here: {counted(number, 'row')} have {all_of(values)} instead. Write {whole}.", [
            whole
        ]
    return None


def _converted(
    probe: Probe, before: str, condition: t.Expression, subject: t.Expression, literal: t.Expression
) -> tuple[str, str] | None:
    """Return why a text never compares with a number or date, and the condition with the text converted.

    A conversion is offered only if some of the values fulfil the condition under it, and under no other reading.
    """
    if not isinstance(condition, t.Binary) or condition.operator not in _COMPARE or condition.left is not subject:
        return None
    text, compare = probe.source(subject), _COMPARE[condition.operator]
    existing = [item for item in _values(probe, before, text, False) if isinstance(item, str)]
    texts = [item for item in existing if item.strip().lower() not in PLACEHOLDERS]
    number = isinstance(literal, t.IntegerLiteral | t.FloatLiteral)
    is_date = isinstance(literal, t.FunctionCall) and literal.key == "date"
    if not texts or not (number or is_date):
        return None
    found: list[tuple[str, frozenset[int]]] = []
    if number:
        assert isinstance(literal, t.IntegerLiteral | t.FloatLiteral)
        unit = _unit(texts)
        inner = f"split({text}, {quoted(unit)})[0]" if unit else text
        for form in _NUMBERS:
            read = [_as_number(item.removesuffix(unit), form) for item in texts]
            hits = frozenset(
                place for place, item in enumerate(read) if item is not None and compare(item, literal.value)
            )
            if None not in read and hits and hits not in [known for _, known in found]:
                found.append((f"toFloat({form.format(inner)})", hits))
    else:
        form_of = text_values(texts)
        if form_of is not None and form_of.type == "date" and FORMS[form_of.form].conversion:
            conversion = str(FORMS[form_of.form].conversion).format(text)
            whole = len(texts) == len(existing) and form_of.share >= 1
            found.append(
                (
                    conversion if whole else f"CASE WHEN {text} =~ '{guard(form_of.form)}' THEN {conversion} END",
                    frozenset(),
                )
            )
    kind = "a number" if number else "a date"
    reason = f"{text} is text, such as {quoted(texts[0])}, and {probe.source(literal)} is {kind}."
    if len(found) != 1:
        return None
    fixed = f"{found[0][0]} {condition.operator} {probe.source(literal)}"
    if not probe.has_rows(f"{before} WITH * WHERE {fixed}"):
        return None
    return f"{reason} Write {fixed}.", fixed


def _unit(texts: Sequence[str]) -> str:
    """Return what follows the digits in all texts: ` kg` for `['12.5 kg', '3 kg']`; empty if it differs."""
    units = {re.sub(r"^-?[\d.,]*", "", text) for text in texts}
    return units.pop() if len(units) == 1 else ""


def _as_number(text: str, form: str) -> float | None:
    """Return the number that a text is under one of the forms `_NUMBERS`; None if it is none."""
    thousands = {_NUMBERS[1]: ",", _NUMBERS[2]: ".", _NUMBERS[3]: "."}.get(form)
    if thousands is not None:
        if not re.fullmatch(rf"-?\d{{1,3}}(\{thousands}\d{{3}})*([.,]\d+)?", text):
            return None
        text = text.replace(thousands, "")
    if form == _NUMBERS[3]:
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


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
