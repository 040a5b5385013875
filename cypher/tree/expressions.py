"""Expressions: `n.name`, `count(*)`, `[x IN xs WHERE x > 1 | x * 2]`, `EXISTS { (n)-->() }`.

Each class shows Cypher for which the parser creates it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from graphground.cypher.tree.node import Name, Node

if TYPE_CHECKING:
    from graphground.cypher.tree.patterns import LabelExpression, PathPattern
    from graphground.cypher.tree.queries import QueryBody


class Expression(Node):
    """Any expression."""


class Variable(Expression):
    """`n`, wherever a variable is declared or used; `name` is unescaped."""

    name: str


class Parameter(Expression):
    """`$year`, `` $`the year` ``, `$0`."""

    name: str


class IntegerLiteral(Expression):
    """`42`, `0xFF`, `0o17`, `1_000`."""

    value: int


class FloatLiteral(Expression):
    """`4.2`, `1e6`, also `INF` and `NaN`."""

    value: float


class StringLiteral(Expression):
    """`'it\\'s'`: `value` is the string without quotes and escapes."""

    value: str


class BooleanLiteral(Expression):
    """`true`."""

    value: bool


class NullLiteral(Expression):
    """`null`."""


class ListLiteral(Expression):
    """`[1, 2]`."""

    items: list[Expression]


class MapEntry(Node):
    """`name: 'x'` in a map."""

    key: Name
    value: Expression


class MapLiteral(Expression):
    """`{name: 'x', year: 1999}`."""

    entries: list[MapEntry]


class Property(Expression):
    """`n.name`; the subject may be any expression."""

    subject: Expression
    key: Name


class Subscript(Expression):
    """`xs[0]`, `n['name']`."""

    subject: Expression
    index: Expression


class Slice(Expression):
    """`xs[1..3]`, `xs[..3]`, `xs[1..]`."""

    subject: Expression
    lower: Expression | None
    upper: Expression | None


class Binary(Expression):
    """`a + b`; `operator` is upper case with single spaces: `AND OR XOR + - * / % ^ || = <> < <= > >= =~ IN
    CONTAINS`, `STARTS WITH`, `ENDS WITH`. `operator_start` is its offset.
    """

    unshaped: ClassVar[frozenset[str]] = frozenset({"operator_start"})

    operator: str
    left: Expression
    right: Expression
    operator_start: int


class ComparisonChain(Expression):
    """`1 < x <= 3`: each neighbouring pair is compared; a single comparison is a `Binary`."""

    operands: list[Expression]
    operators: list[str]
    operator_starts: list[int]

    unshaped: ClassVar[frozenset[str]] = frozenset({"operator_starts"})


class Unary(Expression):
    """`NOT x`, `-x`, `+x`."""

    operator: str
    operand: Expression


class IsNull(Expression):
    """`x IS NULL`, `x IS NOT NULL` (`negated`)."""

    operand: Expression
    negated: bool


class IsTyped(Expression):
    """`x IS :: INTEGER`, `x IS NOT TYPED LIST<STRING>`; `type` is in upper case with single spaces."""

    operand: Expression
    negated: bool
    type: str


class IsNormalized(Expression):
    """`s IS NFC NORMALIZED`, `s IS NOT NORMALIZED`."""

    operand: Expression
    negated: bool
    form: str


class HasLabels(Expression):
    """`n:Person`, `n:Person|Actor`, `n IS Person`, as a condition; on a relationship it tests the type."""

    operand: Expression
    labels: LabelExpression


class FunctionCall(Expression):
    """`count(DISTINCT n)`, `point.distance(a, b)`; `name` is as written, `key` in lower case, both with dots.

    `name_end` is the offset of the name's end.
    """

    name: str
    arguments: list[Expression]
    distinct: bool
    name_end: int

    unshaped: ClassVar[frozenset[str]] = frozenset({"name_end"})

    @property
    def key(self) -> str:
        """The key for looking the function up: `toInteger` is `tointeger`."""
        return self.name.lower()


class CountStar(Expression):
    """`count(*)`."""


class WhenThen(Node):
    """`WHEN x > 1 THEN 'many'`; the simple form allows several values or `CaseComparison`s after WHEN."""

    conditions: list[Expression]
    result: Expression


class Case(Expression):
    """`CASE WHEN … END` (`subject` is None) or `CASE n.gender WHEN 'female' THEN 1 ELSE 0 END`."""

    subject: Expression | None
    branches: list[WhenThen]
    default: Expression | None


class CaseComparison(Expression):
    """`> 5`, `IS NULL`, `STARTS WITH 'a'` after WHEN in a simple CASE; `IS NULL` has no `operand`."""

    operator: str
    operand: Expression | None


class ListComprehension(Expression):
    """`[x IN xs WHERE x > 1 | x * 2]`."""

    variable: Variable
    source: Expression
    where: Expression | None
    projection: Expression | None


class PatternComprehension(Expression):
    """`[p = (n)-->(m) WHERE m.year > 1999 | m.name]`."""

    path_variable: Variable | None
    pattern: PathPattern
    where: Expression | None
    projection: Expression


class ListPredicate(Expression):
    """`any(x IN xs WHERE x > 1)`; `kind` is `all any none single`."""

    kind: Literal["all", "any", "none", "single"]
    variable: Variable
    source: Expression
    where: Expression | None


class Reduce(Expression):
    """`reduce(total = 0, x IN xs | total + x)`."""

    accumulator: Variable
    initial: Expression
    variable: Variable
    source: Expression
    step: Expression


class AllReduce(Expression):
    """`allReduce(total = 0, x IN xs | total + x, total < 10)` of Cypher 25."""

    accumulator: Variable
    initial: Expression
    variable: Variable
    source: Expression
    step: Expression
    predicate: Expression


class ProjectionItem(Node):
    """An item of a map projection: see the subclasses."""


class ProjectedProperty(ProjectionItem):
    """`.name` in `n {.name}`."""

    key: Name


class ProjectedAll(ProjectionItem):
    """`.*` in `n {.*}`."""


class ProjectedVariable(ProjectionItem):
    """`m` in `n {m}`: the entry `m: m`."""

    variable: Variable


class ProjectedEntry(ProjectionItem):
    """`films: collect(m)` in `n {films: collect(m)}`."""

    key: Name
    value: Expression


class MapProjection(Expression):
    """`n {.name, films: collect(m)}`."""

    subject: Variable
    items: list[ProjectionItem]


class PatternExpression(Expression):
    """`(n)-[:KNOWS]->()` as a condition, and `shortestPath((a)-[*]-(b))` as a value (then `pattern.shortest`)."""

    pattern: PathPattern


class Subquery(Expression):
    """`EXISTS { … }`, `COUNT { … }`, `COLLECT { … }`.

    `EXISTS { MATCH (n)-->(m) RETURN m }` has a `body`; `EXISTS { (n)-->(m) WHERE m.year > 1 }` has `patterns`
    and `where` instead.
    """

    kind: Literal["EXISTS", "COUNT", "COLLECT"]
    body: QueryBody | None
    patterns: list[PathPattern]
    where: Expression | None
