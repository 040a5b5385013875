"""Reads patterns: the symbols of their nodes and relationships, and the links between them."""

from __future__ import annotations

from itertools import islice
from typing import Protocol

from graphground.cypher import tree as t
from graphground.cypher.facts.model import Comparison, Facts, LabelUse, Link, PropertyUse, Symbol, Value
from graphground.cypher.facts.schema_index import Pairs
from graphground.cypher.work import check_work

Scope = dict[str, Value]


class Expressions(Protocol):
    """The methods that `PatternReader` needs for the expressions in a pattern."""

    negated: bool
    """Whether the current expression is inside a NOT."""

    def condition(self, where: t.Expression, scope: Scope) -> None:
        """Read a WHERE condition."""
        ...

    def value(self, node: t.Node, scope: Scope) -> Value:
        """Read an expression; return the graph element or property that it evaluates to, or None if unknown."""
        ...


class PatternReader:
    """A collector of the symbols and links of patterns; `expressions` reads the expressions in patterns."""

    def __init__(self, facts: Facts, expressions: Expressions):
        self.facts = facts
        self.index = facts.index
        self.expressions = expressions

    def nested(self, scope: Scope, inside: t.Node) -> Scope:
        """Return the scope of a nested part of the query, such as a subquery.

        Each outer node that is named in `inside` has a new symbol there, whose `parent` is the outer symbol: facts from
        `inside` then do not constrain the outer node. All other names keep their symbols.
        """
        check_work()
        inner: Scope = dict(scope)
        for name in dict.fromkeys(variable.name for variable in inside.find(t.Variable)):
            value = scope.get(name)
            if isinstance(value, Symbol) and value.kind == "node":
                inner[name] = self.symbol("node", name, self.index.everything, value)
        return inner

    def symbol(self, kind: str, name: str | None, kinds: int, parent: Symbol | None = None) -> Symbol:
        symbol = Symbol(kind, name, kinds, parent)
        self.facts.symbols.append(symbol)
        return symbol

    def pattern(self, pattern: t.PathPattern, scope: Scope) -> list[Symbol]:
        """Read one path: bind its variables in the scope, and return the symbols of its nodes in order."""
        if pattern.variable is not None:
            scope[pattern.variable.name] = self.symbol("path", pattern.variable.name, 0)
        return self.elements(pattern.elements, scope, pattern)

    def elements(
        self,
        elements: list[t.NodePattern | t.RelationshipPattern | t.ParenthesizedPath],
        scope: Scope,
        pattern: t.PathPattern,
    ) -> list[Symbol]:
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
        """Read `((a)-[:NEXT]->(b)){1,3}`: inside, the variables are nodes; outside, they are lists."""
        if path.quantifier is None:
            symbols = self.elements(path.elements, scope, pattern)
            if path.where is not None:
                self.expressions.condition(path.where, scope)
            return symbols
        inner = self.nested(scope, path)
        symbols = self.elements(path.elements, inner, pattern)
        if path.where is not None:
            self.expressions.condition(path.where, inner)
        for name, value in added(scope, inner).items():
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
            self.expressions.condition(node.where, scope)
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
        """Return the kinds that a label expression allows, and whether they are exact: no unknown or computed label."""
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

    def link(
        self,
        left: tuple[Symbol, t.NodePattern],
        right: tuple[Symbol, t.NodePattern],
        relationship: t.RelationshipPattern,
        scope: Scope,
        pattern: t.PathPattern,
    ) -> None:
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
        # A type that is not in the schema may be a misspelling of any type, in either direction.
        both = relationship.direction == "both" or unknown
        pairs = self.index.pairs(types, minimum, maximum, both)
        reversed_pairs: Pairs = pairs if both else tuple([(end, start) for start, end in pairs])
        if relationship.direction == "left":
            pairs, reversed_pairs = reversed_pairs, pairs
        link = Link(
            left[0],
            right[0],
            symbol,
            relationship,
            left[1],
            right[1],
            types,
            pairs,
            reversed_pairs,
            (minimum, maximum),
            unknown,
        )
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
            self.expressions.condition(relationship.where, {**scope, name: symbol} if name else scope)

    def types(self, types: t.LabelExpression, symbol: Symbol) -> tuple[str, ...] | None:
        """Return the types that a relationship may have, or None if they are unknown."""
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
        """Read `{name: 'x'}` in a pattern: each entry is a comparison."""
        if not isinstance(properties, t.MapLiteral):
            self.expressions.value(properties, scope)
            return
        for entry in properties.entries:
            use = PropertyUse(symbol, entry.key.text, entry.key, entry.key, in_map=True)
            self.facts.properties.append(use)
            right = self.expressions.value(entry.value, scope)
            negated = self.expressions.negated
            self.facts.comparisons.append(
                Comparison(entry, "=", use, right, entry.key, entry.value, negated, not negated)
            )


def listed_of(symbol: Symbol) -> Symbol:
    """Return the symbol for the list of relationships that `[r*1..3]` binds, given the symbol of one relationship."""
    grouped = Symbol("list", symbol.name)
    grouped.element = symbol
    return grouped


def added(outer: Scope, inner: Scope) -> Scope:
    """Return the names that were bound in a nested scope, which began as a copy of the outer one.

        >>> added({"n": None}, {"n": None, "m": None})
        {'m': None}

    The time is proportional to the number of new names: they are the last ones of the nested scope.
    """
    last = islice(reversed(inner.items()), len(inner) - len(outer))
    return dict(reversed(list(last)))
