"""The tree of a query: one class per kind of clause, pattern and expression.

    >>> from graphground.cypher import parse
    >>> query = parse("MATCH (n:Person)-[:KNOWS]->(m) WHERE n.age > 3 RETURN m.name AS name")
    >>> match, returned = query.body.clauses
    >>> type(match).__name__, match.patterns[0].elements[0].labels.name.text
    ('Match', 'Person')
    >>> query.source(match.where), query.position(match.where.start)
    ('n.age > 3', (1, 38))
    >>> sorted({variable.name for variable in query.find(Variable)})
    ['m', 'n', 'name']

Every node has `start` and `end`, offsets into the text; `Query.position` converts an offset to line and column.
Every node has the methods `children`, `walk`, `find` and `shape`. Fields are typed; lists are plain lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, dataclass_transform

from graphground.cypher.diagnostics import LineIndex
from graphground.cypher.safety.time_limit import check_work

if TYPE_CHECKING:
    from graphground.cypher.outline.model import Facts


N = TypeVar("N", bound="Node")
NODES_BETWEEN_CHECKS = 2000

_PLAIN = frozenset({"str", "int", "float", "bool", "list[str]", "list[int]", "list[bool]", "Direction"})


@dataclass_transform(eq_default=False)
class NodeType(type):
    """A metaclass that creates slots and an `__init__` from annotations, as a dataclass does,
    but at a tenth of the cost.

    A slotted dataclass takes about 0.5 ms to create, for each of a hundred classes at every import; here the `__init__`
    is compiled when the first node of the class is created.
    """

    fields: tuple[str, ...]
    child_fields: tuple[str, ...]
    defaults: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> NodeType:
        own = {key: text for key, text in body.get("__annotations__", {}).items() if not text.startswith("ClassVar")}
        defaults = {key: body.pop(key) for key in own if key in body}
        further = body.get("__slots__", ())  # attributes that are not part of the tree
        body["__slots__"] = (*own, *further, "__weakref__") if not bases else (*own, *further)
        node_class = super().__new__(cls, name, bases, body)
        base = bases[0] if bases else None
        node_class.fields = (*(base.fields if isinstance(base, NodeType) else ()), *own)
        node_class.child_fields = (
            *(base.child_fields if isinstance(base, NodeType) else ()),
            *(key for key, text in own.items() if not _is_plain(text)),
        )
        node_class.defaults = {**(base.defaults if isinstance(base, NodeType) else {}), **defaults}
        type.__setattr__(node_class, "__init__", _init_on_first_use(node_class))
        return node_class


def _is_plain(annotation: str) -> bool:
    return all(
        part.strip() in _PLAIN or part.strip() == "None" or part.strip().startswith("Literal")
        for part in annotation.split("|")
    )


def _init_on_first_use(node_class: NodeType) -> Callable[..., None]:
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        parameters = [
            f"{name}=defaults[{name!r}]" if name in node_class.defaults else name for name in node_class.fields
        ]
        lines = [f"def __init__(self, {', '.join(parameters)}):"]
        lines += [f"    self.{name} = {name}" for name in node_class.fields]
        space: dict[str, Any] = {"defaults": node_class.defaults}
        exec("\n".join(lines), space)
        type.__setattr__(node_class, "__init__", space["__init__"])
        space["__init__"](self, *arguments, **named)

    return __init__


class Node(metaclass=NodeType):
    """A part of a query: `text[node.start:node.end]` is its original text."""

    fields: ClassVar[tuple[str, ...]]
    child_fields: ClassVar[tuple[str, ...]]

    start: int
    end: int

    def children(self) -> Iterator[Node]:
        """Yield the nodes directly below this node, in text order."""
        for name in self.child_fields:
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, Node):
                yield value
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, Node):
                        yield item

    def walk(self) -> Iterator[Node]:
        """Yield this node and all nodes below it, parents first, in text order."""
        stack: list[Node] = [self]
        unchecked = NODES_BETWEEN_CHECKS
        while stack:
            node = stack.pop()
            yield node
            unchecked -= 1
            if not unchecked:
                check_work()
                unchecked = NODES_BETWEEN_CHECKS
            for name in reversed(node.child_fields):  # without `children`, whose generators took half of the time
                value = getattr(node, name)
                if isinstance(value, Node):
                    stack.append(value)
                elif isinstance(value, list):
                    stack += [item for item in reversed(value) if isinstance(item, Node)]

    def find(self, kind: type[N]) -> Iterator[N]:
        """Yield all nodes of one class in this part of the tree: `query.find(Variable)`."""
        for node in self.walk():
            if isinstance(node, kind):
                yield node

    def shape(self) -> tuple[Any, ...]:
        """Return the tree without positions, for comparisons: two queries with equal shapes are the same query."""
        parts: list[Any] = [type(self).__name__]
        for name in self.fields:
            if name in ("start", "end") or name in self.unshaped:
                continue
            value = getattr(self, name)
            if isinstance(value, Node):
                value = value.shape()
            elif isinstance(value, list):
                value = tuple(item.shape() if isinstance(item, Node) else item for item in value)
            parts.append(value)
        return tuple(parts)

    unshaped: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.fields if name not in ("start", "end"))
        return f"{type(self).__name__}[{self.start}:{self.end}]({inner})"


def altered(node: N, **changes: Any) -> N:
    """Return a copy of a node with changed fields: `altered(query, preparser=[])`."""
    return type(node)(**{field: changes.get(field, getattr(node, field)) for field in node.fields})


class Name(Node):
    """A label, relationship type, property key or map key: `name`, `` `first name` ``; `text` is unescaped."""

    text: str


# Expressions


class Expression(Node):
    """The base class of all expressions."""


class Variable(Expression):
    """A variable, `n`, where it is declared or used; `name` is unescaped."""

    name: str


class Parameter(Expression):
    """A parameter: `$year`, `` $`the year` ``, `$0`."""

    name: str


class IntegerLiteral(Expression):
    """An integer literal: `42`, `0xFF`, `0o17`, `1_000`."""

    value: int


class FloatLiteral(Expression):
    """A float literal: `4.2`, `1e6`, also `INF` and `NaN`."""

    value: float


class StringLiteral(Expression):
    """A string literal, `'it\\'s'`: `value` is the string without quotes and escapes."""

    value: str


class BooleanLiteral(Expression):
    """A Boolean literal: `true` or `false`."""

    value: bool


class NullLiteral(Expression):
    """The literal `null`."""


class ListLiteral(Expression):
    """A list literal: `[1, 2]`."""

    items: list[Expression]


class MapEntry(Node):
    """An entry of a map literal: `name: 'x'`."""

    key: Name
    value: Expression


class MapLiteral(Expression):
    """A map literal: `{name: 'x', year: 1999}`."""

    entries: list[MapEntry]


class Property(Expression):
    """A property, `n.name`; the subject may be any expression."""

    subject: Expression
    key: Name


class Subscript(Expression):
    """A subscript: `xs[0]`, `n['name']`."""

    subject: Expression
    index: Expression


class Slice(Expression):
    """A slice of a list: `xs[1..3]`, `xs[..3]`, `xs[1..]`."""

    subject: Expression
    lower: Expression | None
    upper: Expression | None


class Binary(Expression):
    """A binary operation, `a + b`.

    `operator` is upper case with single spaces: `AND OR XOR + - * / % ^ || = <> < <= > >= =~ IN CONTAINS`,
    `STARTS WITH`, `ENDS WITH`.
    """

    operator: str
    left: Expression
    right: Expression


class ComparisonChain(Expression):
    """A chain of comparisons, `1 < x <= 3`: each operand is compared with the next;
    a single comparison is a `Binary`."""

    operands: list[Expression]
    operators: list[str]


class Unary(Expression):
    """A unary operation: `NOT x`, `-x`, `+x`."""

    operator: str
    operand: Expression


class IsNull(Expression):
    """A test for null: `x IS NULL`, or `x IS NOT NULL`, for which `negated` is true."""

    operand: Expression
    negated: bool


class IsTyped(Expression):
    """A test of a type: `x IS :: INTEGER`, `x IS NOT TYPED LIST<STRING>`; `type` is upper case with single spaces."""

    operand: Expression
    negated: bool
    type: str


class IsNormalized(Expression):
    """A test of Unicode normalization: `s IS NFC NORMALIZED`, `s IS NOT NORMALIZED`."""

    operand: Expression
    negated: bool
    form: str


class HasLabels(Expression):
    """A test of labels, or of a relationship's type: `n:Person`, `n:Person|Actor`, `n IS Person`."""

    operand: Expression
    labels: LabelExpression


class FunctionCall(Expression):
    """A function call, `count(DISTINCT n)`, `point.distance(a, b)`; `name` is as written, `key` in lower case.

    `name_end` is the offset at which the name ends.
    """

    name: str
    arguments: list[Expression]
    distinct: bool
    name_end: int

    unshaped: ClassVar[frozenset[str]] = frozenset({"name_end"})

    @property
    def key(self) -> str:
        """The name in lower case, as the table of functions lists it: `tointeger` for `toInteger`."""
        return self.name.lower()


class CountStar(Expression):
    """The aggregate `count(*)`."""


class WhenThen(Node):
    """A branch of CASE, `WHEN x > 1 THEN 'many'`; a simple CASE allows several values
    or `CaseComparison`s after WHEN."""

    conditions: list[Expression]
    result: Expression


class Case(Expression):
    """A CASE: `CASE WHEN … END` (`subject` is None) or `CASE n.gender WHEN 'female' THEN 1 ELSE 0 END`."""

    subject: Expression | None
    branches: list[WhenThen]
    default: Expression | None


class CaseComparison(Expression):
    """A comparison after WHEN in a simple CASE: `> 5`, `STARTS WITH 'a'`, or `IS NULL`, which has no `operand`."""

    operator: str
    operand: Expression | None


class ListComprehension(Expression):
    """A list comprehension: `[x IN xs WHERE x > 1 | x * 2]`."""

    variable: Variable
    source: Expression
    where: Expression | None
    projection: Expression | None


class PatternComprehension(Expression):
    """A pattern comprehension: `[p = (n)-->(m) WHERE m.year > 1999 | m.name]`."""

    path_variable: Variable | None
    pattern: PathPattern
    where: Expression | None
    projection: Expression


class ListPredicate(Expression):
    """A predicate over a list, `any(x IN xs WHERE x > 1)`; `kind` is `all`, `any`, `none` or `single`."""

    kind: Literal["all", "any", "none", "single"]
    variable: Variable
    source: Expression
    where: Expression | None


class Reduce(Expression):
    """A reduction of a list: `reduce(total = 0, x IN xs | total + x)`."""

    accumulator: Variable
    initial: Expression
    variable: Variable
    source: Expression
    step: Expression


class AllReduce(Expression):
    """Cypher 25's test of each step of a reduction: `allReduce(total = 0, x IN xs | total + x, total < 10)`."""

    accumulator: Variable
    initial: Expression
    variable: Variable
    source: Expression
    step: Expression
    predicate: Expression


class ProjectionItem(Node):
    """An item of a map projection; see the subclasses."""


class ProjectedProperty(ProjectionItem):
    """A property in a map projection: `.name` in `n {.name}`."""

    key: Name


class ProjectedAll(ProjectionItem):
    """All properties in a map projection: `.*` in `n {.*}`."""


class ProjectedVariable(ProjectionItem):
    """A variable in a map projection: `m` in `n {m}` is the entry `m: m`."""

    variable: Variable


class ProjectedEntry(ProjectionItem):
    """An entry of a map projection: `films: collect(m)` in `n {films: collect(m)}`."""

    key: Name
    value: Expression


class MapProjection(Expression):
    """A map projection: `n {.name, films: collect(m)}`."""

    subject: Variable
    items: list[ProjectionItem]


class PatternExpression(Expression):
    """A path in an expression: `(n)-[:KNOWS]->()` as a condition, or `shortestPath((a)-[*]-(b))` as a value."""

    pattern: PathPattern


class Subquery(Expression):
    """A subquery in an expression: `EXISTS { … }`, `COUNT { … }`, `COLLECT { … }`.

    `EXISTS { MATCH (n)-->(m) RETURN m }` has a `body`; `EXISTS { (n)-->(m) WHERE m.year > 1 }` has `patterns`
    and `where` instead.
    """

    kind: Literal["EXISTS", "COUNT", "COLLECT"]
    body: QueryBody | None
    patterns: list[PathPattern]
    where: Expression | None


def conjuncts(where: Expression | None) -> list[Expression]:
    """Return the conditions that AND joins, in text order: `a`, `b` and `c` for `a AND b AND c`; none for None."""
    found: list[Expression] = []
    stack = [] if where is None else [where]
    while stack:
        condition = stack.pop()
        if isinstance(condition, Binary) and condition.operator == "AND":
            stack += (condition.right, condition.left)
        else:
            found.append(condition)
    return found


# Patterns of the tree: paths of nodes and relationships, with label expressions, lengths, quantifiers and selectors


Direction = Literal["right", "left", "both"]


class LabelExpression(Node):
    """The part after `:` (or IS) in a node or relationship pattern; see the subclasses."""


class LabelName(LabelExpression):
    """A single label: `Person`."""

    name: Name


class LabelWildcard(LabelExpression):
    """The wildcard `%`, which matches any label."""


class LabelNot(LabelExpression):
    """A negated label: `!Person`."""

    operand: LabelExpression


class LabelAnd(LabelExpression):
    """A conjunction of labels, `A&B`; `colon` if it is written in the older form, `:A:B`."""

    unshaped: ClassVar[frozenset[str]] = frozenset({"operator_starts"})

    operands: list[LabelExpression]
    colon: bool
    operator_starts: list[int]


class LabelOr(LabelExpression):
    """A disjunction of labels, `A|B`; `colon` if it is written in the older form, `A|:B`."""

    unshaped: ClassVar[frozenset[str]] = frozenset({"operator_starts"})

    operands: list[LabelExpression]
    colon: bool
    operator_starts: list[int]


class DynamicLabel(LabelExpression):
    """A computed label: `$(expression)`, `$any(expression)`, `$all(expression)`."""

    kind: str
    expression: Expression


class NodePattern(Node):
    """A node, `(n:Person {name: 'x'} WHERE n.age > 3)`; `properties` is a map or a parameter."""

    variable: Variable | None
    labels: LabelExpression | None
    properties: Expression | None
    where: Expression | None


class PathLength(Node):
    """The length of a relationship: `*`, `*2`, `*1..3`, `*..3` or `*1..`;
    `*2` has 2 as both bounds, a missing bound is None."""

    minimum: int | None
    maximum: int | None


class PathQuantifier(Node):
    """A quantifier of a relationship or parenthesized path: `+`, `*`, `{2}`, `{1,3}`, `{,3}`.

    There is no upper bound if `maximum` is None.
    """

    minimum: int
    maximum: int | None


class RelationshipPattern(Node):
    """A relationship: `-[r:KNOWS|LIKES*1..3 {since: 1999}]->`.

    `direction` is `right` for `-->`, `left` for `<--`, `both` for `--` and `<-->`. `types` is a label expression.
    """

    variable: Variable | None
    types: LabelExpression | None
    length: PathLength | None
    properties: Expression | None
    where: Expression | None
    direction: Direction
    quantifier: PathQuantifier | None


class ParenthesizedPath(Node):
    """A path in parentheses, `((a)-[:NEXT]->(b) WHERE a.x < b.x){1,3}`; without a quantifier it is a group."""

    variable: Variable | None
    elements: list[NodePattern | RelationshipPattern | ParenthesizedPath]
    where: Expression | None
    quantifier: PathQuantifier | None


class PathSelector(Node):
    """The choice of paths: `SHORTEST 2 PATHS`, `ANY`, `ALL SHORTEST`, `SHORTEST 3 GROUPS`.

    `kind` is one of `any all shortest all_shortest shortest_groups any_shortest`; `count` is an integer or a parameter;
    `mode` is Cypher 25's `WALK`, `TRAIL` or `ACYCLIC`. A mode without a selector has the `kind` `all`.
    """

    kind: str
    count: Expression | None
    mode: str | None


class PathPattern(Node):
    """A whole path; `shortest` is `shortestPath` or `allShortestPaths` if that function encloses the path."""

    variable: Variable | None
    selector: PathSelector | None
    shortest: Literal["shortestPath", "allShortestPaths"] | None
    elements: list[NodePattern | RelationshipPattern | ParenthesizedPath]


# Clauses, reading and writing


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


WRITING = (Create, Merge, Set, Remove, Delete, Foreach)
"""The clauses that write."""


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
    clauses: list[Clause]
    expressions: list[Expression]


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

    unshaped: ClassVar[frozenset[str]] = frozenset({"text", "preparser"})
    __slots__ = ("_found", "_lines", "_nodes", "_outline")

    def walk(self) -> Iterator[Node]:
        """Iterate over all nodes, parents first, in text order;
        they are kept in a list, since each check walks over them."""
        try:
            return iter(self._nodes)
        except AttributeError:
            self._nodes: list[Node] = list(super().walk())
            self._found: dict[type[Node], list[Any]] = {}
            return iter(self._nodes)

    def find(self, kind: type[N]) -> Iterator[N]:
        """Yield all nodes of one class; they are kept too, since several checks ask for the same."""
        nodes = self.walk()
        found = self._found.get(kind)
        if found is None:
            found = self._found[kind] = [node for node in nodes if isinstance(node, kind)]
        return iter(found)

    @property
    def outline(self) -> Facts | None:
        """The facts that the query states about a graph, once `outline.outline_of` has read them."""
        return getattr(self, "_outline", None)

    @outline.setter
    def outline(self, facts: Facts) -> None:
        self._outline = facts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset, both counted from 1."""
        try:
            return self._lines.of(offset)
        except AttributeError:
            self._lines: LineIndex = LineIndex(self.text)
            return self._lines.of(offset)

    def text_without_options(self) -> str:
        """Return the text with spaces in place of `CYPHER 5 planner=cost`, which only Neo4j knows."""
        text = self.text
        for part in self.preparser:
            blank = re.sub(r"[^\n\r]", " ", text[part.start : part.end])
            text = text[: part.start] + blank + text[part.end :]
        return text

    def fresh_names(self, stem: str) -> Iterator[str]:
        """Yield variables that the query does not use: `drawn0`, `drawn1` and so on for the stem `drawn`."""
        used = {variable.name for variable in self.find(Variable)}
        return (name for number in count() if (name := f"{stem}{number}") not in used)

    def source(self, node: Node) -> str:
        """Return the original text of a node."""
        return self.text[node.start : node.end]
