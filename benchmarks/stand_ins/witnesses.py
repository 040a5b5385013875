"""Derives the content that a graph must have for a query to return rows: nodes, relationships and conditions.

>>> part, = parts_of(parse("MATCH (m:Movie)-[r:directedBy]->(:Person) WHERE m.year > 1990 RETURN m.name"))
>>> part.answer, [(link.type, link.start, link.end) for link in part.links]
('m', [('directedBy', 'm', ' 1')])
>>> part.alternatives
[(Condition(element='m', key='year', operator='>', value=1990),)]
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from graphground.cypher import tree as t
from graphground.graphs.synth import word

MOST_ALTERNATIVES = 6
"""Of the ways to satisfy a part's conditions, at most this many are considered; an OR with many operands has more."""

MIDNIGHT = "T00:00:00Z"

OPPOSITE = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "IN": "NOT IN",
    "NOT IN": "IN",
    "HAS": "HAS NOT",
    "HAS NOT": "HAS",
    "IS NULL": "IS NOT NULL",
    "IS NOT NULL": "IS NULL",
    "CONTAINS": "CONTAINS NOT",
    "CONTAINS NOT": "CONTAINS",
    "STARTS WITH": "CONTAINS NOT",
    "ENDS WITH": "CONTAINS NOT",
}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}


class Condition(NamedTuple):
    """A condition on a property: `n.year > 1990` is `Condition("n", "year", ">", 1990)`.

    `element` is the variable of a node or relationship. `'x' IN n.list` has the operator `HAS`.
    """

    element: str
    key: str
    operator: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class WitnessLink:
    """A relationship between two nodes of a part; conditions refer to it by `element`."""

    element: str
    type: str
    start: str
    end: str
    optional: bool = False


@dataclass(slots=True)
class Part:
    """One MATCH … RETURN of a query, reduced to the conditions that its matches must satisfy.

    Elements are the variables of nodes and relationships; where the query has no variable, a name is generated.
    `labels` and `names` map the elements of nodes to labels and names. `inline` are the conditions in patterns, and
    `alternatives` the ways to satisfy WHERE. `answer` is the element of the returned node.
    """

    labels: dict[str, str] = field(default_factory=dict)
    links: list[WitnessLink] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    inline: list[Condition] = field(default_factory=list)
    alternatives: list[tuple[Condition, ...]] = field(default_factory=lambda: [()])
    wanted: list[tuple[str, str]] = field(default_factory=list)
    """Properties that the query returns or sorts by, each as element and key; they should have values."""
    larger: list[tuple[tuple[str, str], tuple[str, str]]] = field(default_factory=list)
    """Pairs of properties, each as element and key; the first property of a pair should have the larger value.

    The first WHEN of a CASE in the query compares the two properties, and is then true. A wrong query compares other
    properties, which may be null, and takes the ELSE branch.
    """
    answer: str = ""


def parts_of(query: t.Query) -> list[Part]:
    """Return the parts of a query that match nodes: the query itself, its subqueries, and the branches of a UNION."""
    found = []
    for single in query.find(t.SingleQuery):
        part = _part(single)
        if part.labels:
            found.append(part)
    return found


def _part(single: t.SingleQuery) -> Part:
    part = Part()
    for clause in single.clauses:
        if isinstance(clause, t.Match):
            for path in clause.patterns:
                _take_path(part, path, clause.optional)
        where = getattr(clause, "where", None)
        if isinstance(clause, t.Match | t.With | t.Filter) and where is not None:
            ways = list(_ways(where, False))
            part.alternatives = [(*alternative, *other) for alternative in part.alternatives for other in ways][
                :MOST_ALTERNATIVES
            ]
        if isinstance(clause, t.With | t.Return):
            found = [_element_and_key(property_) for property_ in clause.projection.find(t.Property)]
            part.wanted += [place for place in dict.fromkeys(found) if place is not None and place not in part.wanted]
            for case in clause.projection.find(t.Case):
                _take_case(part, case)
    for way in part.alternatives:
        for condition in way:
            if condition.key == "name" and condition.operator == "=" and isinstance(condition.value, str):
                part.names.setdefault(condition.element, condition.value)
    last = single.clauses[-1] if single.clauses else None
    returned = [variable.name for variable in last.find(t.Variable)] if last is not None else []
    part.answer = next((name for name in returned if name in part.labels), next(iter(part.labels), ""))
    return part


def _element_and_key(node: t.Node) -> tuple[str, str] | None:
    if isinstance(node, t.Property) and isinstance(node.subject, t.Variable):
        return node.subject.name, node.key.text
    return None


def _take_case(part: Part, case: t.Case) -> None:
    condition = case.branches[0].conditions[0] if case.subject is None and case.branches else None
    if isinstance(condition, t.Binary) and condition.operator in ("<", ">", "<=", ">="):
        left, right = _element_and_key(condition.left), _element_and_key(condition.right)
        if left is not None and right is not None:
            part.larger.append((left, right) if condition.operator.startswith(">") else (right, left))


def _take_path(part: Part, path: t.PathPattern, optional: bool) -> None:
    before, pending = "", None
    for element in path.elements:
        if isinstance(element, t.RelationshipPattern):
            pending = element
            continue
        if not isinstance(element, t.NodePattern):
            before, pending = "", None
            continue
        name = element.variable.name if element.variable else f" {len(part.labels)}"
        label = _one_name(element.labels)
        if label or name not in part.labels:
            part.labels[name] = label or part.labels.get(name, "")
        for key, value in _entries(element.properties):
            if key == "name" and isinstance(value, str):
                part.names[name] = value
            else:
                part.inline.append(Condition(name, key, "=", value))
        if before and pending is not None and (type_ := _one_name(pending.types)):
            link = pending.variable.name if pending.variable else f" r{len(part.links)}"
            start, end = (name, before) if pending.direction == "left" else (before, name)
            part.links.append(WitnessLink(link, type_, start, end, optional))
            part.inline += [Condition(link, key, "=", value) for key, value in _entries(pending.properties)]
        before, pending = name, None


def _one_name(labels: t.LabelExpression | None) -> str:
    return labels.name.text if isinstance(labels, t.LabelName) else ""


def _entries(properties: t.Expression | None) -> Iterator[tuple[str, Any]]:
    if isinstance(properties, t.MapLiteral):
        for entry in properties.entries:
            value = constant(entry.value)
            if value is not None:
                yield entry.key.text, value


def constant(node: t.Node) -> Any:
    """Return the value of a constant: `'x'`, `3`, `-3`, `[1, 2]`, or `date('1999-01-01')`, whose value is its text.

    A `datetime` without a time is at midnight. Return None for any other expression.

    >>> constant(next(parse("RETURN datetime('1999-01-01')").find(t.FunctionCall)))
    '1999-01-01T00:00:00Z'
    """
    match node:
        case t.StringLiteral() | t.IntegerLiteral() | t.FloatLiteral() | t.BooleanLiteral():
            return node.value
        case t.FunctionCall(key="date" | "datetime", arguments=[t.StringLiteral() as text]):
            is_day = node.key == "datetime" and len(text.value) == 10 and _is_date(text.value)
            return f"{text.value}{MIDNIGHT}" if is_day else text.value
        case t.Unary(operator="-", operand=t.IntegerLiteral() | t.FloatLiteral() as number):
            return -number.value
        case t.ListLiteral(items=items):
            values = [constant(item) for item in items]
            return None if None in values else values
    return None


def _ways(node: t.Expression, negated: bool) -> Iterator[tuple[Condition, ...]]:
    """Yield the ways to make a condition true (or false if `negated`), each a tuple of comparisons that must all hold.

    A comparison of an unsupported kind is left out, as if it were always true; so is a comparison with an empty list.
    """
    match node:
        case t.Unary(operator="NOT", operand=inner):
            yield from _ways(inner, not negated)
        case t.Binary(operator="AND" | "OR" as joined, left=left, right=right):
            if (joined == "AND") != negated:
                yield from ((*way, *other) for way in _ways(left, negated) for other in _ways(right, negated))
            else:
                yield from _ways(left, negated)
                yield from _ways(right, negated)
        case t.IsNull(operand=t.Property(subject=t.Variable(name=name), key=key), negated=positive):
            yield (Condition(name, key.text, "IS NOT NULL" if positive != negated else "IS NULL"),)
        case t.Binary():
            condition = _comparison(node)
            if condition is not None and negated:
                condition = condition._replace(operator=OPPOSITE[condition.operator])
            yield (condition,) if condition is not None else ()
        case _:
            yield ()


def _comparison(node: t.Binary) -> Condition | None:
    left, right = node.left, node.right
    match left, right:
        case t.Property(subject=t.Variable(name=name), key=key), _ if node.operator in OPPOSITE:
            value = constant(right)
            return Condition(name, key.text, node.operator, value) if value not in (None, []) else None
        case _, t.Property(subject=t.Variable(name=name), key=key):
            value = constant(left)
            operator = "HAS" if node.operator == "IN" else _TURNED.get(node.operator)
            return Condition(name, key.text, operator, value) if value is not None and operator else None
    return None


def satisfying(condition: Condition, rng: random.Random) -> Any:
    """Return a value for which a condition holds, at or near the condition's boundary if there is one.

    Return None for `IS NULL`, and also for `IS NOT NULL`, where the caller chooses a value of the property's type.

    >>> satisfying(Condition("n", "year", ">", 1990), random.Random(0)) > 1990
    True
    """
    value = condition.value
    match condition.operator:
        case "=" | "<=" | ">=":
            return value
        case "<" | ">" as operator:
            return _moved(value, rng.randint(1, 3) * (1 if operator == ">" else -1))
        case "<>" | "CONTAINS NOT":
            return _another(value, rng)
        case "IN":
            return rng.choice(value) if isinstance(value, list) and value else value
        case "HAS":
            return [value, _another(value, rng)]
        case "HAS NOT":
            return [_another(value, rng)]
        case "CONTAINS":
            return f"{word(rng.randrange(999))} {value} {word(rng.randrange(999))}"
        case "STARTS WITH":
            return f"{value}{word(rng.randrange(999)).lower()}"
        case "ENDS WITH":
            return f"{word(rng.randrange(999))}{value}"
        case "NOT IN":
            return _outside(value if isinstance(value, list) else [value], rng)
    return None


def _another(value: Any, rng: random.Random) -> Any:
    """Return another value of the same type: a random word for a text that is not a date."""
    return word(rng.randrange(999)) if isinstance(value, str) and not _is_date(value) else _moved(value, 5)


def _outside(values: Sequence[Any], rng: random.Random) -> Any:
    """Return a value that is not among the values: a number if there are numbers, otherwise a value of their type."""
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if numbers:
        return _moved(max(numbers), 1)
    texts = [value for value in values if isinstance(value, str)]
    if texts:
        return _moved(max(texts), 1) if all(map(_is_date, texts)) else word(rng.randrange(999))
    return _moved(values[0], 1)


def violating(condition: Condition, rng: random.Random) -> Any:
    """Return a value that fails a condition, near its boundary if there is one: 1990 for `n.year > 1990`.

    Return None for `IS NOT NULL`, and also for `IS NULL`, where the caller chooses a value of the property's type.
    """
    opposite = OPPOSITE.get(condition.operator)
    return satisfying(condition._replace(operator=opposite), rng) if opposite else None


def _is_date(value: str) -> bool:
    return len(value) >= 10 and value[4:5] == "-" and value[:4].isdigit()


def _moved(value: Any, steps: int) -> Any:
    """Move a value by a number of steps: an integer by 1 each, a date by a day, a float by a tenth of itself.

    Positive steps lead to a higher value, also of a negative float. A boolean is negated; a text is extended by one
    letter for each step.
    """
    match value:
        case bool():
            return not value
        case int():
            return value + steps
        case float():
            moved = value * (1 + 0.1 * (steps if value > 0 else -steps)) if value else float(steps)
            return float(f"{moved:.10g}")
        case str() if _is_date(value):
            try:
                return (date.fromisoformat(value[:10]) + timedelta(days=steps)).isoformat() + value[10:]
            except (ValueError, OverflowError):
                return value
    return f"{value}{'z' * abs(steps)}"


def fresh_value(key: str, type_: str, rng: random.Random) -> Any:
    """Return a random value of a property type; most values are distinct, except for booleans and years."""
    match _alternatives(type_)[0]:
        case "int":
            return rng.randint(1850, 2023) if "year" in key else rng.randint(1, 100_000)
        case "float":
            return round(rng.uniform(1, 10_000), 2)
        case "bool":
            return rng.random() < 0.5
        case "date" | "datetime" as kind:
            day = (date(1850, 1, 1) + timedelta(days=rng.randrange(62_000))).isoformat()
            return day if kind == "date" else f"{day}{MIDNIGHT}"
        case text if text.startswith("list["):
            return [fresh_value(key, text[5:-1], rng) for _ in range(2)]
    return word(rng.randrange(65_536))


def of_type(value: Any, type_: str | None) -> bool:
    """Whether a value may be stored under a property of this type.

    >>> of_type(3, "float"), of_type("long", "int"), of_type(["a"], "list[str]"), of_type(3, "int|str")
    (True, False, True, True)
    """
    alternatives = _alternatives(type_ or "")
    if len(alternatives) > 1:
        return any(of_type(value, alternative) for alternative in alternatives)
    if isinstance(value, list):
        return (type_ or "").startswith("list[") and all(of_type(item, str(type_)[5:-1]) for item in value)
    match type_:
        case "int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "bool":
            return isinstance(value, bool)
        case "date":
            return isinstance(value, str) and len(value) == 10 and _is_date(value)
        case "datetime":
            return isinstance(value, str) and _is_datetime(value)
        case "str":
            return isinstance(value, str)
    return False


def _alternatives(type_: str) -> list[str]:
    """Return the types in a union: `int` and `list[int|str]` for `int|list[int|str]`."""
    return re.split(r"\|(?![^\[]*\])", type_)


def _is_datetime(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return value[10:11] == "T"


def nearby(value: Any) -> Sequence[Any]:
    """Return a number or date between two neighbours, a lower and a higher value.

    Each of `<`, `=` and `>` then matches one of the values. For a boolean or any other text, return only the value
    itself. For a list, return the results for all its items as one list.
    """
    if isinstance(value, list):
        return [neighbour for item in value for neighbour in nearby(item)]
    if isinstance(value, bool) or (isinstance(value, str) and not _is_date(value)):
        return [value]
    return [_moved(value, -1), value, _moved(value, 1)]
