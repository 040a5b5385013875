"""Reports rows that disappear because of a null: with `<>` or NOT the condition is null, and UNWIND drops the row."""

from __future__ import annotations

from collections.abc import Iterator

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, all_of
from graphground.cypher.functions import contains_aggregate
from graphground.cypher.outline.model import PropertyUse, filled, owners
from graphground.graphs.schemas.statistics.model import Statistics
from graphground.graphs.why_empty.probe import PLACEHOLDERS, Probe, quoted
from graphground.graphs.why_empty.second_look.shape import Shape

MOST_VANISH = 0.5
"""The minimum share of the nodes that an UNWIND must drop to be reported."""


def vanished_rows(probe: Probe, shape: Shape, facts: Statistics) -> Iterator[Diagnostic]:
    """Report `WHERE NOT 'x' IN p.nicknames`, and `UNWIND p.nicknames`, if they drop nodes `p` without nicknames.

    UNWIND is reported if it drops at least half of the nodes, and a later clause uses `p` or aggregates rows.
    """
    for clause in shape.clauses:
        if isinstance(clause, t.Match | t.With) and clause.where is not None and not getattr(clause, "optional", False):
            for condition in t.conjuncts(clause.where):
                use = _negated_use(shape, condition)
                if use is not None and _has_holes(shape, use, facts):
                    yield from _condition(probe, shape, clause, condition, use)
        elif isinstance(clause, t.Unwind):
            use = shape.use(clause.source)
            if use is not None and _has_holes(shape, use, facts) and _matters_after(shape, clause, use):
                yield from _unwind(probe, shape, clause, use)


def texts_for_missing(probe: Probe, shape: Shape, facts: Statistics) -> Iterator[Diagnostic]:
    """Report `n.left IS NOT NULL` if values such as 'N/A' pass it, and `n.left = 'N/A'` if other nodes have `''`."""
    uses = [*((use, None) for use in shape.facts.null_tests), *((c.left, c) for c in shape.facts.comparisons)]
    for use, comparison in uses:
        if not isinstance(use, PropertyUse) or not use.symbol.name:
            continue
        texts = _placeholders(shape, use, facts)
        test = comparison.node if comparison is not None else _null_test(shape, use)
        if len(texts) < (1 if comparison is None else 2) or test is None:
            continue
        written = comparison.right_node if comparison is not None else None
        if comparison is not None and not (
            comparison.operator == "=" and isinstance(written, t.StringLiteral) and written.value in texts
        ):
            continue
        subject = f"{use.symbol.name}.{shape.source(use.key_node)}"
        values = f"[{', '.join(map(quoted, texts))}]"
        where = f"{'' if comparison is not None else 'NOT '}{subject} IN {values}"
        whole = _with_condition(shape, test, where, in_map=use.in_map)
        counts = [probe.rows(f"{text} RETURN count(*) AS rows", 1) for text in (shape.returned.before, whole)]
        if not all(counts) or counts[0][0][0] == counts[1][0][0]:
            continue
        number = abs(counts[0][0][0] - counts[1][0][0])
        stand = f"{all_of([quoted(text) for text in texts])} stand{'s' if len(texts) == 1 else ''} for a missing value"
        effect = (
            f"rows that pass because of that: {number:,}"
            if comparison is None
            else f"further rows with another: {number:,}"
        )
        place, fix = (test, where) if not use.in_map else _moved(shape, use, test, where)
        yield probe.diagnostic("missing_as_text", place, f"In {subject}, {stand}: {effect}. Write {fix}.", [fix])


def _moved(shape: Shape, use: PropertyUse, entry: t.Node, where: str) -> tuple[t.Node, str]:
    """Return the map of a node that has an entry, and the text in its place with the entry as a WHERE."""
    holder = next(
        node.properties
        for node in shape.query.find(t.NodePattern)
        if isinstance(node.properties, t.MapLiteral) and node.properties.start <= entry.start < node.properties.end
    )
    others = [shape.source(other) for other in holder.entries if other is not entry]
    return holder, f"{'{' + ', '.join(others) + '} ' if others else ''}WHERE {where}"


def _placeholders(shape: Shape, use: PropertyUse, facts: Statistics) -> list[str]:
    """Return the frequent texts of a property that stand for a missing value, such as `['', 'N/A']`."""
    known = [facts.property(owner, use.key) for owner in owners(shape.facts, use.symbol, use.key)]
    common = {text for item in known if item is not None for text, _ in item.common if isinstance(text, str)}
    return sorted(text for text in common if text.strip().lower() in PLACEHOLDERS)


def _null_test(shape: Shape, use: PropertyUse) -> t.IsNull | None:
    """Return the `IS NOT NULL` that tests a property."""
    tests = (test for test in shape.query.find(t.IsNull) if test.operand is use.node and test.negated)
    return next(tests, None)


def _with_condition(shape: Shape, test: t.Node, where: str, *, in_map: bool) -> str:
    """Return the clauses before RETURN with a condition in place of `test`; that of a map's entry follows in a WITH."""
    text, before = shape.query.text, shape.returned.before
    if not in_map:
        return text[shape.start : test.start] + where + text[test.end : shape.start + len(before)]
    end = test.end + (text[test.end : test.end + 2] == ", ") * 2
    start = test.start - (end == test.end and text[: test.start].endswith(", ")) * 2
    return f"{text[shape.start : start]}{text[end : shape.start + len(before)]} WITH * WHERE {where}"


def _condition(
    probe: Probe, shape: Shape, clause: t.Match | t.With, condition: t.Expression, use: PropertyUse
) -> Iterator[Diagnostic]:
    text, start = shape.query.text, shape.start
    subject, name = shape.source(use.node), use.symbol.name
    if isinstance(clause, t.With) and name not in {item.name for item in clause.projection.items}:
        return
    before = f"{text[start : condition.start]}{subject} IS NULL{text[condition.end : clause.end]}"
    rows = probe.rows(f"{before} RETURN count(DISTINCT {name}) AS vanished", 1)
    if not rows or not rows[0][0]:
        return
    count = rows[0][0]
    fix = f"({shape.source(condition)} OR {subject} IS NULL)"
    yield probe.diagnostic(
        "null_drops_rows",
        condition,
        f"{count:,} of the matched {name} {'have' if count != 1 else 'has'} no {use.key}: the condition is null there, "
        f"so {'they are' if count != 1 else 'it is'} left out. To include {'them' if count != 1 else 'it'}, write {fix}.",
        [fix],
        severity="hint",
    )


def _unwind(probe: Probe, shape: Shape, clause: t.Unwind, use: PropertyUse) -> Iterator[Diagnostic]:
    subject, name = shape.source(use.node), use.symbol.name
    rows = probe.rows(
        f"{shape.before(clause)} WITH DISTINCT {name} RETURN count(*) AS found, count({subject}) AS having", 1
    )
    if not rows or rows[0][0] - rows[0][1] < MOST_VANISH * rows[0][0] or not rows[0][0]:
        return
    found, having = rows[0]
    yield probe.diagnostic(
        "null_drops_rows",
        clause,
        f"{found - having:,} of {found:,} {name} {'have' if found - having != 1 else 'has'} no {use.key}, and UNWIND "
        f"drops {'their rows' if found - having != 1 else 'its row'}.",
        severity="hint",
    )


def _negated_use(shape: Shape, condition: t.Expression) -> PropertyUse | None:
    """Return the property that can make a negated condition null: `p` of `n.p <> 1`, `NOT 'x' IN n.p`.

    Return None for other conditions.
    """
    inner = condition
    negated = False
    while isinstance(inner, t.Unary) and inner.operator == "NOT":
        inner, negated = inner.operand, not negated
    if not isinstance(inner, t.Binary) or negated == (inner.operator == "<>"):
        return None
    if inner.operator not in ("<>", "=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH"):
        return None
    sides = [shape.use(side) for side in (inner.left, inner.right)]
    uses = [use for use in sides if use is not None]
    literals = [
        isinstance(side, t.StringLiteral | t.IntegerLiteral | t.FloatLiteral | t.Parameter | t.ListLiteral)
        for side in (inner.left, inner.right)
    ]
    return uses[0] if len(uses) == 1 and any(literals) and uses[0].symbol.kind == "node" else None


def _has_holes(shape: Shape, use: PropertyUse, facts: Statistics) -> bool:
    """Whether the statistics show that some but not all nodes have the property."""
    known = filled(shape.facts, use, facts)
    return known is not None and 0 < known[0] < known[1]


def _matters_after(shape: Shape, clause: t.Unwind, use: PropertyUse) -> bool:
    """Whether later clauses use the node itself or aggregate rows, so that dropped rows change the answer."""
    later = shape.clauses[shape.clauses.index(clause) + 1 :]
    return any(
        (isinstance(node, t.Variable) and node.name == use.symbol.name) or contains_aggregate(node)
        for clause in later
        for node in clause.walk()
    )
