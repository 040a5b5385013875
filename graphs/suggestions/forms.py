"""Makes the forms of the candidate queries: what is returned about the answers, by the operators of the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.graphs.question.kept import remembered
from graphground.graphs.question.properties import Property, properties_of, read_properties, title_of
from graphground.graphs.question.read import WORDS as NUMBER_WORDS
from graphground.graphs.suggestions.asked import Asked
from graphground.graphs.suggestions.candidates import Condition, Form, FormKind, Shape
from graphground.graphs.suggestions.walks import Walker

MAX_PAIRED = 5
SAID = 0.45
Made = tuple[Form, tuple[str, ...]]
"""A form with the operators of the question that it uses."""


class Keys(NamedTuple):
    """The property that names the answers, their other properties, and how much the question says about each."""

    title: str
    known: Mapping[str, Property]
    scores: Mapping[str, float]


def _label_of(shape: Shape) -> str:
    ends = shape.ends
    return max(ends, key=lambda name: ends[name], default="")


def made(form: Form, *used: str) -> Made:
    """Return a form with the operators that it uses."""
    return form, used


class FormMaker:
    """Makes forms for the shapes of one question."""

    def __init__(self, asked: Asked, walker: Walker) -> None:
        self.asked, self.walker = asked, walker

    def read_keys(self, shapes: Iterable[Shape]) -> None:
        """Read what the properties of all answers, and of the nodes before them, hold: in one query."""
        labels = {label for shape in shapes for label in (_label_of(shape), self.label_before(shape))}
        read_properties(self.asked.graph, sorted(labels))

    def keys_of(self, shape: Shape) -> Keys:
        """Return what the answers' properties hold, and how much the question says about each."""
        return self._keys_of(_label_of(shape))

    @remembered
    def _keys_of(self, label: str) -> Keys:
        title = title_of(self.asked.graph, label)
        known = self.asked.schema.labels.get(label)
        keys = {
            key: its
            for key, its in properties_of(self.asked.graph, label).items()
            if key not in (title, "eid")
            and not (known and key in known.reserved and self.asked.strength("property", key) < 0.7)
        }
        scores = {key: self.asked.strength("property", key) for key in keys}
        if "when" in self.asked.operators:
            for key, its in keys.items():
                if its.is_time:
                    scores[key] = max(scores[key], 0.5)
        return Keys(title, keys, scores)

    def forms(self, shape: Shape) -> Iterator[Made]:
        """Yield the forms for a shape."""
        title, keys, scores = self.keys_of(shape)
        operators = self.asked.operators
        best = sorted((key for key in keys if scores[key] >= SAID), key=lambda key: -scores[key])[:4]
        if shape.join == "pair":
            yield from self._pairs(title, keys, scores)
            return
        if len(shape.paths) == 1 and not shape.paths[0].steps and shape.paths[0].anchor.is_single():
            others = [key for key in keys if not keys[key].copies_name]  # its own name is no answer
            for key in sorted(others, key=lambda key: -scores[key])[:4]:
                yield made(Form("property", title, key))
                if keys[key].form == "list":
                    yield made(Form("values", title, key))
            if len(best) > 1:
                yield made(Form("property", title, best[0], also=tuple(best[1:3])))
            return
        asked = bool(operators.keys() & {"equal", "asks"}) and any(path.anchor.name for path in shape.paths)
        if len(shape.paths) > 1 and any(path.anchor.is_single() and not path.steps for path in shape.paths):
            if "asks" in operators:  # the answer is a node that the question names
                yield made(Form("exists", title), "equal", "asks")
            return
        before = self._naming_before(shape)
        for conditions in [(), *self._conditions(shape, keys, scores), *self._conditions_before(shape)]:
            yield made(Form("names", title, conditions=conditions))
            if "count" in operators:
                yield made(Form("count", title, conditions=conditions), "count")
            if asked and (len(shape.paths) > 1 or shape.steps):
                yield made(Form("exists", title, conditions=conditions), "equal", "asks")
            if len(best) > 1:
                yield made(Form("names_property", title, best[0], conditions=conditions, also=tuple(best[1:3])))
            for key in best:
                yield made(Form("names_property", title, key, conditions=conditions))
                if "each" in operators or "count" in operators:
                    yield made(Form("group_property", title, key, conditions=conditions), "each", "count")
                if not conditions:
                    if "average" not in operators or keys[key].form != "number":
                        yield made(Form("values" if keys[key].form == "list" else "property", title, key))
                    if "count" in operators and keys[key].form != "list":
                        yield made(Form("count_property", title, key), "count")
            if self.asked.order or "sort" in operators:
                descending = self.asked.order[1] if self.asked.order else False
                for key in self._ordered(keys, scores):
                    value = keys[key].value
                    if "sort" in operators:
                        yield made(Form("order", title, key, descending, value, conditions), "sort", "order")
                    argmax = Form("argmax", title, key, descending, value, conditions, number=self._top)
                    yield made(argmax, "order")
                    yield made(replace(argmax, listed=True), "order")
                    if not conditions:
                        extreme = Form("max" if descending else "min", title, key, descending, value)
                        yield made(extreme, "order")
                        if keys[key].form == "date" and not keys[key].marks and "year" in self.asked.masked:
                            yield made(replace(extreme, value="{}.year"), "order", "when")
            for key in self._ordered(keys, scores) if operators.keys() & {"average", "sum"} else ():
                if keys[key].form == "number":
                    value = keys[key].value
                    average = Form("avg", title, key, value=value, before=before, conditions=conditions)
                    if "average" in operators and "each" in operators and shape.has_before:
                        yield made(replace(average, kind="group_avg"), "average", "each")
                    elif "average" in operators:
                        yield made(average, "average")
                    if "sum" in operators and not conditions:
                        yield made(Form("sum", title, key, value=value), "sum")
            for quantity in self.asked.quantities if shape.steps and not conditions else ():
                if quantity.times:
                    above = Form("above_count", title, number=float(quantity.value), operator=quantity.comparison)
                    yield made(replace(above, times=True))
            if shape.has_before and all(condition.on != "r" for condition in conditions):
                yield from self._counting(shape, title, before, conditions)
        yield from self._link_forms(shape, title)

    @cached_property
    def _top(self) -> int:
        """The number of answers that a question for the first ones wants: 5 in `top 5 schools`, `five oldest ships`."""
        number = rf"(\d+|{'|'.join(NUMBER_WORDS)})"
        first = r"(?:top|first|last|latest|best|biggest|largest|longest|oldest|newest|most recent)"
        top = re.search(rf"\b{first} {number}\b|\b{number} (?:most|least|fewest|\w{{2,}}est)\b", self.asked.masked)
        text = (top[1] or top[2]) if top else "1"
        return NUMBER_WORDS.get(text, 0) or int(text)

    def _naming_before(self, shape: Shape) -> str:
        """Return the property that names the node before the answer."""
        first = shape.paths[0]
        return first.anchor.property if first.anchor.also else title_of(self.asked.graph, self.label_before(shape))

    def labels_before(self, shape: Shape) -> Mapping[str, float]:
        """Return the labels of the node before the answer, with shares."""
        first = shape.paths[0]
        if shape.tail:
            return first.ends
        if first.middle:
            return {first.middle: 1.0}
        if len(first.steps) > 1:
            return self.walker.likely_labels(first.steps[-2], first.labels[-2])
        return (
            self.walker.starts_of(first.steps[0])
            if first.steps and not first.anchor.label
            else {first.anchor.label: 1.0}
        )

    def label_before(self, shape: Shape) -> str:
        """Return the label that most of the nodes before the answer have."""
        labels = self.labels_before(shape)
        return max(labels, key=lambda name: labels[name], default="")

    def _counting(self, shape: Shape, title: str, before: str, conditions: tuple[Condition, ...]) -> Iterator[Made]:
        descending = not re.search(r"\b(?:fewest|least|lowest|smallest|minimum)\b", self.asked.masked)
        operators = self.asked.operators
        plain = Form("both", title, before=before, conditions=conditions, descending=descending, number=self._top)
        yield made(plain, "each", "including")
        several = bool(shape.paths[0].anchor.also)
        if operators.keys() & {"most", "order", "compare"}:
            kinds: tuple[FormKind, ...] = ("most_before",) if several else ("most", "most_before")
            for kind in kinds:
                yield made(replace(plain, kind=kind), "most")
                yield made(replace(plain, kind=kind, listed=True), "most", "count")
        if operators.keys() & {"each", "count"} or several:
            yield made(replace(plain, kind="group_before"), "each", "count")
            if not several:
                yield made(replace(plain, kind="group"), "each", "count")
            if not conditions and shape.join == "and":
                yield made(replace(plain, kind="group_zero"), "each", "count", "including")
        if "sort" in operators:
            yield made(replace(plain, kind="sort_count"), "sort", "count")
            yield made(replace(plain, kind="sort_before"), "sort", "count")
        for quantity in self.asked.quantities if not conditions else ():
            if quantity.kind == "number" and not quantity.times:
                above = Form(
                    "above_count", title, before=before, number=float(quantity.value), operator=quantity.comparison
                )
                yield made(above)
                yield made(replace(above, listed=True))

    def _link_forms(self, shape: Shape, title: str) -> Iterator[Made]:
        steps = shape.tail.steps if shape.tail else shape.paths[0].steps
        if not steps or len(shape.paths) > 1:
            return
        keys = properties_of(self.asked.graph, steps[-1].type, link=True)
        for key in keys:
            if self.asked.strength("property", key) >= SAID:
                yield made(Form("link_property", title, key))
                yield made(Form("link_property", title, key, listed=True))
        conditions: list[tuple[Condition, ...]] = []
        if {"start_year", "end_year"} <= set(keys):
            for number, year in enumerate(self.asked.quantities):
                if year.kind == "year":
                    text = f"r.start_year <= {year.value} AND (r.end_year >= {year.value} OR r.end_year IS NULL)"
                    conditions.append((Condition("start_year", text, "r", number, "year"),))
            if "now" in self.asked.operators:
                text = "r.start_year IS NOT NULL AND r.end_year IS NULL"
                conditions.append((Condition("end_year", text, "r", kind="open"),))
        for its in keys.values():
            conditions += [(condition,) for condition in self._property_conditions(its, "r")]
        for found in conditions:
            yield made(Form("names", title, conditions=found), "now")
            if "count" in self.asked.operators:
                yield made(Form("count", title, conditions=found), "now", "count")

    def _pairs(self, title: str, keys: Mapping[str, Property], scores: Mapping[str, float]) -> Iterator[Made]:
        descending = self.asked.order[1] if self.asked.order else True
        for key in sorted(keys, key=lambda key: -scores[key])[:5]:
            its = keys[key]
            if its.is_ordered:
                yield made(Form("compare", title, key, descending, its.value), "order", "compare")
                yield made(Form("compare", title, key, not descending, its.value), "compare")
            if its.form in ("number", "year"):
                yield made(Form("minus", title, key, value=its.value), "difference")
            yield made(Form("equal", title, key), "equal")

    def _ordered(self, keys: Mapping[str, Property], scores: Mapping[str, float]) -> list[str]:
        temporal = self.asked.order is not None and self.asked.order[0] == "time"
        found = [
            (scores[key] + (0.3 if its.is_time == temporal else 0.0), key)
            for key, its in keys.items()
            if its.is_ordered
        ]
        return [key for _, key in sorted(found, key=lambda item: -item[0])[:3]]

    def _flags(self, keys: Mapping[str, Property], scores: Mapping[str, float], on: str) -> Iterator[Condition]:
        negated = "not" in self.asked.operators
        for key, its in keys.items():
            if its.form == "flag" and scores[key] >= 0.7:
                wanted = quoted_string(its.truths[negated]) if its.truths else "false" if negated else "true"
                yield Condition(key, f"{on}.{quoted_name(key)} = {wanted}", on, kind="flag")

    def _conditions_before(self, shape: Shape) -> Iterator[tuple[Condition]]:
        """Yield conditions on the node before the answer: `incidents of 2021` in "ships in incidents of 2021"."""
        if len(shape.paths) > 1 or shape.tail or not shape.has_before:
            return
        _, keys, scores = self._keys_of(self.label_before(shape))
        said = {key: its for key, its in keys.items() if scores[key] >= SAID or its.is_time}
        for its in said.values():
            yield from ((condition,) for condition in self._property_conditions(its, "m"))
        yield from ((condition,) for condition in self._flags(said, scores, "m"))

    def _property_conditions(self, its: Property, on: str) -> Iterator[Condition]:
        for number, quantity in enumerate(self.asked.quantities):
            if quantity.times and self.asked.strength("property", its.key) < SAID:
                continue
            for text in its.compare(quantity, on):
                kind = "date" if its.is_time and its.form != "year" else "year" if its.form == "year" else "number"
                yield Condition(its.key, text, on, number, kind, quantity.comparison == "=")
        if its.marks and self.asked.operators.keys() & {"open", "not", "now"}:
            yield Condition(its.key, its.is_open(on), on, kind="open")
            yield Condition(its.key, its.is_open(on, filled=True), on, kind="filled")
        elif its.form != "flag" and self.asked.denied("property", its.key) >= SAID:
            yield Condition(its.key, its.is_open(on), on, kind="open")

    def _conditions(
        self, shape: Shape, keys: Mapping[str, Property], scores: Mapping[str, float]
    ) -> Iterator[tuple[Condition, ...]]:
        """Yield conditions on the answer, single ones and pairs of different kinds."""
        found = [condition for its in keys.values() for condition in self._property_conditions(its, "n")]
        negated = "not" in self.asked.operators
        used = {mention for path in shape.paths for mention in path.anchor.mentions()}
        for number, mention in enumerate(self.asked.mentions):
            if number in used or mention.verdict == "not_found":
                continue
            for node in mention.nodes[:6]:
                if node.is_value and node.property in keys and shape.ends.keys() & set(node.labels):
                    key, text = f"n.{quoted_name(node.property)}", quoted_string(node.name)
                    if keys[node.property].form == "list":
                        text = f"{'NOT ' if negated else ''}{text} IN {key}"
                    else:
                        text = f"{key} {'<>' if negated else '='} {text}"
                    found.append(Condition(node.property, text, quantity=-2 - number))
        found += self._flags(keys, scores, "n")
        yield from ((condition,) for condition in found)
        found.sort(key=lambda condition: -scores[condition.key])
        for first, second in combinations(found[:MAX_PAIRED], 2):
            if first.key != second.key and (first.quantity != second.quantity or first.kind != second.kind):
                yield first, second
