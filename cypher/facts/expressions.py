"""Reads expressions: the properties, labels and types in them, and the comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from graphground.cypher import tree as t
from graphground.cypher.facts.model import Comparison, Facts, PropertyUse, Symbol, Value
from graphground.cypher.facts.patterns import PatternReader, Scope

COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH", "=~"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "^"})
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class ExpressionReader:
    """A collector of the facts that expressions state; the callback `body` reads the subqueries in expressions."""

    def __init__(self, facts: Facts, body: Callable[[t.QueryBody, Scope], Scope]):
        self.facts = facts
        self.body = body
        self.patterns = PatternReader(facts, self)
        self.negated = False
        self.certain = False

    def condition(self, where: t.Expression, scope: Scope) -> None:
        """Read a WHERE condition: each conjunct must hold, so `n:Person` narrows n just as it does in a pattern."""
        if type(where) is t.Binary and where.operator == "AND":
            for conjunct in operands(where):
                self.condition(conjunct, scope)
            return
        if isinstance(where, t.HasLabels) and isinstance(where.operand, t.Variable):
            symbol = scope.get(where.operand.name)
            if isinstance(symbol, Symbol) and symbol.kind == "node":
                self.patterns.declare(symbol, where.labels)
                return
        before = self.certain
        self.certain = not self.negated
        self.value(where, scope)
        self.certain = before

    def value(self, node: t.Node, scope: Scope) -> Value:
        """Read an expression; return the graph element or property that it evaluates to, or None if unknown."""
        read = self._readers.get(type(node))
        if read is not None:
            return read(self, node, scope)
        if node.child_fields:
            certain, self.certain = self.certain, False
            for child in node.children():
                self.value(child, scope)
            self.certain = certain
        return None

    def variable(self, node: t.Variable, scope: Scope) -> Value:
        return scope.get(node.name)

    def property(self, node: t.Property, scope: Scope) -> Value:
        subject = self.value(node.subject, scope)
        if isinstance(subject, Symbol) and subject.kind in ("node", "relationship"):
            use = PropertyUse(subject, node.key.text, node.key, node)
            self.facts.properties.append(use)
            return use
        if isinstance(subject, PropertyUse):
            self.facts.components.append((subject, node.key))
        return None

    def subscript(self, node: t.Subscript, scope: Scope) -> Value:
        subject = self.value(node.subject, scope)
        self.value(node.index, scope)
        if isinstance(subject, Symbol):
            if subject.kind == "list":
                return subject.element
            if subject.kind in ("node", "relationship") and isinstance(node.index, t.StringLiteral):
                use = PropertyUse(subject, node.index.value, node.index, node)
                self.facts.properties.append(use)
                return use
        return None

    def binary(self, node: t.Binary, scope: Scope) -> Value:
        operator = node.operator
        if operator in COMPARISONS:
            certain, self.certain = self.certain, False
            left, right = self.value(node.left, scope), self.value(node.right, scope)
            self.certain = certain
            self.compare(node, operator, node.left, left, node.right, right)
            return None
        certain = self.certain
        self.certain = certain and operator == "AND"
        for operand in operands(node):
            value = self.value(operand, scope)
            if isinstance(value, PropertyUse) and operator in ARITHMETIC:
                self.facts.calculated.append((node, operand, value))
        self.certain = certain
        return None

    def compare(
        self, node: t.Node, operator: str, left_node: t.Expression, left: Value, right_node: t.Expression, right: Value
    ) -> None:
        """Add a comparison of a property or of two graph elements.

        The sides are swapped if only the right side is a property; the sides of IN are never swapped.
        """
        if isinstance(left, PropertyUse) or (operator == "IN" and isinstance(right, PropertyUse)):
            self.facts.comparisons.append(
                Comparison(node, operator, left, right, left_node, right_node, self.negated, self.certain)
            )
        elif isinstance(right, PropertyUse) and operator in ("=", "<>", "<", "<=", ">", ">="):
            self.facts.comparisons.append(
                Comparison(
                    node,
                    SWAPPED.get(operator, operator),
                    right,
                    left,
                    right_node,
                    left_node,
                    self.negated,
                    self.certain,
                )
            )
        elif isinstance(left, Symbol) and isinstance(right, Symbol):
            self.facts.comparisons.append(
                Comparison(node, operator, left, right, left_node, right_node, self.negated, self.certain)
            )

    def chain(self, node: t.ComparisonChain, scope: Scope) -> Value:
        values = [self.value(operand, scope) for operand in node.operands]
        for place, operator in enumerate(node.operators):
            self.compare(
                node, operator, node.operands[place], values[place], node.operands[place + 1], values[place + 1]
            )
        return None

    def unary(self, node: t.Unary, scope: Scope) -> Value:
        if node.operator == "NOT":
            certain, self.certain = self.certain, False
            self.negated = not self.negated
            self.value(node.operand, scope)
            self.negated = not self.negated
            self.certain = certain
        else:
            self.value(node.operand, scope)
        return None

    def is_null(self, node: t.IsNull, scope: Scope) -> Value:
        value = self.value(node.operand, scope)
        if isinstance(value, PropertyUse):
            self.facts.null_tests.append(value)
        return None

    def has_labels(self, node: t.HasLabels, scope: Scope) -> Value:
        subject = self.value(node.operand, scope)
        if isinstance(subject, Symbol) and subject.kind == "node":
            self.patterns.kinds(node.labels, subject, self.negated)
        elif isinstance(subject, Symbol) and subject.kind == "relationship":
            self.patterns.types(node.labels, subject)
        return None

    def function(self, node: t.FunctionCall, scope: Scope) -> Value:
        values = [self.value(argument, scope) for argument in node.arguments]
        key = node.name.lower()
        if node.distinct and len(values) == 1:
            self.facts.distinct_values.append((node, values[0]))
        if not values:
            return None
        first = values[0]
        if isinstance(first, PropertyUse):
            self.facts.aggregated.append((node, first))
        if key == "collect":
            if isinstance(first, Symbol):
                grouped = Symbol("list")
                grouped.element = first
                return grouped
            return None
        if key in ("head", "last"):
            return first.element if isinstance(first, Symbol) and first.kind == "list" else None
        return None

    def subquery(self, node: t.Subquery, scope: Scope) -> Value:
        inner = self.patterns.nested(scope, node)
        certain, self.certain = self.certain, False
        if node.body is not None:
            self.body(node.body, inner)
        else:
            for pattern in node.patterns:
                self.patterns.pattern(pattern, inner)
            if node.where is not None:
                self.condition(node.where, inner)
        self.certain = certain
        return None

    def pattern_expression(self, node: t.PatternExpression, scope: Scope) -> Value:
        self.patterns.pattern(node.pattern, self.patterns.nested(scope, node))
        return None

    def pattern_comprehension(self, node: t.PatternComprehension, scope: Scope) -> Value:
        inner = self.patterns.nested(scope, node)
        if node.path_variable is not None:
            inner[node.path_variable.name] = None
        self.patterns.pattern(node.pattern, inner)
        if node.where is not None:
            self.condition(node.where, inner)
        found = self.value(node.projection, inner)
        if isinstance(found, Symbol):
            grouped = Symbol("list")
            grouped.element = found
            return grouped
        return None

    def list_scope(self, node: t.ListComprehension | t.ListPredicate, scope: Scope) -> Value:
        source = self.value(node.source, scope)
        inner = dict(scope)
        inner[node.variable.name] = source.element if isinstance(source, Symbol) and source.kind == "list" else None
        if node.where is not None:
            self.value(node.where, inner)
        if isinstance(node, t.ListComprehension):
            if node.projection is None:
                return source
            self.value(node.projection, inner)
        return None

    def reduce(self, node: t.Reduce | t.AllReduce, scope: Scope) -> Value:
        self.value(node.initial, scope)
        source = self.value(node.source, scope)
        inner = dict(scope)
        inner[node.accumulator.name] = None
        inner[node.variable.name] = source.element if isinstance(source, Symbol) and source.kind == "list" else None
        self.value(node.step, inner)
        return None

    def map_projection(self, node: t.MapProjection, scope: Scope) -> Value:
        subject = scope.get(node.subject.name)
        for item in node.items:
            if isinstance(item, t.ProjectedProperty):
                if isinstance(subject, Symbol) and subject.kind in ("node", "relationship"):
                    self.facts.properties.append(PropertyUse(subject, item.key.text, item.key, item))
            elif isinstance(item, t.ProjectedEntry):
                self.value(item.value, scope)
        return None

    def nothing(self, node: t.Node, scope: Scope) -> Value:
        return None

    _readers: ClassVar[dict[type[t.Node], Callable[[Any, Any, Scope], Value]]] = {
        t.Variable: variable,
        t.Property: property,
        t.Subscript: subscript,
        t.Binary: binary,
        t.ComparisonChain: chain,
        t.Unary: unary,
        t.IsNull: is_null,
        t.HasLabels: has_labels,
        t.FunctionCall: function,
        t.Subquery: subquery,
        t.PatternExpression: pattern_expression,
        t.PatternComprehension: pattern_comprehension,
        t.ListComprehension: list_scope,
        t.ListPredicate: list_scope,
        t.Reduce: reduce,
        t.AllReduce: reduce,
        t.MapProjection: map_projection,
        t.StringLiteral: nothing,
        t.IntegerLiteral: nothing,
        t.FloatLiteral: nothing,
        t.BooleanLiteral: nothing,
        t.NullLiteral: nothing,
        t.Parameter: nothing,
        t.CountStar: nothing,
        t.Name: nothing,
    }


def operands(node: t.Binary) -> list[t.Expression]:
    """Return the operands of a chain of one operator, `a OR b OR c`; a chain may have thousands of operands."""
    found: list[t.Expression] = []
    left: t.Expression = node
    while type(left) is t.Binary and left.operator == node.operator:
        found.append(left.right)
        left = left.left
    found.append(left)
    found.reverse()
    return found
