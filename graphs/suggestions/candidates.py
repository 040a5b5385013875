"""Candidate queries: a shape (paths from the named nodes to the answer) with a form (what is returned about it).

>>> shape = Shape((Path(Anchor(0, "Heat", "name", "Movie"), (Step("directedBy", "out"),), ({"Person": 1.0},), 1),))
>>> Candidate(shape, Form("names", title="name")).cypher()
"MATCH (:Movie {name: 'Heat'})-[:directedBy]->(n) RETURN DISTINCT n.name"
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from graphground.cypher.quoting import quoted_name
from graphground.graphs.suggestions.walks import Path, Step

Join = Literal["and", "or", "not", "pair", "ring"]
FormKind = Literal[
    "names", "count", "property", "names_property", "order", "argmax", "min", "max", "avg", "sum",
    "most", "most_before", "group", "group_before", "group_zero", "sort_count", "sort_before", "above_count",
    "count_property", "both", "exists", "link_property", "compare", "minus", "equal", "values",
]  # fmt: skip
COUNTING: frozenset[str] = frozenset(("most", "most_before", "group", "group_before", "sort_count", "above_count"))
"""The forms that count one end of the last relationship for each node at the other end."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Paths from named nodes that meet at one node, with further steps from there to the answer (`tail`).

    With `or`, the node is at the end of any of the paths; with `not`, at the end of the first path, but of no other.
    With `ring`, two relationships lead from one unnamed node to the answer; with `pair`, two named nodes are compared.
    `label` is written at the answer if it excludes other nodes that the paths reach.
    """

    paths: tuple[Path, ...]
    join: Join = "and"
    tail: Path | None = None
    label: str = ""

    @property
    def steps(self) -> list[Step]:
        """All steps."""
        found = [step for path in self.paths for step in path.steps]
        return found + list(self.tail.steps if self.tail else ())

    @property
    def ends(self) -> dict[str, float]:
        """The labels of the answer, with shares."""
        if self.label:
            return {self.label: 1.0}
        return dict(self.tail.ends if self.tail else self.paths[0].ends)

    @property
    def has_before(self) -> bool:
        """Whether an unnamed node `m` stands one step before the answer, so that either can be counted."""
        first = self.paths[0]
        if self.tail is not None or self.join == "ring":
            return True
        return len(self.paths) == 1 and (len(first.steps) > 1 or (len(first.steps) == 1 and not first.anchor.name))

    def clauses(self, link: bool = False, optional: bool = False) -> str:
        """Return the MATCH clauses, which bind the answer `n`, the node before it `m` and, if `link`, its step `r`."""
        if self.join == "pair":
            first, second = self.paths
            return f"MATCH {first.anchor.node('n')}, {second.anchor.node('m')}"
        if self.join == "ring":  # both paths lead from the same node to the same node
            first, second = self.paths
            return f"MATCH {_path_text(first, 'n', 0, replace(self, paths=(first,)))}, (m){second.steps[0].arrow()}(n)"
        meeting = "m" if self.tail else "n"
        texts = [_path_text(path, meeting, number, self) for number, path in enumerate(self.paths)]
        if optional:  # the last step is optional, so that nodes without it are counted as 0
            if self.tail:
                head = replace(self, tail=None, label="").clauses()
                return f"{re.sub(r'[(]n', '(m', head)} OPTIONAL MATCH (m){self.tail.steps[-1].arrow()}(n{_label(self.label)})"
            first = self.paths[0]
            if len(first.steps) == 1:
                return (
                    f"MATCH {first.anchor.node('m')} OPTIONAL MATCH (m){first.steps[-1].arrow()}(n{_label(self.label)})"
                )
            shorter = Path(first.anchor, first.steps[:-1], first.labels[:-1], first.count)
            head = Shape((shorter,), label=first.middle).clauses()
            head = head.replace("(m)", "()").replace("(n", "(m")
            return f"{head} OPTIONAL MATCH (m){first.steps[-1].arrow()}(n{_label(self.label)})"
        if link and not self.tail:
            texts[0] = _path_text(self.paths[0], meeting, 0, self, "r")
        tail = ""
        if self.tail:
            label = _label(self.label)
            arrows = [step.arrow("r" if link and step is self.tail.steps[-1] else "") for step in self.tail.steps]
            tail = "".join(f"{arrow}()" for arrow in arrows[:-1]) + f"{arrows[-1]}(n{label})"
        if self.join == "not":
            negated = ", ".join(
                _path_text(path, meeting, number + 1, self, anonymous=True)
                for number, path in enumerate(self.paths[1:])
            )
            return f"MATCH {texts[0]} WHERE NOT EXISTS {{ MATCH {negated} }}" + (f" MATCH (m){tail}" if tail else "")
        if self.join == "or":
            branches = " UNION ".join(f"MATCH {text} RETURN {meeting}" for text in texts)
            return f"CALL {{ {branches} }}" + (f" MATCH (m){tail}" if tail else "")
        return f"MATCH {', '.join(texts)}" + (f", (m){tail}" if tail else "")


def _label(label: str) -> str:
    return f":{quoted_name(label)}" if label else ""


def _path_text(path: Path, meeting: str, number: int, shape: Shape, link: str = "", anonymous: bool = False) -> str:
    label = _label(shape.label) if meeting == "n" and not anonymous else ""
    if not path.steps:
        return path.anchor.node(meeting)
    before = "m" if meeting == "n" and len(shape.paths) == 1 else ""
    text = path.anchor.node(before if len(path.steps) == 1 and not path.anchor.name else "")
    for place, step in enumerate(path.steps):
        last = place == len(path.steps) - 1
        text += step.arrow(link if last else "")
        text += (
            f"({meeting}{label})"
            if last
            else f"({before}{_label(path.middle)})"
            if place == len(path.steps) - 2
            else "()"
        )
    return text


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a property of the answer, or of the last relationship (`on` is `r`)."""

    key: str
    operator: str
    literal: str
    on: str = "n"
    wrap: str = ""
    """A function around the property, such as `toFloat`, or `.year` after it."""
    quantity: int = -1
    """The index of the question's number or date that the condition uses, -1 if none."""
    text: str = ""

    def cypher(self) -> str:
        if self.text:
            return self.text
        value = wrapped(f"{self.on}.{quoted_name(self.key)}", self.wrap)
        if self.operator in ("in", "not in"):
            return f"{'NOT ' if self.operator == 'not in' else ''}{self.literal} IN {value}"
        return f"{value} {self.operator} {self.literal}"


def wrapped(value: str, wrap: str) -> str:
    """Return a property inside a function, or with a part of it: `toFloat(n.price)`, `n.date.year`."""
    return value + wrap if wrap.startswith(".") else f"{wrap}({value})" if wrap else value


@dataclass(frozen=True, slots=True)
class Form:
    """What a query returns: `Form("argmax", "name", "height_cm", descending=True)` is the tallest node.

    `title` is the property that names the answer, `before` the one that names the node before it.
    """

    kind: FormKind
    title: str
    key: str = ""
    descending: bool = False
    wrap: str = ""
    condition: Condition | None = None
    before: str = "name"
    number: float = 0
    operator: str = ">"
    listed: bool = False

    def returns(self) -> str:
        """Return the clauses after the pattern."""
        title, key = f"n.{quoted_name(self.title)}", wrapped(f"n.{quoted_name(self.key)}", self.wrap)
        before = f"m.{quoted_name(self.before)}"
        direction = "DESC" if self.descending else "ASC"
        match self.kind:
            case "names":
                return f"WITH DISTINCT n RETURN {title}"
            case "count":
                return "RETURN count(DISTINCT n)"
            case "property":
                return f"RETURN DISTINCT {key}"
            case "values":
                return f"UNWIND {key} AS value RETURN DISTINCT value"
            case "names_property":
                return f"WITH DISTINCT n RETURN {title}, {key}"
            case "order":
                # Descending, Cypher sorts nulls first.
                nulls = f"{key} IS NULL, " if self.descending else ""
                return f"WITH DISTINCT n RETURN {title} ORDER BY {nulls}{key} {direction}"
            case "argmax":
                filled = f" WHERE {key} IS NOT NULL" if self.descending else ""
                return f"WITH DISTINCT n{filled} RETURN {title} ORDER BY {key} {direction} LIMIT 1"
            case "min" | "max" | "avg" | "sum":
                return f"WITH DISTINCT n RETURN {self.kind}({key})"
            case "both":
                return f"RETURN DISTINCT {before}, {title}"
            case "exists":
                return "RETURN count(*) > 0 AS answer"
            case "most" | "most_before":
                node, counted, name = ("n", "m", title) if self.kind == "most" else ("m", "n", before)
                return (
                    f"WITH {node}, count(DISTINCT {counted}) AS number RETURN {name}{', number' if self.listed else ''} "
                    f"ORDER BY number {direction} LIMIT {max(1, int(self.number))}"
                )
            case "group":
                return f"WITH n, count(DISTINCT m) AS number RETURN {title}, number"
            case "group_before":
                return f"WITH m, count(DISTINCT n) AS number RETURN {before}, number"
            case "sort_count":
                return f"WITH n, count(DISTINCT m) AS number RETURN {title}, number ORDER BY number {direction}"
            case "sort_before":
                return f"WITH m, count(DISTINCT n) AS number RETURN {before}, number ORDER BY number {direction}"
            case "group_zero":
                return f"WITH m, count(DISTINCT n) AS number RETURN {before}, number"
            case "count_property":
                return f"RETURN count(DISTINCT {key})"
            case "compare":
                sign = ">" if self.descending else "<"
                return f"RETURN CASE WHEN {key} {sign} {self._other()} THEN {title} ELSE m.{quoted_name(self.title)} END AS answer"
            case "minus":
                return f"RETURN {key} - {self._other()} AS answer"
            case "equal":
                return f"RETURN {key} = {self._other()} AS answer"
            case "above_count":
                return (
                    f"WITH m, count(DISTINCT n) AS number WHERE number {self.operator} {self.number:g} RETURN {before}"
                )
            case "link_property":
                return f"RETURN DISTINCT r.{quoted_name(self.key)}"
        raise ValueError(self.kind)

    def _other(self) -> str:
        return wrapped(f"m.{quoted_name(self.key)}", self.wrap)


@dataclass(frozen=True)
class Candidate:
    """A shape with a form: one complete query."""

    shape: Shape
    form: Form

    @property
    def uses_link(self) -> bool:
        condition = self.form.condition
        return self.form.kind == "link_property" or (condition is not None and condition.on == "r")

    def matched(self) -> str:
        """Return the query before its RETURN part, with its condition."""
        clauses = self.shape.clauses(self.uses_link, self.form.kind == "group_zero")
        condition = self.form.condition
        if condition is None:
            return clauses
        if self.shape.join == "and":
            return f"{clauses} WHERE {condition.cypher()}"
        names = "*" if self.uses_link or self.shape.has_before else "n"
        return f"{clauses} WITH {names} WHERE {condition.cypher()}"

    def cypher(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return f"{self.matched()} {self.form.returns()}"

    def counting(self) -> str:
        """Return the query that counts the distinct answers."""
        return f"{self.matched()} RETURN count(DISTINCT n)"
