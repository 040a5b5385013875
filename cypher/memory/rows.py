"""Counts the rows that a query certainly produces, and the memory that its clauses use to store them.

A clause that stores all rows, or a value for each row (`collect`, DISTINCT, a sort without LIMIT, grouping), is
reported if its rows, at `ROW` bytes or more each, exceed the limit. After a MATCH, a procedure or an unknown condition
there may be no row at all; later clauses are then evaluated for one row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from graphground.cypher import tree
from graphground.cypher.memory.conditions import outcomes
from graphground.cypher.memory.expressions import Evaluation, Names
from graphground.cypher.memory.filters import count_of, least_kept
from graphground.cypher.memory.functions import element, is_aggregate
from graphground.cypher.memory.values import (
    BOXED,
    FALSE,
    MOST_BYTES,
    NULL,
    REFERENCE,
    TRUE,
    Items,
    LargeValue,
    Number,
    Present,
    Value,
    may_be_null,
)
from graphground.cypher.work import check_work

ROW = REFERENCE + BOXED
"""The minimum number of bytes that `collect`, a sort or DISTINCT stores for a row."""
_STORING = frozenset({"collect", "percentilecont", "percentiledisc"})
_PLUG_INS_STORING = frozenset({"apoc.agg.slice", "apoc.agg.median"})


@dataclass
class Rows:
    """The rows between two clauses: their minimum number, and what is known about each variable."""

    number: int = 1
    names: dict[str, Value] = field(default_factory=dict)
    most: float = 1
    """The maximum number of rows; infinity if unknown."""
    streamed: bool = False
    """Whether EXISTS reads the rows, and so stops at the first row."""

    @property
    def none(self) -> bool:
        """Whether there is certainly no row, so that no expression is computed."""
        return not self.most

    def unknown(self, most: float = math.inf) -> None:
        """Account for a clause that leaves between zero and `most` rows: evaluate later clauses for at most one row."""
        self.number = min(self.number, 1)
        self.most = most
        self.names = {name: _without_distinct(value) for name, value in self.names.items()}

    def times(self, least: int, most: float) -> None:
        """Account for a clause that turns each row into at least `least` and at most `most` rows."""
        self.number *= least
        self.most = self.most * most if self.most and most else 0

    def filtered(self, condition: tree.Expression, value: Value) -> None:
        """Account for a WHERE: it keeps all rows, no row, at least a known number of rows, or an unknown number."""
        possible = outcomes(value)
        if possible == {True}:
            return
        if True not in possible:
            self.unknown(most=0)
            return
        minimums = {
            name: least_kept(condition, name, value.numbers)
            for name, value in self.names.items()
            if isinstance(value, Present) and value.numbers
        }
        name = max(minimums, key=lambda name: minimums[name], default="")
        value = self.names.get(name)
        if not name or not minimums[name] or not isinstance(value, Present) or value.numbers is None:
            self.unknown(self.most)
            return
        self.number = self.number * minimums[name] // count_of(value.numbers)
        self.names[name] = value._replace(distinct=minimums[name], numbers=None)


def evaluate(body: tree.Node, evaluation: Evaluation) -> None:
    """Add each value and each set of rows that takes too much memory to the findings of `evaluation`."""
    evaluation.subquery = lambda node, names: _subquery(node, names, evaluation)
    _body(body, Rows(), evaluation, last=True)


def _without_distinct(value: Value) -> Value:
    return value._replace(distinct=0, numbers=None) if isinstance(value, Present) else value


def _body(body: tree.Node, rows: Rows, evaluation: Evaluation, *, last: bool = False) -> Rows:
    """Return the rows that a query makes of the given rows; with `last`, the resulting rows go to the client."""
    check_work()
    match body:
        case tree.SingleQuery():
            before = len(evaluation.found)
            for clause in body.clauses:
                rows = _clause(clause, rows, evaluation, last)
                if not evaluation.eager and _is_cut_to_nothing(clause, rows):
                    del evaluation.found[before:]  # nothing is computed below LIMIT 0
            return rows
        case tree.Union():
            parts = [_body(part, replace(rows, names=dict(rows.names)), evaluation, last=last) for part in body.parts]
            least = sum(part.number for part in parts) if all(body.all_) else 0
            return Rows(least, most=sum(part.most for part in parts))
        case tree.Next():
            for part in body.parts:
                rows = _body(part, rows, evaluation, last=last and part is body.parts[-1])
            return rows
        case tree.Braced():
            return _body(body.body, rows, evaluation, last=last)
        case tree.Conditional():
            return _conditional(body, rows, evaluation, last=last)
    return Rows(0, most=math.inf)


def _conditional(body: tree.Conditional, rows: Rows, evaluation: Evaluation, *, last: bool) -> Rows:
    """Evaluate the branches of `WHEN … THEN … ELSE …` that may be taken; return an unknown number of rows."""
    for branch in body.branches:
        value = TRUE if branch.condition is None else evaluation.value(branch.condition, rows.names)
        possible = outcomes(value)
        if True in possible:
            _body(branch.body, replace(rows, names=dict(rows.names)), evaluation, last=last)
        if possible == {True}:
            break
    return Rows(0, most=math.inf)


def _is_cut_to_nothing(clause: tree.Clause, rows: Rows) -> bool:
    """Return whether the LIMIT of a clause drops every row."""
    page = clause.projection if isinstance(clause, tree.With | tree.Return) else clause
    return isinstance(page, tree.Projection | tree.OrderAndPage) and page.limit is not None and rows.none


def _subquery(node: tree.Subquery, names: Names, evaluation: Evaluation) -> Value:
    """Evaluate a subquery; return its result if it certainly has no rows, else None.

    COLLECT stores a value for each row, and EXISTS may stop at the first row.
    """
    if node.body is None:
        evaluation.below(node, names)
        return None
    outer, evaluation.no_rows = evaluation.no_rows, False
    rows = _body(node.body, Rows(1, dict(names), streamed=node.kind == "EXISTS"), evaluation)
    evaluation.no_rows = outer
    if rows.none:
        return FALSE if node.kind == "EXISTS" else Number(0) if node.kind == "COUNT" else Items(0)
    if node.kind != "COLLECT" or rows.number * ROW <= MOST_BYTES:
        return None
    _found(evaluation, node, rows.number)
    return None


def _clause(clause: tree.Clause, rows: Rows, evaluation: Evaluation, last: bool) -> Rows:
    names = rows.names
    if rows.none and not isinstance(clause, tree.With | tree.Return | tree.Finish):
        return rows
    match clause:
        case tree.Unwind():
            source = evaluation.value(clause.source, names)
            if isinstance(source, Items):
                rows.times(source.size, source.size if source.exact else math.inf)
            else:
                rows.number, rows.most = min(rows.number, 1), 0 if source == NULL else math.inf
            names[clause.variable.name] = element(source)
        case tree.With() | tree.Return():
            rows = _projected(clause.projection, rows, evaluation, to_client=last and isinstance(clause, tree.Return))
            if isinstance(clause, tree.With) and clause.where is not None and not rows.none:
                rows.filtered(clause.where, evaluation.value(clause.where, rows.names))
        case tree.Filter():
            rows.filtered(clause.where, evaluation.value(clause.where, names))
        case tree.Finish():
            return Rows(streamed=rows.streamed)  # a subquery that ends in FINISH keeps the outer rows
        case tree.OrderAndPage():
            _paged(clause, rows, evaluation)
        case tree.Let():
            for item in clause.items:
                names[item.variable.name] = evaluation.value(item.expression, names)
        case tree.CallSubquery():
            inner = _body(clause.body, Rows(1, dict(names)), evaluation)
            rows.times(max(inner.number, int(clause.optional)), max(inner.most, int(clause.optional)))
            rows.names = {**{name: _without_distinct(value) for name, value in inner.names.items()}, **names}
        case tree.CallProcedure():
            for argument in clause.arguments or ():
                evaluation.whole(argument, evaluation.value(argument, names))
            rows.unknown()
            names = rows.names
            for column in clause.yields or ():
                names[column.variable.name] = None
        case tree.Match():
            _declare_unknown(clause, names)
            for child in (*clause.patterns, *clause.hints, *([clause.search] if clause.search else [])):
                evaluation.below(child, names)
            impossible = clause.where is not None and True not in outcomes(evaluation.value(clause.where, names))
            if not clause.optional:
                rows.unknown(most=0 if impossible else math.inf)
            elif not impossible:
                rows.most = math.inf
        case _:
            _declare_unknown(clause, names)
            evaluation.below(clause, names)
            rows.unknown()
    return rows


def _declare_unknown(clause: tree.Clause, names: dict[str, Value]) -> None:
    """Add the variables that a clause declares; nothing is known about their values."""
    for variable in clause.find(tree.Variable):
        names.setdefault(variable.name, None)


def _projected(projection: tree.Projection, rows: Rows, evaluation: Evaluation, *, to_client: bool) -> Rows:
    """Return the rows after WITH or RETURN."""
    grouped = any(map(is_aggregate, _all_nodes(projection.items))) or projection.group_by is not None
    keys = [item for item in projection.items if not any(map(is_aggregate, item.expression.walk()))]
    one_group = grouped and not keys and not projection.star and not projection.group_by
    if rows.none and not one_group:
        return replace(rows, names={})
    evaluation.no_rows = rows.none
    values: dict[str, Value] = dict(rows.names) if projection.star else {}
    for item in projection.items:
        value = evaluation.value(item.expression, rows.names)
        values[item.name] = evaluation.whole(item.expression, value) if to_client else value
    evaluation.no_rows = False
    if grouped and not rows.none:
        for item in projection.items:
            _aggregated(item, rows, evaluation)
    if one_group:
        after = Rows(1, {name: _without_distinct(value) for name, value in values.items()}, streamed=rows.streamed)
    elif not grouped and not projection.distinct:
        after = replace(rows, names=values)
    else:
        groups = _groups(keys, rows) if projection.group_by is None and not projection.star else 0
        streamed = rows.streamed or (to_client and not grouped and not projection.order_by)
        if groups * ROW > MOST_BYTES and not streamed:
            _found(evaluation, projection, groups, "distinct rows")
        after = replace(rows, number=groups, names={name: _without_distinct(value) for name, value in values.items()})
    names = {**rows.names, **after.names}
    for sort in projection.order_by:
        evaluation.value(sort.expression, names)
    return _paged(projection, after, evaluation)


def _all_nodes(items: Iterable[tree.Node]) -> Iterable[tree.Node]:
    return (node for item in items for node in item.walk())


def _stores_rows(node: tree.Node) -> bool:
    return isinstance(node, tree.FunctionCall) and (
        node.key in _STORING or node.key in _PLUG_INS_STORING or (node.distinct and is_aggregate(node))
    )


def _aggregated(item: tree.ReturnItem, rows: Rows, evaluation: Evaluation) -> None:
    """Report an aggregate that stores a value for each row."""
    for call in item.expression.walk():
        if not isinstance(call, tree.FunctionCall) or not _stores_rows(call) or not call.arguments:
            continue
        argument = call.arguments[0]
        value = Evaluation(evaluation.parameters).value(argument, rows.names)
        if may_be_null(value):
            continue  # null is not collected
        distinct = value.distinct if isinstance(argument, tree.Variable) and isinstance(value, Present) else 0
        number = min(distinct, rows.number) if call.distinct else rows.number
        if number * ROW > MOST_BYTES:
            _found(evaluation, call, number)


def _groups(keys: list[tree.ReturnItem], rows: Rows) -> int:
    """Return the minimum number of groups.

    It is the product of the known numbers of different values of each key, but at most the number of rows.
    """
    known = {
        key.expression.name: rows.names.get(key.expression.name)
        for key in keys
        if isinstance(key.expression, tree.Variable)
    }
    number = math.prod(value.distinct for value in known.values() if isinstance(value, Present) and value.distinct)
    return min(number, rows.number)


def _paged(page: tree.Projection | tree.OrderAndPage, rows: Rows, evaluation: Evaluation) -> Rows:
    """Return the rows after ORDER BY, SKIP and LIMIT; a sort without LIMIT stores all rows."""
    skip, limit = (None if bound is None else evaluation.value(bound, rows.names) for bound in (page.skip, page.limit))
    if page.order_by and page.limit is None and rows.number * ROW > MOST_BYTES and not rows.streamed:
        _found(evaluation, page.order_by[0], rows.number, "rows", "sorts")
        rows.unknown(rows.most)
    if page.skip is not None or page.limit is not None:
        left = (
            rows.number - int(skip.value) if isinstance(skip, Number) else 0 if page.skip is not None else rows.number
        )
        most = int(limit.value) if isinstance(limit, Number) else 0 if page.limit is not None else left
        last = rows.most - int(skip.value) if isinstance(skip, Number) else rows.most
        rows.unknown(max(min(last, limit.value if isinstance(limit, Number) else math.inf), 0))
        rows = replace(rows, number=max(min(left, most), 0))
    return rows


def _found(
    evaluation: Evaluation, node: tree.Node, number: int, elements: str = "elements", verb: str = "stores"
) -> None:
    evaluation.found.append(LargeValue(node.start, node.end, f"this {verb} at least {number:,} {elements}"))
