"""Reports the total of a truncated answer, repeated rows, and matches in the opposite direction of a relationship."""

from __future__ import annotations

from collections.abc import Iterator

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic
from graphground.graphs.engines.engine import Table
from graphground.graphs.schemas.statistics.model import Statistics
from graphground.graphs.why_empty.probe import Probe
from graphground.graphs.why_empty.second_look.shape import Shape

MOST_COUNTED = 20_000


def total(probe: Probe, shape: Shape, table: Table) -> Iterator[Diagnostic]:
    """Report how many rows a truncated answer has in total."""
    if not table.truncated:
        return
    step = shape.returned
    columns = ", ".join(
        f"{shape.source(item.expression)} AS c{place}" for place, item in enumerate(step.projection.items)
    )
    paging = "".join(
        f" {word} {shape.source(bound)}"
        for word, bound in (("SKIP", step.projection.skip), ("LIMIT", step.projection.limit))
        if bound is not None
    )
    distinct = "DISTINCT " if step.projection.distinct else ""
    bounded = paging or f" LIMIT {MOST_COUNTED + 1}"
    rows = probe.rows(f"{step.before} WITH {distinct}{columns}{bounded} RETURN count(*) AS total", 1)
    if not rows or type(rows[0][0]) is not int or rows[0][0] <= len(table.rows):
        return
    found = rows[0][0]
    count = f"more than {MOST_COUNTED:,}" if not paging and found > MOST_COUNTED else f"{found:,}"
    yield probe.diagnostic(
        "more_rows",
        step.clause,
        f"The answer has {count} rows. Put a LIMIT into the query only if the question asks for just some of them.",
        severity="hint",
    )


def repeated(probe: Probe, shape: Shape, table: Table) -> Iterator[Diagnostic]:
    """Report rows of `RETURN p.name` that repeat because the same `p` is reached in several ways.

    Equal rows of two different nodes with the same name are not reported.
    """
    step = shape.returned
    if step.projection.distinct or step.aggregates or step.projection.limit is not None or len(table.rows) < 2:
        return
    if len({repr(row) for row in table.rows}) == len(table.rows):
        return
    names: list[str] = []
    for item in step.projection.items:
        subject = item.expression.subject if isinstance(item.expression, t.Property) else item.expression
        symbol = shape.symbol(subject.name) if isinstance(subject, t.Variable) else None
        if symbol is None or symbol.kind not in ("node", "relationship"):
            return
        names.append(str(symbol.name))
    variables = ", ".join(dict.fromkeys(names))
    counted = probe.rows(
        f"{step.before} WITH {variables}, count(*) AS times RETURN sum(times) AS every, count(*) AS c", 1
    )
    if not counted or not counted[0][0] or counted[0][0] == counted[0][1]:
        return
    every, different = counted[0]
    fix = f"WITH DISTINCT {variables} RETURN"
    repeat = "repeats another" if every - different == 1 else "repeat others"
    yield probe.diagnostic(
        "repeated_rows",
        step.clause,
        f"{every - different:,} of {every:,} rows {repeat}: the pattern reaches the same {variables} in several "
        f"ways. To remove the repetitions, write {fix} ….",
        severity="hint",
    )


def other_direction(probe: Probe, shape: Shape, facts: Statistics) -> Iterator[Diagnostic]:
    """Report `(a:Country)-[:borders]->(b:Country)` if most relationships, but not all, exist in both directions.

    Nothing is reported if matching both directions gives the same number of rows, or the same count.
    """
    for link in shape.facts.links:
        relationship = link.pattern
        ends = {*shape.labels(link.left), *shape.labels(link.right)}
        if relationship.direction == "both" or link.types is None or len(link.types) != 1 or link.length != (1, 1):
            continue
        known = facts.pattern(link.types[0], *[next(iter(ends))] * 2) if len(ends) == 1 else None
        if known is None or not known.symmetric or known.both_ways == 1.0:
            continue
        clause = next(
            (candidate for candidate in shape.clauses if candidate.start <= relationship.start < candidate.end), None
        )
        if not isinstance(clause, t.Match):
            continue
        text = shape.source(relationship)
        either = text.lstrip("<").rstrip(">")
        step = shape.returned
        items = [item for item in step.groups if not isinstance(item.expression, t.StringLiteral | t.IntegerLiteral)]
        edited = probe.query.text[shape.start : relationship.start] + either
        edited += probe.query.text[relationship.end : step.clause.start]
        counts = []
        for before in (step.before, edited):
            if step.aggregates and not items:
                counts.append(_answer(probe, f"{before} {shape.source(step.clause)}"))
            else:
                columns = ", ".join(f"{shape.source(item.expression)} AS c{place}" for place, item in enumerate(items))
                counts.append(_answer(probe, f"{before} WITH DISTINCT {columns} RETURN count(*) AS rows"))
        if None in counts or counts[0] == counts[1]:
            continue
        one_way, both_ways = (f"{count:,}" for count in counts)
        if step.aggregates and not items:
            results = f"In this direction the answer is {one_way}, in either direction {both_ways}."
        else:
            results = f"Distinct rows: {one_way} in this direction, {both_ways} in either direction."
        share = min(known.both_ways or 0.0, 0.99)  # not 100%, since some exist in one direction only
        yield probe.diagnostic(
            "direction_matters",
            relationship,
            f"{share:.0%} of the {known.type} relationships exist in both directions, the others in one "
            f"direction only. {results} To match both directions, write {either}, and DISTINCT, because most pairs of "
            "nodes then match twice.",
            [either],
            severity="hint",
        )


def _answer(probe: Probe, text: str) -> int | None:
    rows = probe.rows(text, 2)
    single = len(rows) == 1 and len(rows[0]) == 1
    return rows[0][0] if single and type(rows[0][0]) is int else None
