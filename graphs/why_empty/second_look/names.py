"""Reports namesakes that DISTINCT or grouping merges, and counts that differ with DISTINCT."""

from __future__ import annotations

from collections.abc import Iterator

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.functions import contains_aggregate
from graphground.cypher.outline.model import PropertyUse
from graphground.graphs.schemas.statistics.model import Statistics
from graphground.graphs.why_empty.probe import Probe, quoted
from graphground.graphs.why_empty.second_look.shape import Shape, Step


def merged_names(probe: Probe, shape: Shape, facts: Statistics) -> Iterator[Diagnostic]:
    """Report names that several nodes share, if DISTINCT or grouping merges these nodes: `RETURN DISTINCT p.name`."""
    for step in shape.steps:
        variables = {item.expression.name for item in step.projection.items if isinstance(item.expression, t.Variable)}
        for node in _merging(step):
            use = shape.use(node)
            if use is None or use.symbol.name in variables or not _may_merge(shape, use, facts):
                continue
            rows = probe.rows(
                f"{step.before} WITH {shape.source(node)} AS name, count(DISTINCT {use.symbol.name}) AS nodes "
                "WHERE nodes > 1 AND name IS NOT NULL RETURN name, nodes ORDER BY nodes DESC LIMIT 20",
                20,
            )
            if not rows:
                continue
            names = len(rows)
            example = f"{quoted(rows[0][0])} names {rows[0][1]} nodes"
            subject = f"{'At least 20' if names == 20 else names} name{'s' if names > 1 else ''}"
            yield probe.diagnostic(
                "namesakes_merged",
                node,
                f"{subject} here stand{'' if names > 1 else 's'} for several different nodes"
                f"{' each' if names > 1 else ''} ({example}), which are merged into one. "
                f"To keep them apart, group or deduplicate by {use.symbol.name} itself.",
                severity="hint",
            )


def differing_counts(probe: Probe, shape: Shape) -> Iterator[Diagnostic]:
    """Report `count(p)` with both numbers if it differs from `count(DISTINCT p)`."""
    for number, step in enumerate(shape.steps):
        for item in step.projection.items:
            call = item.expression
            if not isinstance(call, t.FunctionCall) or call.key != "count" or call.distinct or len(call.arguments) != 1:
                continue
            argument = call.arguments[0]
            symbol = shape.symbol(argument.name) if isinstance(argument, t.Variable) else None
            if symbol is None or symbol.kind != "node" or not _may_repeat(shape, number, str(symbol.name)):
                continue
            text = shape.source(argument)
            groups = [f"{shape.source(group.expression)} AS g{place}" for place, group in enumerate(step.groups)]
            rows = probe.rows(
                f"{step.before} WITH {', '.join([*groups, f'count({text}) AS every, count(DISTINCT {text}) AS different'])} "
                "WHERE every <> different RETURN count(*) AS places, sum(every) AS every, sum(different) AS different",
                1,
            )
            if not rows or not rows[0][0]:
                continue
            places, every, different = rows[0]
            where, total = (f"In {places:,} of the groups, ", " in total") if groups else ("", "")
            fix = f"count(DISTINCT {text})"
            yield probe.diagnostic(
                "counts_differ",
                call,
                f"{where}{shape.source(call)} counts rows and gives {every:,}{total}; {fix} counts each {text} once and "
                f"gives {different:,}.",
                [fix],
                severity="hint",
            )


def _merging(step: Step) -> Iterator[t.Property]:
    """Yield the properties by which a step merges rows."""
    projection = step.projection
    grouping = step.aggregates or projection.distinct
    for item in projection.items:
        expression = item.expression
        if grouping and isinstance(expression, t.Property):
            yield expression
        for call in expression.find(t.FunctionCall):
            if call.key in ("count", "collect") and call.distinct and isinstance(call.arguments[0], t.Property):
                yield call.arguments[0]


def _may_merge(shape: Shape, use: PropertyUse, facts: Statistics) -> bool:
    """Whether a property names nodes of a label in which some nodes are known to share their name."""
    labels = shape.labels(use.symbol)
    schema = shape.facts.index.schema
    named = [label for label in labels if schema.labels[label].name_property == use.key]
    return bool(named) and any(facts.namesakes(label) for label in named)


def _may_repeat(shape: Shape, number: int, name: str) -> bool:
    """Whether several rows of a step may contain the same node `name`.

    False directly after `WITH DISTINCT n` and after `WITH n, count(…)`, and for `MATCH (n:Label)` alone.
    """
    if number:
        before = shape.steps[number - 1].projection
        items = [item.expression for item in before.items]
        if [getattr(item, "name", None) for item in items] == [name] and before.distinct:
            place = shape.clauses.index(shape.steps[number - 1].clause)
            return any(
                isinstance(clause, t.Match | t.Unwind | t.CallSubquery) for clause in _between(shape, place, number)
            )
        if (
            name in {getattr(item, "name", None) for item in items}
            and any(map(contains_aggregate, items))
            and len(items) == 2
        ):
            place = shape.clauses.index(shape.steps[number - 1].clause)
            return any(
                isinstance(clause, t.Match | t.Unwind | t.CallSubquery) for clause in _between(shape, place, number)
            )
        return True
    matches = [clause for clause in shape.clauses if isinstance(clause, t.Match | t.Unwind | t.CallSubquery)]
    paths = [path for clause in matches if isinstance(clause, t.Match) for path in clause.patterns]
    return len(matches) > 1 or len(paths) > 1 or any(len(path.elements) > 1 for path in paths)


def _between(shape: Shape, place: int, number: int) -> list[t.Clause]:
    return list(shape.clauses[place + 1 : shape.clauses.index(shape.steps[number].clause)])
