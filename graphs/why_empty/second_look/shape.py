"""The parts of a query that the checks of its answer need.

`MATCH (p:Player) WITH DISTINCT p RETURN p.name ORDER BY p.height_cm DESC LIMIT 1` has two steps: the WITH after
`MATCH (p:Player)`, and the RETURN after both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphground.cypher import tree as t
from graphground.cypher.functions import contains_aggregate, groups_rows
from graphground.cypher.outline import outline_of
from graphground.cypher.outline.model import Facts, PropertyUse, Symbol
from graphground.cypher.schema import PropertyGraphSchema


@dataclass(frozen=True)
class Step:
    """A WITH or the RETURN: its projection, and the text of all clauses before it."""

    clause: t.With | t.Return
    before: str

    @property
    def projection(self) -> t.Projection:
        """The projection of the clause."""
        return self.clause.projection

    @property
    def aggregates(self) -> bool:
        """Whether the clause aggregates rows."""
        return groups_rows(self.projection)

    @property
    def groups(self) -> list[t.ReturnItem]:
        """The items without aggregation, by which an aggregating clause groups rows."""
        return [item for item in self.projection.items if not contains_aggregate(item.expression)]


@dataclass
class Shape:
    """A query without UNION that ends with RETURN, and the facts about its variables and properties: see `shape_of`."""

    query: t.Query
    facts: Facts
    clauses: Sequence[t.Clause]
    start: int
    steps: list[Step] = field(default_factory=list)

    def source(self, node: t.Node) -> str:
        """Return the text of a part of the query."""
        return self.query.text[node.start : node.end]

    def before(self, clause: t.Clause) -> str:
        """Return the text of the clauses before `clause`."""
        return self.query.text[self.start : clause.start]

    @property
    def returned(self) -> Step:
        """The RETURN clause with the clauses before it."""
        return self.steps[-1]

    def use(self, node: t.Node) -> PropertyUse | None:
        """Return the property that the expression `node` reads from a variable; None for any other expression."""
        return self._uses.get(id(node))

    def labels(self, symbol: Symbol) -> tuple[str, ...]:
        """Return the labels that the nodes of a symbol may have; none for a relationship."""
        return self.facts.index.labels_of(symbol.kinds) if symbol.kind == "node" else ()

    def symbol(self, name: str) -> Symbol | None:
        """Return the symbol called `name`; None if the query has no such symbol or several."""
        found = {id(symbol): symbol for symbol in self.facts.symbols if symbol.name == name}
        return next(iter(found.values())) if len(found) == 1 else None

    def __post_init__(self) -> None:
        self._uses = {id(use.node): use for use in self.facts.properties if use.symbol.name and not use.in_map}


def shape_of(query: t.Query, schema: PropertyGraphSchema) -> Shape | None:
    """Return the shape of a query; None for UNION, a command, `*`, GROUP BY, or a clause that is not supported."""
    body = query.body
    if query.prefix or not isinstance(body, t.SingleQuery) or not isinstance(body.clauses[-1], t.Return):
        return None
    if any(not isinstance(clause, t.Match | t.With | t.Return | t.Unwind | t.CallSubquery) for clause in body.clauses):
        return None
    facts = outline_of(query, schema)
    shape = Shape(query, facts, body.clauses, body.start)
    for clause in body.clauses:
        if isinstance(clause, t.With | t.Return):
            if clause.projection.star or clause.projection.group_by is not None:
                return None
            shape.steps.append(Step(clause, shape.before(clause)))
    return shape
