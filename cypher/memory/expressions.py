"""Computes lower bounds for the sizes of expressions' values.

>>> from graphground.cypher import parse
>>> item = parse("RETURN [i IN range(1, 20) | i] + ['x'] AS x").body.clauses[0].projection.items[0]
>>> Evaluation({}).value(item.expression, {}).size
21
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from graphground.cypher import tree
from graphground.cypher.allowed import FUNCTIONS_ALLOWED
from graphground.cypher.memory import functions
from graphground.cypher.memory.conditions import compared, connected, is_null, of_outcomes, outcomes
from graphground.cypher.memory.filters import least_kept
from graphground.cypher.memory.values import (
    BOXED,
    FALSE,
    HEADER,
    MOST_BYTES,
    MOST_OPTIONS,
    NULL,
    REFERENCE,
    TRUE,
    Items,
    LargeValue,
    Number,
    Present,
    Text,
    Value,
    constant,
    in_words,
    known_text,
    may_be_null,
    memory_of,
    options_of,
    stored,
    when_stored,
)
from graphground.cypher.work import check_work

Names = Mapping[str, Value]
_KNOWN = (
    *(
        tree.Binary,
        tree.Unary,
        tree.FunctionCall,
        tree.ListLiteral,
        tree.ListComprehension,
        tree.Slice,
        tree.MapLiteral,
    ),
    *(tree.Reduce, tree.AllReduce, tree.ListPredicate, tree.PatternComprehension, tree.Subquery),
    *(tree.Case, tree.ComparisonChain, tree.IsNull, tree.Property, tree.Subscript),
)
"""The expressions that `below` evaluates; of any other expression it evaluates only the parts."""
_SHARED = (tree.Variable, tree.Parameter, tree.IntegerLiteral, tree.FloatLiteral, tree.StringLiteral)


_DECIDING: dict[str, Value] = {"AND": FALSE, "OR": TRUE}
"""The operand that decides the result of a connective, whatever the other operand is: `false AND x` is false."""


class Evaluation:
    """One pass over a query: `value` computes a bound for an expression,
    and `found` collects the values that are too large."""

    def __init__(self, parameters: Mapping[str, Any], *, eager: bool = False) -> None:
        self.parameters = parameters
        self.eager = eager
        """Whether the database computes rows that `LIMIT 0` then drops."""
        self.found: list[LargeValue] = []
        self.subquery: Callable[[tree.Subquery, Names], Value] = lambda node, names: None
        """The function that evaluates the body of a subquery; set by `rows`, which imports this module."""
        self.no_rows = False
        """Whether the aggregates have no input rows, so that their arguments are not computed."""

    def value(self, node: tree.Expression, names: Names) -> Value:
        """Return what is certain about the value of an expression; `names` holds the values of the variables."""
        check_work()
        return self.kept(node, self._value(node, names))

    def kept(self, node: tree.Node, value: Value) -> Value:
        """Return the value, or record it and return None if it takes too much memory."""
        if memory_of(value) <= MOST_BYTES:
            return value
        self.found.append(LargeValue(node.start, node.end, in_words(value)))
        return None

    def whole(self, node: tree.Expression, value: Value) -> Value:
        """Return a value with all its elements computed, as plug-ins, procedures and the client receive it.

        If it takes too much memory, record it and return None.
        """
        if when_stored(value) <= MOST_BYTES:
            return stored(value) if isinstance(value, Items) else value
        self.found.append(LargeValue(node.start, node.end, in_words(value)))
        return None

    def below(self, node: tree.Node, names: Names) -> None:
        """Evaluate every expression inside a node whose own value is unknown, to find large values there."""
        pending = [node]
        while pending:
            for child in pending.pop().children():
                if isinstance(child, _KNOWN):
                    self.value(child, names)
                else:
                    pending.append(child)

    def _value(self, node: tree.Expression, names: Names) -> Value:
        match node:
            case tree.Variable():
                return names.get(node.name)
            case tree.Parameter():
                return constant(self.parameters[node.name]) if node.name in self.parameters else None
            case tree.IntegerLiteral() | tree.FloatLiteral():
                return Number(node.value)
            case tree.StringLiteral():
                return known_text(node.value)
            case tree.BooleanLiteral():
                return TRUE if node.value else FALSE
            case tree.NullLiteral():
                return NULL
            case tree.ListLiteral():
                return _literal([self.value(item, names) for item in node.items])
            case tree.Unary() if not isinstance(node.operand, tree.Unary):
                return functions.negated(self.value(node.operand, names), node.operator)
            case tree.Binary():
                return self._chain(node, names)
            case tree.ComparisonChain():
                operands = [self.value(operand, names) for operand in node.operands]
                value: Value = TRUE
                for operator, (left, right) in zip(node.operators, pairwise(operands), strict=True):
                    value = connected("AND", value, compared(operator, left, right))
                return value
            case tree.IsNull():
                return is_null(self.value(node.operand, names), negated=node.negated)
            case tree.CountStar() if self.no_rows:
                return Number(0)
            case tree.Property():
                return NULL if self.value(node.subject, names) == NULL else None
            case tree.Subscript():
                return functions.entry(self.value(node.subject, names), self.value(node.index, names))
            case tree.FunctionCall():
                return self._call(node, names)
            case tree.ListComprehension():
                return self._comprehension(node, names)
            case tree.ListPredicate():
                return self._list_predicate(node, names)
            case tree.Reduce() | tree.AllReduce():
                return self._reduced(node, names)
            case tree.PatternComprehension():
                path = node.path_variable.name if node.path_variable is not None else None
                self.below(node, {name: value for name, value in names.items() if name != path})
                return None
            case tree.Slice():
                whole = self.value(node.subject, names)
                for bound in (node.lower, node.upper):
                    if bound is not None:
                        self.value(bound, names)
                return functions.part(whole, node.lower, node.upper)
            case tree.Subquery():
                return self.subquery(node, names)
            case tree.Case():
                return self._case(node, names)
            case tree.MapLiteral():
                return Present(inside=sum(when_stored(self.value(entry.value, names)) for entry in node.entries))
        self.below(node, names)
        return None

    def _chain(self, node: tree.Binary, names: Names) -> Value:
        """Return the value of `a + b + … + z`; a loop, because the chain may exceed Python's recursion limit."""
        chain, first = [node], node.left
        while isinstance(first, tree.Binary):
            chain.append(first)
            first = first.left
        value = self.value(first, names)
        for link in reversed(chain):
            check_work()
            deciding = _DECIDING.get(link.operator)
            if deciding is not None and value == deciding:
                continue  # databases do not compute the right side
            value = self.kept(link, functions.combined(link.operator, value, self.value(link.right, names)))
        return value

    def _case(self, node: tree.Case, names: Names) -> Value:
        """Evaluate the parts of a CASE that are certainly computed; return its value if certain, else None.

        These parts are the conditions up to the first that may be true, and the result of a branch that is certainly
        taken.
        """
        subject = self.value(node.subject, names) if node.subject is not None else None
        for branch in node.branches:
            possible: frozenset[bool | None] = frozenset({False})
            for condition in branch.conditions:
                if isinstance(condition, tree.CaseComparison):
                    return None
                value = self.value(condition, names)
                if node.subject is not None:
                    value = compared("=", subject, value)
                possible = outcomes(connected("OR", of_outcomes(possible), value))
                if True in possible:
                    break
            if possible == {True}:
                return self.value(branch.result, names)
            if True in possible:
                return None
        return self.value(node.default, names) if node.default is not None else NULL

    def _call(self, node: tree.FunctionCall, names: Names) -> Value:
        if self.no_rows and functions.is_aggregate(node):
            return functions.of_no_rows(node.key)
        if node.key == "coalesce":
            for argument in node.arguments:
                value = self.value(argument, names)
                if value != NULL:  # the next argument is computed only after null
                    return None if may_be_null(value) else value
            return NULL
        arguments = [self.value(argument, names) for argument in node.arguments]
        if node.key in FUNCTIONS_ALLOWED:
            arguments = [self.whole(*pair) for pair in zip(node.arguments, arguments, strict=True)]
        return functions.result(node.key, arguments)

    def _comprehension(self, node: tree.ListComprehension, names: Names) -> Value:
        source = self.value(node.source, names)
        if source == NULL or (isinstance(source, Items) and source.empty):
            return source  # there is no element to compute
        element = functions.element(source)
        inner = {**names, node.variable.name: element}
        where = TRUE if node.where is None else self.value(node.where, inner)
        possible = outcomes(where)
        if True not in possible:
            return Items(0) if isinstance(source, Items) else None
        projected = element if node.projection is None else self.value(node.projection, inner)
        if not isinstance(source, Items):
            return None
        if node.where is not None and possible != {True}:
            size = least_kept(node.where, node.variable.name, source.numbers) if source.numbers else 0
            source = source._replace(size=size, exact=False, inside=0, options=())
        if node.projection is None:
            return stored(source)._replace(numbers=None)
        if isinstance(node.projection, _SHARED):
            own = isinstance(node.projection, tree.Variable) and node.projection.name == node.variable.name
            held = element.held if own and isinstance(element, Present) else 0
        else:
            held = _held(projected)
        return Items(
            source.size,
            REFERENCE + held,
            source.exact,
            present=not may_be_null(projected),
            inside=source.size * _lazy(projected),
        )

    def _list_predicate(self, node: tree.ListPredicate, names: Names) -> Value:
        """Evaluate `all`, `any`, `none` or `single`; the condition is evaluated once for all elements together."""
        source = self.value(node.source, names)
        if source == NULL:
            return NULL
        if isinstance(source, Items) and source.empty:
            return TRUE if node.kind in ("all", "none") else FALSE
        inner = {**names, node.variable.name: functions.element(source)}
        possible = outcomes(TRUE if node.where is None else self.value(node.where, inner))
        if not isinstance(source, Items) or not source.size or len(possible) > 1 or node.kind == "single":
            return None
        if possible == {None}:
            return NULL
        return TRUE if (node.kind in ("all", "any")) == (True in possible) else FALSE

    def _reduced(self, node: tree.Reduce | tree.AllReduce, names: Names) -> Value:
        """Evaluate a `reduce`: nothing is known about the steps, except that there are none for an empty list."""
        initial, source = self.value(node.initial, names), self.value(node.source, names)
        if isinstance(source, Items) and source.empty and isinstance(node, tree.Reduce):
            return initial
        if source != NULL:
            own = (node.accumulator.name, node.variable.name)
            inner = {name: value for name, value in names.items() if name not in own}
            for part in (node.step, node.predicate) if isinstance(node, tree.AllReduce) else (node.step,):
                self.value(part, inner)
        return None


def _literal(items: list[Value]) -> Items:
    """Return the bound for the list `[a, b, …]`."""
    constants = [options_of(item) for item in items]
    known = len(items) <= MOST_OPTIONS and all(constants) and all(len(options or ()) == 1 for options in constants)
    return Items(
        len(items),
        _mean(items),
        present=not any(map(may_be_null, items)),
        inside=sum(map(when_stored, items)),
        options=tuple(options[0] for options in constants if options) if known else (),
    )


def _mean(values: list[Value]) -> int:
    """Return the average bytes of each element of a list literal; the elements themselves were checked before."""
    return REFERENCE + (sum(memory_of(value) for value in values) // len(values) if values else 0)


def _lazy(value: Value) -> int:
    """Return the additional bytes that a value takes when the elements of its lazy lists are computed and stored."""
    return when_stored(value) - memory_of(value)


def _held(value: Value) -> int:
    """Return the minimum size in bytes of a value that is created again for each element of a list."""
    match value:
        case Number():
            return BOXED
        case Present():
            return value.held
        case Text() | Items():
            return HEADER + memory_of(value)
    return 0
