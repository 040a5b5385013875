"""Reports labels, relationships and properties of a query that are empty in the graph's data.

Such a query may still return rows, which are misleading: `ORDER BY c.founding_date DESC LIMIT 1` returns an arbitrary
country if no country has a founding date. Each check reports only counts that are known to be zero or, for a sort key,
nearly zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import Findings
from graphground.cypher.diagnostics import counted, either
from graphground.cypher.functions import is_aggregate
from graphground.cypher.outline.model import Data, Facts, LabelUse, Link, PropertyUse, filled, matching
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import RelationshipPattern

ARITHMETIC = frozenset("+-*/%^")
HANDLES_NULL = frozenset({"coalesce", "exists", "nullif"})
HARDLY_ANY, FEWEST = 0.02, 50
"""The limits for reporting a sort key: the highest share of nodes that have it, and the lowest number of all nodes."""

# fmt: off
CONSEQUENCES = {
    "sort": "so sorting by it has no effect; without another sort key, a LIMIT keeps arbitrary rows",
    "comparison": "so this condition is never true",
    "aggregate": "so this aggregate is always null, zero or empty",
    "case": "so it is always null in this CASE",
    "unwind": "so UNWIND leaves no row",
    "returned": "so this is null in every row",
}
# fmt: on


def empty_labels(facts: Facts, findings: Findings, data: Data) -> None:
    """Report labels that no node of the graph has, such as `(n:FilmSeries)`."""
    alternatives = _alternatives(facts.query)
    for use in facts.labels:
        label = use.name.name.text
        if use.negated or data.nodes(label) != 0:
            continue
        message = f"The graph has no {label} node (0 nodes of this label)."
        _empty("empty_label", message, use, id(use.name) in alternatives, findings)


def empty_relationships(facts: Facts, findings: Findings, data: Data) -> None:
    """Report relationship types that the graph does not contain,
    or that do not connect these labels in the pattern's direction."""
    alternatives = _alternatives(facts.query)
    negated = {id(node) for negation in facts.query.find(t.LabelNot) for node in negation.walk()}
    for use in facts.types:
        type_, link = use.name.name.text, use.symbol.link
        if id(use.name) in negated:
            continue
        total = data.relationships(type_)
        if total == 0:
            message = f"The graph has no {type_} relationship (0 of this type)."
        elif not total or link is None or link.bad:
            continue
        elif matching(facts, link, type_, data) == 0:
            ends = [facts.index.labels_of(symbol.kinds) for symbol in (link.left, link.right)]
            if any(len(labels) != 1 or not data.nodes(labels[0]) for labels in ends):
                continue
            between = f"{ends[0][0]} and {ends[1][0]}"
            direction = " in this direction" if link.pattern.direction in ("left", "right") else ""
            message = f"The graph has no {type_} relationship between {between}{direction}, but {total:,} elsewhere."
        else:
            _other_nodes(facts, findings, link, type_, total, data)
            continue
        _empty("empty_relationship", message, use, id(use.name) in alternatives, findings)


def _other_nodes(facts: Facts, findings: Findings, link: Link, type_: str, total: int, data: Data) -> None:
    """Report an end of a relationship at which the counts leave no relationship of the type.

    The schema allows `(:Machine)-[:RUNS]->(:Library:Software)`, since some Software is at that end. That all of it is
    `:Service:Software` is certain if RUNS ends as often at a Service as at all, and no node is both.
    """
    index, direction = facts.index, link.pattern.direction
    if link.length != (1, 1) or direction == "both":
        return
    for symbol in (link.left, link.right):
        written = [use.name for use in facts.labels if use.symbol is symbol and not use.negated]
        side = int((symbol is link.left) != (direction == "right"))
        others = [pattern for pattern in index.types[type_] if not index.ends(pattern)[side] & symbol.kinds]
        counts = [data.relationships(type_, pattern.start, pattern.end) or 0 for pattern in others]
        apart: list[RelationshipPattern] = []  # no relationship fits two of these
        number = 0
        for count, pattern in sorted(zip(counts, others, strict=True), key=lambda item: -item[0]):
            ends = index.ends(pattern)
            if not any(ends[0] & other[0] and ends[1] & other[1] for other in map(index.ends, apart)):
                apart.append(pattern)
                number += count
        if len(written) == 1 and number == total:
            labels = list(dict.fromkeys(pattern.end if side else pattern.start for pattern in apart))
            verb = "end" if side else "begin"
            message = f"No {type_} relationship {verb}s at a {written[0].name.text}: all {total:,} {verb} at {either(labels)}."
            findings.warning("empty_relationship", message, written[0], [quoted_name(label) for label in labels])
            return


def empty_properties(facts: Facts, findings: Findings, data: Data) -> None:
    """Report properties that no node or hardly any node has: `ORDER BY c.founding_date`.

    Of several uses of a property only the most harmful use is reported.
    """
    uses = _Uses(facts)
    worst: dict[tuple[int, str], tuple[int, str, PropertyUse]] = {}
    for use in (*(use for _, use in facts.sorted), *facts.properties):
        role = uses.role(use)
        key = id(use.symbol), use.key
        if role is None or key in uses.open_ended:
            continue
        rank = list(CONSEQUENCES).index(role)
        if key not in worst or rank < worst[key][0]:
            worst[key] = rank, role, use
    for _, role, use in worst.values():
        known = filled(facts, use, data)
        if known is not None:
            _unfilled(findings, use, role, *known)


def _unfilled(findings: Findings, use: PropertyUse, role: str, have: int, of: int) -> None:
    if not of:
        return
    name = f"{use.symbol.name}.{use.key}" if use.symbol.name else use.key
    all_counted = counted(of, "node" if use.symbol.kind == "node" else "relationship")
    if not have:
        message = f"{name} has no value anywhere (0 of {all_counted}), {CONSEQUENCES[role]}."
        findings.add("hint" if role == "returned" else "warning", "empty_property", message, use.node)
    elif role == "sort" and of >= FEWEST and have <= HARDLY_ANY * of:
        findings.warning(
            "empty_property",
            f"Only {have:,} of {all_counted} {'has' if have == 1 else 'have'} {name}; the others sort as null. "
            f"Descending order puts nulls first; exclude them with {findings.query.source(use.node)} IS NOT NULL.",
            use.node,
        )


class _Uses:
    """The roles of the properties in a query: sort key, compared value, aggregated value, and so on."""

    def __init__(self, facts: Facts) -> None:
        query = facts.query
        tests = {id(node.operand): node for node in query.find(t.IsNull)}
        self._expected: set[int] = set()
        self.open_ended: set[tuple[int, str]] = set()
        for use in facts.null_tests:
            test = tests.get(id(use.node))
            if test is not None and not test.negated:
                self.open_ended.add((id(use.symbol), use.key))
        for call in query.find(t.FunctionCall):
            if call.key in HANDLES_NULL:
                self._expected |= {id(node) for argument in call.arguments for node in argument.walk()}
        for binary in query.find(t.Binary):
            if isinstance(binary.left, t.NullLiteral) or isinstance(binary.right, t.NullLiteral):
                self._expected |= {id(binary.left), id(binary.right)}  # reported by another check
        self._roles: dict[int, str] = {}
        self._mark("case", (node for case in query.find(t.Case) for node in case.walk()))
        self._mark("unwind", (node for unwind in query.find(t.Unwind) for node in _null_makers(unwind.source)))
        calls = [call for call in query.find(t.FunctionCall) if is_aggregate(call)]
        self._mark(
            "aggregate", (node for call in calls for argument in call.arguments[:1] for node in _null_makers(argument))
        )
        for comparison in facts.comparisons:
            for side in (comparison.left, comparison.right):
                if isinstance(side, PropertyUse):
                    self._roles[id(side.node)] = "comparison"
        for node in tests.values():
            if node.negated:
                self._roles[id(node.operand)] = "comparison"
        for _, use in facts.sorted:
            self._roles[id(use.node)] = "sort"

    def role(self, use: PropertyUse) -> str | None:
        """Return the most harmful role of a use, a key of `CONSEQUENCES`; None if the query expects nulls there."""
        return None if id(use.node) in self._expected else self._roles.get(id(use.node), "returned")

    def _mark(self, role: str, nodes: Iterable[t.Node]) -> None:
        self._roles.update((id(node), role) for node in nodes)


def _null_makers(expression: t.Expression) -> Iterator[t.Node]:
    """Yield an expression and the parts that make it null if they are null: `m.price` in `toFloat(m.price) * 2`."""
    yield expression
    parts: Sequence[t.Expression] = ()
    if isinstance(expression, t.Binary) and expression.operator in ARITHMETIC:
        parts = expression.left, expression.right
    elif isinstance(expression, t.Property):
        parts = (expression.subject,)
    elif isinstance(expression, t.FunctionCall) and len(expression.arguments) == 1:
        parts = expression.arguments
    for part in parts:
        yield from _null_makers(part)


def _empty(code: str, message: str, use: LabelUse, alternative: bool, findings: Findings) -> None:
    if alternative:
        message += " This alternative adds nothing to the answer."
    findings.add("hint" if alternative else "warning", code, message, use.name)


def _alternatives(query: t.Query) -> set[int]:
    """Return the ids (`id`) of names that are alternatives: `A` and `B` in `[:A|B]`."""
    return {id(node) for either in query.find(t.LabelOr) for node in either.walk()}
