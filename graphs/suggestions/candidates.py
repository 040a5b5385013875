"""Candidate queries: a shape (paths from the named nodes to the answer) with a form (what is returned about it).

>>> shape = Shape((Path(Anchor(0, "Heat", "name", "Movie"), (Step("directedBy", "out"),), ({"Person": 1.0},), 1),))
>>> Candidate(shape, Form("names", title="name")).cypher()
"MATCH (:Movie {name: 'Heat'})-[:directedBy]->(n) WITH DISTINCT n RETURN n.name"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from graphground.cypher.quoting import quoted_name
from graphground.graphs.question.kept import remembered
from graphground.graphs.suggestions.walks import Path, Step, reverse

Join = Literal["and", "or", "not", "pair"]
FormKind = Literal[
    "names", "count", "property", "names_property", "order", "argmax", "min", "max", "avg", "sum",
    "most", "most_before", "group", "group_before", "group_zero", "sort_count", "sort_before", "above_count",
    "count_property", "both", "exists", "link_property", "compare", "minus", "equal", "values", "group_property",
    "group_avg",
]  # fmt: skip
COUNTING: frozenset[str] = frozenset(("most", "most_before", "group", "group_before", "sort_count", "above_count"))
"""The forms that count one end of the last relationship for each node at the other end."""

BEFORE: frozenset[str] = frozenset(
    ("most_before", "group_before", "group_zero", "sort_before", "above_count", "group_avg")
)
"""The forms that return the node before the last one."""

SINGLE: frozenset[str] = frozenset(
    ("count", "count_property", "min", "max", "avg", "sum", "exists", "compare", "minus", "equal")
)
"""The forms that return one row."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Paths from named nodes that meet at one node, with further steps from there to the answer (`tail`).

    With `or`, the node is at the end of any of the paths; with `not`, at the end of the first path, but of no other.
    With `pair`, two named nodes are compared.
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
        if self.tail or len(self.paths) == 1 or self.join == "not":
            return dict(self.tail.ends if self.tail else self.paths[0].ends)
        its = [path.ends for path in self.paths]
        if self.join == "or":
            labels = {label for ends in its for label in ends}
            return {label: sum(ends.get(label, 0.0) for ends in its) / len(its) for label in sorted(labels)}
        return {label: max(ends[label] for ends in its) for label in its[0] if all(label in ends for ends in its)}

    @property
    def has_before(self) -> bool:
        """Whether a node `m` that is not a single named one stands before the answer, so that either can be counted."""
        first = self.paths[0]
        if self.tail is not None:
            return True
        return len(self.paths) == 1 and (
            len(first.steps) > 1 or (len(first.steps) == 1 and not first.anchor.is_single())
        )

    def clauses(
        self, link: bool = False, optional: bool = False, conditions: Sequence[str] = (), planned: bool = False
    ) -> str:
        """Return the MATCH clauses, which bind the answer `n`, the node before it `m` and, if `link`, its step `r`.

        If `planned`, they are in the order in which an engine that plans nothing finds the answer soonest: from the
        first path's name to the node where it meets the others, and from there to their names.
        """
        if planned and self.join == "and" and sum(bool(path.anchor.also) for path in self.paths) == 1:
            heads, paths = zip(*(path.unwind(f"name{number}") for number, path in enumerate(self.paths)), strict=True)
            return "".join(heads) + replace(self, paths=paths).clauses(link, optional, conditions, planned)
        wheres = list(conditions)
        if self.join == "pair":
            first, second = self.paths
            return _where(f"MATCH {first.anchor.node('n')}, {second.anchor.node('m')}", wheres)
        meeting = "m" if self.tail else "n"
        if optional:  # the last step is optional, so that nodes without it are counted as 0
            last = (self.tail or self.paths[0]).steps[-1]
            if self.tail:
                head = _path_texts(replace(self, tail=None, label=""), "m", wheres)
            elif len(self.paths[0].steps) == 1:
                head = [self.paths[0].anchor.node("m")]
                wheres += self.paths[0].anchor.conditions("m")
            else:
                path = self.paths[0]
                shorter = Path(path.anchor, path.steps[:-1], path.labels[:-1], path.count)
                head = [_path_text(shorter, "m", "", path.middle, "", wheres)]
            return (
                f"{_where('MATCH ' + ', '.join(head), wheres)} OPTIONAL MATCH (m){last.arrow()}(n{_label(self.label)})"
            )
        texts = _path_texts(self, meeting, wheres, "r" if link and not self.tail else "", planned)
        tail = ""
        if self.tail:
            arrows = [step.arrow("r" if link and step is self.tail.steps[-1] else "") for step in self.tail.steps]
            tail = "(m)" + "".join(f"{arrow}()" for arrow in arrows[:-1]) + f"{arrows[-1]}(n{_label(self.label)})"
        if self.join == "or":
            branches = " UNION ".join(f"MATCH {text} RETURN {meeting}" for text in texts)
            rest = _where(f"MATCH {tail}", wheres) if tail else _where(f"WITH {meeting}", wheres) if wheres else ""
            return f"CALL {{ {branches} }} {rest}".rstrip()
        if self.join == "not":
            inner: list[str] = []
            negated = [_path_text(path, meeting, path.middle, "", "", inner, back=planned) for path in self.paths[1:]]
            wheres.insert(0, f"NOT EXISTS {{ {_where('MATCH ' + ', '.join(negated), inner)} }}")
            texts = texts[:1]
        return _where("MATCH " + ", ".join([*texts, tail] if tail else texts), wheres)


def _where(text: str, conditions: Sequence[str]) -> str:
    return f"{text} WHERE {' AND '.join(conditions)}" if conditions else text


def _label(label: str) -> str:
    return f":{quoted_name(label)}" if label else ""


def _path_texts(shape: Shape, meeting: str, wheres: list[str], link: str = "", planned: bool = False) -> list[str]:
    """Return the patterns of a shape's paths, and add the conditions of their anchors to `wheres`."""
    label = shape.label if meeting == "n" else ""
    before = "m" if meeting == "n" and len(shape.paths) == 1 else ""
    positive = shape.paths[:1] if shape.join == "not" else shape.paths
    return [
        _path_text(
            path,
            meeting,
            path.middle,
            label if number == 0 or shape.join == "or" else "",
            before,
            wheres,
            link if number == 0 else "",
            back=planned and number > 0 and shape.join == "and",
        )
        for number, path in enumerate(positive)
    ]


def _path_text(
    path: Path,
    meeting: str,
    middle: str,
    label: str,
    before: str,
    wheres: list[str],
    link: str = "",
    back: bool = False,
) -> str:
    if not path.steps:
        wheres += path.anchor.conditions(meeting)
        return path.anchor.node(meeting)
    start = before if len(path.steps) == 1 and not path.anchor.is_single() else ""
    wheres += path.anchor.conditions(start)
    texts = [path.anchor.node(start)]
    last = len(path.steps) - 1
    for place, step in enumerate(path.steps):
        node = f"({meeting}{_label(label)})" if place == last else "()"
        if place == last - 1:
            node = f"({before}{_label(middle)})"
        texts += [(reverse(step) if back else step).arrow(link if place == last else ""), node]
    return "".join(reversed(texts) if back else texts)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a property of the answer `n`, the node before it `m` or the last relationship `r`: `n.built < 9`.

    `quantity` is the index of the question's number or date that the condition uses; -1 is none, and -2 and less stand
    for the mentions. `kind` says what is compared: `value number year date open filled flag`.
    """

    key: str
    text: str
    on: str = "n"
    quantity: int = -1
    kind: str = "value"
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What a query returns: `Form("argmax", "name", "height_cm", descending=True)` is the tallest node.

    `title` is the property that names the answer, `before` the one that names the node before it. `value` is the
    Cypher by which `key` is compared if it is not the property itself, with `{}` for it: `toFloat({})`.
    """

    kind: FormKind
    title: str
    key: str = ""
    descending: bool = False
    value: str = "{}"
    conditions: tuple[Condition, ...] = ()
    before: str = "name"
    number: float = 0
    operator: str = ">"
    listed: bool = False
    also: tuple[str, ...] = ()
    times: bool = False
    """Whether `above_count` counts how often the paths lead to the answer `n`, not to how many answers `m` leads."""

    @property
    def counted(self) -> str:
        """The node and the count of `above_count`, and the condition on it."""
        what = "n, count(*)" if self.times else "m, count(DISTINCT n)"
        return f"WITH {what} AS number WHERE number {self.operator} {self.number:g}"

    def returns(self) -> str:
        """Return the clauses after the pattern."""
        title, plain = f"n.{quoted_name(self.title)}", f"n.{quoted_name(self.key)}"
        key, other = self.value.format(plain), self.value.format(f"m.{quoted_name(self.key)}")
        before = f"m.{quoted_name(self.before)}"
        direction = "DESC" if self.descending else "ASC"
        listed = f", {plain}" if self.listed else ""
        match self.kind:
            case "names":
                return f"WITH DISTINCT n RETURN {title}"
            case "count":
                return "RETURN count(DISTINCT n)"
            case "property":
                more = "".join(f", n.{quoted_name(key)}" for key in self.also)
                return f"RETURN DISTINCT {plain}{more}"
            case "values":
                return f"UNWIND {plain} AS value RETURN DISTINCT value"
            case "names_property":
                more = "".join(f", n.{quoted_name(key)}" for key in self.also)
                return f"WITH DISTINCT n RETURN {title}, {plain}{more}"
            case "order":
                # Descending, Cypher sorts nulls first.
                nulls = f"{key} IS NULL, " if self.descending else ""
                return f"WITH DISTINCT n RETURN {title} ORDER BY {nulls}{key} {direction}"
            case "argmax":
                filled = f" WHERE {key} IS NOT NULL" if self.descending else ""
                limit = max(1, int(self.number))
                return f"WITH DISTINCT n{filled} RETURN {title}{listed} ORDER BY {key} {direction} LIMIT {limit}"
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
            case "group_before" | "group_zero":
                return f"WITH m, count(DISTINCT n) AS number RETURN {before}, number"
            case "group_avg":
                return f"WITH DISTINCT m, n RETURN {before}, avg({key})"
            case "group_property":
                return f"RETURN {plain}, count(DISTINCT n) AS number"
            case "sort_count":
                return f"WITH n, count(DISTINCT m) AS number RETURN {title}, number ORDER BY number {direction}"
            case "sort_before":
                return f"WITH m, count(DISTINCT n) AS number RETURN {before}, number ORDER BY number {direction}"
            case "count_property":
                return f"RETURN count(DISTINCT {plain})"
            case "compare":
                sign = ">" if self.descending else "<"
                return (
                    f"RETURN CASE WHEN {key} {sign} {other} THEN {title} ELSE m.{quoted_name(self.title)} END AS answer"
                )
            case "minus":
                return f"RETURN {key} - {other} AS answer"
            case "equal":
                return f"RETURN {key} = {other} AS answer"
            case "above_count":
                return f"{self.counted} RETURN {title if self.times else before}{', number' if self.listed else ''}"
            case "link_property":
                return f"RETURN DISTINCT {title + ', ' if self.listed else ''}r.{quoted_name(self.key)}"
        raise ValueError(self.kind)


@dataclass(frozen=True)
class Candidate:
    """A shape with a form: one complete query."""

    shape: Shape
    form: Form

    @property
    def uses_link(self) -> bool:
        return self.form.kind == "link_property" or any(condition.on == "r" for condition in self.form.conditions)

    def _matched(self, planned: bool = False) -> str:
        """Return the query before its RETURN part, with its conditions."""
        conditions = [condition.text for condition in self.form.conditions]
        return self.shape.clauses(self.uses_link, self.form.kind == "group_zero", conditions, planned)

    @remembered
    def cypher(self) -> str:
        return f"{self._matched()} {self.form.returns()}"

    @remembered
    def counting(self) -> str:
        """Return the query that counts the rows; for a form with a single row, the answers of which it speaks."""
        form, matched = self.form, self._matched(planned=True)
        match form.kind:
            case "both":
                return f"{matched} WITH DISTINCT m, n RETURN count(*)"
            case "property" | "values" | "group_property" | "link_property":
                owner = "r" if form.kind == "link_property" else "n"
                keys = [f"{owner}.{quoted_name(key)}" for key in (form.key, *form.also)]
                keys += [f"n.{quoted_name(form.title)}"] if form.kind == "link_property" and form.listed else []
                columns = ", ".join(f"{key} AS c{place}" for place, key in enumerate(keys))
                if form.kind == "values":
                    return f"{matched} UNWIND {keys[0]} AS value RETURN count(DISTINCT value)"
                return f"{matched} WITH DISTINCT {columns} RETURN count(*)"
            case "above_count":
                return f"{matched} {form.counted} RETURN count(*)"
        counted = "m" if form.kind in BEFORE else "n"
        return f"{matched} RETURN count(DISTINCT {counted})"

    def rows(self, counted: int) -> int:
        """Return the number of rows from the result of the counting query; 0 if nothing matches."""
        if self.form.kind == "exists" and any(path.anchor.name and not path.steps for path in self.shape.paths):
            return 1  # whether two named nodes are related: "no" is an answer
        if self.form.kind in SINGLE:
            return min(counted, 1)
        limited = self.form.kind in ("argmax", "most", "most_before")
        return min(counted, max(1, int(self.form.number))) if limited else counted
