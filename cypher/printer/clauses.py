"""Prints clauses and whole queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphground.cypher import tree
from graphground.cypher.printer import expressions, patterns
from graphground.cypher.printer.names import dotted, name


def body(node: tree.QueryBody) -> str:
    """Print a query without its prefix."""
    if isinstance(node, tree.SingleQuery):
        return " ".join(_RULES[type(clause)](clause) for clause in node.clauses)
    if isinstance(node, tree.Union):
        text = body(node.parts[0])
        for part, all_ in zip(node.parts[1:], node.all_, strict=True):
            text += f" UNION {'ALL ' if all_ else ''}{body(part)}"
        return text
    if isinstance(node, tree.Next):
        return " NEXT ".join(body(part) for part in node.parts)
    if isinstance(node, tree.Braced):
        return f"{{ {body(node.body)} }}"
    if isinstance(node, tree.Conditional):
        return " ".join(
            f"ELSE {body(branch.body)}"
            if branch.condition is None
            else f"WHEN {expressions.expression(branch.condition)} THEN {body(branch.body)}"
            for branch in node.branches
        )
    assert isinstance(node, tree.Command)
    return f"{node.words.split()[0]} {node.content}"


def _list(nodes: list[Any], print_: Callable[[Any], str]) -> str:
    return ", ".join(print_(node) for node in nodes)


def _match(node: tree.Match) -> str:
    mode = f" {node.mode}" if node.mode else ""
    hints = "".join(_hint(hint) for hint in node.hints)
    return (
        f"{'OPTIONAL ' if node.optional else ''}MATCH{mode} {_list(node.patterns, patterns.path)}{hints}"
        f"{_search(node.search)}{expressions.where(node.where)}"
    )


def _hint(node: tree.IndexHint) -> str:
    variables = _list(node.variables, expressions.expression)
    if node.label is None:
        return f" USING JOIN ON {variables}"
    keys = f"({', '.join(name(key.text) for key in node.properties)})" if node.properties else ""
    return f" USING {node.kind} {variables}:{name(node.label.text)}{keys}"


def _search(node: tree.Search | None) -> str:
    if node is None:
        return ""
    analyzer = f" WITH ANALYZER {expressions.expression(node.analyzer)}" if node.analyzer is not None else ""
    score = f" SCORE AS {name(node.score.name)}" if node.score is not None else ""
    return (
        f" SEARCH {name(node.variable.name)} IN ({node.kind} INDEX {name(node.index.text)} FOR "
        f"{expressions.expression(node.query)}{analyzer}{expressions.where(node.where)}"
        f"{_order([], node.skip, node.limit, ' ')}){score}"
    )


def _projection(node: tree.Projection) -> str:
    items = (["*"] if node.star else []) + [_item(item) for item in node.items]
    group = ""
    if node.group_by is not None:
        group = " GROUP BY " + (", ".join(expressions.expression(entry) for entry in node.group_by) or "()")
    return (
        f"{'DISTINCT ' if node.distinct else ''}{', '.join(items)}{group}"
        f"{_order(node.order_by, node.skip, node.limit, ' ')}"
    )


def _item(node: tree.ReturnItem) -> str:
    text = expressions.expression(node.expression)
    return f"{text} AS {name(node.alias.name)}" if node.alias is not None else text


def _order(
    order_by: list[tree.SortItem], skip: tree.Expression | None, limit: tree.Expression | None, before: str
) -> str:
    parts: list[str] = []
    if order_by:
        parts.append(
            "ORDER BY "
            + ", ".join(
                expressions.expression(sort.expression) + (" DESC" if sort.descending else "") for sort in order_by
            )
        )
    if skip is not None:
        parts.append(f"SKIP {expressions.expression(skip)}")
    if limit is not None:
        parts.append(f"LIMIT {expressions.expression(limit)}")
    return before + " ".join(parts) if parts else ""


def _use(node: tree.Use) -> str:
    if isinstance(node.graph, tree.FunctionCall):
        return f"USE {expressions.expression(node.graph)}"
    assert isinstance(node.graph, tree.Name)
    return f"USE {dotted(node.graph.text)}"


def _subquery(node: tree.CallSubquery) -> str:
    head = "OPTIONAL CALL" if node.optional else "CALL"
    if node.imports is not None:
        head += " (*)" if node.star else f" ({_list(node.imports, expressions.expression)})"
    text = f"{head} {{ {body(node.body)} }}"
    rows = node.transactions
    if rows is None:
        return text
    text += " IN"
    if rows.concurrency is not None:
        text += f" {expressions.expression(rows.concurrency)} CONCURRENT"
    text += " TRANSACTIONS"
    if rows.rows is not None:
        text += f" OF {expressions.expression(rows.rows)} ROWS"
    if rows.on_error is not None:
        text += f" ON ERROR {rows.on_error}"
    return text + (f" REPORT STATUS AS {name(rows.report.name)}" if rows.report is not None else "")


def _procedure(node: tree.CallProcedure) -> str:
    text = f"{'OPTIONAL ' if node.optional else ''}CALL {dotted(node.name)}"
    if node.arguments is not None:
        text += f"({_list(node.arguments, expressions.expression)})"
    if node.star:
        text += " YIELD *"
    if node.yields is not None:
        text += " YIELD " + ", ".join(
            name(item.column.text)
            if item.variable.name == item.column.text
            else f"{name(item.column.text)} AS {name(item.variable.name)}"
            for item in node.yields
        )
    return text + expressions.where(node.where)


def _merge(node: tree.Merge) -> str:
    return f"MERGE {patterns.path(node.pattern)}" + "".join(
        f" ON {action.on.upper()} SET {_list(action.items, _set_item)}" for action in node.actions
    )


def _set_item(node: tree.SetItem) -> str:
    if isinstance(node, tree.SetProperty):
        return f"{expressions.expression(node.target)} = {expressions.expression(node.value)}"
    if isinstance(node, tree.SetProperties):
        return f"{name(node.variable.name)} {'+=' if node.add else '='} {expressions.expression(node.value)}"
    assert isinstance(node, tree.SetLabels)
    return name(node.variable.name) + "".join(f":{patterns.labels(label)}" for label in node.labels)


def _remove_item(node: tree.RemoveProperty | tree.RemoveLabels) -> str:
    if isinstance(node, tree.RemoveProperty):
        return expressions.expression(node.target)
    return name(node.variable.name) + "".join(f":{patterns.labels(label)}" for label in node.labels)


def _foreach(node: tree.Foreach) -> str:
    inner = " ".join(_RULES[type(clause)](clause) for clause in node.clauses)
    return f"FOREACH ({name(node.variable.name)} IN {expressions.expression(node.source)} | {inner})"


def _load_csv(node: tree.LoadCsv) -> str:
    terminator = f" FIELDTERMINATOR {expressions.expression(node.field_terminator)}" if node.field_terminator else ""
    return (
        f"LOAD CSV {'WITH HEADERS ' if node.with_headers else ''}FROM {expressions.expression(node.source)} AS "
        f"{name(node.variable.name)}{terminator}"
    )


_RULES: dict[type[tree.Clause], Callable[[Any], str]] = {
    tree.Match: _match,
    tree.With: lambda node: f"WITH {_projection(node.projection)}{expressions.where(node.where)}",
    tree.Return: lambda node: f"RETURN {_projection(node.projection)}",
    tree.OrderAndPage: lambda node: _order(node.order_by, node.skip, node.limit, ""),
    tree.Unwind: lambda node: f"UNWIND {expressions.expression(node.source)} AS {name(node.variable.name)}",
    tree.Finish: lambda node: "FINISH",
    tree.Use: _use,
    tree.CallSubquery: _subquery,
    tree.CallProcedure: _procedure,
    tree.Create: lambda node: f"{'INSERT' if node.insert else 'CREATE'} {_list(node.patterns, patterns.path)}",
    tree.Merge: _merge,
    tree.Set: lambda node: f"SET {_list(node.items, _set_item)}",
    tree.Remove: lambda node: f"REMOVE {_list(node.items, _remove_item)}",
    tree.Delete: lambda node: (
        f"{node.detach + ' ' if node.detach else ''}DELETE {_list(node.expressions, expressions.expression)}"
    ),
    tree.Foreach: _foreach,
    tree.LoadCsv: _load_csv,
    tree.Let: lambda node: (
        "LET "
        + ", ".join(f"{name(item.variable.name)} = {expressions.expression(item.expression)}" for item in node.items)
    ),
    tree.Filter: lambda node: f"FILTER {expressions.expression(node.where)}",
}
