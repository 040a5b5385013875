"""Prints a tree as text: on one line, with keywords in upper case and parentheses only if they are needed.

    >>> from graphground.cypher import parse
    >>> to_text(parse("match (n:Person {name:'x'})-->(m) where (n.a+1)*2>3 return m.name as `first name`"))
    "MATCH (n:Person {name: 'x'})-->(m) WHERE (n.a + 1) * 2 > 3 RETURN m.name AS `first name`"

Parsing the printed text in the same language gives an equal tree (its `shape` is the same); a prefix such as
`CYPHER 25` is not printed. `expressions`, `patterns` and `clauses` each
print one family of nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from graphground.cypher import tree
from graphground.cypher.quoting import in_backticks, quoted_string
from graphground.cypher.tokens import words
from graphground.cypher.tree import Expression, PathPattern, Query, RelationshipPattern

__all__ = ["expression", "path", "to_text"]


def to_text(node: Query | Expression | PathPattern | RelationshipPattern) -> str:
    """Print a query, an expression, a path or a relationship of a path.

    >>> from graphground.cypher import parse
    >>> to_text(parse("match (n) return n"))
    'MATCH (n) RETURN n'
    """
    if isinstance(node, Query):
        prefix = f"{node.prefix} " if node.prefix else ""
        return prefix + body(node.body)
    if isinstance(node, PathPattern):
        return path(node)
    if isinstance(node, RelationshipPattern):
        return relationship(node)
    return expression(node)


# Prints clauses and whole queries


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
            else f"WHEN {expression(branch.condition)} THEN {body(branch.body)}"
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
        f"{'OPTIONAL ' if node.optional else ''}MATCH{mode} {_list(node.patterns, path)}{hints}"
        f"{_search(node.search)}{where_clause(node.where)}"
    )


def _hint(node: tree.IndexHint) -> str:
    variables = _list(node.variables, expression)
    if node.label is None:
        return f" USING JOIN ON {variables}"
    keys = f"({', '.join(name(key.text) for key in node.properties)})" if node.properties else ""
    return f" USING {node.kind} {variables}:{name(node.label.text)}{keys}"


def _search(node: tree.Search | None) -> str:
    if node is None:
        return ""
    analyzer = f" WITH ANALYZER {expression(node.analyzer)}" if node.analyzer is not None else ""
    score = f" SCORE AS {name(node.score.name)}" if node.score is not None else ""
    return (
        f" SEARCH {name(node.variable.name)} IN ({node.kind} INDEX {name(node.index.text)} FOR "
        f"{expression(node.query)}{analyzer}{where_clause(node.where)}"
        f"{_order([], node.skip, node.limit, ' ')}){score}"
    )


def _projection(node: tree.Projection) -> str:
    items = (["*"] if node.star else []) + [_item(item) for item in node.items]
    group = ""
    if node.group_by is not None:
        group = " GROUP BY " + (", ".join(expression(entry) for entry in node.group_by) or "()")
    return (
        f"{'DISTINCT ' if node.distinct else ''}{', '.join(items)}{group}"
        f"{_order(node.order_by, node.skip, node.limit, ' ')}"
    )


def _item(node: tree.ReturnItem) -> str:
    text = expression(node.expression)
    return f"{text} AS {name(node.alias.name)}" if node.alias is not None else text


def _order(
    order_by: list[tree.SortItem], skip: tree.Expression | None, limit: tree.Expression | None, before: str
) -> str:
    parts: list[str] = []
    if order_by:
        parts.append(
            "ORDER BY "
            + ", ".join(expression(sort.expression) + (" DESC" if sort.descending else "") for sort in order_by)
        )
    if skip is not None:
        parts.append(f"SKIP {expression(skip)}")
    if limit is not None:
        parts.append(f"LIMIT {expression(limit)}")
    return before + " ".join(parts) if parts else ""


def _use(node: tree.Use) -> str:
    if isinstance(node.graph, tree.FunctionCall):
        return f"USE {expression(node.graph)}"
    assert isinstance(node.graph, tree.Name)
    return f"USE {dotted(node.graph.text)}"


def _subquery(node: tree.CallSubquery) -> str:
    head = "OPTIONAL CALL" if node.optional else "CALL"
    if node.imports is not None:
        head += " (*)" if node.star else f" ({_list(node.imports, expression)})"
    text = f"{head} {{ {body(node.body)} }}"
    rows = node.transactions
    if rows is None:
        return text
    text += " IN"
    if rows.concurrency is not None:
        text += f" {expression(rows.concurrency)} CONCURRENT"
    text += " TRANSACTIONS"
    if rows.rows is not None:
        text += f" OF {expression(rows.rows)} ROWS"
    if rows.on_error is not None:
        text += f" ON ERROR {rows.on_error}"
    return text + (f" REPORT STATUS AS {name(rows.report.name)}" if rows.report is not None else "")


def _procedure(node: tree.CallProcedure) -> str:
    text = f"{'OPTIONAL ' if node.optional else ''}CALL {dotted(node.name)}"
    if node.arguments is not None:
        text += f"({_list(node.arguments, expression)})"
    if node.star:
        text += " YIELD *"
    if node.yields is not None:
        text += " YIELD " + ", ".join(
            name(item.column.text)
            if item.variable.name == item.column.text
            else f"{name(item.column.text)} AS {name(item.variable.name)}"
            for item in node.yields
        )
    return text + where_clause(node.where)


def _merge(node: tree.Merge) -> str:
    return f"MERGE {path(node.pattern)}" + "".join(
        f" ON {action.on.upper()} SET {_list(action.items, _set_item)}" for action in node.actions
    )


def _set_item(node: tree.SetItem) -> str:
    if isinstance(node, tree.SetProperty):
        return f"{expression(node.target)} = {expression(node.value)}"
    if isinstance(node, tree.SetProperties):
        return f"{name(node.variable.name)} {'+=' if node.add else '='} {expression(node.value)}"
    assert isinstance(node, tree.SetLabels)
    return name(node.variable.name) + "".join(f":{labels(label)}" for label in node.labels)


def _remove_item(node: tree.RemoveProperty | tree.RemoveLabels) -> str:
    if isinstance(node, tree.RemoveProperty):
        return expression(node.target)
    return name(node.variable.name) + "".join(f":{labels(label)}" for label in node.labels)


def _foreach(node: tree.Foreach) -> str:
    inner = " ".join(_RULES[type(clause)](clause) for clause in node.clauses)
    return f"FOREACH ({name(node.variable.name)} IN {expression(node.source)} | {inner})"


def _load_csv(node: tree.LoadCsv) -> str:
    terminator = f" FIELDTERMINATOR {expression(node.field_terminator)}" if node.field_terminator else ""
    return (
        f"LOAD CSV {'WITH HEADERS ' if node.with_headers else ''}FROM {expression(node.source)} AS "
        f"{name(node.variable.name)}{terminator}"
    )


_RULES: dict[type[tree.Clause], Callable[[Any], str]] = {
    tree.Match: _match,
    tree.With: lambda node: f"WITH {_projection(node.projection)}{where_clause(node.where)}",
    tree.Return: lambda node: f"RETURN {_projection(node.projection)}",
    tree.OrderAndPage: lambda node: _order(node.order_by, node.skip, node.limit, ""),
    tree.Unwind: lambda node: f"UNWIND {expression(node.source)} AS {name(node.variable.name)}",
    tree.Finish: lambda node: "FINISH",
    tree.Use: _use,
    tree.CallSubquery: _subquery,
    tree.CallProcedure: _procedure,
    tree.Create: lambda node: f"{'INSERT' if node.insert else 'CREATE'} {_list(node.patterns, path)}",
    tree.Merge: _merge,
    tree.Set: lambda node: f"SET {_list(node.items, _set_item)}",
    tree.Remove: lambda node: f"REMOVE {_list(node.items, _remove_item)}",
    tree.Delete: lambda node: f"{node.detach + ' ' if node.detach else ''}DELETE {_list(node.expressions, expression)}",
    tree.Foreach: _foreach,
    tree.LoadCsv: _load_csv,
    tree.Let: lambda node: (
        "LET " + ", ".join(f"{name(item.variable.name)} = {expression(item.expression)}" for item in node.items)
    ),
    tree.Filter: lambda node: f"FILTER {expression(node.where)}",
}


# Prints expressions, with parentheses where the operator binds less tightly than its context


_OR, _XOR, _AND, _NOT, _COMPARE, _PREDICATE, _SUM, _PRODUCT, _POWER, _SIGN, _POSTFIX, _ATOM = range(1, 13)
_BINDING = {
    "OR": _OR,
    "XOR": _XOR,
    "AND": _AND,
    "=": _COMPARE,
    "<>": _COMPARE,
    "<": _COMPARE,
    "<=": _COMPARE,
    ">": _COMPARE,
    ">=": _COMPARE,
    "=~": _PREDICATE,
    "IN": _PREDICATE,
    "STARTS WITH": _PREDICATE,
    "ENDS WITH": _PREDICATE,
    "CONTAINS": _PREDICATE,
    "+": _SUM,
    "-": _SUM,
    "||": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "%": _PRODUCT,
    "^": _POWER,
}
_LEVELS: dict[type[tree.Node], int] = {
    tree.ComparisonChain: _COMPARE,
    tree.IsNull: _PREDICATE,
    tree.IsTyped: _PREDICATE,
    tree.IsNormalized: _PREDICATE,
    tree.HasLabels: _POSTFIX,
    tree.Property: _POSTFIX,
    tree.Subscript: _POSTFIX,
    tree.Slice: _POSTFIX,
}


def expression(node: tree.Expression, level: int = 0) -> str:
    """Print an expression, in parentheses if it binds less tightly than `level`."""
    text = _binary(node) if type(node) is tree.Binary else _EXPRESSION_RULES[type(node)](node)
    return f"({text})" if _level(node) < level else text


def _level(node: tree.Expression) -> int:
    if isinstance(node, tree.Binary):
        return _BINDING[node.operator]
    if isinstance(node, tree.Unary):
        return _NOT if node.operator == "NOT" else _SIGN
    if isinstance(node, tree.IntegerLiteral | tree.FloatLiteral) and node.value < 0:
        return _SIGN
    return _LEVELS.get(type(node), _ATOM)


def _binary(node: tree.Binary) -> str:
    # A long chain nests to the left: a loop, because recursion would be too deep.
    parts: list[str] = []
    first: tree.Expression = node
    while isinstance(first, tree.Binary):
        own = _BINDING[first.operator]
        parts.append(f" {first.operator} {expression(first.right, own + 1)}")
        first = first.left
        chained = own not in (_COMPARE, _PREDICATE)
        if not isinstance(first, tree.Binary) or not chained or _BINDING[first.operator] < own:
            parts.append(expression(first, own if chained else own + 1))
            break
    parts.reverse()
    return "".join(parts)


def _chain(node: tree.ComparisonChain) -> str:
    text = expression(node.operands[0], _PREDICATE)
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        text += f" {operator} {expression(operand, _PREDICATE)}"
    return text


def _unary(node: tree.Unary) -> str:
    if node.operator == "NOT":
        return f"NOT {expression(node.operand, _NOT)}"
    negative = isinstance(node.operand, tree.IntegerLiteral | tree.FloatLiteral) and node.operand.value < 0
    return f"{node.operator}{' ' if negative else ''}{expression(node.operand, _SIGN if negative else _POSTFIX)}"


def _float(node: tree.FloatLiteral) -> str:
    if node.value != node.value:
        return "NaN"
    if node.value in (float("inf"), float("-inf")):
        return "INF" if node.value > 0 else "-INF"
    return repr(node.value)


def _list_literal(node: tree.ListLiteral) -> str:
    return f"[{', '.join(expression(item) for item in node.items)}]"


def _map(node: tree.MapLiteral) -> str:
    return "{" + ", ".join(f"{name(entry.key.text)}: {expression(entry.value)}" for entry in node.entries) + "}"


def _subject(node: tree.Expression) -> str:
    # A number directly before a dot would be parsed as a decimal number.
    text = expression(node, _POSTFIX)
    return f"({text})" if isinstance(node, tree.IntegerLiteral | tree.FloatLiteral) else text


def _slice(node: tree.Slice) -> str:
    lower = expression(node.lower) if node.lower is not None else ""
    upper = expression(node.upper) if node.upper is not None else ""
    return f"{_subject(node.subject)}[{lower}..{upper}]"


def _call(node: tree.FunctionCall) -> str:
    if (
        node.name == "trim"
        and node.arguments
        and node.name_end
        and isinstance(node.arguments[0], tree.StringLiteral)
        and node.arguments[0].start < node.name_end
    ):
        letters = f"{expression(node.arguments[1])} " if len(node.arguments) == 3 else ""
        return f"trim({node.arguments[0].value} {letters}FROM {expression(node.arguments[-1])})"
    if (
        node.key == "normalize"
        and len(node.arguments) == 2
        and isinstance(node.arguments[1], tree.StringLiteral)
        and node.arguments[1].end - node.arguments[1].start == len(node.arguments[1].value)
    ):
        return f"{dotted(node.name)}({expression(node.arguments[0])}, {node.arguments[1].value})"
    distinct = "DISTINCT " if node.distinct else ""
    return f"{dotted(node.name)}({distinct}{', '.join(expression(argument) for argument in node.arguments)})"


def _case(node: tree.Case) -> str:
    parts = ["CASE" if node.subject is None else f"CASE {expression(node.subject)}"]
    for branch in node.branches:
        conditions = ", ".join(expression(condition) for condition in branch.conditions)
        parts.append(f"WHEN {conditions} THEN {expression(branch.result)}")
    if node.default is not None:
        parts.append(f"ELSE {expression(node.default)}")
    return " ".join([*parts, "END"])


def _case_comparison(node: tree.CaseComparison) -> str:
    if node.operand is None:
        return node.operator
    needed = _PREDICATE if node.operator in _BINDING and _BINDING[node.operator] == _COMPARE else _SUM
    return f"{node.operator} {expression(node.operand, needed)}"


def where_clause(node: tree.Expression | None) -> str:
    """Print ` WHERE …`, or an empty string if there is no condition."""
    return f" WHERE {expression(node)}" if node is not None else ""


def _list_comprehension(node: tree.ListComprehension) -> str:
    projection = f" | {expression(node.projection)}" if node.projection is not None else ""
    return f"[{name(node.variable.name)} IN {expression(node.source)}{where_clause(node.where)}{projection}]"


def _pattern_comprehension(node: tree.PatternComprehension) -> str:
    variable = f"{name(node.path_variable.name)} = " if node.path_variable is not None else ""
    return f"[{variable}{path(node.pattern)}{where_clause(node.where)} | {expression(node.projection)}]"


def _list_predicate(node: tree.ListPredicate) -> str:
    return f"{node.kind}({name(node.variable.name)} IN {expression(node.source)}{where_clause(node.where)})"


def _reduce(node: tree.Reduce | tree.AllReduce) -> str:
    text = (
        f"({name(node.accumulator.name)} = {expression(node.initial)}, {name(node.variable.name)} IN "
        f"{expression(node.source)} | {expression(node.step)}"
    )
    if isinstance(node, tree.AllReduce):
        return f"allReduce{text}, {expression(node.predicate)})"
    return f"reduce{text})"


def _map_projection(node: tree.MapProjection) -> str:
    items: list[str] = []
    for item in node.items:
        if isinstance(item, tree.ProjectedProperty):
            items.append(f".{name(item.key.text)}")
        elif isinstance(item, tree.ProjectedVariable):
            items.append(name(item.variable.name))
        elif isinstance(item, tree.ProjectedEntry):
            items.append(f"{name(item.key.text)}: {expression(item.value)}")
        else:
            items.append(".*")
    return f"{name(node.subject.name)} {{{', '.join(items)}}}"


def _subquery_expression(node: tree.Subquery) -> str:
    if node.body is not None:
        return f"{node.kind} {{ {body(node.body)} }}"
    inner = ", ".join(path(pattern) for pattern in node.patterns)
    return f"{node.kind} {{ {inner}{where_clause(node.where)} }}"


def _normalized(node: tree.IsNormalized) -> str:
    return f"{expression(node.operand, _SUM)} IS {'NOT ' if node.negated else ''}{node.form} NORMALIZED"


_EXPRESSION_RULES: dict[type[tree.Node], Callable[[Any], str]] = {
    tree.Variable: lambda node: name(node.name),
    tree.Parameter: lambda node: f"${node.name if node.name.isdigit() else name(node.name)}",
    tree.IntegerLiteral: lambda node: str(node.value),
    tree.FloatLiteral: _float,
    tree.StringLiteral: lambda node: quoted_string(node.value),
    tree.BooleanLiteral: lambda node: "true" if node.value else "false",
    tree.NullLiteral: lambda node: "null",
    tree.ListLiteral: _list_literal,
    tree.MapLiteral: _map,
    tree.Property: lambda node: f"{_subject(node.subject)}.{name(node.key.text)}",
    tree.Subscript: lambda node: f"{_subject(node.subject)}[{expression(node.index)}]",
    tree.Slice: _slice,
    tree.ComparisonChain: _chain,
    tree.Unary: _unary,
    tree.IsNull: lambda node: f"{expression(node.operand, _SUM)} IS {'NOT ' if node.negated else ''}NULL",
    tree.IsTyped: lambda node: f"{expression(node.operand, _SUM)} IS {'NOT ' if node.negated else ''}:: {node.type}",
    tree.IsNormalized: _normalized,
    tree.HasLabels: lambda node: f"{_subject(node.operand)}:{labels(node.labels)}",
    tree.FunctionCall: _call,
    tree.CountStar: lambda node: "count(*)",
    tree.Case: _case,
    tree.CaseComparison: _case_comparison,
    tree.ListComprehension: _list_comprehension,
    tree.PatternComprehension: _pattern_comprehension,
    tree.ListPredicate: _list_predicate,
    tree.Reduce: _reduce,
    tree.AllReduce: _reduce,
    tree.MapProjection: _map_projection,
    tree.PatternExpression: lambda node: path(node.pattern),
    tree.Subquery: _subquery_expression,
}


# Prints paths and labels


_SELECTORS = {
    "any": "ANY{}",
    "all": "ALL",
    "shortest": "SHORTEST{}",
    "all_shortest": "ALL SHORTEST",
    "any_shortest": "ANY SHORTEST",
    "shortest_groups": "SHORTEST{} GROUPS",
}


def path(node: tree.PathPattern) -> str:
    """Print a path: `p = (a)-[:KNOWS]->(b)`."""
    text = _elements(node.elements)
    if node.shortest is not None:
        text = f"{node.shortest}({text})"
    if node.selector is not None:
        count = f" {expression(node.selector.count)}" if node.selector.count is not None else ""
        selector = _SELECTORS[node.selector.kind].format(count)
        if node.selector.mode is not None:
            words, groups, _ = selector.partition(" GROUPS")
            selector = f"{words} {node.selector.mode}{groups}"
        text = f"{selector} {text}"
    return f"{name(node.variable.name)} = {text}" if node.variable is not None else text


def _elements(elements: list[tree.NodePattern | tree.RelationshipPattern | tree.ParenthesizedPath]) -> str:
    parts: list[str] = []
    before: tree.Node | None = None
    for element in elements:
        if isinstance(element, tree.NodePattern):
            grouped = bool(parts) and not isinstance(before, tree.RelationshipPattern)
            parts.append((" " if grouped else "") + _node(element))
        elif isinstance(element, tree.RelationshipPattern):
            parts.append(relationship(element))
        else:
            variable = f"{name(element.variable.name)} = " if element.variable is not None else ""
            inner = f"({variable}{_elements(element.elements)}{where_clause(element.where)})"
            parts.append((" " if parts else "") + inner + _quantifier(element.quantifier))
        before = element
    return "".join(parts)


def _node(node: tree.NodePattern) -> str:
    return f"({_filling(node.variable, node.labels, '', node.properties, node.where)})"


def _filling(
    variable: tree.Variable | None,
    types: tree.LabelExpression | None,
    length: str,
    properties: tree.Expression | None,
    where: tree.Expression | None,
) -> str:
    text = name(variable.name) if variable is not None else ""
    if types is not None:
        text += f":{labels(types)}"
    text += length
    if properties is not None:
        text += (" " if text else "") + expression(properties)
    if where is not None:
        text += where_clause(where)[0 if text else 1 :]
    return text


def relationship(node: tree.RelationshipPattern) -> str:
    """Print a relationship: `<-[r:KNOWS {since: 1999}]-{1,3}`."""
    inner = _filling(node.variable, node.types, _length(node.length), node.properties, node.where)
    middle = f"-[{inner}]-" if inner else "--"
    return (
        f"{'<' if node.direction == 'left' else ''}{middle}{'>' if node.direction == 'right' else ''}"
        f"{_quantifier(node.quantifier)}"
    )


def _length(node: tree.PathLength | None) -> str:
    if node is None:
        return ""
    if node.minimum is not None and node.minimum == node.maximum:
        return f"*{node.minimum}"
    if node.minimum is None and node.maximum is None:
        return "*"
    return f"*{'' if node.minimum is None else node.minimum}..{'' if node.maximum is None else node.maximum}"


def _quantifier(node: tree.PathQuantifier | None) -> str:
    if node is None:
        return ""
    if node.maximum is None:
        return "*" if node.minimum == 0 else "+" if node.minimum == 1 else f"{{{node.minimum},}}"
    return f"{{{node.minimum}}}" if node.minimum == node.maximum else f"{{{node.minimum},{node.maximum}}}"


def labels(node: tree.LabelExpression, inner: bool = False) -> str:
    """Print a label expression: `Person`, `A|B`, `!(A&B)`."""
    if isinstance(node, tree.LabelName):
        return name(node.name.text)
    if isinstance(node, tree.LabelWildcard):
        return "%"
    if isinstance(node, tree.LabelNot):
        return f"!{labels(node.operand, True)}"
    if isinstance(node, tree.DynamicLabel):
        return f"${node.kind}({expression(node.expression)})"
    assert isinstance(node, tree.LabelAnd | tree.LabelOr)
    joint = ("|:" if node.colon else "|") if isinstance(node, tree.LabelOr) else ":" if node.colon else "&"
    text = joint.join(
        labels(operand, not (isinstance(node, tree.LabelOr) and isinstance(operand, tree.LabelAnd)))
        for operand in node.operands
    )
    return f"({text})" if inner else text


# Prints names, in backticks if they are not plain words or if the language might take them for a keyword


_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_CAUTIOUS = words(
    "NOT NULL TRUE FALSE CASE EXISTS COUNT COLLECT ALL ANY NONE SINGLE REDUCE DISTINCT WHERE IS INF INFINITY NAN IN "
    "SHORTESTPATH ALLSHORTESTPATHS SHORTEST TYPED NORMALIZED WHEN END ELSE THEN AND OR XOR STARTS ENDS CONTAINS AS "
    "ORDER SKIP LIMIT OFFSET UNION TRIM NORMALIZE ALLREDUCE ASC DESC FROM BOTH LEADING TRAILING NFC NFD NFKC NFKD "
    "RETURN MATCH WITH CALL USING YIELD ON NEXT"
)


def name(text: str) -> str:
    """Print a name, in backticks if it is not a plain word or might be taken for a keyword.

    >>> name("title"), name("first name"), name("order")
    ('title', '`first name`', '`order`')
    """
    if _PLAIN.match(text) and text.upper() not in _CAUTIOUS:
        return text
    return in_backticks(text)


def dotted(text: str) -> str:
    """Print the name of a function or procedure: `apoc.text.join`."""
    return ".".join(part if _PLAIN.match(part) else name(part) for part in text.split("."))
