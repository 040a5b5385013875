"""Counts the rows that a query certainly produces, and the memory that its clauses use to store them.

A clause that stores all rows or one value of each (`collect`, DISTINCT, a sort without LIMIT, grouping) is reported if
its rows, at `ROW` bytes or more each, exceed the limit. After a MATCH, a procedure or an unknown condition there may be
no row at all; later clauses are then evaluated for one row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from graphground.cypher import tree
from graphground.cypher.functions import CYPHER25_FUNCTIONS, FUNCTIONS
from graphground.cypher.memory.expressions import Evaluation, Names
from graphground.cypher.memory.filters import count_of, least_kept
from graphground.cypher.memory.functions import element
from graphground.cypher.memory.values import BOXED, MOST_BYTES, REFERENCE, Items, LargeValue, Number, Present, Value
from graphground.cypher.work import check_work

ROW = REFERENCE + BOXED
"""The least number of bytes that `collect`, a sort or DISTINCT stores for a row."""
_STORING = frozenset({"collect", "percentilecont", "percentiledisc"})
_PLUG_INS_STORING = frozenset({"apoc.agg.slice", "apoc.agg.median"})


@dataclass
class Rows:
    """The rows between two clauses: their least number, and what is known about each variable."""

    number: int = 1
    names: dict[str, Value] = field(default_factory=dict)

    def unknown(self) -> None:
        """Account for a clause that may drop rows: later clauses are evaluated for at most one row."""
        self.number = min(self.number, 1)
        self.names = {name: _without_distinct(value) for name, value in self.names.items()}

    def filtered(self, condition: tree.Expression) -> None:
        """Account for a WHERE: count the rows that remain because the condition certainly holds for some numbers of a range."""
        kept = {
            name: least_kept(condition, name, value.numbers)
            for name, value in self.names.items()
            if isinstance(value, Present) and value.numbers
        }
        name = max(kept, key=lambda name: kept[name], default="")
        value = self.names.get(name)
        if not name or not kept[name] or not isinstance(value, Present) or value.numbers is None:
            self.unknown()
            return
        self.number = self.number * kept[name] // count_of(value.numbers)
        self.names[name] = value._replace(distinct=kept[name], numbers=None)


def evaluate(body: tree.Node, evaluation: Evaluation) -> None:
    """Find every value and every set of rows of a query that take too much memory."""
    evaluation.subquery = lambda node, names: _subquery(node, names, evaluation)
    _body(body, Rows(), evaluation, last=True)


def _without_distinct(value: Value) -> Value:
    return value._replace(distinct=0, numbers=None) if isinstance(value, Present) else value


def _body(body: tree.Node, rows: Rows, evaluation: Evaluation, *, last: bool = False) -> Rows:
    """Return the rows that a query returns for each incoming row; with `last`, they go to the client."""
    check_work()
    match body:
        case tree.SingleQuery():
            for clause in body.clauses:
                rows = _clause(clause, rows, evaluation, last)
            return rows
        case tree.Union():
            parts = [_body(part, Rows(rows.number, dict(rows.names)), evaluation, last=last) for part in body.parts]
            return Rows(sum(part.number for part in parts) if all(body.all_) else 0)
        case tree.Next():
            for part in body.parts:
                rows = _body(part, rows, evaluation, last=last and part is body.parts[-1])
            return rows
        case tree.Braced():
            return _body(body.body, rows, evaluation, last=last)
        case tree.Conditional():
            for branch in body.branches:
                if branch.condition is not None:
                    evaluation.value(branch.condition, rows.names)
                _body(branch.body, Rows(rows.number, dict(rows.names)), evaluation, last=last)
            return Rows(0)
    return Rows(0)


def _subquery(node: tree.Subquery, names: Names, evaluation: Evaluation) -> Value:
    """Evaluate a subquery: COLLECT stores a value for each row, and EXISTS may stop at the first row."""
    if node.body is None:
        evaluation.below(node, names)
        return None
    rows = _body(node.body, Rows(0 if node.kind == "EXISTS" else 1, dict(names)), evaluation)
    if node.kind != "COLLECT" or rows.number * ROW <= MOST_BYTES:
        return None
    _found(evaluation, node, rows.number)
    return None


def _clause(clause: tree.Clause, rows: Rows, evaluation: Evaluation, last: bool) -> Rows:
    names = rows.names
    match clause:
        case tree.Unwind():
            source = evaluation.value(clause.source, names)
            rows.number = rows.number * source.size if isinstance(source, Items) else min(rows.number, 1)
            names[clause.variable.name] = element(source)
        case tree.With() | tree.Return():
            rows = _projected(clause.projection, rows, evaluation, to_client=last and isinstance(clause, tree.Return))
            if isinstance(clause, tree.With) and clause.where is not None:
                evaluation.value(clause.where, rows.names)
                rows.filtered(clause.where)
        case tree.Filter():
            evaluation.value(clause.where, names)
            rows.filtered(clause.where)
        case tree.OrderAndPage():
            _paged(clause, rows, evaluation)
        case tree.Let():
            for item in clause.items:
                names[item.variable.name] = evaluation.value(item.expression, names)
        case tree.CallSubquery():
            inner = _body(clause.body, Rows(1, dict(names)), evaluation)
            rows.number *= max(inner.number, int(clause.optional))
            rows.names = {**{name: _without_distinct(value) for name, value in inner.names.items()}, **names}
        case tree.CallProcedure():
            for argument in clause.arguments or ():
                evaluation.whole(argument, evaluation.value(argument, names))
            rows.unknown()
            names = rows.names
            for column in clause.yields or ():
                names[column.variable.name] = None
        case tree.Match(optional=True):
            _forget(clause, names)
            evaluation.below(clause, names)
        case _:
            _forget(clause, names)
            evaluation.below(clause, names)
            rows.unknown()
    return rows


def _forget(clause: tree.Clause, names: dict[str, Value]) -> None:
    """Add the variables that a clause declares; nothing is known about their values."""
    for variable in clause.find(tree.Variable):
        names.setdefault(variable.name, None)


def _projected(projection: tree.Projection, rows: Rows, evaluation: Evaluation, *, to_client: bool) -> Rows:
    """Return the rows after WITH or RETURN."""
    aggregating = [item for item in projection.items if any(map(_stores_rows, item.expression.walk()))]
    values: dict[str, Value] = dict(rows.names) if projection.star else {}
    for item in projection.items:
        value = evaluation.value(item.expression, rows.names)
        values[item.name] = evaluation.whole(item.expression, value) if to_client else value
    grouped = any(map(_is_aggregate, _all_nodes(projection.items))) or projection.group_by is not None
    if grouped:
        for item in aggregating:
            _aggregated(item, rows, evaluation)
    if not grouped and not projection.distinct:
        after = Rows(rows.number, values)
    else:
        keys = [item for item in projection.items if not any(map(_is_aggregate, item.expression.walk()))]
        groups = _groups(keys, rows) if projection.group_by is None and not projection.star else 0
        streamed = to_client and not grouped and not projection.order_by
        if groups * ROW > MOST_BYTES and not streamed:
            _found(evaluation, projection, groups, "distinct rows")
        after = Rows(groups, {name: _without_distinct(value) for name, value in values.items()})
    names = {**rows.names, **after.names}
    for sort in projection.order_by:
        evaluation.value(sort.expression, names)
    return _paged(projection, after, evaluation)


def _all_nodes(items: Iterable[tree.Node]) -> Iterable[tree.Node]:
    return (node for item in items for node in item.walk())


def _is_aggregate(node: tree.Node) -> bool:
    if isinstance(node, tree.CountStar):
        return True
    if not isinstance(node, tree.FunctionCall):
        return False
    function = FUNCTIONS.get(node.key) or CYPHER25_FUNCTIONS.get(node.key)
    return function.aggregating if function is not None else node.key.startswith("apoc.agg.")


def _stores_rows(node: tree.Node) -> bool:
    return isinstance(node, tree.FunctionCall) and (
        node.key in _STORING or node.key in _PLUG_INS_STORING or (node.distinct and _is_aggregate(node))
    )


def _aggregated(item: tree.ReturnItem, rows: Rows, evaluation: Evaluation) -> None:
    """Report an aggregate that stores a value for each row."""
    for call in item.expression.walk():
        if not isinstance(call, tree.FunctionCall) or not _stores_rows(call) or not call.arguments:
            continue
        argument = call.arguments[0]
        value = Evaluation(evaluation.parameters).value(argument, rows.names)
        if value is None:
            continue  # null is not collected
        distinct = value.distinct if isinstance(argument, tree.Variable) and isinstance(value, Present) else 0
        number = min(distinct, rows.number) if call.distinct else rows.number
        if number * ROW > MOST_BYTES:
            _found(evaluation, call, number)


def _groups(keys: list[tree.ReturnItem], rows: Rows) -> int:
    """Return the least number of groups: the combinations of variables that were unwound from separate long lists."""
    known = {
        key.expression.name: rows.names.get(key.expression.name)
        for key in keys
        if isinstance(key.expression, tree.Variable)
    }
    number = math.prod(value.distinct for value in known.values() if isinstance(value, Present) and value.distinct)
    return min(number, rows.number)


def _paged(page: tree.Projection | tree.OrderAndPage, rows: Rows, evaluation: Evaluation) -> Rows:
    """Return the rows after ORDER BY, SKIP and LIMIT; a sort without LIMIT stores all of them."""
    skip, limit = (None if bound is None else evaluation.value(bound, rows.names) for bound in (page.skip, page.limit))
    if page.order_by and page.limit is None and rows.number * ROW > MOST_BYTES:
        _found(evaluation, page.order_by[0], rows.number, "rows to sort")
        rows.unknown()
    if page.skip is not None or page.limit is not None:
        left = (
            rows.number - int(skip.value) if isinstance(skip, Number) else 0 if page.skip is not None else rows.number
        )
        most = int(limit.value) if isinstance(limit, Number) else 0 if page.limit is not None else left
        rows.unknown()
        rows = replace(rows, number=max(min(left, most), 0))
    return rows


def _found(evaluation: Evaluation, node: tree.Node, number: int, what: str = "elements") -> None:
    evaluation.found.append(LargeValue(node.start, node.end, f"this stores at least {number:,} {what}"))
