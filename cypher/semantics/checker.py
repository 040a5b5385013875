"""The state of the language check: the scope, the findings, and simple operations on both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partialmethod
from typing import Any, Literal

from graphground.cypher.diagnostics import Edit, Problem, listed
from graphground.cypher.names.nearest import distance
from graphground.cypher.quoting import quoted_name
from graphground.cypher.safety.time_limit import MOST_FINDINGS, check_work
from graphground.cypher.tree import Expression, Node, NodePattern, Property, Query, RelationshipPattern, Variable
from graphground.cypher.types import ANY, MAP, NODE, RELATIONSHIP, Type


class Binding:
    """A variable, from its declaration to the end of its scope: its name, and the types that it may have.

    `pattern` is the node or relationship pattern that introduces the variable, if one does.
    """

    __slots__ = ("name", "pattern", "type")

    def __init__(self, name: str, type_: Type = ANY, pattern: NodePattern | RelationshipPattern | None = None) -> None:
        self.name = name
        self.type = type_
        self.pattern = pattern


Scope = dict[str, Binding]
Aggregates = Literal["yes", "no", "inside", "list", "star"]
"""Whether an aggregate is allowed at the current position.

`star` allows only count(*), as Neo4j does at a few positions. `inside` (another aggregate) and `list` (an expression
over a list) allow no aggregate, as `no` does, but the error has a different message.
"""


MOST_SOUGHT = 20
"""The maximum number of undefined variables for which a similar name, or the only one that fits, is searched."""


class Enough(Exception):
    """The signal that stops the check of a query with too many errors."""


class Checker:
    """The state shared by the functions of this package.

    `bindings` has the binding of each occurrence of a variable, `types` the types of expressions, `problems` the errors
    in the order in which Neo4j finds them. `scope` maps the visible names to their bindings; `base` maps only the names
    that no WITH can drop, the outer variables that a subquery sees. `dropped` records the WITH at which a name was
    lost, for the message; `left_outside` holds, for each WITH that begins a subquery, its start, the outer names and
    the imported names. `aggregates` says whether an aggregate is allowed here, `aggregated` whether an aggregate was
    found, and `projected` which expressions are columns already and may therefore be repeated after ORDER BY.
    """

    def __init__(self, query: Query) -> None:
        self.query = query
        self.cypher25 = query.language == "cypher25"
        self.problems: list[Problem] = []
        self.bindings: dict[Variable, Binding] = {}
        self.types: dict[Expression, Type] = {}
        self.scope: Scope = {}
        self.dropped: dict[str, int] = {}
        self.left_outside: list[tuple[int, Scope, Scope]] = []
        self.reported: set[str] = set()
        self.level = 0
        self.aggregates: Aggregates = "no"
        self.aggregated = False
        self.open_end = False
        self.base: Scope = {}
        self.importable: Scope = {}
        self.importing: set[Node] = set()
        self.projected: frozenset[tuple[Any, ...]] = frozenset()
        self.colons: list[int] = []
        self.modern = False
        self.calls = 0
        self.lengths: list[Node] = []
        self.quantified = False
        self.inner: dict[Node, Scope] = {}
        self.restricted: Scope | None = None
        self.late: list[Problem] = []

    @contextmanager
    def within(self, **state: Any) -> Iterator[None]:
        """Set attributes for a block, such as the scope inside a comprehension: `with c.within(scope={}):`."""
        before = {name: getattr(self, name) for name in state}
        for name, value in state.items():
            setattr(self, name, value)
        yield
        for name, value in before.items():
            setattr(self, name, value)

    def problem(
        self, code: str, node: Node, message: str, suggestions: tuple[str, ...] = (), edits: tuple[Edit, ...] = ()
    ) -> None:
        """Add a problem at a node."""
        self.problem_at(code, node.start, node.end, message, suggestions, edits)

    mismatch = partialmethod(problem, "type_mismatch")
    """Add a problem about a value of a type that is not allowed at its place."""
    bad_pattern = partialmethod(problem, "pattern")
    misplaced = partialmethod(problem, "clause_order")
    redefined = partialmethod(problem, "variable_redefined")

    def problem_at(
        self,
        code: str,
        start: int,
        end: int,
        message: str,
        suggestions: tuple[str, ...] = (),
        edits: tuple[Edit, ...] = (),
    ) -> None:
        """Add a problem at a span of the text.

        Raises:
            Enough: the query has too many errors.
        """
        check_work()
        if len(self.problems) >= MOST_FINDINGS:
            raise Enough
        if code == "unknown_function" and len(suggestions) == 1:
            edits = (Edit(start, end, suggestions[0]),)
        self.problems.append(Problem(code, start, end, message, suggestions, edits))

    def declare(self, variable: Variable, type_: Type) -> Binding:
        """Declare a variable; a name already in use is an error, and the new variable replaces the old variable."""
        if variable.name in self.scope:
            self.redefined(variable, f"the variable `{variable.name}` already exists here; choose another name")
        return self.shadow(variable, type_)

    def shadow(
        self, variable: Variable, type_: Type, pattern: NodePattern | RelationshipPattern | None = None
    ) -> Binding:
        """Declare a variable, which may hide another variable of the same name."""
        binding = Binding(variable.name, type_, pattern)
        self.scope[variable.name] = binding
        self.bindings[variable] = binding
        return binding

    def use(self, variable: Variable) -> Type:
        """Resolve a variable that is read; return its type."""
        binding = self.scope.get(variable.name)
        if binding is None:
            self.undefined(variable)
            return ANY
        self.bindings[variable] = binding
        return binding.type

    def undefined(self, variable: Variable) -> None:
        """Report an undefined variable, once per name."""
        name = variable.name
        if name in self.reported:
            return
        self.reported.add(name)
        places = [self.dropped[name]] if name in self.dropped else []
        if len(self.reported) <= MOST_SOUGHT:
            places += [
                start for start, outside, imported in self.left_outside if name in outside and name not in imported
            ]
        place = max(places, default=None)
        message = f"the variable `{name}` is not defined"
        if place is not None:
            line, column = self.query.position(place)
            message += (
                f" here: the WITH or RETURN at line {line}, column {column} does not pass it on; add `{name}` there"
            )
        elif self.restricted is not None and name in self.restricted:
            message += (
                " any more: after DISTINCT or an aggregation only the columns of the WITH or RETURN exist; "
                "add the value as a column"
            )
        elif self.scope:
            message += f" here; defined: {listed([f'`{known}`' for known in self.scope])}"
        similar: tuple[str, ...] = ()
        edits: tuple[Edit, ...] = ()
        if len(self.reported) <= MOST_SOUGHT:
            similar = near(name, self.scope)
            if place is None and self.restricted is None:
                only, edits = self._only_fitting(name, type(variable))
                similar = similar or only
        self.problem("undefined_variable", variable, message, similar, edits)

    def _only_fitting(self, name: str, kind: type[Variable]) -> tuple[tuple[str, ...], tuple[Edit, ...]]:
        """Return the only defined variable that fits the uses of a name that never existed, and the edits to it."""
        uses = [other for other in self.query.find(kind) if other.name == name]
        subjects = sum(getattr(node, "subject", None) in uses for node in self.query.find(Property))
        fitting = [
            known
            for known, binding in self.scope.items()
            if subjects < len(uses) or binding.type.may_be(NODE | RELATIONSHIP | MAP)
        ]
        if len(fitting) != 1:
            return (), ()
        return (fitting[0],), tuple(Edit(other.start, other.end, quoted_name(fitting[0])) for other in uses)

    def expect(self, node: Expression, type_: Type, wanted: Type, words: str = "") -> bool:
        """Return whether a value may have the wanted type; if it cannot, report a type mismatch.

        The message names the type, or `words` instead, if given.
        """
        if type_.mask == ANY.mask or type_.may_be(wanted):
            return True
        self.mismatch(node, f"expected {words or wanted} here, but this has the type {type_}")
        return False


def near(name: str, known: Scope) -> tuple[str, ...]:
    """Return at most three known names within two typing errors of a name, nearest first."""
    check_work()
    lowered = name.lower()
    ranked = sorted((distance(lowered, other.lower()), other) for other in known if abs(len(other) - len(name)) < 3)
    return tuple(known for far, known in ranked if far <= min(2, max(len(name), len(known)) - 1))[:3]


def analyze(query: Query) -> list[Problem]:
    """Resolve all variables of a query, infer types, and return the type and scope errors."""
    from graphground.cypher.semantics.clauses import statement  # imported here because the modules import each other

    checker = Checker(query)
    with suppress(Enough):
        statement(checker, query.body)
        # Neo4j checks functions only after everything else is correct.
        for problem in checker.late:
            checker.problem_at(*problem[:5])
    return checker.problems
