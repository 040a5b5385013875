"""The state of the pass: the scope, the findings, and small questions to both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from graphground.cypher.names.nearest import distance
from graphground.cypher.scope import Binding, Problem, Scopes
from graphground.cypher.types import ANY, Type
from graphground.cypher.work import MOST_FINDINGS, check_work

if TYPE_CHECKING:
    from graphground.cypher.tree import Expression, Node, Query, Variable

Scope = dict[str, Binding]
Aggregates = Literal["yes", "no", "inside", "list", "star"]
"""Whether an aggregate may stand somewhere: anywhere, nowhere, not within another, not within a list expression;
`star` is for the few places where Neo4j compiles count(*) but nothing else."""


MOST_SOUGHT = 20
"""How many undefined variables are compared with those that are defined."""


class Enough(Exception):
    """So much is wrong that the rest is not looked at."""


class Checker:
    """What the functions of this package share.

    `scope` maps the names that can be seen to their bindings, `base` those that no WITH can drop (what a subquery
    sees of the outside); `dropped` remembers, for the message, at which WITH a name was lost. `aggregates` says
    whether an aggregating function may stand here, `aggregated` that one was seen, `projected` which expressions
    are columns already and so may be repeated after ORDER BY.
    """

    __slots__ = (
        "aggregated",
        "aggregates",
        "base",
        "bindings",
        "calls",
        "colons",
        "cypher25",
        "dropped",
        "importable",
        "importing",
        "inner",
        "late",
        "lengths",
        "level",
        "modern",
        "open_end",
        "problems",
        "projected",
        "quantified",
        "query",
        "reported",
        "restricted",
        "scope",
        "scopes",
        "types",
    )

    def __init__(self, query: Query) -> None:
        self.query = query
        self.cypher25 = query.language == "cypher25"
        self.scopes = Scopes()
        self.problems = self.scopes.problems
        self.bindings = self.scopes.bindings
        self.types = self.scopes.types
        self.scope: Scope = {}
        self.dropped: dict[str, int] = {}
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
        self.late: list[tuple[str, int, int, str, tuple[str, ...]]] = []

    def problem(self, code: str, node: Node, message: str, suggestions: tuple[str, ...] = ()) -> None:
        """Note what is wrong with a node."""
        self.problem_at(code, node.start, node.end, message, suggestions)

    def problem_at(self, code: str, start: int, end: int, message: str, suggestions: tuple[str, ...] = ()) -> None:
        """Note what is wrong with a span.

        Raises:
            Enough: a text with that many errors is not read any further.
        """
        check_work()
        if len(self.problems) >= MOST_FINDINGS:
            raise Enough
        self.problems.append(Problem(code, start, end, message, suggestions))

    def declare(self, variable: Variable, type_: Type, source: Expression | None = None) -> Binding:
        """A new variable from here on; where the name is taken, that is an error, and the new one counts."""
        if variable.name in self.scope:
            self.problem(
                "variable_redefined",
                variable,
                f"the variable `{variable.name}` already exists here; choose another name",
            )
        return self.shadow(variable, type_, source)

    def shadow(self, variable: Variable, type_: Type, source: Expression | None = None) -> Binding:
        """A new variable that may hide one of the same name."""
        binding = Binding(variable.name, variable, type_)
        binding.source = source
        binding.level = self.level
        self.scope[variable.name] = binding
        self.bindings[variable] = binding
        return binding

    def use(self, variable: Variable) -> Type:
        """A variable where it is read; its type."""
        binding = self.scope.get(variable.name)
        if binding is None:
            self.undefined(variable)
            return ANY
        self.bindings[variable] = binding
        return binding.type

    def undefined(self, variable: Variable) -> None:
        """Report a variable that does not exist, once a name."""
        name = variable.name
        if name in self.reported:
            return
        self.reported.add(name)
        place = self.dropped.get(name)
        message = f"the variable `{name}` is not defined"
        if place is not None:
            line, column = self.query.position(place)
            message += (
                f" here: the WITH or RETURN at line {line}, column {column} does not pass it on; add `{name}` there"
            )
        elif self.restricted is not None and name in self.restricted:
            message += (
                " any more: after DISTINCT or an aggregation only the returned columns exist; return what you sort by"
            )
        elif self.scope:
            message += f" here; the defined variables are {', '.join(f'`{one}`' for one in list(self.scope)[:8])}"
        similar = near(name, self.scope) if len(self.reported) <= MOST_SOUGHT else ()
        self.problem("undefined_variable", variable, message, similar)

    def expect(self, node: Expression, type_: Type, wanted: Type, words: str = "") -> bool:
        """Complain unless the value may be what is wanted."""
        if type_.mask == ANY.mask or type_.may_be(wanted):
            return True
        self.problem("type_mismatch", node, f"expected {words or wanted} here, but this is {type_}")
        return False


def near(name: str, known: Scope) -> tuple[str, ...]:
    """Names within two typing errors, nearest first."""
    check_work()
    lowered = name.lower()
    ranked = sorted((distance(lowered, one.lower()), one) for one in known if abs(len(one) - len(name)) < 3)
    return tuple(one for far, one in ranked if far <= min(2, max(len(name), len(one)) - 1))[:3]


def analyze(query: Query) -> Scopes:
    """Resolve all variables of a query, infer types, and find what is wrong with them."""
    from graphground.cypher.semantics.clauses import statement  # the circle of modules closes here

    checker = Checker(query)
    try:
        statement(checker, query.body)
        # Neo4j looks functions up after all else was found right.
        for code, start, end, message, suggestions in checker.late:
            checker.problem_at(code, start, end, message, suggestions)
    except Enough:
        pass
    return checker.scopes
