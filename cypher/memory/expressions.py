"""Computes lower bounds for the sizes of expressions' values.

>>> from graphground.cypher import parse
>>> item = parse("RETURN [i IN range(1, 20) | i] + ['x'] AS x").body.clauses[0].projection.items[0]
>>> Evaluation({}).value(item.expression, {})
Items(size=21, each=4, exact=True, lazy=True, present=True)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphground.cypher import tree
from graphground.cypher.allowed import FUNCTIONS_ALLOWED
from graphground.cypher.memory import functions
from graphground.cypher.memory.filters import least_kept
from graphground.cypher.memory.values import (
    BOXED,
    HEADER,
    MOST_BYTES,
    REFERENCE,
    Items,
    LargeValue,
    Number,
    Present,
    Text,
    Value,
    constant,
    in_words,
    known_text,
    memory_of,
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
)
"""Expressions that are evaluated as a whole; of any other expression only the parts are evaluated."""
_SHARED = (tree.Variable, tree.Parameter, tree.IntegerLiteral, tree.FloatLiteral, tree.StringLiteral)


class Evaluation:
    """One pass over a query: `value` computes a bound for an expression, and `found` collects the values that are too large."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.parameters = parameters
        self.found: list[LargeValue] = []
        self.subquery: Callable[[tree.Subquery, Names], Value] = lambda node, names: None
        """Evaluates the body of a subquery; set by `rows`, which imports this module."""

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
        """Check a value that goes to a plug-in, a procedure or the client, which receive each element of a lazy list."""
        if when_stored(value) <= MOST_BYTES:
            return stored(value) if isinstance(value, Items) else value
        self.found.append(LargeValue(node.start, node.end, in_words(value)))
        return None

    def below(self, node: tree.Node, names: Names) -> None:
        """Evaluate every expression below a node about whose own value nothing is known."""
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
                return constant(self.parameters.get(node.name))
            case tree.IntegerLiteral() | tree.FloatLiteral():
                return Number(node.value)
            case tree.StringLiteral():
                return known_text(node.value)
            case tree.BooleanLiteral():
                return Present()
            case tree.ListLiteral():
                items = [self.value(item, names) for item in node.items]
                inside = sum(map(when_stored, items))
                return Items(len(items), _mean(items), present=None not in items, inside=inside)
            case tree.Unary(operator="-" | "+") if not isinstance(node.operand, tree.Unary):
                return functions.negated(self.value(node.operand, names), node.operator)
            case tree.Binary():
                return self._chain(node, names)
            case tree.FunctionCall():
                return self._call(node, names)
            case tree.ListComprehension():
                return self._comprehension(node, names)
            case tree.Reduce() | tree.AllReduce() | tree.ListPredicate() | tree.PatternComprehension():
                self._with_own_names(node, names)
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
            value = self.kept(link, functions.combined(link.operator, value, self.value(link.right, names)))
        return value

    def _case(self, node: tree.Case, names: Names) -> Value:
        """Evaluate the parts of a CASE that are always computed: subject, first condition, and its result if it is `true`."""
        if node.subject is not None:
            self.value(node.subject, names)
        first = node.branches[0]
        self.value(first.conditions[0], names)
        match node.subject, first.conditions:
            case None, [tree.BooleanLiteral(value=True)]:
                return self.value(first.result, names)
        return None

    def _call(self, node: tree.FunctionCall, names: Names) -> Value:
        if node.key == "coalesce" and node.arguments:
            first = self.value(node.arguments[0], names)
            if first is not None:  # a known value is not null, and the arguments after it are not computed
                return functions.result(node.key, [first])
        arguments = [self.value(argument, names) for argument in node.arguments]
        if node.key in FUNCTIONS_ALLOWED:
            arguments = [self.whole(*pair) for pair in zip(node.arguments, arguments, strict=True)]
        return functions.result(node.key, arguments)

    def _comprehension(self, node: tree.ListComprehension, names: Names) -> Value:
        source = self.value(node.source, names)
        element = functions.element(source)
        inner = {**names, node.variable.name: element}
        if node.where is not None:
            self.value(node.where, inner)
        made = element if node.projection is None else self.value(node.projection, inner)
        if not isinstance(source, Items):
            return None
        if node.where is not None:
            kept = least_kept(node.where, node.variable.name, source.numbers) if source.numbers else 0
            source = source._replace(size=kept, exact=False, inside=0)
        if node.projection is None:
            return stored(source)._replace(numbers=None)
        if isinstance(node.projection, _SHARED):
            own = isinstance(node.projection, tree.Variable) and node.projection.name == node.variable.name
            held = element.held if own and isinstance(element, Present) else 0
        else:
            held = _held(made)
        return Items(
            source.size, REFERENCE + held, source.exact, present=made is not None, inside=source.size * _lazy(made)
        )

    def _with_own_names(self, node: tree.Expression, names: Names) -> None:
        """Evaluate the parts of an expression that declares variables; nothing is known about those variables."""
        own = {
            child.name
            for field in ("variable", "accumulator", "path_variable")
            if isinstance(child := getattr(node, field, None), tree.Variable)
        }
        if isinstance(node, tree.PatternComprehension):
            own |= {variable.name for variable in node.pattern.find(tree.Variable)} - names.keys()
        self.below(node, {name: value for name, value in names.items() if name not in own})


def _mean(values: list[Value]) -> int:
    """Return the average bytes of each element of a list literal; the elements themselves were checked before."""
    return REFERENCE + (sum(memory_of(value) for value in values) // len(values) if values else 0)


def _lazy(made: Value) -> int:
    """Return the bytes that a value takes only when it is stored."""
    return when_stored(made) - memory_of(made)


def _held(made: Value) -> int:
    """Return the bytes of a value that is created again for each element of a list."""
    match made:
        case Number():
            return BOXED
        case Present():
            return made.held
        case Text() | Items():
            return HEADER + memory_of(made)
    return 0
