"""Patterns of the tree: paths of nodes and relationships, with label expressions, lengths, quantifiers and selectors.

`MATCH p = (a:Person {name: 'x'})-[r:KNOWS*1..3]->(b)` has one `PathPattern` with `variable` p and the elements
`NodePattern`, `RelationshipPattern`, `NodePattern`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from graphground.cypher.tree.node import Name, Node

if TYPE_CHECKING:
    from graphground.cypher.tree.expressions import Expression, Variable

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
