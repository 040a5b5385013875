"""Clauses of the tree: MATCH, WITH, RETURN and all others, reading and writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from graphground.cypher.tree.node import Name, Node

if TYPE_CHECKING:
    from graphground.cypher.tree.expressions import Expression, Variable
    from graphground.cypher.tree.patterns import LabelExpression, PathPattern
    from graphground.cypher.tree.queries import QueryBody


class Clause(Node):
    """A clause; `start` is the offset of its first keyword."""


class IndexHint(Node):
    """A hint for the planner: `USING INDEX n:Person(name)`, `USING SCAN n:Person`, `USING JOIN ON n`."""

    kind: str
    variables: list[Variable]
    label: Name | None
    properties: list[Name]


class Search(Node):
    """A SEARCH of Cypher 25: `SEARCH n IN (VECTOR INDEX plots FOR $v WHERE n.year > 1990 LIMIT 5) SCORE AS s`.

    `kind` is `VECTOR` or `FULLTEXT`; only `FULLTEXT` may have an `analyzer` and a `skip`.
    """

    variable: Variable
    kind: str
    index: Name
    query: Expression
    analyzer: Expression | None
    where: Expression | None
    skip: Expression | None
    limit: Expression
    score: Variable | None


class Match(Clause):
    """A MATCH clause: `OPTIONAL MATCH (n)-->(m) USING SCAN n:Person WHERE n.x = 1`.

    `mode` (`REPEATABLE ELEMENTS`) and `search` belong to Cypher 25.
    """

    optional: bool
    mode: str | None
    patterns: list[PathPattern]
    hints: list[IndexHint]
    search: Search | None
    where: Expression | None


class ReturnItem(Node):
    """A column: `n.name AS name`; `name` is the alias, the variable or the text of the expression."""

    unshaped: ClassVar[frozenset[str]] = frozenset({"name"})

    expression: Expression
    alias: Variable | None
    name: str


class SortItem(Node):
    """A sort key: `n.name DESC`."""

    expression: Expression
    descending: bool


class Projection(Node):
    """The part of WITH or RETURN after the keyword: `DISTINCT *, n.name AS name ORDER BY name SKIP 1 LIMIT 2`.

    `group_by` holds the keys of Cypher 25's GROUP BY. It is empty for `GROUP BY ()`, and None for `GROUP BY ALL` or
    without a GROUP BY.
    """

    distinct: bool
    star: bool
    items: list[ReturnItem]
    group_by: list[Expression] | None
    order_by: list[SortItem]
    skip: Expression | None
    limit: Expression | None


class With(Clause):
    """A WITH clause: `WITH n, count(*) AS c ORDER BY c WHERE c > 1`."""

    projection: Projection
    where: Expression | None


class Return(Clause):
    """A RETURN clause: `RETURN DISTINCT n.name ORDER BY n.name LIMIT 3`."""

    projection: Projection


class OrderAndPage(Clause):
    """Sorting and paging as a separate clause: `ORDER BY n.name SKIP 1 LIMIT 2`."""

    order_by: list[SortItem]
    skip: Expression | None
    limit: Expression | None


class Unwind(Clause):
    """An UNWIND clause: `UNWIND [1, 2] AS x`."""

    source: Expression
    variable: Variable


class Finish(Clause):
    """A FINISH clause."""


class Use(Clause):
    """A USE clause: `USE graph.byName('x')`; `graph` is a function call, or the dotted name as one `Name`."""

    graph: Node


class InTransactions(Node):
    """The transactions of a CALL: `IN 2 CONCURRENT TRANSACTIONS OF 10 ROWS ON ERROR CONTINUE REPORT STATUS AS s`."""

    concurrency: Expression | None
    rows: Expression | None
    on_error: str | None
    report: Variable | None


class CallSubquery(Clause):
    """A CALL with a subquery, `CALL (n, m) { … }`: `imports` is the list in parentheses or None;
    `CALL (*)` sets `star`.

    The older form, `CALL { WITH n … }`, has no `imports`: its body begins with a `With`.
    """

    optional: bool
    star: bool
    imports: list[Variable] | None
    body: QueryBody
    transactions: InTransactions | None


class YieldItem(Node):
    """A column after YIELD, `name AS n`; `variable` is the alias or the column itself."""

    column: Name
    variable: Variable


class CallProcedure(Clause):
    """A procedure call: `CALL db.labels() YIELD label AS l WHERE l <> 'x'`.

    `arguments` is None without parentheses; `yields` is None without YIELD; `YIELD *` sets `star`.
    """

    optional: bool
    name: str
    name_start: int
    name_end: int
    arguments: list[Expression] | None
    yields: list[YieldItem] | None
    star: bool
    where: Expression | None

    unshaped: ClassVar[frozenset[str]] = frozenset({"name_start", "name_end"})

    @property
    def key(self) -> str:
        """The name of the procedure in lower case."""
        return self.name.lower()


class Create(Clause):
    """A CREATE clause, `CREATE (n:Person)-[:KNOWS]->(m)`; `insert` if the keyword is INSERT."""

    patterns: list[PathPattern]
    insert: bool


class Merge(Clause):
    """A MERGE clause: `MERGE (n) ON CREATE SET n.x = 1 ON MATCH SET n.y = 2`."""

    pattern: PathPattern
    actions: list[MergeAction]


class MergeAction(Node):
    """An action of MERGE: `ON CREATE SET n.x = 1`."""

    on: Literal["create", "match"]
    items: list[SetItem]


class SetItem(Node):
    """One assignment of SET; see the subclasses."""


class SetProperty(SetItem):
    """A property assignment, `n.x = 1` or `n['x'] = 1`; `target` is a `Property` or a `Subscript`."""

    target: Expression
    value: Expression


class SetProperties(SetItem):
    """An assignment of several properties: `n = {x: 1}`, or `n += {x: 1}`, for which `add` is true."""

    variable: Variable
    value: Expression
    add: bool


class SetLabels(SetItem):
    """An assignment of labels after SET: `n:Person:Actor`, `n IS Person`, `n:$(label)`."""

    variable: Variable
    labels: list[LabelExpression]


class Set(Clause):
    """A SET clause: `SET n.x = 1, n:Person`."""

    items: list[SetItem]


class RemoveProperty(Node):
    """A property to remove: `n.x` after REMOVE."""

    target: Expression


class RemoveLabels(Node):
    """Labels to remove: `n:Person` after REMOVE."""

    variable: Variable
    labels: list[LabelExpression]


class Remove(Clause):
    """A REMOVE clause: `REMOVE n.x, n:Person`."""

    items: list[RemoveProperty | RemoveLabels]


class Delete(Clause):
    """A DELETE clause, `DETACH DELETE n, r`; `detach` is None, `DETACH` or `NODETACH`."""

    detach: str | None
    expressions: list[Expression]


class Foreach(Clause):
    """A FOREACH clause: `FOREACH (x IN xs | SET x.y = 1)`."""

    variable: Variable
    source: Expression
    clauses: list[Clause]


class LoadCsv(Clause):
    """A LOAD CSV clause: `LOAD CSV WITH HEADERS FROM 'file:///x.csv' AS row FIELDTERMINATOR ';'`."""

    with_headers: bool
    source: Expression
    variable: Variable
    field_terminator: Expression | None


class LetItem(Node):
    """An assignment of LET: `x = n.name`."""

    variable: Variable
    expression: Expression


class Let(Clause):
    """Cypher 25's LET clause: `LET x = n.name, y = 2`."""

    items: list[LetItem]


class Filter(Clause):
    """Cypher 25's FILTER clause: `FILTER WHERE n.x = 1`."""

    where: Expression
