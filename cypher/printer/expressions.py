"""Prints expressions, with parentheses where the operator binds less tightly than its context."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphground.cypher import tree
from graphground.cypher.printer import clauses, patterns
from graphground.cypher.printer.names import dotted, name
from graphground.cypher.quoting import quoted_string

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
    text = _binary(node) if type(node) is tree.Binary else _RULES[type(node)](node)
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


def _list(node: tree.ListLiteral) -> str:
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


def where(node: tree.Expression | None) -> str:
    """Print ` WHERE …`, or an empty string if there is no condition."""
    return f" WHERE {expression(node)}" if node is not None else ""


def _list_comprehension(node: tree.ListComprehension) -> str:
    projection = f" | {expression(node.projection)}" if node.projection is not None else ""
    return f"[{name(node.variable.name)} IN {expression(node.source)}{where(node.where)}{projection}]"


def _pattern_comprehension(node: tree.PatternComprehension) -> str:
    variable = f"{name(node.path_variable.name)} = " if node.path_variable is not None else ""
    return f"[{variable}{patterns.path(node.pattern)}{where(node.where)} | {expression(node.projection)}]"


def _list_predicate(node: tree.ListPredicate) -> str:
    return f"{node.kind}({name(node.variable.name)} IN {expression(node.source)}{where(node.where)})"


def _reduce(node: tree.Reduce | tree.AllReduce) -> str:
    text = (
        f"({name(node.accumulator.name)} = {expression(node.initial)}, {name(node.variable.name)} IN "
        f"{expression(node.source)} | {expression(node.step)}"
    )
    if isinstance(node, tree.AllReduce):
        return f"allReduce{text}, {expression(node.predicate)})"
    return f"reduce{text})"


def _projection(node: tree.MapProjection) -> str:
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


def _subquery(node: tree.Subquery) -> str:
    if node.body is not None:
        return f"{node.kind} {{ {clauses.body(node.body)} }}"
    inner = ", ".join(patterns.path(pattern) for pattern in node.patterns)
    return f"{node.kind} {{ {inner}{where(node.where)} }}"


def _normalized(node: tree.IsNormalized) -> str:
    return f"{expression(node.operand, _SUM)} IS {'NOT ' if node.negated else ''}{node.form} NORMALIZED"


_RULES: dict[type[tree.Node], Callable[[Any], str]] = {
    tree.Variable: lambda node: name(node.name),
    tree.Parameter: lambda node: f"${node.name if node.name.isdigit() else name(node.name)}",
    tree.IntegerLiteral: lambda node: str(node.value),
    tree.FloatLiteral: _float,
    tree.StringLiteral: lambda node: quoted_string(node.value),
    tree.BooleanLiteral: lambda node: "true" if node.value else "false",
    tree.NullLiteral: lambda node: "null",
    tree.ListLiteral: _list,
    tree.MapLiteral: _map,
    tree.Property: lambda node: f"{_subject(node.subject)}.{name(node.key.text)}",
    tree.Subscript: lambda node: f"{_subject(node.subject)}[{expression(node.index)}]",
    tree.Slice: _slice,
    tree.ComparisonChain: _chain,
    tree.Unary: _unary,
    tree.IsNull: lambda node: f"{expression(node.operand, _SUM)} IS {'NOT ' if node.negated else ''}NULL",
    tree.IsTyped: lambda node: f"{expression(node.operand, _SUM)} IS {'NOT ' if node.negated else ''}:: {node.type}",
    tree.IsNormalized: _normalized,
    tree.HasLabels: lambda node: f"{_subject(node.operand)}:{patterns.labels(node.labels)}",
    tree.FunctionCall: _call,
    tree.CountStar: lambda node: "count(*)",
    tree.Case: _case,
    tree.CaseComparison: _case_comparison,
    tree.ListComprehension: _list_comprehension,
    tree.PatternComprehension: _pattern_comprehension,
    tree.ListPredicate: _list_predicate,
    tree.Reduce: _reduce,
    tree.AllReduce: _reduce,
    tree.MapProjection: _projection,
    tree.PatternExpression: lambda node: patterns.path(node.pattern),
    tree.Subquery: _subquery,
}
