"""Expressions of the tree: `n.name`, `count(*)`, `[x IN xs WHERE x > 1 | x * 2]`, `EXISTS { (n)-->() }`.

The docstring of each class shows the Cypher that it represents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from graphground.cypher.tree.node import Name, Node

if TYPE_CHECKING:
    from graphground.cypher.tree.patterns import LabelExpression, PathPattern
    from graphground.cypher.tree.queries import QueryBody


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
