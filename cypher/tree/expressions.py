"""Expressions of the tree: `n.name`, `count(*)`, `[x IN xs WHERE x > 1 | x * 2]`, `EXISTS { (n)-->() }`.

The docstring of each class shows the Cypher that it represents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from graphground.cypher.tree.node import Name, Node

if TYPE_CHECKING:
    from graphground.cypher.tree.clauses import QueryBody


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
    `STARTS WITH`, `ENDS WITH`. `operator_start` is the operator's offset.
    """

    unshaped: ClassVar[frozenset[str]] = frozenset({"operator_start"})

    operator: str
    left: Expression
    right: Expression
    operator_start: int


class ComparisonChain(Expression):
    """A chain of comparisons, `1 < x <= 3`: each operand is compared with the next;
    a single comparison is a `Binary`."""

    operands: list[Expression]
    operators: list[str]
    operator_starts: list[int]

    unshaped: ClassVar[frozenset[str]] = frozenset({"operator_starts"})


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
