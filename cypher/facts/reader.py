"""Reads a query's clauses in order and tracks the graph element that each variable refers to."""

from __future__ import annotations

from collections.abc import Sequence

from graphground.cypher import tree as t
from graphground.cypher.facts.expressions import ExpressionReader
from graphground.cypher.facts.model import Facts, MatchUse, PropertyUse, Symbol, Value
from graphground.cypher.facts.patterns import Scope, added
from graphground.cypher.facts.schema_index import SchemaIndex
from graphground.cypher.tree import Query
from graphground.cypher.work import check_work


class Reader:
    """A collector of the facts of one query: `Reader(query, index).read()`."""

    def __init__(self, query: Query, index: SchemaIndex):
        self.facts = Facts(query, index)
        self.expressions = ExpressionReader(self.facts, self.body)
        self.patterns = self.expressions.patterns

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
            kind = type(clause)
            if kind is t.Match:
                assert isinstance(clause, t.Match)
                self.match(clause, scope)
            elif kind is t.With:
                assert isinstance(clause, t.With)
                scope = self.projection(clause.projection, scope)
                if clause.where is not None:
                    self.expressions.condition(clause.where, scope)
            elif kind is t.Return:
                assert isinstance(clause, t.Return)
                returned = self.projection(clause.projection, scope, clause if outermost else None)
            else:
                self.other(clause, scope)
        return returned

    def match(self, clause: t.Match, scope: Scope) -> None:
        """Read a MATCH; an OPTIONAL MATCH does not constrain variables bound before it."""
        inner = self.patterns.nested(scope, clause) if clause.optional else scope
        parts: list[list[Symbol]] = []
        use = MatchUse(clause, parts)
        outer_comparisons = len(self.facts.comparisons)
        for pattern in clause.patterns:
            parts.append(self.patterns.pattern(pattern, inner))
        if clause.search is not None:
            self.search(clause.search, inner)
        if clause.where is not None:
            self.expressions.condition(clause.where, inner)
        use.anchored = len(self.facts.comparisons) > outer_comparisons
        self.facts.matches.append(use)
        if inner is not scope:
            scope.update(added(scope, inner))

    def search(self, search: t.Search, scope: Scope) -> None:
        """Read Cypher 25's SEARCH: its query, its filter, and the variable of its score."""
        self.expressions.value(search.query, scope)
        if search.where is not None:
            self.expressions.condition(search.where, scope)
        if search.score is not None:
            scope[search.score.name] = None

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
        elif all(value is first for value in values):
            merged[name] = first
        else:
            merged[name] = None
    return merged


def element_of(value: Value) -> Value:
    """Return the value of one item of the list `value`: a graph element or a property, or None if unknown."""
    if isinstance(value, Symbol):
        return value.element if value.kind == "list" else None
    if isinstance(value, PropertyUse):
        return PropertyUse(value.symbol, value.key, value.key_node, value.node, element=True)
    return None
