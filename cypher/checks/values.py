"""Reports uses of properties that contradict their types.

These are comparisons with a value of another type, a list compared as a single value, and a part that the type does not
have, as in `n.launch_year.year`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, Literal

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import Findings, entry_as_condition, free_name
from graphground.cypher.checks.names import relationship_properties
from graphground.cypher.checks.text_values import (
    MOMENTS,
    NEEDS_NUMBERS,
    NUMBERS,
    ORDERING,
    compared_with_value,
    component,
    in_where,
    member_of_values,
    name_of,
    text_values_of,
)
from graphground.cypher.diagnostics import Edit
from graphground.cypher.outline.model import Comparison, Data, Facts, PropertyUse, common_texts, owners
from graphground.cypher.quoting import quoted_string
from graphground.cypher.schema import SCALAR_TYPES
from graphground.cypher.text_values import BOOLEANS, epoch_of
from graphground.cypher.tokens import words
from graphground.cypher.tree import Node

ORDER = ORDERING | {"=", "<>"}
TEXT = frozenset({"CONTAINS", "STARTS WITH", "ENDS WITH", "=~"})
SAMPLES = {
    "date": "date('1999-01-31')",
    "datetime": "datetime('1999-01-31T12:00:00')",
    "int": "1999",
    "float": "1.5",
    "bool": "true",
    "str": "'text'",
}
CHECKED = frozenset(SAMPLES)
DATE_PARTS = words(
    "year month day quarter week weekyear dayofweek weekday dayofquarter quarterday ordinalday dayofyear hour minute "
    "second millisecond microsecond nanosecond timezone offset epochseconds epochmillis offsetminutes offsetseconds"
)


def wrong_values(facts: Facts, findings: Findings, parameters: dict[str, object], data: Data | None = None) -> None:
    """Report values of a wrong type, `n.date_of_birth > 1950`, and lists compared as values, `n.names = 'Heat'`."""
    for comparison in facts.comparisons:
        if isinstance(comparison.left, PropertyUse) and _epoch(facts, comparison, comparison.left, findings, data):
            continue
        if isinstance(comparison.left, PropertyUse) and comparison.operator in ORDER:
            _ordered(facts, comparison, comparison.left, findings, parameters, data)
        elif isinstance(comparison.left, PropertyUse) and comparison.operator in TEXT:
            _textual(facts, comparison, comparison.left, findings)
        elif comparison.operator == "IN":
            _membership(facts, comparison, findings, parameters)
    for use, part in facts.components:
        _component(facts, use, part, findings, data)
    for call, argument, use in facts.calls:
        _no_number(facts, call, argument, use, findings)
        unit = _epoch_unit(facts, use, data) if call.key in ("date", "datetime") else None
        if unit is not None and unit != "yyyymmdd":
            moment = f"datetime({{{unit}: {findings.query.source(argument)}}})"
            fix = f"date({moment})" if call.key == "date" else moment
            message = f"{name_of(use)} holds {EPOCHS[unit]}, which {call.name}() does not read. Write {fix}."
            findings.error("type_mismatch", message, call, fix=fix)
    # `e.ended - e.began` on dates, or on texts that hold dates
    moments: dict[t.Binary, dict[t.Expression, str | None]] = {}
    for operation, operand, use in facts.calculated:
        kind = property_type(facts, use)
        texts = text_values_of(facts, use) if kind == "str" else None
        source = findings.query.source(operand)
        if operation.operator == "-" and (kind in MOMENTS or (texts and texts.type in MOMENTS)):
            moments.setdefault(operation, {})[operand] = texts.converted(source) if texts else source
    for operation, operands in moments.items():
        if len(operands) == 2:
            left, right = (operands.get(operand) for operand in (operation.left, operation.right))
            written = f"duration.inDays({right}, {left}).days" if left and right else None
            message = "Dates cannot be subtracted." + (f" Write {written}." if written else "")
            findings.error("type_mismatch", message, operation, fix=written)


EPOCHS = {
    "epochMillis": "times as milliseconds since 1970",
    "epochSeconds": "times as seconds since 1970",
    "yyyymmdd": "dates as eight digits",
}
"""What a property of whole numbers holds, by their unit, as messages say it."""


def _epoch_unit(facts: Facts, use: PropertyUse, data: Data | None) -> str | None:
    """Return `epochMillis`, `epochSeconds` or `yyyymmdd` if all values of a whole number are such; see `epoch_of`."""
    if data is None or property_type(facts, use) != "int":
        return None
    known = [data.property(owner, use.key) for owner in owners(facts, use.symbol, use.key)]
    units = {epoch_of(item.least, item.greatest) if item is not None else None for item in known}
    return units.pop() if len(units) == 1 else None


def _epoch(facts: Facts, comparison: Comparison, use: PropertyUse, findings: Findings, data: Data | None) -> bool:
    """Report times since 1970 compared with a date or a year, `i.at > date('2022-01-01')`; return whether it applies.

    A whole number in the range of seconds may be a count that is compared with one, and no year.
    """
    literal, source = comparison.right_node, findings.query.source
    written = literal.value if isinstance(literal, t.StringLiteral) else ""
    year = bool(_year_of(literal))
    kind = "date" if ISO_DATE.fullmatch(written) else literal_type(literal, {})
    if (comparison.operator not in ORDER and not (year and written)) or not (year or kind in ("date", "datetime")):
        return False
    unit = _epoch_unit(facts, use, data)
    if unit is None or (unit == "epochSeconds" and year and not written):
        return False
    name, naming = in_where(use, findings.query)
    number = f"{name}.{source(use.key_node)}"
    moment = f"datetime({{{unit}: {number}}})"
    subject = f"{moment}.year" if year else f"date({moment})" if kind == "date" else moment
    operator = comparison.operator if comparison.operator in ORDER else "="
    value = _year_of(literal) if year else f"date({source(literal)})" if written else source(literal)
    if unit == "yyyymmdd":
        digits = re.sub(r"\D", "", value)[:8]
        if len(digits) != (4 if year else 8):
            return False
        subject, value = f"{number} / 10000" if year else number, digits
    whole = isinstance(comparison.node, t.Binary) and not use.in_map
    left = comparison.left_node
    edits = [] if use.in_map else [Edit(left.start, left.end, subject), Edit(literal.start, literal.end, value)]
    findings.error(
        "type_mismatch",
        f"{name_of(use)} holds {EPOCHS[unit]}, so it cannot be compared with {source(literal)}. "
        f"{naming}{'and write' if naming else 'Write'} {subject} {operator} {value}.",
        comparison.node if whole else literal,
        [f"{subject} {operator} {value}"] if whole else [],
        clear=whole,
        edits=edits if comparison.operator in ORDER else [],
    )
    return True


def property_type(facts: Facts, use: PropertyUse) -> str | None:
    """Return the type of a property, or None if it is unknown, mixed, or differs between the possible labels.

    For example, `p.date_of_birth` of a Person is a `date`, and an item of a `list[str]` is a `str`.
    """
    if use.symbol.kind == "node":
        types = facts.index.property_types(use.symbol.kinds, use.key)
    elif use.symbol.link is not None and not use.symbol.link.unknown:
        found = relationship_properties(facts, use.symbol.link).get(use.key)
        types = frozenset({found} if found else ())
    else:
        return None
    if len(types) != 1:
        return None
    (only,) = types
    if use.element:
        only = only[5:-1] if only.startswith("list[") else "unknown"
    inner = only[5:-1] if only.startswith("list[") else only
    return only if inner in SCALAR_TYPES or only == "list[unknown]" else None


def _ordered(
    facts: Facts,
    comparison: Comparison,
    use: PropertyUse,
    findings: Findings,
    parameters: dict[str, object],
    data: Data | None,
) -> None:
    expected = property_type(facts, use)
    if expected is None:
        return
    if isinstance(comparison.right, PropertyUse):
        _two_properties(facts, comparison, use, comparison.right, expected, findings)
        return
    value_type = literal_type(comparison.right_node, parameters)
    if value_type is None:
        return
    if expected.startswith("list["):
        if not value_type.startswith("list["):
            _list_as_value(comparison, use, findings)
        return
    if value_type.startswith("list["):
        if comparison.operator == "=":
            _mismatch(comparison, use, expected, value_type, "", findings)
        return
    if expected in CHECKED and value_type in CHECKED and not comparable(expected, value_type):
        ordered = comparison.operator in ORDERING
        texts = text_values_of(facts, use, mixed=ordered) if expected == "str" else None
        if texts is not None and compared_with_value(comparison, use, texts, value_type, findings):
            return
        right = retyped(comparison.right_node, expected, comparison.operator)
        if expected == "str" and isinstance(comparison.right_node, t.BooleanLiteral):
            # The text that stands for true or false beside its opposite: `'yes'` of yes, no, N/A.
            known = {text.lower(): text for text in common_texts(facts, use.symbol, use.key, data)}
            words = [known[pair[not comparison.right_node.value]] for pair in BOOLEANS if known.keys() >= set(pair)]
            right = quoted_string(words[0]) if len(words) == 1 else ""
        if expected == "str" and comparison.operator not in ("=", "<>"):
            right = ""  # text in an unknown form would be compared character by character
        _mismatch(comparison, use, expected, value_type, right, findings)


def _mismatch(
    comparison: Comparison, use: PropertyUse, expected: str, value_type: str, right: str, findings: Findings
) -> None:
    source = findings.query.source
    literal = comparison.right_node
    effect = "always true where the property is set" if comparison.operator == "<>" else "never true"
    message = (
        f"{name_of(use)} is of type {expected}, and {source(literal)} of type {value_type}: the comparison is {effect}."
    )
    if expected in SAMPLES:
        message += f" Write a value such as {SAMPLES[expected]}."
    node: Node = literal
    suggestions = [right] if right else []
    year = _year_of(literal)
    if expected == "date" and year and comparison.operator in ("=", "<>") and not use.in_map:
        node = comparison.node
        suggestions = [f"{source(use.node)}.year {comparison.operator} {year}"]
        message += f" For the year alone: {suggestions[0]}."
    findings.error("type_mismatch", message, node, suggestions, clear=bool(suggestions))


def _year_of(node: Node) -> str:
    if isinstance(node, t.IntegerLiteral) and 1000 <= node.value <= 9999:
        return str(node.value)
    if isinstance(node, t.StringLiteral) and len(node.value) == 4 and node.value.isdigit():
        return node.value
    return ""


def _list_as_value(comparison: Comparison, use: PropertyUse, findings: Findings) -> None:
    value = findings.query.source(comparison.right_node)
    if use.in_map:
        name, naming = in_where(use, findings.query)
        condition = f"{value} IN {name}.{findings.query.source(use.key_node)}"
        findings.error(
            "list_compared_as_value",
            f"{name_of(use)} is a list, which never equals a single value. "
            f"{naming}{'and write' if naming else 'Write'} WHERE {condition}.",
            comparison.node,
            edits=entry_as_condition(findings.query, comparison.node, condition),
        )
        return
    subject = findings.query.source(use.node)
    negation = "NOT " if comparison.operator == "<>" else ""
    suggestions = [f"{negation}{value} IN {subject}"]
    message = f"{name_of(use)} is a list, which never equals a single value."
    if comparison.operator in ORDERING:
        suggestions = [f"any(x IN {subject} WHERE x {comparison.operator} {value})"]
        message = f"{name_of(use)} is a list: {comparison.operator} with a single value is never true."
    findings.error("list_compared_as_value", message, comparison.node, suggestions, clear=True)


def _textual(facts: Facts, comparison: Comparison, use: PropertyUse, findings: Findings) -> None:
    expected = property_type(facts, use)
    if expected is None or expected == "str":
        return
    subject, value = findings.query.source(use.node), findings.query.source(comparison.right_node)
    if expected.startswith("list["):
        if expected != "list[str]":
            return
        exact = f"{value} IN {subject}"
        suggestions = [f"any(x IN {subject} WHERE x {comparison.operator} {value})"]
        if comparison.operator == "CONTAINS":
            suggestions.insert(0, exact)
        findings.error(
            "list_compared_as_value",
            f"{name_of(use)} is a list; {comparison.operator} works on text only and returns null here: "
            f"write {suggestions[0]}.",
            comparison.node,
            suggestions,
            clear=True,
        )
        return
    sample = f"Compare with a value such as {SAMPLES[expected]}, or use" if expected in SAMPLES else "Use"
    message = (
        f"{name_of(use)} is of type {expected}; {comparison.operator} works on text only and returns null here. "
        f"{sample} toString({subject})."
    )
    findings.error("type_mismatch", message, use.node, [f"toString({subject})"], clear=comparison.operator != "=~")


def _membership(facts: Facts, comparison: Comparison, findings: Findings, parameters: dict[str, object]) -> None:
    left, right = comparison.left, comparison.right
    source = findings.query.source
    if isinstance(right, PropertyUse):
        holds = property_type(facts, right)
        value_type = literal_type(comparison.left_node, parameters)
        if holds is None or value_type is None or value_type.startswith("list["):
            return
        if holds.startswith("list["):
            inner = holds[5:-1]
            if inner in CHECKED and value_type in CHECKED and not comparable(inner, value_type):
                literal = comparison.left_node
                fixed = retyped(literal, inner, "=")  # type: ignore[arg-type]
                findings.error(
                    "type_mismatch",
                    f"{name_of(right)} is a list of {inner}, and {source(literal)} is of type {value_type}: "
                    "the comparison is never true.",
                    literal,
                    fix=fixed,
                )
        else:
            suggestion = f"{source(right.node)} = {source(comparison.left_node)}"
            findings.warning(
                "type_mismatch", f"{name_of(right)} is a single {holds}, not a list.", comparison.node, [suggestion]
            )
        return
    if not isinstance(left, PropertyUse):
        return
    expected = property_type(facts, left)
    value_type = literal_type(comparison.right_node, parameters)
    if expected is None or value_type is None:
        return
    inner = value_type[5:-1] if value_type.startswith("list[") else ""
    if expected.startswith("list["):
        if inner and not inner.startswith("list["):
            suggestion = f"any(x IN {source(left.node)} WHERE x IN {source(comparison.right_node)})"
            message = (
                f"{name_of(left)} is itself a list, which IN compares as a whole with each value of the other list."
            )
            findings.error("list_compared_as_value", message, comparison.node, fix=suggestion)
    elif inner in CHECKED and expected in CHECKED and not comparable(expected, inner):
        literal = comparison.right_node
        texts = text_values_of(facts, left) if expected == "str" else None
        if texts is not None and texts.type != "bool":
            member_of_values(
                comparison, left, texts, inner, literal.items if isinstance(literal, t.ListLiteral) else (), findings
            )
            return
        items = [retyped(item, expected, "=") for item in literal.items] if isinstance(literal, t.ListLiteral) else []
        suggestions = [f"[{', '.join(items)}]"] if items and all(items) else []
        findings.error(
            "type_mismatch",
            f"{name_of(left)} is of type {expected}, and {source(literal)} holds values of type {inner}: "
            "the comparison is never true.",
            literal,
            suggestions,
            clear=bool(suggestions),
        )


def _two_properties(
    facts: Facts, comparison: Comparison, left: PropertyUse, right: PropertyUse, expected: str, findings: Findings
) -> None:
    value_type = property_type(facts, right)
    if value_type is None or left.in_map:
        return
    source = findings.query.source
    lists = expected.startswith("list["), value_type.startswith("list[")
    if lists[0] != lists[1] and comparison.operator in ("=", "<>"):
        single, many = (right, left) if lists[0] else (left, right)
        suggestion = f"{'NOT ' if comparison.operator == '<>' else ''}{source(single.node)} IN {source(many.node)}"
        message = f"{name_of(many)} is a list and {name_of(single)} a single value."
        findings.warning("list_compared_as_value", message, comparison.node, [suggestion])
    elif expected in CHECKED and value_type in CHECKED and not comparable(expected, value_type):
        written, place = "", comparison.node
        for use, other in ((left, value_type), (right, expected)):
            texts = text_values_of(facts, use)
            if texts is not None and (texts.type == other or {texts.type, other} <= NUMBERS):
                written, place = texts.converted(source(use.node)) or "", use.node
        message = f"{name_of(left)} is of type {expected} and {name_of(right)} of type {value_type}: these types are not comparable."
        findings.warning("type_mismatch", message + (f" Write {written}." if written else ""), place, fix=written)


def _no_number(
    facts: Facts, call: t.FunctionCall, argument: t.Expression, use: PropertyUse, findings: Findings
) -> None:
    """Report `avg(p.date_of_birth)` and `sum(p.gender)`: the database refuses them, whatever the values are."""
    kind = property_type(facts, use)
    if call.key not in NEEDS_NUMBERS or kind not in ("str", "bool", "date", "datetime"):
        return
    texts = text_values_of(facts, use, mixed=True) if kind == "str" else None
    if texts is None or texts.type not in NUMBERS:
        message = f"{call.name}() takes numbers, and {name_of(use)} is of type {kind}."
        findings.error("type_mismatch", message, argument)


def _component(facts: Facts, use: PropertyUse, part: t.Name, findings: Findings, data: Data | None) -> None:
    """Report `n.launch_year.year` if launch_year is a number or another type that has no parts."""
    expected = property_type(facts, use)
    if expected is None or expected not in ("int", "float", "str", "bool"):
        return
    texts = text_values_of(facts, use) if expected == "str" else None
    if texts is not None:
        component(use, part, texts, findings)
        return
    text = findings.query.source(use.node)
    suggestions = []
    if part.text.lower() in DATE_PARTS:
        suggestions = [text] if expected == "int" else [f"date({text}).{part.text}"] if expected == "str" else []
        if (unit := _epoch_unit(facts, use, data)) and unit != "yyyymmdd":
            suggestions = [f"datetime({{{unit}: {text}}}).{part.text}"]
    findings.error(
        "type_mismatch",
        f"{name_of(use)} is of type {expected} and has no part {part.text!r}.",
        use.node,
        suggestions,
        clear=expected == "int" and bool(suggestions),
        to=part,
    )


# Reports comparisons with NULL: `n.x = NULL` is always null, so the condition never holds, even if `n.x` is null


def compared_with_null(findings: Findings) -> None:
    """Report `WHERE n.x = NULL`, `<> NULL`, `{x: NULL}` in a pattern and `CASE n.x WHEN NULL`."""
    if next(findings.query.find(t.NullLiteral), None) is None:
        return
    seen: set[int] = set()  # a condition inside a subquery belongs to an outer condition too
    for condition in conditions(findings.query):
        for node in condition.find(t.Binary):
            if node.operator in ORDER and id(node) not in seen:
                seen.add(id(node))
                _comparison(node, findings)
    created = {
        id(element)
        for clause in findings.query.walk()
        if isinstance(clause, t.Create | t.Merge)
        for element in clause.walk()
    }
    for element in findings.query.walk():
        if isinstance(element, t.NodePattern | t.RelationshipPattern) and id(element) not in created:
            source = findings.query.source
            entries = element.properties.entries if isinstance(element.properties, t.MapLiteral) else []
            for entry in entries:
                if isinstance(entry.value, t.NullLiteral):
                    findings.error(
                        "null_comparison",
                        f"A pattern with {source(entry)} matches nothing, since no value equals null. "
                        f"{_instead(element, source(entry.key), findings.query)}",
                        entry,
                    )
    for case in findings.query.find(t.Case):
        if case.subject is not None:
            for branch in case.branches:
                for condition in branch.conditions:
                    if isinstance(condition, t.NullLiteral):
                        findings.error(
                            "null_comparison",
                            "NULL after WHEN never matches: CASE compares with =, and no value equals null. Write CASE WHEN "
                            f"{findings.query.source(case.subject)} IS NULL THEN ….",
                            condition,
                        )


def _instead(element: t.NodePattern | t.RelationshipPattern, key: str, query: t.Query) -> str:
    """Return the advice to test the property in WHERE: `Delete this entry and write WHERE n.name IS NULL.`"""
    if isinstance(element, t.RelationshipPattern) and (element.length or element.quantifier):
        return f"Delete this entry, and test in WHERE that {key} IS NULL in each relationship."
    if element.variable is not None:
        return f"Delete this entry and write WHERE {query.source(element.variable)}.{key} IS NULL."
    kind: Literal["node", "relationship"] = "node" if isinstance(element, t.NodePattern) else "relationship"
    name = free_name(kind, query)
    return f"Delete this entry, name the {kind} {name}, and write WHERE {name}.{key} IS NULL."


def conditions(query: t.Query) -> Iterator[t.Expression]:
    """Yield the conditions of WHERE, and of the branches of a CASE without a subject."""
    for node in query.walk():
        where = getattr(node, "where", None)
        if isinstance(where, t.Expression):
            yield where
        if isinstance(node, t.Case) and node.subject is None:
            for branch in node.branches:
                yield from branch.conditions


def _comparison(node: t.Binary, findings: Findings) -> None:
    nulls = [isinstance(side, t.NullLiteral) for side in (node.left, node.right)]
    if not any(nulls):
        return
    source = findings.query.source
    message = f"{source(node)} is always null, never true"
    if all(nulls) or node.operator in ORDERING:
        findings.error("null_comparison", f"{message}: a value cannot be compared with null.", node)
        return
    operand = node.right if nulls[0] else node.left
    subject = (
        source(operand) if isinstance(operand, t.Property | t.Variable | t.FunctionCall) else f"({source(operand)})"
    )
    fix = f"{subject} IS {'NOT ' if node.operator == '<>' else ''}NULL"
    findings.error("null_comparison", f"{message}.", node, fix=fix)


# The types of literals in a query, and conversions of a literal to another type


ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
ISO_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T[\d:.]+(Z|[+-]\d{2}:?\d{2})?")
YEAR = re.compile(r"\d{4}")
NUMBER = re.compile(r"-?\d+(\.\d+)?")
_FUNCTIONS = {
    "date": "date",
    "tointeger": "int",
    "tofloat": "float",
    **dict.fromkeys(("datetime", "localdatetime"), "datetime"),
    **dict.fromkeys(("tostring", "tolower", "toupper", "lower", "upper", "trim"), "str"),
}
_LITERALS = {t.StringLiteral: "str", t.IntegerLiteral: "int", t.FloatLiteral: "float", t.BooleanLiteral: "bool"}
_PYTHON = {str: "str", bool: "bool", int: "int", float: "float", date: "date", datetime: "datetime"}


def literal_type(node: t.Node, parameters: Mapping[str, Any]) -> str | None:
    """Return the schema's name for a literal's type, or None if the type is uncertain.

    `1999` is an int, `date('1999-01-01')` a date, `['a', 'b']` a `list[str]`; `$name` has the type of its value.
    """
    if type(node) in _LITERALS:
        return _LITERALS[type(node)]
    if isinstance(node, t.Unary) and node.operator in "+-":
        return literal_type(node.operand, parameters)
    if isinstance(node, t.ListLiteral):
        inner = {literal_type(item, parameters) for item in node.items}
        return f"list[{inner.pop()}]" if len(inner) == 1 and None not in inner else None
    if isinstance(node, t.Parameter) and node.name in parameters:
        return _python_type(parameters[node.name])
    if isinstance(node, t.FunctionCall):
        return _FUNCTIONS.get(node.key)
    return None


def _python_type(value: Any) -> str | None:
    if isinstance(value, list | tuple):
        inner = {_python_type(item) for item in value}
        return f"list[{inner.pop()}]" if len(inner) == 1 and None not in inner else None
    return _PYTHON.get(type(value))


def comparable(first: str, second: str) -> bool:
    """Return whether values of two scalar types can be equal: `comparable("int", "float")` is True."""
    return first == second or (first in NUMBERS and second in NUMBERS)


def retyped(node: t.Expression, wanted: str, operator: str) -> str:
    """Return the literal converted to the wanted type, ready to paste, or an empty string if the conversion is unclear.

    `'1999-01-01'` as a date is `date('1999-01-01')`, `'12'` as an int is `12`, `1999` as a date after `>=` is
    `date('1999-01-01')`.
    """
    if isinstance(node, t.StringLiteral):
        return _string_as(node.value.strip(), wanted, operator)
    if isinstance(node, t.IntegerLiteral | t.FloatLiteral) and wanted == "str":
        return quoted_string(str(node.value))
    if isinstance(node, t.IntegerLiteral):
        if wanted == "date" and 1000 <= node.value <= 9999:
            return _year_as_date(str(node.value), operator)
        if wanted == "bool" and node.value in (0, 1):
            return "true" if node.value else "false"
        return ""
    if isinstance(node, t.FunctionCall) and len(node.arguments) == 1 and isinstance(node.arguments[0], t.StringLiteral):
        text = node.arguments[0].value
        if node.key in ("date", "datetime", "localdatetime"):
            if wanted in NUMBERS and ISO_DATE.match(text):
                return str(int(text[:4]))
            if wanted == "str":
                return quoted_string(text)
            if wanted == "date" and ISO_DATE.match(text):
                return f"date({quoted_string(text[:10])})"
            if wanted == "datetime" and ISO_DATE.fullmatch(text):
                return f"datetime({quoted_string(text)})"
    return ""


def _string_as(text: str, type_: str, operator: str) -> str:
    if type_ in NUMBERS:
        if NUMBER.fullmatch(text) and (type_ == "float" or "." not in text):
            return text
        return str(int(text[:4])) if type_ == "int" and ISO_DATE.fullmatch(text) else ""
    if type_ == "date":
        if ISO_DATE.fullmatch(text):
            return f"date({quoted_string(text)})"
        time = ISO_TIME.fullmatch(text)
        if time:
            return f"date({quoted_string(time[1])})"
        return _year_as_date(text, operator) if YEAR.fullmatch(text) else ""
    if type_ == "datetime" and (ISO_DATE.fullmatch(text) or ISO_TIME.fullmatch(text)):
        return f"datetime({quoted_string(text)})"
    words = [pair for pair in BOOLEANS if text.lower() in pair] if type_ == "bool" else []
    return ("true" if text.lower() == words[0][0] else "false") if words else ""


def _year_as_date(year: str, operator: str) -> str:
    day = {"<": "01-01", ">=": "01-01", ">": "12-31", "<=": "12-31"}.get(operator)
    return f"date('{year}-{day}')" if day else ""
