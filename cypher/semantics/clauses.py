"""Checks sequences of clauses: their effect on the scope, and the order in which they may follow each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphground.cypher import tree
from graphground.cypher.diagnostics import Problem
from graphground.cypher.functions import PROCEDURES, Procedure, is_aggregate
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.semantics import expressions, patterns
from graphground.cypher.semantics.checker import Binding, Checker, Scope
from graphground.cypher.types import ANY, ENTITY, INTEGER, MAP, NODE, PATH, STRING, Type, list_of, unwound

_NAMES = {
    tree.LoadCsv: "LOAD CSV",
    tree.CallSubquery: "CALL",
    tree.CallProcedure: "CALL",
    tree.OrderAndPage: "ORDER BY",
}
"""The names of the clauses whose classes are not called as they are."""


def statement(c: Checker, body: tree.QueryBody) -> None:
    """Check a whole statement."""
    if isinstance(body, tree.Command):
        return
    if (
        isinstance(body, tree.SingleQuery)
        and len(body.clauses) == 1
        and isinstance(body.clauses[0], tree.CallProcedure)
    ):
        _call(c, body.clauses[0])  # parentheses and YIELD are optional
        return
    query(c, body)


def query(c: Checker, body: tree.QueryBody) -> list[Binding] | None:
    """Check a query in the current scope; return its columns, or None if it returns nothing."""
    if isinstance(body, tree.SingleQuery):
        return _single(c, body)
    if isinstance(body, tree.Union):
        return _union(c, body)
    if isinstance(body, tree.Braced):
        return query(c, body.body)
    if isinstance(body, tree.Next):
        columns: list[Binding] | None = None
        for number, part in enumerate(body.parts):
            if number:
                c.scope = dict(c.base)
                for column in columns or ():
                    c.scope[column.name] = column
            columns = query(c, part)
            if part is not body.parts[-1]:
                _named(c, part, "before NEXT")
        return columns
    if isinstance(body, tree.Conditional):
        return _conditional(c, body)
    return None


def nested(c: Checker, body: tree.QueryBody, kind: str, node: tree.Subquery) -> list[Binding] | None:
    """Check the query inside EXISTS, COUNT or COLLECT; return its columns, or None if it returns nothing.

    All outer variables are visible in the query, even after a WITH that does not list the variables.
    """
    with c.within(base=dict(c.scope), open_end=kind != "COLLECT"):
        columns = query(c, body)
    if kind == "COLLECT" and (columns is None or len(columns) != 1) and not (columns is None and c.problems):
        c.misplaced(node, "COLLECT { … } must return exactly one column")
    if any(isinstance(part, tree.WRITING) for part in body.walk()):
        c.misplaced(node, f"{kind} {{ … }} can only read")
    return columns


def _single(c: Checker, body: tree.SingleQuery) -> list[Binding] | None:
    columns: list[Binding] | None = None
    clauses = body.clauses
    for clause in clauses:
        check_work()
        colons, modern, lengths, quantified = c.colons, c.modern, c.lengths, c.quantified
        c.colons, c.modern, c.lengths, c.quantified = [], False, [], False
        columns = check_clause(c, clause)
        if c.colons and c.modern:
            message = "labels of one clause are joined either by colons or by & | ! % and IS, not by both"
            c.problem_at("label_expression", c.colons[0], c.colons[0] + 1, message)
        check_lengths(c)
        if c.level:
            # Labels in a clause inside EXISTS { … } count for the enclosing clause.
            colons, modern = colons + c.colons, modern or c.modern
        c.colons, c.modern, c.lengths, c.quantified = colons, modern, lengths, quantified
    _check_order(c, clauses)
    return columns if isinstance(clauses[-1], tree.Return) else None


def check_clause(c: Checker, clause: tree.Clause) -> Any:
    """Check one clause by its rule; return the columns of a RETURN."""
    return _RULES[type(clause)](c, clause)


def check_lengths(c: Checker) -> None:
    """Report a clause that contains both `-[*]->` and `-->+`."""
    if c.quantified and c.lengths:
        c.bad_pattern(
            c.lengths[0],
            "lengths such as -[*]-> and quantifiers such as -->+ cannot be mixed in one "
            "clause; write {1,} in place of *",
        )


def _check_order(c: Checker, clauses: list[tree.Clause]) -> None:
    before = clauses[0]
    wrote = isinstance(before, tree.WRITING)
    for clause in clauses[1:]:
        if isinstance(clause, tree.Use) and not (before in c.importing and before is clauses[0]):
            c.misplaced(clause, "USE must be the first clause")
        if wrote and isinstance(clause, tree.CallSubquery) and clause.transactions is not None:
            c.misplaced(clause, "CALL { … } IN TRANSACTIONS cannot follow a writing clause")
        wrote = wrote or isinstance(clause, tree.WRITING)
        if isinstance(before, tree.Return | tree.Finish):
            c.misplaced(before, f"{name(before)} ends a query; write WITH to continue")
        elif (
            not c.cypher25
            and isinstance(before, tree.WRITING)
            and not isinstance(clause, (*tree.WRITING, tree.With, tree.Return, tree.Finish, tree.OrderAndPage))
        ):
            c.misplaced(clause, f"write a WITH between {name(before)} and {name(clause)}")
        before = clause
    last = clauses[-1]
    if c.open_end:
        return
    if isinstance(last, (tree.Return, tree.Finish, *tree.WRITING)):
        return
    if isinstance(last, tree.CallSubquery):
        if _last_return(last.body) is None:
            return
    elif isinstance(last, tree.CallProcedure) and last.yields is None and not last.star:
        return
    c.misplaced(last, f"a query cannot end with {name(last)}: add a RETURN")


def _union(c: Checker, body: tree.Union) -> list[Binding] | None:
    for part in body.parts:
        if isinstance(part, tree.SingleQuery):
            for clause in part.clauses:
                if isinstance(clause, tree.CallSubquery) and clause.transactions is not None:
                    c.misplaced(clause, "CALL { … } IN TRANSACTIONS is not allowed in a UNION")
    all_columns: list[list[Binding] | None] = []
    for part in body.parts:
        with c.within(scope=dict(c.scope)):
            all_columns.append(query(c, part))
    first = all_columns[0]
    for number, columns in enumerate(all_columns[1:]):
        place = body.keyword_starts[number]
        if number and body.all_[number] != body.all_[0]:
            c.problem_at("union_columns", place, place + 5, "UNION and UNION ALL cannot be mixed in one query")
        names = {key.name for key in first or ()}
        others = {result_column.name for result_column in columns or ()}
        if names != others:
            message = f"the parts of a UNION must return the same columns: {_list(names)} before, {_list(others)} after"
            c.problem_at("union_columns", place, place + 5, message)
            break
    if first is None:
        return None
    merged: list[Binding] = []
    for column in first:
        parts = [item for columns in all_columns for item in columns or () if item.name == column.name]
        binding = Binding(column.name, column.type)
        for part_ in parts[1:]:
            binding.type = binding.type | part_.type
        merged.append(binding)
    return merged


def _list(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "nothing"


def _named(c: Checker, body: tree.QueryBody, place: str) -> None:
    """Report the unnamed columns of a query; `place` says where they are returned, such as `before NEXT`."""
    if isinstance(body, tree.SingleQuery):
        if isinstance(body.clauses[-1], tree.Return):
            _check_aliases(c, body.clauses[-1].projection, f"a column that is returned {place}")
    elif isinstance(body, tree.Union):
        for part in body.parts:
            _named(c, part, place)
    elif isinstance(body, tree.Braced):
        _named(c, body.body, place)


def _check_aliases(c: Checker, projection: tree.Projection, what: str) -> None:
    """Report the columns without a name; a property's key is proposed as its name in a WITH."""
    for item in projection.items:
        value = item.expression
        if item.alias is None and not isinstance(value, tree.Variable | tree.MapProjection):
            key = value.key.text if isinstance(value, tree.Property) and what.endswith("WITH") else "value"
            named = f"{c.query.source(value)} AS {key}"
            c.problem("missing_alias", value, f"{what} needs a name: {named}", (named,))


def _conditional(c: Checker, body: tree.Conditional) -> list[Binding] | None:
    columns: list[Binding] | None = None
    for branch in body.branches:
        with c.within(scope=dict(c.scope)):
            if branch.condition is not None:
                expressions.condition(c, branch.condition)
            found = query(c, branch.body)
        _named(c, branch.body, "by a branch of WHEN")
        if branch is body.branches[0]:
            columns = found
        elif (columns is None) != (found is None):
            c.misplaced(branch.body, "either all branches of WHEN return rows or none does")
        elif {column.name for column in columns or ()} != {result_column.name for result_column in found or ()}:
            c.problem("union_columns", branch.body, "all branches of WHEN must return the same columns")
    return columns


def _match(c: Checker, clause: tree.Match) -> None:
    patterns.match(c, clause.patterns, "optional" if clause.optional else "match", clause.mode)
    for hint in clause.hints:
        for variable in hint.variables:
            c.use(variable)
    if clause.search is not None:
        patterns.search(c, clause, clause.search)
    if clause.where is not None:
        expressions.condition(c, clause.where)


def _with(c: Checker, clause: tree.With) -> None:
    if clause in c.importing:
        c.scope = {**c.scope, **c.importable}
    project(c, clause, clause.where)


def _return(c: Checker, clause: tree.Return) -> list[Binding]:
    visible = list(c.scope.values()) if clause.projection.star else []
    return visible + project(c, clause, None)


def _unwind(c: Checker, clause: tree.Unwind) -> None:
    found = expressions.infer(c, clause.source)
    c.declare(clause.variable, unwound(found))


def _order(c: Checker, clause: tree.OrderAndPage) -> None:
    for sort in clause.order_by:
        expressions.infer(c, sort.expression)
    for word, bound in (("SKIP", clause.skip), ("LIMIT", clause.limit)):
        if bound is not None:
            row_count(c, bound, word)


def _load_csv(c: Checker, clause: tree.LoadCsv) -> None:
    c.expect(clause.source, expressions.infer(c, clause.source), STRING)
    terminator = clause.field_terminator
    if isinstance(terminator, tree.StringLiteral) and len(terminator.value) != 1:
        c.mismatch(terminator, "FIELDTERMINATOR takes a single character")
    c.declare(clause.variable, MAP if clause.with_headers else list_of(STRING))


def _let(c: Checker, clause: tree.Let) -> None:
    inferred = [(item, expressions.infer(c, item.expression)) for item in clause.items]
    for item, found in inferred:
        c.declare(item.variable, found)


def _filter(c: Checker, clause: tree.Filter) -> None:
    expressions.condition(c, clause.where)


def name(node: tree.Clause) -> str:
    """Return the name of a clause: `MATCH`; for sorting and paging as a separate clause, the first keyword."""
    if isinstance(node, tree.OrderAndPage) and not node.order_by:
        return "LIMIT" if node.skip is None else "SKIP"
    return _NAMES.get(type(node)) or type(node).__name__.upper()


# Checks WITH and RETURN: columns, grouping, and the variables visible in a following ORDER BY, WHERE, SKIP or LIMIT


Shape = tuple[Any, ...]


def project(c: Checker, clause: tree.With | tree.Return, where: tree.Expression | None) -> list[Binding]:
    """Check a WITH or RETURN and replace the scope by its columns; return the columns that its items define."""
    projection = clause.projection
    before = c.scope
    word = "WITH" if isinstance(clause, tree.With) else "RETURN"
    if projection.star and word == "RETURN" and not before:
        c.misplaced(clause, "RETURN * needs variables, and there are none")
    items = projection.items
    types: list[Type] = []
    aggregating: list[tree.ReturnItem] = []
    c.aggregates = "yes"
    for item in items:
        check_work()
        c.aggregated = False
        types.append(expressions.infer(c, item.expression))
        if c.aggregated:
            aggregating.append(item)
    c.aggregates = "no"
    if len(items) > 1:
        _check_names(c, items)
    if projection.group_by is not None:
        check_group_by(c, projection, projection.group_by, aggregating)
    elif aggregating:
        _check_grouping(c, projection, aggregating, before)
    after, columns = _columns(c, projection, types, before)
    if projection.order_by or where is not None:
        _check_sorting(c, clause, where, before, after, aggregating)
    for word_, bound in (("SKIP", projection.skip), ("LIMIT", projection.limit)):
        if bound is not None:
            row_count(c, bound, word_)
    if word == "WITH":
        _check_aliases(c, projection, "an expression in WITH")
        if clause in c.importing:
            c.left_outside.append((clause.start, c.importable, dict(after)))
        elif not projection.star:
            for name in before:
                if name not in after:
                    c.dropped[name] = clause.start
    c.scope = after
    return columns


def _check_names(c: Checker, items: list[tree.ReturnItem]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.name in seen:
            message = f"two columns are called `{item.name}`; rename one of them with AS"
            c.problem_at("duplicate_column", items[0].start, items[-1].end, message)
            return
        seen.add(item.name)


def _columns(c: Checker, projection: tree.Projection, types: list[Type], before: Scope) -> tuple[Scope, list[Binding]]:
    defined: Scope = {}
    columns: list[Binding] = []
    for item, type_ in zip(projection.items, types, strict=True):
        value = item.expression
        if isinstance(value, tree.Variable):
            known = before.get(value.name)
            if known is not None and item.name == value.name:
                if item.alias is not None:
                    c.bindings[item.alias] = known
                defined[item.name] = known
                columns.append(known)
                continue
        binding = Binding(item.name, type_)
        if item.alias is not None:
            c.bindings[item.alias] = binding
        if item.name in c.base and (item.alias is not None or isinstance(value, tree.MapProjection)):
            c.redefined(
                item.alias or value,
                f"`{item.name}` hides the variable of that name outside of this subquery; choose another name",
            )
        if item.alias is not None or isinstance(value, tree.Variable | tree.MapProjection):
            defined[item.name] = binding
        columns.append(binding)
    if not projection.star:
        return {**c.base, **defined}, columns
    # Nobody else holds the scope before a `WITH *`: copying it would make a chain of them take quadratic time.
    before.update(defined)
    return before, columns


def _check_sorting(
    c: Checker,
    clause: tree.With | tree.Return,
    where: tree.Expression | None,
    before: Scope,
    after: Scope,
    aggregating: list[tree.ReturnItem],
) -> None:
    projection = clause.projection
    group = projection.group_by
    restricted = bool(aggregating or projection.distinct or group is not None) and not projection.star
    shapes: frozenset[Shape] = frozenset()
    if aggregating or projection.distinct or group is not None:
        shapes = frozenset(item.expression.shape() for item in projection.items)
    if projection.star and not group:
        c.scope = after
    else:
        c.scope = dict(after) if restricted else {**before, **after}
    if group:
        shapes |= {key.shape() for key in group}
        c.scope.update(
            (key.name, before[key.name]) for key in group if isinstance(key, tree.Variable) and key.name in before
        )
    with c.within(projected=shapes, restricted=before if restricted else None):
        for sort in projection.order_by:
            c.aggregated = False
            count = len(c.problems)
            with c.within(aggregates="yes"):
                expressions.infer(c, sort.expression)
            if c.aggregated and not aggregating:
                message = (
                    "ORDER BY can use an aggregate only if the returned columns aggregate; return the aggregate, then sort "
                    "by its name"
                )
                c.problem("aggregation", clause, message)
            elif c.aggregated and len(c.problems) == count:
                part = next(filter(is_aggregate, _parts(sort.expression, lambda part: part.shape() in shapes)), None)
                if part is not None:
                    returned = f"return {c.query.source(part)}, then sort by its name"
                    c.problem(
                        "aggregation", part, f"ORDER BY can use an aggregate only if it is also returned: {returned}"
                    )
        if where is not None:
            expressions.condition(c, where)


def _parts(node: tree.Node, stop: Callable[[tree.Node], bool]) -> Iterator[tree.Node]:
    """Yield a node and the nodes below it, in text order, without those for which `stop` is true and what is below."""
    todo = [node]
    while todo:
        check_work()
        part = todo.pop()
        if not stop(part):
            yield part
            todo += reversed(list(part.children()))


def row_count(c: Checker, node: tree.Expression, word: str) -> None:
    """Check the number after SKIP or LIMIT, which must be known before the query runs."""
    for part in node.walk():
        if isinstance(part, tree.Variable | tree.PatternExpression | tree.PatternComprehension | tree.Subquery):
            c.mismatch(node, f"{word} takes a number or a parameter; it cannot use variables")
            return
    wrong = isinstance(node, tree.FloatLiteral | tree.StringLiteral | tree.BooleanLiteral | tree.NullLiteral) or (
        isinstance(node, tree.Unary)
        and node.operator == "-"
        and isinstance(node.operand, tree.IntegerLiteral | tree.FloatLiteral)
    )
    if wrong:
        c.mismatch(node, f"{word} takes a whole number of 0 or more")
        return
    c.expect(node, expressions.infer(c, node), INTEGER)


def _check_grouping(c: Checker, projection: tree.Projection, aggregating: list[tree.ReturnItem], before: Scope) -> None:
    keys: set[Shape] = set()
    aggregates = set(map(id, aggregating))
    for item in projection.items:
        if id(item) not in aggregates:
            value = item.expression
            inner = value.subject if isinstance(value, tree.Property) else value
            if isinstance(inner, tree.Variable):
                keys.add(value.shape())
    outside = (
        set()
        if projection.star
        else {id(binding) for binding in before.values()} - {id(binding) for binding in c.base.values()}
    )
    if not outside:
        return
    for item in aggregating:
        if isinstance(item.expression, tree.FunctionCall | tree.CountStar) and is_aggregate(item.expression):
            continue
        found = _ungrouped(c, item.expression, keys, outside, aggregating=True)
        if found is not None:
            text = c.query.source(found)
            c.problem(
                "aggregation",
                item.expression,
                f"`{text}` is used beside an aggregate but is not a returned column; return `{text}` too, or "
                "compute the aggregate in an earlier WITH",
            )
            return


def _ungrouped(
    c: Checker, node: tree.Node, keys: set[Shape], outside: set[int], *, aggregating: bool
) -> tree.Node | None:
    """Return a variable that a column uses outside aggregates and grouping keys, or the property read from it.

    Return None if there is no such variable; `outside` holds the ids of the bindings that a grouping hides. A key that
    is a variable or a property may occur anywhere in the column; any other key must be the whole column.
    """
    if node.shape() in keys:
        return None

    def stop(part: tree.Node) -> bool:
        is_key = isinstance(part, tree.Variable | tree.Property) and part.shape() in keys
        return is_key or (aggregating and is_aggregate(part))

    for part in _parts(node, stop):
        variable = part.subject if isinstance(part, tree.Property) else part
        if (
            isinstance(variable, tree.Variable)
            and variable.shape() not in keys
            and id(c.bindings.get(variable)) in outside
        ):
            return part
    return None


# Checks GROUP BY of Cypher 25: its keys, and the columns allowed next to the keys


def check_group_by(
    c: Checker, projection: tree.Projection, group: list[tree.Expression], aggregating: list[tree.ReturnItem]
) -> None:
    """Check that each column is an aggregate or built from grouping keys: `RETURN n.x, count(*) GROUP BY n.x`."""
    aliases = {item.alias.name: item for item in projection.items if item.alias is not None}
    keys = set()
    named: set[str] = set()
    for key in group:
        if isinstance(key, tree.Variable) and key.name in aliases and key.name not in c.scope:
            named.add(key.name)
            keys.add(aliases[key.name].expression.shape())
        else:
            expressions.infer(c, key)
            keys.add(key.shape())
    outside = {id(binding) for name, binding in c.scope.items() if name not in c.base}
    for item in projection.items:
        if item.name in named:
            continue
        found = _ungrouped(c, item.expression, keys, outside, aggregating=item in aggregating)
        if found is not None:
            text = c.query.source(found)
            c.problem(
                "aggregation", item.expression, f"`{text}` is neither aggregated nor a grouping key; add it to GROUP BY"
            )
            return


# Checks CALL: subqueries with their imports and columns, procedures with their yields


def subquery(c: Checker, clause: tree.CallSubquery) -> None:
    """Check `CALL (n) { … }` or `CALL { WITH n … }`."""
    outer = c.scope
    if clause.transactions is not None and c.calls:
        c.misplaced(clause, "CALL { … } IN TRANSACTIONS is not allowed inside another CALL { … }")
    parts = clause.body.parts if isinstance(clause.body, tree.Union) else [clause.body]
    if clause.imports is None and any(isinstance(part, tree.Next | tree.Conditional | tree.Braced) for part in parts):
        c.misplaced(
            clause.body, "NEXT, WHEN and { … } are allowed in CALL () { … } only, with parentheses for its imports"
        )
    with c.within(open_end=False, calls=c.calls + 1, base=c.base, scope=outer):
        if clause.imports is None:
            columns = _old_way(c, clause.body, outer)
        else:
            inner: Scope = dict(outer if clause.star else c.base)
            for variable in clause.imports:
                c.use(variable)
                found = outer.get(variable.name)
                if found is not None:
                    inner[variable.name] = found
            c.scope, c.base = dict(inner), inner
            columns = query(c, clause.body)
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
    columns = query(c, body)
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
            c.misplaced(
                first,
                "the WITH that imports into a subquery takes plain variables only; rename or compute in a second WITH",
            )
        return
    extras = {"DISTINCT": projection.distinct, "ORDER BY": projection.order_by, "SKIP": projection.skip}
    extras |= {"LIMIT": projection.limit, "WHERE": first.where}
    if extra := next((word for word, part in extras.items() if part), ""):
        c.misplaced(first, f"the WITH that imports into a subquery takes no {extra}; put it into a second WITH")
    c.importing.add(first)


def _returned(c: Checker, clause: tree.CallSubquery, columns: list[Binding], outer: Scope) -> None:
    last = _last_return(clause.body)
    if last is not None:
        _check_aliases(c, last.projection, "a column that a subquery returns")
    for column in columns:
        if column.name in outer:
            place: tree.Node = clause
            if last is not None:
                for item in last.projection.items:
                    if item.name == column.name:
                        place = item.alias or item.expression
            c.redefined(place, f"the subquery returns `{column.name}`, which already exists outside; rename it with AS")
            continue
        c.scope[column.name] = Binding(column.name, column.type)


def _last_return(body: tree.QueryBody) -> tree.Return | None:
    match body:
        case tree.SingleQuery(clauses=[*_, tree.Return() as last]):
            return last
        case tree.Union(parts=[part, *_]) | tree.Next(parts=[*_, part]) | tree.Braced(body=part):
            return _last_return(part)
        case tree.Conditional(branches=[branch, *_]):
            return _last_return(branch.body)
    return None


def _transactions(c: Checker, node: tree.InTransactions) -> None:
    for bound in (node.concurrency, node.rows):
        if bound is None:
            continue
        if any(bound.find(tree.Variable)):
            c.mismatch(bound, "the number of ROWS or of TRANSACTIONS cannot use variables")
        elif isinstance(bound, tree.IntegerLiteral) and bound.value <= 0:
            c.mismatch(bound, "expected a whole number above 0")
        else:
            c.expect(bound, expressions.infer(c, bound), INTEGER)
    if node.report is not None:
        if not (node.on_error or "").endswith(("CONTINUE", "BREAK")):
            c.misplaced(node, "REPORT STATUS needs ON ERROR CONTINUE or ON ERROR BREAK")
        c.declare(node.report, MAP)


def procedure(c: Checker, clause: tree.CallProcedure) -> None:
    """Check a procedure call among other clauses."""
    known = _call(c, clause)
    if clause.star:
        c.misplaced(clause, "YIELD * is allowed only in a standalone procedure call; name the columns")
    elif clause.arguments is None:
        c.problem("syntax", clause, f"{clause.name} needs parentheses here: CALL {clause.name}()")
    elif clause.yields is None and known is not None and known.columns:
        c.misplaced(clause, f"name the columns of {clause.name}: YIELD {', '.join(known.columns)}")


def _call(c: Checker, clause: tree.CallProcedure) -> Procedure | None:
    known = PROCEDURES.get(clause.name)
    if known is None and clause.name.partition(".")[0] in ("db", "dbms", "tx", clause.name):
        # Plug-ins cannot add procedures to the database's own namespaces or without a namespace.
        message = f"there is no procedure {clause.name}"
        c.late.append(Problem("unknown_procedure", clause.name_start, clause.name_end, message))
    for argument in clause.arguments or ():
        expressions.infer(c, argument)
    if (
        known is not None
        and clause.arguments is not None
        and not (known.required <= len(clause.arguments) <= known.most)
    ):
        taken = expressions.argument_count(known.required, known.most)
        message = f"{clause.name} takes {taken}, but this call has {len(clause.arguments)}"
        c.late.append(Problem("wrong_argument_count", clause.start, clause.end, message))
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


# Checks writing clauses: most callers refuse them, but they are checked like all other clauses


def create(c: Checker, clause: tree.Create) -> None:
    """Check a CREATE or INSERT."""
    patterns.match(c, clause.patterns, "insert" if clause.insert else "create")


def merge(c: Checker, clause: tree.Merge) -> None:
    """Check a MERGE with its actions."""
    patterns.match(c, [clause.pattern], "merge")
    for action in clause.actions:
        for item in action.items:
            _set_item(c, item)


def set_(c: Checker, clause: tree.Set) -> None:
    """Check a SET."""
    for item in clause.items:
        _set_item(c, item)


def _set_item(c: Checker, item: tree.SetItem) -> None:
    if isinstance(item, tree.SetProperty):
        _target(c, item.target)
        expressions.infer(c, item.value)
    elif isinstance(item, tree.SetProperties):
        c.expect(item.variable, c.use(item.variable), ENTITY)
        found = expressions.infer(c, item.value)
        if c.cypher25 and found.known and not found.mask & ~ENTITY.mask:
            text = c.query.source(item.value)
            c.mismatch(
                item.value,
                f"expected Map here, but this has the type {found}; write properties({text})",
                (f"properties({text})",),
            )
        else:
            c.expect(item.value, found, MAP)
    elif isinstance(item, tree.SetLabels):
        _labels(c, item.variable, item.labels)


def _target(c: Checker, target: tree.Expression) -> None:
    expressions.infer(c, target)
    if isinstance(target, tree.Property | tree.Subscript):
        subject = target.subject
        binding = c.bindings.get(subject) if isinstance(subject, tree.Variable) else None
        found = binding.type if binding is not None else c.types.get(subject)
        if found is not None and not found.mask & ENTITY.mask:
            c.mismatch(subject, f"only nodes and relationships have properties to change; this has the type {found}")


def _labels(c: Checker, variable: tree.Variable, labels: list[tree.LabelExpression]) -> None:
    c.expect(variable, c.use(variable), NODE)
    for label in labels:
        patterns.label_expression(c, label, "node")


def remove(c: Checker, clause: tree.Remove) -> None:
    """Check a REMOVE."""
    for item in clause.items:
        if isinstance(item, tree.RemoveProperty):
            _target(c, item.target)
        else:
            _labels(c, item.variable, item.labels)


def delete(c: Checker, clause: tree.Delete) -> None:
    """Check a DELETE, which takes nodes, relationships and paths."""
    for expression in clause.expressions:
        found = expressions.infer(c, expression)
        if isinstance(expression, tree.HasLabels):
            c.mismatch(expression, "DELETE cannot remove labels; use REMOVE")
        elif not found.mask & (ENTITY | PATH).mask:
            c.mismatch(expression, f"DELETE takes nodes, relationships and paths; this has the type {found}")


def foreach(c: Checker, node: tree.Foreach) -> None:
    """Check a FOREACH, whose variable is local."""
    with c.within(aggregates="star"):
        found = expressions.infer(c, node.source)
    with c.within(scope=dict(c.scope)):
        c.shadow(node.variable, unwound(found))
        for step in node.clauses:
            if not isinstance(step, tree.WRITING):
                c.misplaced(step, f"FOREACH takes writing clauses only, not {name(step)}")
            check_clause(c, step)


_RULES: dict[type[tree.Clause], Callable[[Checker, Any], Any]] = {
    tree.Match: _match,
    tree.With: _with,
    tree.Return: _return,
    tree.Unwind: _unwind,
    tree.CallSubquery: subquery,
    tree.CallProcedure: procedure,
    tree.Create: create,
    tree.Merge: merge,
    tree.Set: set_,
    tree.Remove: remove,
    tree.Delete: delete,
    tree.Foreach: foreach,
    tree.LoadCsv: _load_csv,
    tree.Use: lambda c, clause: None,
    tree.Finish: lambda c, clause: None,
    tree.OrderAndPage: _order,
    tree.Let: _let,
    tree.Filter: _filter,
}
