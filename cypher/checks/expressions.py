"""Reads patterns and expressions: which properties, labels and types they name, and what they compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from graphground.cypher import tree as t
from graphground.cypher.checks.facts import Comparison, Facts, LabelUse, Link, PropertyUse, Symbol, Value
from graphground.cypher.checks.index import Pairs

Scope = dict[str, Value]
COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH", "=~"})
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class ExpressionReader:
    """The half of the reader that knows patterns and expressions; scopes are made by the clauses."""

    def __init__(self, facts: Facts, parameters: Mapping[str, Any]):
        self.facts = facts
        self.index = facts.index
        self.parameters = parameters
        self.negated = False
        self.certain = False

    def body(self, body: t.QueryBody, scope: Scope, outermost: bool = False) -> Scope:
        """Read a query body; see `Reader`."""
        raise NotImplementedError

    def nested(self, scope: Scope) -> Scope:
        """A scope whose nodes go on from the outer ones: what is said of them inside binds nothing outside."""
        inner: Scope = {}
        for name, value in scope.items():
            if isinstance(value, Symbol) and value.kind == "node":
                value = self.symbol("node", name, self.index.everything, value)
            inner[name] = value
        return inner

    def symbol(self, kind: str, name: str | None, kinds: int, parent: Symbol | None = None) -> Symbol:
        made = Symbol(kind, name, kinds, parent)
        self.facts.symbols.append(made)
        return made

    # Patterns

    def pattern(self, pattern: t.PathPattern, scope: Scope) -> list[Symbol]:
        """One path: its symbols are bound in the scope and come back in order."""
        if pattern.variable is not None:
            scope[pattern.variable.name] = self.symbol("path", pattern.variable.name, 0)
        return self.elements(pattern.elements, scope, pattern)

    def elements(self, elements: list[t.NodePattern | t.RelationshipPattern | t.ParenthesizedPath], scope: Scope,
                 pattern: t.PathPattern) -> list[Symbol]:
        nodes: list[Symbol] = []
        before: tuple[Symbol, t.NodePattern] | None = None
        between: t.RelationshipPattern | None = None
        for element in elements:
            if type(element) is t.NodePattern:
                symbol = self.node(element, scope)
                nodes.append(symbol)
                if between is not None and before is not None:
                    self.link(before, (symbol, element), between, scope, pattern)
                before, between = (symbol, element), None
            elif type(element) is t.RelationshipPattern:
                between = element
            elif type(element) is t.ParenthesizedPath:
                nodes += self.parenthesized(element, scope, pattern)
                before = between = None
        return nodes

    def parenthesized(self, path: t.ParenthesizedPath, scope: Scope, pattern: t.PathPattern) -> list[Symbol]:
        """`((a)-[:NEXT]->(b)){1,3}`: inside the variables are nodes, outside they are lists."""
        if path.quantifier is None:
            symbols = self.elements(path.elements, scope, pattern)
            if path.where is not None:
                self.condition(path.where, scope)
            return symbols
        inner = self.nested(scope)
        symbols = self.elements(path.elements, inner, pattern)
        if path.where is not None:
            self.condition(path.where, inner)
        for name, value in inner.items():
            if name not in scope:
                grouped = Symbol("list", name)
                grouped.element = value
                scope[name] = grouped
        return symbols

    def node(self, node: t.NodePattern, scope: Scope) -> Symbol:
        name = node.variable.name if node.variable is not None else None
        known = scope.get(name) if name is not None else None
        if isinstance(known, Symbol) and known.kind == "node":
            symbol = known
        else:
            symbol = self.symbol("node", name, self.index.everything)
            if name is not None:
                scope[name] = symbol
        if node.labels is not None:
            self.declare(symbol, node.labels)
        if node.properties is not None:
            self.map_of(symbol, node.properties, scope)
        if node.where is not None:
            self.condition(node.where, scope)
        return symbol

    def declare(self, symbol: Symbol, labels: t.LabelExpression) -> None:
        mask, _ = self.kinds(labels, symbol, False)
        declared = symbol.declared & mask
        if declared:
            symbol.declared = symbol.kinds = declared
        else:
            self.facts.contradictions.append((symbol, labels))
            symbol.declared = symbol.kinds = self.index.everything
            symbol.contradicted = True

    def kinds(self, labels: t.LabelExpression, symbol: Symbol, negated: bool) -> tuple[int, bool]:
        """The kinds that a label expression allows, and whether every name in it is known."""
        everything = self.index.everything
        if type(labels) is t.LabelName:
            self.facts.labels.append(LabelUse(labels, symbol, negated))
            mask = self.index.label_masks.get(labels.name.text)
            if mask is None:
                symbol.suspect = True
                return everything, False
            return mask, True
        if isinstance(labels, t.LabelNot):
            mask, exact = self.kinds(labels.operand, symbol, not negated)
            return (everything & ~mask, True) if exact else (everything, False)
        if isinstance(labels, t.LabelAnd | t.LabelOr):
            together, all_exact = (everything, True) if isinstance(labels, t.LabelAnd) else (0, True)
            for operand in labels.operands:
                mask, exact = self.kinds(operand, symbol, negated)
                all_exact = all_exact and exact
                together = together & mask if isinstance(labels, t.LabelAnd) else together | mask
            return together, all_exact
        return everything, isinstance(labels, t.LabelWildcard)

    def link(self, left: tuple[Symbol, t.NodePattern], right: tuple[Symbol, t.NodePattern],
             relationship: t.RelationshipPattern, scope: Scope, pattern: t.PathPattern) -> None:
        name = relationship.variable.name if relationship.variable is not None else None
        symbol = self.symbol("relationship", name, 0)
        types = self.types(relationship.types, symbol) if relationship.types is not None else None
        unknown = relationship.types is not None and types is None
        minimum: int = 1
        maximum: int | None = 1
        if relationship.length is not None:
            minimum = 1 if relationship.length.minimum is None else relationship.length.minimum
            maximum = relationship.length.maximum
        elif relationship.quantifier is not None:
            minimum, maximum = relationship.quantifier.minimum, relationship.quantifier.maximum
        if maximum is None and pattern.shortest is None and pattern.selector is None:
            self.facts.unbounded.append(relationship)
        # A type that the schema lacks may stand for any, turned or not.
        both = relationship.direction == "both" or unknown
        pairs = self.index.pairs(types, minimum, maximum, both)
        turned: Pairs = pairs if both else tuple([(end, start) for start, end in pairs])
        if relationship.direction == "left":
            pairs, turned = turned, pairs
        link = Link(left[0], right[0], symbol, relationship, left[1], right[1], types, pairs, turned,
                    (minimum, maximum), unknown)
        symbol.link = link
        left[0].links.append(link)
        right[0].links.append(link)
        self.facts.links.append(link)
        if name is not None:
            bound = scope.get(name)
            if not (isinstance(bound, Symbol) and bound.kind in ("relationship", "list")):
                scope[name] = symbol if minimum == maximum == 1 and relationship.length is None else listed_of(symbol)
        if relationship.properties is not None:
            self.map_of(symbol, relationship.properties, scope)
        if relationship.where is not None:
            self.condition(relationship.where, {**scope, name: symbol} if name else scope)

    def types(self, types: t.LabelExpression, symbol: Symbol) -> tuple[str, ...] | None:
        """The types that a relationship may have; None where they cannot be told."""
        if type(types) is t.LabelName:
            self.facts.types.append(LabelUse(types, symbol, False))
            name = types.name.text
            return (name,) if name in self.index.types else None
        if isinstance(types, t.LabelOr):
            each = [self.types(operand, symbol) for operand in types.operands]
            return None if None in each else tuple(sorted({name for some in each for name in some or ()}))
        if isinstance(types, t.LabelNot):
            excluded = self.types(types.operand, symbol)
            return None if excluded is None else tuple(name for name in self.index.types if name not in excluded)
        if isinstance(types, t.LabelAnd):
            some = [found for operand in types.operands if (found := self.types(operand, symbol)) is not None]
            return some[0] if len(some) == 1 else None
        return None

    def map_of(self, symbol: Symbol, properties: t.Expression, scope: Scope) -> None:
        """`{name: 'x'}` in a pattern: each entry is read and compared."""
        if not isinstance(properties, t.MapLiteral):
            self.value(properties, scope)
            return
        for entry in properties.entries:
            use = PropertyUse(symbol, entry.key.text, entry.key, entry.key, in_map=True)
            self.facts.properties.append(use)
            right = self.value(entry.value, scope)
            self.facts.comparisons.append(
                Comparison(entry, "=", use, right, entry.key, entry.value, self.negated, not self.negated))

    # Conditions

    def condition(self, where: t.Expression, scope: Scope) -> None:
        """A WHERE: its conjuncts must hold, so `n:Person` there narrows n as in the pattern."""
        if type(where) is t.Binary and where.operator == "AND":
            for conjunct in operands(where):
                self.condition(conjunct, scope)
            return
        if isinstance(where, t.HasLabels) and isinstance(where.operand, t.Variable):
            symbol = scope.get(where.operand.name)
            if isinstance(symbol, Symbol) and symbol.kind == "node":
                self.declare(symbol, where.labels)
                return
        before = self.certain
        self.certain = not self.negated
        self.value(where, scope)
        self.certain = before

    # Expressions

    def value(self, node: t.Node, scope: Scope) -> Value:
        """Read an expression; the answer says what of the graph it stands for, if that is known."""
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
            self.value(operand, scope)
        self.certain = certain
        return None

    def compare(self, node: t.Node, operator: str, left_node: t.Expression, left: Value,
                right_node: t.Expression, right: Value) -> None:
        """Note a comparison with the property on the left, except for IN, which keeps its sides."""
        if isinstance(left, PropertyUse) or (operator == "IN" and isinstance(right, PropertyUse)):
            self.facts.comparisons.append(Comparison(node, operator, left, right, left_node, right_node, self.negated,
                                                     self.certain))
        elif isinstance(right, PropertyUse) and operator in ("=", "<>", "<", "<=", ">", ">="):
            self.facts.comparisons.append(Comparison(node, SWAPPED.get(operator, operator), right, left, right_node,
                                                     left_node, self.negated, self.certain))
        elif isinstance(left, Symbol) and isinstance(right, Symbol):
            self.facts.comparisons.append(Comparison(node, operator, left, right, left_node, right_node, self.negated,
                                                     self.certain))

    def chain(self, node: t.ComparisonChain, scope: Scope) -> Value:
        values = [self.value(operand, scope) for operand in node.operands]
        for place, operator in enumerate(node.operators):
            self.compare(node, operator, node.operands[place], values[place], node.operands[place + 1],
                         values[place + 1])
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
            self.kinds(node.labels, subject, self.negated)
        elif isinstance(subject, Symbol) and subject.kind == "relationship":
            self.types(node.labels, subject)
        return None

    def function(self, node: t.FunctionCall, scope: Scope) -> Value:
        values = [self.value(argument, scope) for argument in node.arguments]
        key = node.name.lower()
        if node.distinct and len(values) == 1:
            self.facts.distinct_values.append((node, values[0]))
        if not values:
            return None
        first = values[0]
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
        inner = self.nested(scope)
        certain, self.certain = self.certain, False
        if node.body is not None:
            self.body(node.body, inner)
        else:
            for pattern in node.patterns:
                self.pattern(pattern, inner)
            if node.where is not None:
                self.condition(node.where, inner)
        self.certain = certain
        return None

    def pattern_expression(self, node: t.PatternExpression, scope: Scope) -> Value:
        self.pattern(node.pattern, self.nested(scope))
        return None

    def pattern_comprehension(self, node: t.PatternComprehension, scope: Scope) -> Value:
        inner = self.nested(scope)
        if node.path_variable is not None:
            inner[node.path_variable.name] = None
        self.pattern(node.pattern, inner)
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
        t.Variable: variable, t.Property: property, t.Subscript: subscript, t.Binary: binary,
        t.ComparisonChain: chain, t.Unary: unary, t.IsNull: is_null, t.HasLabels: has_labels,
        t.FunctionCall: function, t.Subquery: subquery, t.PatternExpression: pattern_expression,
        t.PatternComprehension: pattern_comprehension, t.ListComprehension: list_scope, t.ListPredicate: list_scope,
        t.Reduce: reduce, t.AllReduce: reduce, t.MapProjection: map_projection,
        t.StringLiteral: nothing, t.IntegerLiteral: nothing, t.FloatLiteral: nothing, t.BooleanLiteral: nothing,
        t.NullLiteral: nothing, t.Parameter: nothing, t.CountStar: nothing, t.Name: nothing,
    }


def operands(node: t.Binary) -> list[t.Expression]:
    """The operands of a chain of one operator, `a OR b OR c`, which may be thousands long."""
    found: list[t.Expression] = []
    left: t.Expression = node
    while type(left) is t.Binary and left.operator == node.operator:
        found.append(left.right)
        left = left.left
    found.append(left)
    found.reverse()
    return found


def listed_of(symbol: Symbol) -> Symbol:
    """The list of relationships that `[r*1..3]` binds."""
    grouped = Symbol("list", symbol.name)
    grouped.element = symbol
    return grouped
