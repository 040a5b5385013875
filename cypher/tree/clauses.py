"""Clauses of the tree: MATCH, WITH, RETURN and all others, reading and writing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from graphground.cypher.tree.node import Name, Node

if TYPE_CHECKING:
    from graphground.cypher.outline.model import Facts
    from graphground.cypher.tree.expressions import Expression, LabelExpression, PathPattern, Variable


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


# Whole statements: single queries, unions, conditional and sequential queries, and commands


class QueryBody(Node):
    """A query without its prefix; see the subclasses."""


class SingleQuery(QueryBody):
    """A sequence of clauses: `MATCH (n) RETURN n`."""

    clauses: list[Clause]


class Union(QueryBody):
    """Two or more queries joined by UNION; `all_[i]` is True if `parts[i + 1]` is joined by UNION ALL."""

    parts: list[QueryBody]
    all_: list[bool]
    keyword_starts: list[int]

    unshaped: ClassVar[frozenset[str]] = frozenset({"keyword_starts"})


class Next(QueryBody):
    """Queries joined by NEXT in Cypher 25, `… NEXT …`: each continues with the rows of the previous query."""

    parts: list[QueryBody]


class When(Node):
    """A branch of a conditional query, `WHEN x > 1 THEN …`; `condition` is None for ELSE."""

    condition: Expression | None
    body: QueryBody


class Conditional(QueryBody):
    """Cypher 25's conditional query: `WHEN … THEN … ELSE …`."""

    branches: list[When]


class Braced(QueryBody):
    """A query in braces, `{ MATCH (n) RETURN n }`, as a part of another query in Cypher 25."""

    body: QueryBody


class Command(QueryBody):
    """A schema or administration command: `CREATE INDEX …`, `DROP CONSTRAINT …`, `SHOW INDEXES …`, `GRANT …`.

    `kind` is `show`, `schema` or `admin`; `words` holds the first keywords, `CREATE INDEX`. For a SHOW, `clauses` holds
    the clauses after YIELD, such as ORDER BY and RETURN, and `expressions` the condition of WHERE.
    """

    kind: str
    words: str
    calls: list[CallProcedure]
    clauses: list[Clause]
    expressions: list[Expression]
    content: str


class QueryOption(Node):
    """An option after CYPHER: `planner=cost`; `name` is in lower case."""

    name: str
    value: str


class Preparser(Node):
    """What follows CYPHER before the query, `CYPHER 25 planner=cost`; `version` is empty if it is not given."""

    version: str
    options: list[QueryOption]


class Query(Node):
    """A parsed statement with its text.

    `prefix` is `EXPLAIN`, `PROFILE` or empty; `language` is `cypher5` or `cypher25` (a `CYPHER 25` prefix sets it).
    """

    text: str
    preparser: list[Preparser]
    body: QueryBody
    prefix: str
    language: str
    line_starts: list[int]

    unshaped: ClassVar[frozenset[str]] = frozenset({"text", "preparser", "line_starts"})
    __slots__ = ("_nodes", "_outline")

    def walk(self) -> Iterator[Node]:
        """Iterate over all nodes, parents first, in text order;
        they are kept in a list, since each check walks over them."""
        try:
            return iter(self._nodes)
        except AttributeError:
            self._nodes: list[Node] = list(super().walk())
            return iter(self._nodes)

    @property
    def outline(self) -> Facts | None:
        """The facts that the query states about a graph, once `outline.outline_of` has read them."""
        return getattr(self, "_outline", None)

    @outline.setter
    def outline(self, facts: Facts) -> None:
        self._outline = facts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1."""
        if not self.line_starts:
            self.line_starts = line_starts(self.text)
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def text_without_options(self) -> str:
        """Return the text with spaces in place of `CYPHER 5 planner=cost`, which only Neo4j knows."""
        text = self.text
        for part in self.preparser:
            blank = re.sub(r"[^\n\r]", " ", text[part.start : part.end])
            text = text[: part.start] + blank + text[part.end :]
        return text

    def source(self, node: Node) -> str:
        """Return the original text of a node."""
        return self.text[node.start : node.end]


def line_starts(text: str) -> list[int]:
    r"""Return the offset at which each line begins; `\n`, `\r\n` and a lone `\r` end a line."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


_LINE_END = re.compile(r"\r\n?|\n")
