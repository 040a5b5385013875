"""Checks CALL: subqueries with their imports and columns, procedures with their yields."""

from __future__ import annotations

from graphground.cypher import tree
from graphground.cypher.procedures import PROCEDURES, Procedure
from graphground.cypher.scope import Binding
from graphground.cypher.semantics import clauses, expressions
from graphground.cypher.semantics.checker import Checker, Scope
from graphground.cypher.semantics.function_calls import argument_count
from graphground.cypher.types import ANY, INTEGER, MAP


def subquery(c: Checker, clause: tree.CallSubquery) -> None:
    """Check `CALL (n) { … }` or `CALL { WITH n … }`."""
    outer = c.scope
    base, open_end = c.base, c.open_end
    c.open_end = False
    if clause.transactions is not None and c.calls:
        c.problem("clause_order", clause, "CALL { … } IN TRANSACTIONS is not allowed inside another CALL { … }")
    c.calls += 1
    parts = clause.body.parts if isinstance(clause.body, tree.Union) else [clause.body]
    if clause.imports is None and any(isinstance(part, tree.Next | tree.Conditional | tree.Braced) for part in parts):
        c.problem(
            "clause_order",
            clause.body,
            "NEXT, WHEN and { … } are allowed in CALL () { … } only, with parentheses for its imports",
        )
    if clause.imports is None:
        columns = _old_way(c, clause.body, outer)
    else:
        inner: Scope = dict(base)
        if clause.star:
            inner = dict(outer)
        for variable in clause.imports:
            c.use(variable)
            found = outer.get(variable.name)
            if found is not None:
                inner[variable.name] = found
        c.scope = dict(inner)
        c.base = inner
        columns = clauses.query(c, clause.body)
    c.base, c.open_end = base, open_end
    c.calls -= 1
    c.scope = outer
    if columns is not None:
        _returned(c, clause, columns, outer)
    if clause.transactions is not None:
        _transactions(c, clause.transactions)


def _old_way(c: Checker, body: tree.QueryBody, outer: Scope) -> list[Binding] | None:
    if isinstance(body, tree.Union):
        # Each part of a UNION has its own imports, so each part is checked alone; the columns are then merged.
        parts = [part for part in body.parts if isinstance(part, tree.SingleQuery)]
        for part in parts:
            _importing(c, part, outer)
    elif isinstance(body, tree.SingleQuery):
        _importing(c, body, outer)
    c.base = {}
    c.scope = {}
    c.importable = outer
    columns = clauses.query(c, body)
    c.importable = {}
    return columns


def _importing(c: Checker, part: tree.SingleQuery, outer: Scope) -> None:
    first = next((clause for clause in part.clauses if not isinstance(clause, tree.Use)), None)
    if not isinstance(first, tree.With):
        return
    projection = first.projection
    simple = all(
        isinstance(item.expression, tree.Variable) and (item.alias is None or item.alias.name == item.expression.name)
        for item in projection.items
    )
    if not simple:
        if any(variable.name in outer for item in projection.items for variable in item.expression.find(tree.Variable)):
            c.problem(
                "clause_order",
                first,
                "the WITH that imports into a subquery takes plain variables only; rename or compute in a second WITH",
            )
        return
    extra = (
        "DISTINCT"
        if projection.distinct
        else "ORDER BY"
        if projection.order_by
        else (
            "SKIP" if projection.skip else "LIMIT" if projection.limit else "WHERE" if first.where is not None else ""
        )
    )
    if extra:
        c.problem(
            "clause_order", first, f"the WITH that imports into a subquery takes no {extra}; put it into a second WITH"
        )
    c.importing.add(first)


def _returned(c: Checker, clause: tree.CallSubquery, columns: list[Binding], outer: Scope) -> None:
    last = _last_return(clause.body)
    if last is not None:
        for item in last.projection.items:
            if item.alias is None and not isinstance(item.expression, tree.Variable | tree.MapProjection):
                named = f"{c.query.source(item.expression)} AS value"
                c.problem(
                    "missing_alias",
                    item.expression,
                    f"a column that a subquery returns needs a name: {named}",
                    (named,),
                )
    for column in columns:
        if column.name in outer:
            place: tree.Node = clause
            if last is not None:
                for item in last.projection.items:
                    if item.name == column.name:
                        place = item.alias or item.expression
            c.problem(
                "variable_redefined",
                place,
                f"the subquery returns `{column.name}`, which already exists outside; rename it with AS",
            )
            continue
        binding = Binding(column.name, column.declaration, column.type)
        binding.level = c.level
        binding.origins = (column,)
        c.scope[column.name] = binding


def _last_return(body: tree.QueryBody) -> tree.Return | None:
    while True:
        if isinstance(body, tree.SingleQuery):
            last = body.clauses[-1]
            return last if isinstance(last, tree.Return) else None
        if isinstance(body, tree.Union | tree.Next):
            body = body.parts[0] if isinstance(body, tree.Union) else body.parts[-1]
        elif isinstance(body, tree.Braced):
            body = body.body
        elif isinstance(body, tree.Conditional):
            body = body.branches[0].body
        else:
            return None


def _transactions(c: Checker, node: tree.InTransactions) -> None:
    for bound in (node.concurrency, node.rows):
        if bound is None:
            continue
        if any(bound.find(tree.Variable)):
            c.problem("type_mismatch", bound, "the number of ROWS or of TRANSACTIONS cannot use variables")
        elif isinstance(bound, tree.IntegerLiteral) and bound.value <= 0:
            c.problem("type_mismatch", bound, "expected a whole number above 0")
        else:
            c.expect(bound, expressions.infer(c, bound), INTEGER)
    if node.report is not None:
        if not (node.on_error or "").endswith(("CONTINUE", "BREAK")):
            c.problem("clause_order", node, "REPORT STATUS needs ON ERROR CONTINUE or ON ERROR BREAK")
        c.declare(node.report, MAP)


def standalone(c: Checker, clause: tree.CallProcedure) -> None:
    """Check a procedure call that is the whole query: parentheses and YIELD are optional."""
    _call(c, clause)


def procedure(c: Checker, clause: tree.CallProcedure) -> None:
    """Check a procedure call among other clauses."""
    known = _call(c, clause)
    if clause.star:
        c.problem("clause_order", clause, "YIELD * is allowed only in a standalone procedure call; name the columns")
    elif clause.arguments is None:
        c.problem("syntax", clause, f"{clause.name} needs parentheses here: CALL {clause.name}()")
    elif clause.yields is None and known is not None and known.columns:
        c.problem("clause_order", clause, f"name the columns of {clause.name}: YIELD {', '.join(known.columns)}")


def _call(c: Checker, clause: tree.CallProcedure) -> Procedure | None:
    known = PROCEDURES.get(clause.name)
    if known is None and clause.name.partition(".")[0] in ("db", "dbms", "tx", clause.name):
        # Plug-ins cannot add procedures to the database's own namespaces or without a namespace.
        c.late.append(
            ("unknown_procedure", clause.name_start, clause.name_end, f"there is no procedure {clause.name}", ())
        )
    for argument in clause.arguments or ():
        expressions.infer(c, argument)
    if (
        known is not None
        and clause.arguments is not None
        and not (known.required <= len(clause.arguments) <= known.most)
    ):
        c.late.append(
            (
                "wrong_argument_count",
                clause.start,
                clause.end,
                f"{clause.name} takes {argument_count(known.required, known.most)}, "
                f"but this call has {len(clause.arguments)}",
                (),
            )
        )
    for item in clause.yields or ():
        type_ = ANY
        if known is not None:
            if item.column.text in known.columns:
                type_ = known.columns[item.column.text]
            else:
                c.problem(
                    "undefined_variable",
                    item.column,
                    f"{clause.name} has no column `{item.column.text}`; "
                    f"its columns: {', '.join(known.columns) or 'none'}",
                    tuple(known.columns)[:3],
                )
        c.declare(item.variable, type_)
    if clause.where is not None:
        expressions.condition(c, clause.where)
    return known
