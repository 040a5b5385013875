"""Runs small queries about parts of a query, all within one time limit."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic, Edit, Severity
from graphground.cypher.quoting import quoted_string
from graphground.cypher.text_values import find_placeholders
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph


class OutOfTime(Exception):
    """The time limit is used up; the explanation ends with the findings so far."""


class QueryNeeded(Exception):
    """A query would be sent, but `Probe.may_query` is False."""


class Probe:
    """A series of small queries: `Probe(graph, query, {}, seconds=2.0).matches("", "(m:Movie {name: 'Heat'})")`."""

    def __init__(self, graph: Graph, query: t.Query, parameters: Mapping[str, Any], seconds: float) -> None:
        self.graph, self.query, self.parameters = graph, query, parameters
        self._deadline = time.monotonic() + seconds
        self._known: dict[str, bool] = {}
        self.may_query = True

    def matches(self, before: str, pattern: str, conditions: Sequence[str] = ()) -> bool:
        """Whether the pattern has a match that satisfies the conditions, after the clauses `before`."""
        return self.has_rows(f"{before} MATCH {pattern}{all_hold(conditions)}")

    def has_rows(self, clauses: str) -> bool:
        """Whether any row is left after these clauses; True if the database refuses the query."""
        if clauses not in self._known:
            self._known[clauses] = bool(self.rows(f"{clauses} RETURN 1 AS one LIMIT 1", 1, otherwise=[[1]]))
        return self._known[clauses]

    def rows(self, text: str, limit: int, otherwise: list[list[Any]] | None = None) -> list[list[Any]]:
        """Return the rows of a query, or `otherwise` if the database refuses the query.

        Raises:
            OutOfTime: the time limit is used up.
            QueryNeeded: queries may not be sent.
        """
        if not self.may_query:
            raise QueryNeeded
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime
        try:
            return self.graph.run(text.strip(), self.parameters, limit=limit, timeout=left).rows
        except EngineError:
            if time.monotonic() >= self._deadline:
                raise OutOfTime from None
            return otherwise or []

    def give_up(self) -> None:
        """Send no further queries; a running query may finish."""
        self._deadline = 0.0

    def source(self, node: t.Node) -> str:
        """Return the text of a part of the query."""
        return self.query.source(node)

    def value(self, node: t.Node) -> Any:
        """Return the value of a literal or parameter, or the text in `date('…')` or `datetime('…')`; otherwise None."""
        match node:
            case t.StringLiteral() | t.IntegerLiteral() | t.FloatLiteral() | t.BooleanLiteral():
                return node.value
            case t.Parameter():
                return self.parameters.get(node.name)
            case t.FunctionCall(key="date" | "datetime", arguments=[t.StringLiteral() as text]):
                return text.value
        return None

    def placeholders(self, key: str, counts: Sequence[Sequence[Any]]) -> dict[str, int]:
        """Return the texts among values that stand for a missing value of a property, each with its count.

        The graph's statistics tell them, or else `counts`, the values with their counts, the most frequent first.
        """
        facts = self.graph.statistics()
        found = [facts.property(owner, key) for owner in (*facts.labels, *facts.types)] if facts is not None else []
        known = [values for values in found if values is not None]
        texts = {text for values in known for text, _ in values.placeholders}
        if not known:
            texts = set(find_placeholders([(value, times) for value, times in counts]))
        return {value: times for value, times in counts if value in texts}

    def diagnostic(
        self,
        code: str,
        node: t.Node,
        message: str,
        suggestions: Sequence[str] = (),
        severity: Severity = "warning",
        clear: bool = False,
    ) -> Diagnostic:
        """Return a diagnostic at a part of the query; if `clear`, its first suggestion is also an edit."""
        start, end = self.query.position(node.start), self.query.position(node.end)
        edits = [Edit(node.start, node.end, suggestions[0])] if clear and suggestions else []
        return Diagnostic(code, severity, message, *start, *end, self.source(node), tuple(suggestions), edits)


def all_hold(conditions: Iterable[str]) -> str:
    """Return the WHERE with which all conditions hold: ` WHERE (n.x > 1) AND (n.y)`; empty without conditions."""
    joined = " AND ".join(f"({condition})" for condition in conditions)
    return f" WHERE {joined}" if joined else ""


def quoted(value: Any) -> str:
    r"""Return a value as a Cypher literal: `'Ballon d\'Or'`, `3`, `true`."""
    if isinstance(value, str):
        return quoted_string(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def without_not(condition: t.Expression) -> tuple[t.Expression, bool]:
    """Return a condition without the NOTs before it, and whether it is negated; `<>` counts as one more NOT."""
    negated = False
    while isinstance(condition, t.Unary) and condition.operator == "NOT":
        condition, negated = condition.operand, not negated
    return condition, negated != (isinstance(condition, t.Binary) and condition.operator == "<>")
