"""Reads a query's clauses in order and tracks the graph element that each variable refers to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, ClassVar

from graphground.cypher import tree as t
from graphground.cypher.outline.model import (
    Comparison,
    Facts,
    LabelUse,
    Link,
    MatchUse,
    Pairs,
    PropertyUse,
    SchemaIndex,
    Symbol,
    Value,
    index_of,
    solve,
)
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.schema import PropertyGraphSchema
from graphground.cypher.tree import Query


def outline_of(query: Query, schema: PropertyGraphSchema) -> Facts:
    """Return the facts that a query states about a graph with this schema; they are read once for each query."""
    facts = query.outline
    if facts is None or facts.index.schema is not schema:
        facts = Reader(query, index_of(schema)).read()
        solve(facts)
        query.outline = facts
    return facts


class Reader:
    """A collector of the facts of one query: `Reader(query, index).read()`."""

    def __init__(self, query: Query, index: SchemaIndex):
        self.facts = Facts(query, index)
        self.expressions = ExpressionReader(self.facts, self.body)
        self.patterns: PatternReader = self.expressions.patterns

    def read(self) -> Facts:
        """Read the whole query and return its facts."""
        self.body(self.facts.query.body, {}, outermost=True)
        return self.facts

    def body(self, body: t.QueryBody, scope: Scope, outermost: bool = False) -> Scope:
        """Read a query body; return the columns of its RETURN, each with its graph element or property, if known."""
        if isinstance(body, t.SingleQuery):
            return self.clauses(body.clauses, scope, outermost)
        if isinstance(body, t.Union):
            return joined(self.facts, [self.body(part, scope, outermost) for part in body.parts])
        if isinstance(body, t.Next):
            for part in body.parts:
                scope = self.body(part, scope, outermost and part is body.parts[-1])
            return scope
        if isinstance(body, t.Conditional):
            for branch in body.branches:
                if branch.condition is not None:
                    self.expressions.value(branch.condition, scope)
            return joined(self.facts, [self.body(branch.body, scope) for branch in body.branches])
        if isinstance(body, t.Braced):
            return self.body(body.body, scope)
        return {}

    def clauses(self, clauses: Sequence[t.Clause], scope: Scope, outermost: bool) -> Scope:
        scope = dict(scope)
        returned: Scope = {}
        for clause in clauses:
            check_work()
            if isinstance(clause, t.Match):
                self.match(clause, scope)
            elif isinstance(clause, t.With):
                scope = self.projection(clause.projection, scope)
                if clause.where is not None:
                    self.expressions.condition(clause.where, scope)
            elif isinstance(clause, t.Return):
                returned = self.projection(clause.projection, scope, clause if outermost else None)
            else:
                self.other(clause, scope)
        return returned

    def match(self, clause: t.Match, scope: Scope) -> None:
        """Read a MATCH; an OPTIONAL MATCH does not constrain variables bound before it."""
        inner = self.patterns.nested(scope, clause) if clause.optional else scope
        parts = [self.patterns.pattern(pattern, inner) for pattern in clause.patterns]
        if clause.search is not None:  # Cypher 25's SEARCH: its query, its filter, and the variable of its score
            self.expressions.value(clause.search.query, inner)
            if clause.search.where is not None:
                self.expressions.condition(clause.search.where, inner)
            if clause.search.score is not None:
                inner[clause.search.score.name] = None
        if clause.where is not None:
            self.expressions.condition(clause.where, inner)
        self.facts.matches.append(MatchUse(clause, parts))
        if inner is not scope:
            scope.update(added(scope, inner))

    def projection(self, projection: t.Projection, scope: Scope, answer: t.Return | None = None) -> Scope:
        """Read a WITH or RETURN; return its columns as the scope of the next clause.

        With `*`, the other columns are added to `scope`, and `scope` is returned.
        """
        values: list[Value] = []
        columns: Scope = {}
        for item in projection.items:
            value = self.expressions.value(item.expression, scope)
            values.append(value)
            columns[item.alias.name if item.alias is not None else item.name] = value
            if projection.distinct and answer is not None and len(projection.items) == 1:
                self.facts.distinct_values.append((item.expression, value))
        if answer is not None:
            self.facts.returned.append((answer, values))
        if projection.order_by:
            both = {**scope, **columns}
            for sort in projection.order_by:
                self.sorting(sort, both)
        if not projection.star:
            return columns
        scope.update(columns)  # a copy of the scope after each of many `WITH *` would take quadratic time
        return scope

    def sorting(self, sort: t.SortItem, scope: Scope) -> None:
        """Read one key of ORDER BY."""
        value = self.expressions.value(sort.expression, scope)
        if isinstance(value, PropertyUse):
            self.facts.sorted.append((sort, value))

    def other(self, clause: t.Clause, scope: Scope) -> None:
        """Read one of the remaining clauses: UNWIND, CALL, LET, FILTER, ORDER BY, LOAD CSV or a writing clause."""
        if isinstance(clause, t.Unwind):
            scope[clause.variable.name] = element_of(self.expressions.value(clause.source, scope))
        elif isinstance(clause, t.CallSubquery):
            self.call(clause, scope)
        elif isinstance(clause, t.CallProcedure):
            for argument in clause.arguments or ():
                self.expressions.value(argument, scope)
            for item in clause.yields or ():
                scope[item.variable.name] = None
            if clause.where is not None:
                self.expressions.condition(clause.where, scope)
        elif isinstance(clause, t.Let):
            for let in clause.items:
                scope[let.variable.name] = self.expressions.value(let.expression, scope)
        elif isinstance(clause, t.Filter):
            self.expressions.condition(clause.where, scope)
        elif isinstance(clause, t.OrderAndPage):
            for sort in clause.order_by:
                self.sorting(sort, scope)
        elif isinstance(clause, t.LoadCsv):
            scope[clause.variable.name] = None
        elif isinstance(clause, t.Create | t.Merge):
            # New nodes and relationships need not fit the schema, so they are not checked.
            for variable in clause.find(t.Variable):
                scope.setdefault(variable.name, None)

    def call(self, clause: t.CallSubquery, scope: Scope) -> None:
        """Read a CALL subquery: it sees the imported outer variables, and its columns become outer variables."""
        if clause.star:
            returned = self.body(clause.body, self.patterns.nested(scope, clause))
        elif clause.imports is not None:
            returned = self.body(
                clause.body, self.patterns.nested({name.name: scope.get(name.name) for name in clause.imports}, clause)
            )
        elif isinstance(clause.body, t.Union):
            returned = joined(self.facts, [self.importing(part, scope) for part in clause.body.parts])
        else:
            returned = self.importing(clause.body, scope)
        scope.update(returned)

    def importing(self, body: t.QueryBody, scope: Scope) -> Scope:
        """Read a subquery in the older form: a leading `WITH n …` imports n, and no other outer variable is visible."""
        imports = isinstance(body, t.SingleQuery) and body.clauses and isinstance(body.clauses[0], t.With)
        return self.body(body, self.patterns.nested(scope, body) if imports else {})


def joined(facts: Facts, branches: list[Scope]) -> Scope:
    """Return the columns that the branches of a UNION or of a conditional query have in common.

    A column that is a node in every branch has a new symbol, whose `sources` are these nodes.
    """
    merged: Scope = {}
    for name in branches[0] if branches else ():
        values = [branch.get(name) for branch in branches]
        first = values[0]
        if all(isinstance(value, Symbol) and value.kind == "node" for value in values):
            symbol = Symbol("node", name, facts.index.everything)
            symbol.sources = [value for value in values if isinstance(value, Symbol)]
            facts.symbols.append(symbol)
            merged[name] = symbol
        else:
            merged[name] = first if all(value is first for value in values) else None
    return merged


def element_of(value: Value) -> Value:
    """Return the value of one item of the list `value`: a graph element or a property, or None if unknown."""
    if isinstance(value, Symbol):
        return value.element if value.kind == "list" else None
    if isinstance(value, PropertyUse):
        return PropertyUse(value.symbol, value.key, value.key_node, value.node, element=True)
    return None


# Reads expressions: the properties, labels and types in them, and the comparisons


COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">=", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH", "=~"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "^"})
ORDER = frozenset({"=", "<>", "<", "<=", ">", ">="})
SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class ExpressionReader:
    """A collector of the facts that expressions state; the callback `body` reads the subqueries in expressions."""

    def __init__(self, facts: Facts, body: Callable[[t.QueryBody, Scope], Scope]):
        self.facts = facts
        self.body = body
        self.patterns: PatternReader = PatternReader(facts, self)
        self.negated = False
        self.certain = False
        self.called: dict[int, Symbol] = {}
        """The node or relationship whose labels or type an expression is, by the expression's id (`id`)."""

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
        if id(node.subject) in self.called:
            self.called[id(node)] = self.called[id(node.subject)]
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
        """Add a comparison of a property or of two graph elements, or the labels and types of a comparison with texts.

        The sides are swapped if only the right side is a property; the sides of IN are never swapped.
        """
        if operator in ("=", "<>", "IN"):
            self.named(left_node, right_node, operator)
            self.named(right_node, left_node, operator)
        symbols = isinstance(left, Symbol) and isinstance(right, Symbol)
        if not isinstance(left, PropertyUse) and isinstance(right, PropertyUse) and operator in ORDER:
            operator, left, right = SWAPPED.get(operator, operator), right, left
            left_node, right_node = right_node, left_node
        if isinstance(left, PropertyUse) or symbols or (operator == "IN" and isinstance(right, PropertyUse)):
            self.facts.comparisons.append(
                Comparison(node, operator, left, right, left_node, right_node, self.negated, self.certain)
            )

    def named(self, test: t.Expression, other: t.Expression, operator: str) -> None:
        """Read `type(r) = 'KNOWS'` like `[r:KNOWS]`, and `'Movie' IN labels(n)` like `n:Movie`."""
        subject = self.called.get(id(test))
        items = other.items if isinstance(other, t.ListLiteral) else [other]
        for item in items if subject is not None else ():
            if subject is None or not isinstance(item, t.StringLiteral):
                continue
            name = t.LabelName(item.start, item.end, t.Name(item.start, item.end, item.value))
            if subject.kind == "relationship":
                self.patterns.types(name, subject)
            elif self.certain and len(items) == 1 and operator != "<>":
                self.patterns.declare(subject, name)
            else:
                self.patterns.kinds(name, subject, self.negated != (operator == "<>"))

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
        if isinstance(first, Symbol) and (key, first.kind) in (("labels", "node"), ("type", "relationship")):
            self.called[id(node)] = first
        elif key == "head" and id(node.arguments[0]) in self.called:
            self.called[id(node)] = self.called[id(node.arguments[0])]
        for argument, value in zip(node.arguments, values, strict=True):
            if isinstance(value, PropertyUse):
                self.facts.calls.append((node, argument, value))
        if key == "collect" and isinstance(first, Symbol):
            return listed_of(first)
        return first.element if key in ("head", "last") and isinstance(first, Symbol) and first.kind == "list" else None

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
        return listed_of(found) if isinstance(found, Symbol) else None

    def list_scope(self, node: t.ListComprehension | t.ListPredicate, scope: Scope) -> Value:
        source = self.value(node.source, scope)
        inner = dict(scope)
        inner[node.variable.name] = element_of(source) if isinstance(source, Symbol) else None
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
        inner[node.variable.name] = element_of(source) if isinstance(source, Symbol) else None
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
        **dict.fromkeys((t.StringLiteral, t.IntegerLiteral, t.FloatLiteral, t.BooleanLiteral, t.NullLiteral), nothing),
        **dict.fromkeys((t.Parameter, t.CountStar, t.Name), nothing),
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


# Reads patterns: the symbols of their nodes and relationships, and the links between them


Scope = dict[str, Value]


class PatternReader:
    """A collector of the symbols and links of patterns; `expressions` reads the expressions in patterns."""

    def __init__(self, facts: Facts, expressions: ExpressionReader):
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
            scope[name] = listed_of(value, name)
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
                scope[name] = (
                    symbol if minimum == maximum == 1 and relationship.length is None else listed_of(symbol, name)
                )
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


def listed_of(value: Value, name: str | None = None) -> Symbol:
    """Return the symbol for a list of values, such as the relationships that `[r*1..3]` binds, given one of them."""
    grouped = Symbol("list", name)
    grouped.element = value
    return grouped


def added(outer: Scope, inner: Scope) -> Scope:
    """Return the names that were bound in a nested scope, which began as a copy of the outer one.

        >>> added({"n": None}, {"n": None, "m": None})
        {'m': None}

    The time is proportional to the number of new names: they are the last ones of the nested scope.
    """
    last = islice(reversed(inner.items()), len(inner) - len(outer))
    return dict(reversed(list(last)))
