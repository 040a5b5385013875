"""Checks an answer that has rows, with a few limited queries to the database.

Answers to slow queries are not checked, and the time for all checks is limited. Problems that the statistics rule out
(a label without namesakes, a property that all nodes have, a type whose relationships are never symmetric) are not
checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import without_entry
from graphground.cypher.checks.places import written_relationship
from graphground.cypher.diagnostics import Diagnostic, Severity, all_of
from graphground.cypher.functions import contains_aggregate, groups_rows, is_aggregate
from graphground.cypher.names.nearest import meaning
from graphground.cypher.names.words import root, split_name, word_lists
from graphground.cypher.outline import outline_of
from graphground.cypher.outline.model import Facts, Link, PropertyUse, Symbol, filled, owners
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.client_context import Waiting
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.statistics import Statistics
from graphground.graphs.why_empty.probe import OutOfTime, Probe, QueryNeeded, quoted, without_not

QUICK_MS = 50.0
"""The maximum time, in milliseconds, of a query whose answer is checked: a check takes about as long as the query."""
SMALL, SMALL_MS = 200_000, 2_000.0
"""The number of relationships below which a graph is small, and the limit that replaces `QUICK_MS` for a small graph.

Only a busy machine or a cold engine makes a query of a small graph slow.
"""
SECONDS = 0.5
"""The time limit, in seconds, for all queries of the checks together."""
PATIENCE = 0.1
"""The time, in seconds, for which an answer waits for its checks; if the query took longer, the answer waits as long as
the query took. Later findings are left out.
"""


@dataclass(frozen=True, slots=True)
class Look:
    """The findings about an answer; `settled` holds the codes of the diagnostics that these checks replace."""

    found: tuple[Diagnostic, ...] = ()
    settled: frozenset[str] = frozenset()


def second_look(graph: Graph, query: t.Query, table: Table, parameters: Mapping[str, Any] | None = None) -> Look:
    """Return the findings about an answer with rows; empty if the query was too slow, or cannot be checked.

    For `MATCH (p:Player) RETURN p.name ORDER BY p.height_cm DESC LIMIT 1` it returns one `tie_at_the_top` if several
    players share the greatest height.
    """
    facts = graph.statistics(fresh=True)
    small = facts is not None and sum(type_.relationships for type_ in facts.types.values()) < SMALL
    shape = shape_of(query, graph.schema) if table.elapsed_ms <= (SMALL_MS if small else QUICK_MS) else None
    if shape is None:
        return Look()
    probe = Probe(graph, query, parameters or {}, SECONDS)

    def looks() -> Iterator[Iterator[Diagnostic]]:
        yield total(probe, shape, table)
        yield order_and_limit(probe, shape)
        yield differing_counts(probe, shape)
        yield repeated(probe, shape, table)
        if facts is not None:
            yield merged_names(probe, shape, facts)
            yield vanished_rows(probe, shape, facts)
            yield texts_for_missing(probe, shape, facts)
            yield other_direction(probe, shape, facts)

    found: list[Diagnostic] = []

    def look_through() -> None:
        for look in looks():
            found.extend(look)

    try:
        probe.may_query = False
        look_through()  # most answers need no query: a thread for each would take as long as the answer
    except QueryNeeded:
        found.clear()
        probe.may_query = True
        pool = ThreadPoolExecutor(1, thread_name_prefix="graphground-second-look")
        try:
            # A running query is not terminated: termination takes longer than most of these queries run.
            looking = pool.submit(copy_context().run, look_through)
            with Waiting():
                looking.result(max(PATIENCE, table.elapsed_ms / 1000))
        except (OutOfTime, TimeoutError):
            return Look(tuple(found))
        finally:
            probe.give_up()
            pool.shutdown(wait=False)
    settled = {"distinct_merges_entities"} if facts is not None else set()
    if any(candidate.code == "more_rows" for candidate in found):
        settled.add("no_limit")
    return Look(tuple(found), frozenset(settled))


@dataclass(frozen=True)
class Step:
    """A WITH or the RETURN: its projection, and the text of all clauses before it."""

    clause: t.With | t.Return
    before: str

    @property
    def projection(self) -> t.Projection:
        """The projection of the clause."""
        return self.clause.projection

    @property
    def aggregates(self) -> bool:
        """Whether the clause aggregates rows."""
        return groups_rows(self.projection)

    @property
    def groups(self) -> list[t.ReturnItem]:
        """The items without aggregation, by which an aggregating clause groups rows."""
        return [item for item in self.projection.items if not contains_aggregate(item.expression)]


@dataclass
class Shape:
    """A query without UNION that ends with RETURN, and the facts about its variables and properties: see `shape_of`."""

    query: t.Query
    facts: Facts
    clauses: Sequence[t.Clause]
    start: int
    steps: list[Step] = field(default_factory=list)

    def columns(self, items: Sequence[t.ReturnItem], name: str = "c") -> list[str]:
        """Return the columns of items under short names: `["n.name AS c0", "n.born AS c1"]`."""
        return [f"{self.source(item.expression)} AS {name}{place}" for place, item in enumerate(items)]

    def before(self, clause: t.Clause) -> str:
        """Return the text of the clauses before `clause`."""
        return self.query.text[self.start : clause.start]

    @property
    def returned(self) -> Step:
        """The RETURN clause with the clauses before it."""
        return self.steps[-1]

    def use(self, node: t.Node) -> PropertyUse | None:
        """Return the property that the expression `node` reads from a variable; None for any other expression."""
        return self._uses.get(id(node))

    def labels(self, symbol: Symbol) -> tuple[str, ...]:
        """Return the labels that the nodes of a symbol may have; none for a relationship."""
        return self.facts.index.labels_of(symbol.kinds) if symbol.kind == "node" else ()

    def symbol(self, name: str) -> Symbol | None:
        """Return the symbol called `name`; None if the query has no such symbol or several."""
        found = {id(symbol): symbol for symbol in self.facts.symbols if symbol.name == name}
        return next(iter(found.values())) if len(found) == 1 else None

    def __post_init__(self) -> None:
        self.source = self.query.source
        self._uses = {id(use.node): use for use in self.facts.properties if use.symbol.name and not use.in_map}


def shape_of(query: t.Query, schema: PropertyGraphSchema) -> Shape | None:
    """Return the shape of a query; None for UNION, a command, `*`, GROUP BY, or a clause that is not supported."""
    body = query.body
    if query.prefix or not isinstance(body, t.SingleQuery) or not isinstance(body.clauses[-1], t.Return):
        return None
    if any(not isinstance(clause, t.Match | t.With | t.Return | t.Unwind | t.CallSubquery) for clause in body.clauses):
        return None
    facts = outline_of(query, schema)
    shape = Shape(query, facts, body.clauses, body.start)
    for clause in body.clauses:
        if isinstance(clause, t.With | t.Return):
            if clause.projection.star or clause.projection.group_by is not None:
                return None
            shape.steps.append(Step(clause, shape.before(clause)))
    return shape


def merged_names(probe: Probe, shape: Shape, facts: Statistics) -> Iterator[Diagnostic]:
    """Report names that several nodes share, if DISTINCT or grouping merges these nodes: `RETURN DISTINCT p.name`."""
    for step in shape.steps:
        variables = {item.expression.name for item in step.projection.items if isinstance(item.expression, t.Variable)}
        for node in _merging(step):
            use = shape.use(node)
            if use is None or use.symbol.name in variables or not _may_merge(shape, use, facts):
                continue
            # Another column, such as a card number, may keep nodes apart; an aggregate merges by its argument alone.
            grouped = any(item.expression is node for item in step.groups)
            others = ["", *shape.columns([item for item in step.groups if item.expression is not node] * grouped, "g")]
            rows = probe.rows(
                f"{step.before} WITH {shape.source(node)} AS name{', '.join(others)}, "
                f"count(DISTINCT {use.symbol.name}) AS nodes WHERE nodes > 1 AND name IS NOT NULL "
                "RETURN name, max(nodes) AS nodes ORDER BY nodes DESC LIMIT 20",
                20,
            )
            if not rows:
                continue
            names = len(rows)
            example = f"{quoted(rows[0][0])} names {rows[0][1]} nodes"
            subject = f"{'At least 20' if names == 20 else names} name{'s' if names > 1 else ''}"
            message = (
                f"{subject} here stand{'' if names > 1 else 's'} for several different nodes"
                f"{' each' if names > 1 else ''} ({example}), which are merged into one. "
                f"To keep them apart, group or deduplicate by {use.symbol.name} itself."
            )
            yield probe.diagnostic("namesakes_merged", node, message, severity="hint")


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
            groups = shape.columns(step.groups, "g")
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
            message = (
                f"{where}{shape.source(call)} counts rows and gives {every:,}{total}; {fix} counts each {text} once and "
                f"gives {different:,}."
            )
            yield probe.diagnostic("counts_differ", call, message, [fix], severity="hint")


def _merging(step: Step) -> Iterator[t.Property]:
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
    multiplying = t.Match | t.Unwind | t.CallSubquery
    if number:
        before, here = shape.steps[number - 1].clause, shape.steps[number].clause
        items = [item.expression for item in before.projection.items]
        names = [getattr(item, "name", None) for item in items]
        grouped = name in names and len(items) == 2 and any(map(contains_aggregate, items))
        if not grouped and not (names == [name] and before.projection.distinct):
            return True
        between = shape.clauses[shape.clauses.index(before) + 1 : shape.clauses.index(here)]
        return any(isinstance(clause, multiplying) for clause in between)
    matches = [clause for clause in shape.clauses if isinstance(clause, multiplying)]
    paths = [path for clause in matches if isinstance(clause, t.Match) for path in clause.patterns]
    return len(matches) > 1 or len(paths) > 1 or any(len(path.elements) > 1 for path in paths)


MOST_KEPT, LOOKED_AT = 10, 20


def order_and_limit(probe: Probe, shape: Shape) -> Iterator[Diagnostic]:
    """Report `ORDER BY p.height_cm DESC LIMIT 1` if several share the greatest height, or if nulls come first."""
    for step in shape.steps:
        projection = step.projection
        limit = projection.limit
        if not projection.order_by or not isinstance(limit, t.IntegerLiteral) or not 0 < limit.value <= MOST_KEPT:
            continue
        if projection.skip is not None:
            continue
        query = _sort_key_query(shape, step, limit.value + LOOKED_AT)
        if query is None:
            continue
        keys = [row[: len(projection.order_by)] for row in probe.rows(query, limit.value + LOOKED_AT)]
        first = projection.order_by[0]
        if keys and keys[0][0] is None and first.descending:
            yield probe.diagnostic(
                "nulls_sorted_first",
                first,
                f"The first row has no {shape.source(first.expression)}: descending order puts nulls first, so LIMIT "
                f"keeps rows without a value. Keep only rows that have one: {_not_null(shape, step, first.expression)}.",
            )
        elif len(keys) > limit.value and keys[limit.value] == keys[limit.value - 1] and None not in keys[limit.value]:
            boundary = keys[limit.value - 1]
            tied = sum(1 for key in keys if key == boundary)
            inside = sum(1 for key in keys[: limit.value] if key == boundary)
            more = "At least " if len(keys) == limit.value + LOOKED_AT and keys[-1] == boundary else ""
            value = ", ".join(str(part) for part in boundary)
            message = (
                f"{more}{tied} rows share the value {value} of the sort key, and LIMIT {limit.value} keeps "
                f"{inside} of them, an arbitrary choice. Raise the LIMIT to see them all."
            )
            yield probe.diagnostic("tie_at_the_top", limit, message, severity="hint")


def _not_null(shape: Shape, step: Step, expression: t.Expression) -> str:
    """Return the advice that keeps only rows with a sort key.

    A WHERE before the clause can use neither an aggregation nor the name of one of the clause's columns.
    """
    items = step.projection.items
    place = _place(step.projection, expression)
    item = items[place] if place is not None else None
    computed = item.expression if item is not None else expression
    text = shape.source(computed)
    if contains_aggregate(computed):
        name = shape.source(item.alias) if item is not None and item.alias is not None else "value"
        return f"write `WITH …, {text} AS {name} WHERE {name} IS NOT NULL` before this clause"
    columns = {column.alias.name for column in items if column.alias is not None}
    if item is None and any(variable.name in columns for variable in computed.find(t.Variable)):
        return f"write `WITH … WHERE {text} IS NOT NULL`, with the same columns, before this clause"
    return f"WHERE {text} IS NOT NULL, before the ORDER BY"


def _sort_key_query(shape: Shape, step: Step, limit: int) -> str | None:
    """Return a query for the sort keys of the first `limit` rows, with equal rows of the answer counted once.

    Return None if the answer does not contain a sort key and the rows are grouped or distinct.
    """
    projection = step.projection
    columns = shape.columns(projection.items)
    names: list[str] = []
    for place, sort in enumerate(projection.order_by):
        known = _place(projection, sort.expression)
        column = f"c{known}"
        if known is None:
            if step.aggregates or projection.distinct or contains_aggregate(sort.expression):
                return None
            columns.append(f"{shape.source(sort.expression)} AS k{place}")
            column = f"k{place}"
        names.append(column)
    order = ", ".join(
        f"{name}{' DESC' if sort.descending else ''}" for name, sort in zip(names, projection.order_by, strict=True)
    )
    distinct = "" if step.aggregates else "DISTINCT "
    return f"{step.before} WITH {distinct}{', '.join(columns)} ORDER BY {order} LIMIT {limit} RETURN " + ", ".join(
        f"{name} AS r{place}" for place, name in enumerate(names)
    )


def _place(projection: t.Projection, expression: t.Expression) -> int | None:
    """Return the place of the column to which a sort key refers, by its alias or by an equal expression, else None."""
    for place, item in enumerate(projection.items):
        alias = item.alias.name if item.alias is not None else None
        if isinstance(expression, t.Variable) and expression.name in (alias, item.name):
            return place
        if expression.shape() == item.expression.shape():
            return place
    return None


MOST_COUNTED = 20_000


def total(probe: Probe, shape: Shape, table: Table) -> Iterator[Diagnostic]:
    """Report how many rows a truncated answer has in total."""
    if not table.truncated:
        return
    step = shape.returned
    columns = ", ".join(shape.columns(step.projection.items))
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
    message = (
        f"The answer has {count} rows. Put a LIMIT into the query only if the question asks for just some of them."
    )
    yield probe.diagnostic("more_rows", step.clause, message, severity="hint")


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
    message = (
        f"{every - different:,} of {every:,} rows {repeat}: the pattern reaches the same {variables} in several "
        f"ways. To remove the repetitions, write {fix} …."
    )
    yield probe.diagnostic("repeated_rows", step.clause, message, severity="hint")


def other_direction(probe: Probe, shape: Shape, facts: Statistics) -> Iterator[Diagnostic]:
    """Report a relationship that misses facts which are written in the opposite direction.

    That is `(a:Country)-[:borders]->(b:Country)` if most relationships, but not all, exist in both directions,
    `(a {name: 'Ada'})-[:MARRIED_TO]->(b)` if each is written in one direction, and `-[:SIGNED]->` if all of them, and
    more, exist as `<-[:SIGNED_BY]-`. Nothing is reported if the other way gives the same number of rows or count.
    """
    for link in shape.facts.links:
        relationship, type_ = link.pattern, link.type
        if relationship.direction == "both" or type_ is None or not link.simple:
            continue
        ends = {*shape.labels(link.left), *shape.labels(link.right)}
        known = facts.pattern(type_, *[next(iter(ends))] * 2) if len(ends) == 1 else None
        mirror, twin = facts.mirror(type_), facts.twin(type_)
        variable = shape.source(relationship.variable) if relationship.variable else ""
        clause = next(
            (candidate for candidate in shape.clauses if candidate.start <= relationship.start < candidate.end), None
        )
        text = shape.source(relationship)
        if not isinstance(clause, t.Match):
            continue
        step = shape.returned
        severity: Severity = "hint"
        items = [item for item in step.groups if not isinstance(item.expression, t.StringLiteral | t.IntegerLiteral)]
        distinct = "Distinct rows", f"WITH DISTINCT {', '.join(shape.columns(items))} RETURN count(*) AS rows"
        if step.aggregates and not items:
            distinct = "The answer", shape.source(step.clause)
        places, other, (what, returned) = ("in this direction", "in either direction"), text.strip("<>"), distinct
        if known is not None and known.symmetric and known.both_ways != 1.0:
            share = min(known.both_ways or 0.0, 0.99)  # not 100%, since some exist in one direction only
            why = (
                f"{share:.0%} of the {type_} relationships exist in both directions, the others in one direction only."
            )
            advice = (
                f"To match both directions, write {other}, and DISTINCT, because most pairs of nodes then match twice."
            )
        elif _starts_at_one_end(shape, link) and _is_mutual(type_) and not facts.leads_both_ways(type_):
            why = f"{type_} says the same of both nodes, but is written in one direction."
            advice, severity = f"To match both directions, write {other}.", "warning"
        elif mirror is not None and relationship.properties is None:
            other = written_relationship(variable, mirror, relationship.direction == "left")
            why = f"The {type_} relationships, and others, exist as {mirror} in the opposite direction."
            advice, places = f"To match all, write {other}.", (f"with {type_}", f"with {mirror}")
            what, returned = "Matches", "RETURN count(*) AS rows"
            # Without a common word, the wider type may have another meaning.
            severity = "warning" if mirror == twin or meaning(type_, mirror) else "hint"
        elif (
            twin is not None
            and relationship.properties is None
            and not any(pattern.start == pattern.end for pattern in facts.matching(type_))
        ):
            other = f"-[{variable}:{quoted_name(type_)}|{quoted_name(twin)}]-"
            why = f"Where nodes have both, {twin} leads, in the opposite direction, to the same nodes as {type_}."
            advice, places = f"To match what either says, write {other}, and DISTINCT.", (f"with {type_}", "with both")
            calls = [call for call in step.clause.find(t.FunctionCall) if is_aggregate(call)]
            severity = "warning" if all(call.distinct for call in calls) else "hint"
        else:
            continue
        edited = probe.query.text[shape.start : relationship.start] + other
        edited += probe.query.text[relationship.end : step.clause.start]
        counts = [_answer(probe, f"{before} {returned}") for before in (step.before, edited)]
        if None in counts or counts[0] == counts[1]:
            continue
        results = f"{what}: {counts[0]:,} {places[0]}, {counts[1]:,} {places[1]}."
        message = f"{why} {results} {advice}"
        yield probe.diagnostic("direction_matters", relationship, message, [other], severity=severity)


def _is_mutual(type_: str) -> bool:
    """Whether the name of a type says the same of both ends: `MARRIED_TO`, and not `MANAGES`."""
    words = {*map(root, split_name(type_))}
    return any(words >= {*map(root, said.split())} for said in word_lists()["mutual"])


def _starts_at_one_end(shape: Shape, link: Link) -> bool:
    """Whether a link between nodes of the same labels has a condition at one end, from which it leads to the other."""
    compared = [use.left.symbol for use in shape.facts.comparisons if isinstance(use.left, PropertyUse)]
    return bool(link.left.kinds & link.right.kinds) and (link.left in compared) != (link.right in compared)


def _answer(probe: Probe, text: str) -> int | None:
    rows = probe.rows(text, 2)
    single = len(rows) == 1 and len(rows[0]) == 1
    return rows[0][0] if single and type(rows[0][0]) is int else None


MOST_VANISH = 0.5
"""The minimum share of the nodes that an UNWIND must drop to be reported."""


def vanished_rows(probe: Probe, shape: Shape, facts: Statistics) -> Iterator[Diagnostic]:
    """Report `WHERE NOT 'x' IN p.nicknames`, and `UNWIND p.nicknames`, if they drop nodes `p` without nicknames.

    UNWIND is reported if it drops at least half of the nodes, and a later clause uses `p` or aggregates rows. A
    condition that excludes only texts for a missing value, `NOT p.left IN ['', 'N/A']`, is meant to drop nulls too.
    """
    for clause in shape.clauses:
        if isinstance(clause, t.Match | t.With) and clause.where is not None and not getattr(clause, "optional", False):
            for condition in t.conjuncts(clause.where):
                use = _negated_use(shape, condition)
                missing = {"", *_placeholders(shape, use, facts)} if use is not None else set()
                written = {literal.value for literal in condition.find(t.StringLiteral)}
                if use is not None and _has_holes(shape, use, facts) and (not written or written - missing):
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
        tests = (test for test in shape.query.find(t.IsNull) if test.operand is use.node and test.negated)
        test = comparison.node if comparison is not None else next(tests, None)
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
        place, fix = test, where
        if use.in_map and (found := without_entry(shape.query, test)) is not None and found[0].properties is not None:
            place, fix = found[0].properties, f"{found[1]}WHERE {where}"
        yield probe.diagnostic("missing_as_text", place, f"In {subject}, {stand}: {effect}. Write {fix}.", [fix])


def _placeholders(shape: Shape, use: PropertyUse, facts: Statistics) -> list[str]:
    known = [facts.property(owner, use.key) for owner in owners(shape.facts, use.symbol, use.key)]
    return sorted({text for item in known if item is not None for text, _ in item.placeholders})


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
    message = (
        f"{count:,} of the matched {name} {'have' if count != 1 else 'has'} no {use.key}: the condition is null there, "
        f"so {'they are' if count != 1 else 'it is'} left out. To include {'them' if count != 1 else 'it'}, write {fix}."
    )
    yield probe.diagnostic("null_drops_rows", condition, message, [fix], severity="hint")


def _unwind(probe: Probe, shape: Shape, clause: t.Unwind, use: PropertyUse) -> Iterator[Diagnostic]:
    subject, name = shape.source(use.node), use.symbol.name
    rows = probe.rows(
        f"{shape.before(clause)} WITH DISTINCT {name} RETURN count(*) AS found, count({subject}) AS having", 1
    )
    if not rows or rows[0][0] - rows[0][1] < MOST_VANISH * rows[0][0] or not rows[0][0]:
        return
    found, having = rows[0]
    message = (
        f"{found - having:,} of {found:,} {name} {'have' if found - having != 1 else 'has'} no {use.key}, and UNWIND "
        f"drops {'their rows' if found - having != 1 else 'its row'}."
    )
    yield probe.diagnostic("null_drops_rows", clause, message, severity="hint")


def _negated_use(shape: Shape, condition: t.Expression) -> PropertyUse | None:
    """Return the property that can make a negated condition null: `p` of `n.p <> 1`, `NOT 'x' IN n.p`.

    Return None for other conditions.
    """
    inner, negated = without_not(condition)
    if not isinstance(inner, t.Binary) or not negated:
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
