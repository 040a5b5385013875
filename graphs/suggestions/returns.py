"""The space of RETURN parts about the node `n`: CypherBench's RETURN templates and their combinations.

| template | text |
|---|---|
| `name`, `name_prop` | `RETURN n.name`, `RETURN n.name, n.height_cm` |
| `prop`, `distinct` | `RETURN n.gender`, `RETURN DISTINCT n.gender` |
| `unwind` | `UNWIND n.schools AS prop RETURN DISTINCT prop` |
| `order`, `argmax` | `RETURN n.name ORDER BY n.height_cm DESC`, and the same with `LIMIT 1` |
| `count`, `count_prop`, `min`, `max`, `avg` | `RETURN count(DISTINCT n)`, `RETURN avg(n.height_cm)` |
| `larger`, `smaller`, `minus`, `equal` | for a comparison: `RETURN n.height_cm = m0.height_cm AS answer` |
| `counts`, `by_count` | for a grouping: `RETURN n.name, num`, and the same with `ORDER BY num DESC` |
| `most` | for a grouping: `RETURN n.name ORDER BY num DESC LIMIT 1` |

Some of them may follow a condition on a property: `WHERE n.height_cm > 180`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.schema import Label
from graphground.graphs.suggestions.patterns import COUNTED, Kind
from graphground.graphs.suggestions.question import MENTIONED, Quantity, Question, Value

NUMBERS, TEMPORAL = frozenset(("int", "float")), frozenset(("date", "datetime"))
PAST = re.compile(r"\b(did|was|were|had|used to)\b")
"""The words of a question in the past tense, which asks for relationships that have ended too."""
ORDERED = NUMBERS | TEMPORAL
HIDDEN = frozenset(("eid", "aliases", "description", "provenance"))


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a property: `Condition("height_cm", ">", "180", quantity)`.

    `literal` is the value as Cypher; `part` is `year` if the year of a date is compared, else empty.
    """

    key: str
    operator: str
    literal: str
    quantity: Quantity | None = None
    value: Value | None = None
    part: str = ""

    def cypher(self) -> str:
        """Return the condition as Cypher: `n.height_cm > 180`, `NOT 'Austria' IN n.country_of_citizenship`."""
        place = f"n.{quoted_name(self.key)}{'.' + self.part if self.part else ''}"
        if self.operator == "in":
            return f"{self.literal} IN {place}"
        if self.operator == "not in":
            return f"NOT {self.literal} IN {place}"
        return f"{place} {self.operator} {self.literal}"


@dataclass(frozen=True, slots=True)
class Returns:
    """The part of a query after its pattern: `Returns("argmax", "height_cm", "float", True)` names the tallest node."""

    template: str
    key: str = ""
    type: str = ""
    descending: bool = False
    condition: Condition | None = None
    more: tuple[str, ...] = ()
    """Further properties that `name_prop` returns."""
    part: str = ""
    """`year` if `min` or `max` is computed from the year of a date, else empty."""

    def cypher(self, name: str, union: bool = False) -> str:
        """Return the text of the query after its pattern, beginning with `WHERE`, `UNWIND` or `RETURN`.

        `name` is the property that names `n`; `union` is True if the pattern is a `union`.
        """
        key, title = f"n.{quoted_name(self.key)}", f"n.{quoted_name(name)}"
        other, other_title = f"m0.{quoted_name(self.key)}", f"m0.{quoted_name(name)}"
        direction = "DESC" if self.descending else "ASC"
        texts = {
            "name": f"RETURN {title}",
            "name_prop": ", ".join([f"RETURN {title}", key, *(f"n.{quoted_name(key)}" for key in self.more)]),
            "prop": f"RETURN {key}",
            "distinct": f"RETURN DISTINCT {key}",
            "unwind": f"UNWIND {key} AS prop RETURN DISTINCT prop",
            "order": f"RETURN {title} ORDER BY {key} {direction}",
            "argmax": f"RETURN {title} ORDER BY {key} {direction} LIMIT 1",
            "count": "RETURN count(n)" if union else "RETURN count(DISTINCT n)",
            "count_prop": f"RETURN count(DISTINCT {key})",
            "min": f"RETURN min({key}{'.' + self.part if self.part else ''})",
            "max": f"RETURN max({key}{'.' + self.part if self.part else ''})",
            "avg": f"RETURN avg({key})",
            "larger": f"RETURN CASE WHEN {key} > {other} THEN {title} ELSE {other_title} END AS answer",
            "smaller": f"RETURN CASE WHEN {key} < {other} THEN {title} ELSE {other_title} END AS answer",
            "minus": f"RETURN {key} - {other} AS answer",
            "equal": f"RETURN {key} = {other} AS answer",
            "counts": f"RETURN {title}, num",
            "by_count": f"RETURN {title}, num ORDER BY num {direction}",
            "most": f"RETURN {title} ORDER BY num {direction} LIMIT 1",
        }
        text = texts[self.template]
        return f"WHERE {self.condition.cypher()} {text}" if self.condition else text


def returns_of(label: Label, kind: Kind, question: Question) -> Iterator[Returns]:
    """Yield all RETURN templates for queries of a kind about nodes of a label."""
    keys = {key: type_ for key, type_ in label.properties.items() if key not in HIDDEN and key != label.name_property}
    if kind == "named":
        for key, type_ in keys.items():
            yield Returns("prop", key, type_)
        return
    if kind == "comparison":
        for key, type_ in keys.items():
            if type_ in ORDERED:
                yield Returns("larger", key, type_)
                yield Returns("smaller", key, type_)
            if type_ in NUMBERS:
                yield Returns("minus", key, type_)
            yield Returns("equal", key, type_)
        return
    if kind in COUNTED:
        yield Returns("counts")
        for descending in (True, False):
            yield Returns("most", descending=descending)
            yield Returns("by_count", descending=descending)
        return
    conditions = [] if kind == "time" else list(conditions_of(label, question))
    plain = list(_plain(keys, question, label.name))
    yield from plain
    for condition in conditions:
        for returns in plain:
            if returns.template in ("name", "count") or (
                returns.template in ("name_prop", "argmax", "order")
                and returns.key != condition.key
                and question.score_of(label.name, returns.key) > 0.5
            ):
                yield Returns(returns.template, returns.key, returns.type, returns.descending, condition)


def _plain(keys: dict[str, str], question: Question, label: str) -> Iterator[Returns]:
    yield Returns("name")
    yield Returns("count")
    mentioned = [key for key in keys if question.score_of(label, key) > 0.6]
    for key, type_ in keys.items():
        yield Returns("name_prop", key, type_)
        yield Returns("count_prop", key, type_)
        if type_ in ORDERED:
            for descending in (True, False):
                yield Returns("order", key, type_, descending)
                yield Returns("argmax", key, type_, descending)
            yield Returns("min", key, type_)
            yield Returns("max", key, type_)
            if type_ in TEMPORAL and "year" in question.cues:
                yield Returns("min", key, type_, part="year")
                yield Returns("max", key, type_, part="year")
            if type_ in NUMBERS:
                yield Returns("avg", key, type_)
        if type_.startswith("list"):
            yield Returns("unwind", key, type_)
        else:
            yield Returns("distinct", key, type_)
    for number, first in enumerate(mentioned[:4]):
        for second in mentioned[number + 1 : 4]:
            yield Returns("name_prop", first, keys[first], more=(second,))


def conditions_of(label: Label, question: Question) -> Iterator[Condition]:
    """Yield the conditions on properties of a label that a question's numbers, dates and texts suggest."""
    negated = "negation" in question.cues
    for key, type_ in label.properties.items():
        if key in HIDDEN or key == label.name_property:
            continue
        score = question.score_of(label.name, key)
        if type_ in ORDERED:
            for quantity in question.quantities:
                yield from _quantity(key, type_, quantity)
        elif type_ in ("str", "list[str]"):
            signs = ("in", "not in") if type_ == "list[str]" else ("=", "<>")
            for value in question.values:
                if (value.label, value.key) == (label.name, key) or (score >= MENTIONED and not value.key):
                    yield Condition(key, signs[negated], quoted_string(value.name), value=value)


def _quantity(key: str, type_: str, quantity: Quantity) -> Iterator[Condition]:
    if quantity.kind == "date":
        if type_ in TEMPORAL:
            yield Condition(key, quantity.comparison, f"date('{quantity.value}')", quantity)
        return
    if type_ in TEMPORAL:
        if quantity.kind == "year":
            yield Condition(key, quantity.comparison, str(quantity.value), quantity, part="year")
        return
    if quantity.kind == "year" or "year" not in key:
        yield Condition(key, quantity.comparison, str(quantity.value), quantity)


def times_of(keys: Sequence[str], question: Question) -> Iterator[str]:
    """Yield the possible conditions on the time of a relationship `r0` with the properties `keys`, as Cypher.

    The time is compared with the years in the question; another condition, unless the question is in the past tense
    (`Which teams did he play for?`), is that the relationship has not ended.
    """
    years = [quantity for quantity in question.quantities if quantity.kind == "year"]
    years += [
        Quantity("year", date.fromisoformat(str(quantity.value)).year, quantity.comparison, quantity.start)
        for quantity in question.quantities
        if quantity.kind == "date"
    ]
    if {"start_year", "end_year"} <= set(keys):
        for year in years:
            yield f"r0.start_year <= {year.value} AND (r0.end_year >= {year.value} OR r0.end_year IS NULL)"
        if "current" in question.cues or not PAST.search(question.masked):
            yield "r0.start_year IS NOT NULL AND r0.end_year IS NULL"
    if "year" in keys:
        for year in years:
            yield f"r0.year {year.comparison} {year.value}"
