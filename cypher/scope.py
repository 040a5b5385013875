"""Resolves variables: maps each occurrence of a name to its binding.

>>> from graphground.cypher import parse
>>> from graphground.cypher.semantics import analyze
>>> from graphground.cypher.tree import Variable
>>> query = parse("MATCH (n:Person) WITH n AS m, n.age AS age WHERE age > 3 RETURN m")
>>> scopes = analyze(query)
>>> m = list(query.find(Variable))[-1]
>>> binding = scopes.bindings[m]
>>> binding.kind, binding.root.name, [query.source(pattern) for pattern in binding.root.patterns]
('node', 'n', ['(n:Person)'])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from graphground.cypher.diagnostics import Edit
from graphground.cypher.types import ANY, NODE, PATH, RELATIONSHIP, Type

if TYPE_CHECKING:
    from graphground.cypher.tree import Expression, NodePattern, RelationshipPattern, Variable

Kind = Literal["node", "relationship", "path", "value"]


class Binding:
    """One variable, from its declaration to the end of its scope.

    `name`         as declared: `n` in `MATCH (n:Person)`, `m` in `WITH n AS m`
    `declaration`  the `Variable` that introduces the name; None for a column without an alias, whose name is its text
    `type`         the possible types; `kind` sums them up. The variable of `-[rs:KNOWS*]->` holds a list of graph
                   elements, and so does a variable of a quantified path outside that path: then `kind` is `value`,
                   and `grouped` is set
    `patterns`     the node or relationship patterns that the variable must fit: in `MATCH (n:Person) MATCH (n)-->(m)`,
                   for n, `(n:Person)` and `(n)`
    `mentions`     the other patterns with the variable, which it may fail to fit: in an OPTIONAL MATCH after its
                   declaration, in a condition, in a subquery
    `source`       the expression that gives the value: `n.age` in `WITH n.age AS age`, `xs` in `UNWIND xs AS x`
    `origins`      the bindings of which this binding is an alias: the binding of n in `WITH n AS m`, `WITH n` and
                   `CALL (n) {…}`; for a column of a subquery, the column's bindings in each branch
    """

    __slots__ = (
        "declaration",
        "grouped",
        "level",
        "mentions",
        "name",
        "origins",
        "patterns",
        "source",
        "type",
        "unwound",
    )

    def __init__(self, name: str, declaration: Variable | None, type_: Type = ANY) -> None:
        self.name = name
        self.declaration = declaration
        self.type = type_
        self.patterns: list[NodePattern | RelationshipPattern] = []
        self.mentions: list[NodePattern | RelationshipPattern] = []
        self.level = 0
        self.source: Expression | None = None
        self.origins: tuple[Binding, ...] = ()
        self.grouped = False
        self.unwound = False

    @property
    def kind(self) -> Kind:
        """The kind of graph element that the variable refers to; `value` for anything else."""
        mask = self.type.mask
        return (
            "node"
            if mask == NODE.mask
            else "relationship"
            if mask == RELATIONSHIP.mask
            else "path"
            if mask == PATH.mask
            else "value"
        )

    @property
    def root(self) -> Binding:
        """The binding at the start of the chain of aliases; a binding with several origins counts as a start."""
        found = self
        for _ in range(1000):
            if len(found.origins) != 1:
                break
            found = found.origins[0]
        return found

    def roots(self) -> list[Binding]:
        """Return the original bindings of which this binding may be an alias; without origins, the binding itself.

        Aliases of aliases and the branches of subqueries are followed.
        """
        found: list[Binding] = []
        todo: list[Binding] = [self]
        seen: set[int] = set()
        while todo:
            binding = todo.pop()
            if id(binding) in seen:
                continue
            seen.add(id(binding))
            if binding.origins:
                todo.extend(reversed(binding.origins))
            else:
                found.append(binding)
        return found

    def __repr__(self) -> str:
        return f"Binding({self.name}: {self.type})"


class Problem:
    """A finding of the language check: a code, a span of the text, a message, and suggestions."""

    __slots__ = ("_edits", "code", "end", "message", "start", "suggestions")

    def __init__(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        suggestions: tuple[str, ...] = (),
        edits: tuple[Edit, ...] = (),
    ) -> None:
        self._edits = edits
        self.code = code
        self.start = start
        self.end = end
        self.message = message
        self.suggestions = suggestions

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of a clear fix, such as that of a misspelled function with a single nearest name."""
        if self._edits:
            return self._edits
        clear = self.code == "unknown_function" and len(self.suggestions) == 1
        return (Edit(self.start, self.end, self.suggestions[0]),) if clear else ()


class Scopes:
    """The resolved names and inferred types of a query.

    `bindings`  the binding of each occurrence of a variable; undefined variables are absent
    `types`     the possible types of expressions; expressions of unknown type are absent
    `problems`  the errors, in the order in which Neo4j finds them
    """

    __slots__ = ("bindings", "problems", "types")

    def __init__(self) -> None:
        self.bindings: dict[Variable, Binding] = {}
        self.types: dict[Expression, Type] = {}
        self.problems: list[Problem] = []

    def of(self, variable: Variable) -> Binding | None:
        """Return the binding of an occurrence of a variable, or None if it is undefined."""
        return self.bindings.get(variable)

    def type_of(self, expression: Expression) -> Type:
        """Return the possible types of an expression."""
        return self.types.get(expression, ANY)
