"""Guards patterns against null variables.

In Cypher a null matches nothing. If a null variable is not the first node of a pattern, the embedded engine matches any
node instead:

    MATCH (t:Team) OPTIONAL MATCH (t)-[:draftedBy]->(z) MATCH (t)<-[:playsFor]-(z) RETURN count(*) AS c

returns 0 in openCypher and on Neo4j if no `z` was found, but the embedded engine counts every player. A variable may be
null after an OPTIONAL MATCH, an UNWIND or an expression. A pattern with such a variable is guarded by a null test:

    … WITH * WHERE z IS NOT NULL MATCH (t)<-[:playsFor]-(z) …
    … WHERE (z IS NOT NULL AND (t)<-[:playsFor]-(z)) …
    … CASE WHEN z IS NOT NULL THEN COUNT { (t)<-[:playsFor]-(z) } ELSE 0 END …
    … WITH *, z IS NOT NULL AS anchor0 OPTIONAL MATCH (t)<-[:playsFor]-(z) WHERE anchor0 …
"""

from __future__ import annotations

from collections.abc import Iterable

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Edit, applied
from graphground.cypher.quoting import quoted_name
from graphground.graphs.engines.rewriting.scopes import FreshNames, after, variables

NOTHING = {"COUNT": "0", "COLLECT": "[]"}
Scope = frozenset[str]


class Guarding:
    """The null guards of one query: `Guarding(query).edits()` inserts a test into each pattern that needs it."""

    def __init__(self, query: t.Query) -> None:
        self._query, self._names = query, FreshNames(query)
        self._projecting = False

    def edits(self) -> list[Edit]:
        """Return the edits, all insertions; those at the same position are applied in the order of the list."""
        found: list[Edit] = []
        self._body(self._query.body, frozenset(), frozenset(), found)
        return found

    def _body(self, body: t.QueryBody, bound: Scope, nullable: Scope, found: list[Edit]) -> Scope:
        """Visit the clauses of a body, add their edits to `found`, and return the variables that may then be null."""
        if isinstance(body, t.Union):
            parts = [self._body(part, bound, nullable, found) for part in body.parts]
            return frozenset().union(*parts)
        if not isinstance(body, t.SingleQuery):
            return frozenset()
        for clause in body.clauses:
            if isinstance(clause, t.Match):
                nullable = self._match(clause, bound, nullable, found)
            elif isinstance(clause, t.With | t.Return):
                self._items(clause, bound, nullable, found)
                nullable = after_projection(clause.projection, nullable)
                if isinstance(clause, t.With) and clause.where is not None:
                    self._expression(clause.where, after(clause, bound), nullable, found)
            elif isinstance(clause, t.CallSubquery):
                imports = (
                    None if clause.imports is None or clause.star else {variable.name for variable in clause.imports}
                )
                inner = nullable if imports is None else nullable & imports
                columns = self._body(clause.body, bound if imports is None else bound & imports, inner, found)
                nullable |= after(clause, frozenset()) if clause.optional else columns
            else:
                self._expression(clause, bound, nullable, found)
                if isinstance(clause, t.Unwind):
                    nullable |= {clause.variable.name}
            bound = after(clause, bound)
        return nullable

    def _match(self, clause: t.Match, bound: Scope, nullable: Scope, found: list[Edit]) -> Scope:
        own = frozenset(variables(clause.patterns))
        touched = sorted(own & nullable & bound)
        guard = ""
        if touched and not clause.optional:
            found.append(Edit(clause.start, clause.start, f"WITH * WHERE {present(touched)} "))
        elif touched and self._names.may_be_added:
            guard = self._names.fresh()
            found.append(Edit(clause.start, clause.start, f"WITH *, {present(touched)} AS {guard} "))
        known = nullable | (own - bound) if clause.optional else nullable - own
        for path in clause.patterns:
            self._expression(path, bound | own, known, found)
        if clause.where is not None:
            if guard:
                found.append(Edit(clause.where.start, clause.where.start, f"{guard} AND ("))
            self._expression(clause.where, bound | own, nullable - own, found)
            if guard:
                found.append(Edit(clause.where.end, clause.where.end, ")"))
        elif guard:
            found.append(Edit(clause.end, clause.end, f" WHERE {guard}"))
        return known

    def _items(self, clause: t.With | t.Return, bound: Scope, nullable: Scope, found: list[Edit]) -> None:
        projection, self._projecting = clause.projection, True
        for item in projection.items:
            self._expression(item.expression, bound, nullable, found)
        for sort in projection.order_by:
            self._expression(sort.expression, bound | after(clause, frozenset()), nullable, found)
        self._projecting = False

    def _expression(self, node: t.Node, bound: Scope, nullable: Scope, found: list[Edit]) -> None:
        match node:
            case t.FunctionCall(key="exists", arguments=[t.PatternExpression() as condition]):
                self._wrap(node, variables([condition.pattern]), nullable & bound, "", found)
            case t.PatternExpression():
                # In a projection the engine supports only the newer form, `EXISTS { (a)-->(b) }`.
                newer = [Edit(node.start, node.start, "EXISTS { "), Edit(node.end, node.end, " }")]
                self._wrap(
                    node,
                    variables([node.pattern]),
                    nullable & bound,
                    "",
                    found,
                    newer if self._projecting and node.pattern.shortest is None else [],
                )
            case t.PatternComprehension():
                inside = bound | set(variables([node.pattern]))
                inner: list[Edit] = []
                for child in node.children():
                    self._expression(child, inside, nullable & bound, inner)
                self._wrap(node, variables([node.pattern]), nullable & bound, "[]", found, inner)
            case t.Subquery():
                self._subquery(node, bound, nullable, found)
            case _:
                for child in node.children():
                    self._expression(child, bound, nullable, found)

    def _subquery(self, node: t.Subquery, bound: Scope, nullable: Scope, found: list[Edit]) -> None:
        inner: list[Edit] = []
        if node.body is None:
            paths = node.patterns
            if node.where is not None:
                self._expression(node.where, bound | set(variables(paths)), nullable, inner)
        elif (clauses := only_matches(node.body)) is not None:
            paths = [path for clause in clauses for path in clause.patterns]
            for clause in clauses:
                if clause.where is not None:
                    self._expression(clause.where, bound | set(variables(paths)), nullable, inner)
        else:
            self._body(node.body, bound, nullable, found)
            return
        self._wrap(node, variables(paths), nullable & bound, NOTHING.get(node.kind, ""), found, inner)

    def _wrap(
        self,
        node: t.Node,
        named: Iterable[str],
        nullable: Scope,
        nothing: str,
        found: list[Edit],
        inner: Iterable[Edit] = (),
    ) -> None:
        touched = sorted(set(named) & nullable)
        if touched:
            begin, end = (
                (f"CASE WHEN {present(touched)} THEN ", f" ELSE {nothing} END")
                if nothing
                else (f"({present(touched)} AND ", ")")
            )
            found += [Edit(node.start, node.start, begin), *inner, Edit(node.end, node.end, end)]
        else:
            found += inner


def only_matches(body: t.QueryBody) -> list[t.Match] | None:
    """Return the MATCH clauses of a body that has no other clause, apart from a RETURN without functions.

    None for any other body, and if a MATCH is optional. If one of the returned clauses has no rows, the body has none.
    """
    if not isinstance(body, t.SingleQuery):
        return None
    clauses = body.clauses[:-1] if isinstance(body.clauses[-1], t.Return) else body.clauses
    matches = [clause for clause in clauses if isinstance(clause, t.Match) and not clause.optional]
    returned = body.clauses[len(clauses) :]
    if len(matches) < len(clauses) or any(
        isinstance(part, t.FunctionCall | t.CountStar) for last in returned for part in last.walk()
    ):
        return None
    return matches


def after_projection(projection: t.Projection, nullable: Scope) -> Scope:
    """Return the variables that may be null after a WITH or RETURN: all but copies of variables that are not null."""
    passed_on = nullable if projection.star else frozenset()
    return passed_on | {
        item.name
        for item in projection.items
        if not isinstance(item.expression, t.Variable) or item.expression.name in nullable
    }


def present(names: Iterable[str]) -> str:
    """Return the condition that no variable is null: `z IS NOT NULL AND y IS NOT NULL`."""
    return " AND ".join(f"{quoted_name(name)} IS NOT NULL" for name in names)


def guarded(query: t.Query) -> t.Query:
    """Return the query with the null guards that it needs; if it needs none, the same object."""
    if not any(_may_need_guards(clause) for clause in query.find(t.Clause)):
        return query
    edits = Guarding(query).edits()
    return parse(applied(query.text, edits)) if edits else query


def _may_need_guards(clause: t.Clause) -> bool:
    match clause:
        case t.Match() | t.CallSubquery():
            return clause.optional
        case t.Unwind():
            return True
        case t.With():
            return any(not isinstance(item.expression, t.Variable) for item in clause.projection.items)
        case t.Return():
            return next(clause.find(t.PatternExpression), None) is not None
    return False
