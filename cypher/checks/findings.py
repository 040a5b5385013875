"""The findings of the checks: diagnostics, with edits if the fix is clear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partialmethod
from itertools import count
from typing import Literal

from graphground.cypher.diagnostics import Diagnostic, Edit, Severity, all_of
from graphground.cypher.safety.time_limit import MOST_FINDINGS, check_work
from graphground.cypher.tree import MapLiteral, Node, NodePattern, Query, RelationshipPattern, Variable


class Enough(Exception):
    """The signal that stops the checks of a query with too many errors."""


@dataclass
class Findings:
    """The diagnostics of a query, in the order of the checks."""

    query: Query
    diagnostics: list[Diagnostic] = field(default_factory=list)
    errors: int = 0

    def add(
        self,
        severity: Severity,
        code: str,
        message: str,
        node: Node,
        suggestions: Sequence[str] = (),
        *,
        fix: str | None = None,
        to: Node | None = None,
        clear: bool = False,
        edits: Sequence[Edit] = (),
        choices: Sequence[Sequence[Edit]] = (),
    ) -> None:
        """Add a finding at a node, or from it to the end of another.

        If `clear`, the first suggestion becomes an edit; `fix`, unless it is empty, is the only suggestion, and clear.
        Of `choices`, one is meant, but only the data show which.
        Warnings and hints past `MOST_FINDINGS` are left out.

        Raises:
            Enough: there are more than `MOST_FINDINGS` errors.
        """
        check_work()
        if severity == "error":
            self.errors += 1
            if self.errors > MOST_FINDINGS:
                raise Enough
        elif len(self.diagnostics) - self.errors >= MOST_FINDINGS:
            return
        if fix:
            suggestions, clear = [fix], True
        start, end = node.start, (to or node).end
        edits = edits or ([Edit(start, end, suggestions[0])] if clear and suggestions else ())
        place, found = (*self.query.position(start), *self.query.position(end)), self.query.text[start:end]
        self.diagnostics.append(Diagnostic(code, severity, message, *place, found, tuple(suggestions), edits, choices))

    error = partialmethod(add, "error")
    warning = partialmethod(add, "warning")
    hint = partialmethod(add, "hint")

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)


def free_name(kind: Literal["node", "relationship"], query: Query, wished: str = "") -> str:
    """Return a variable that the query does not use: the wished one, or `n`, `n1` and so on for a node, else `r`."""
    taken = {variable.name for variable in query.find(Variable)}
    if wished.isidentifier() and wished not in taken:
        return wished
    letter = "n" if kind == "node" else "r"
    return next(name for name in (f"{letter}{number or ''}" for number in count()) if name not in taken)


def without_entry(query: Query, entry: Node) -> tuple[NodePattern | RelationshipPattern, str] | None:
    """Return the part of a pattern whose map has an entry, and its map without it, with a space behind it or empty.

    For `name: 'x'` of `(n:Film {name: 'x', year: 1999})` the text is `{year: 1999} `; None if no map has the entry.
    """
    nodes: list[NodePattern | RelationshipPattern] = [*query.find(NodePattern), *query.find(RelationshipPattern)]
    for node in nodes:
        entries = node.properties.entries if isinstance(node.properties, MapLiteral) else []
        if any(other is entry for other in entries):
            others = ", ".join(query.source(other) for other in entries if other is not entry)
            return node, f"{{{others}}} " if others else ""
    return None


def entry_as_condition(query: Query, entry: Node, condition: str) -> list[Edit]:
    """Return the edit that takes an entry out of the map of a node or relationship and adds a condition there.

    No edit is returned if the node or relationship has no variable, or already a WHERE.
    """
    found = without_entry(query, entry)
    if found is None or found[0].properties is None or found[0].variable is None or found[0].where:
        return []
    return [Edit(found[0].properties.start, found[0].properties.end, f"{found[1]}WHERE {condition}")]


def relationship_clause(types: Sequence[str], singular: str, plural: str, *, untyped: str = "This relationship") -> str:
    """Return the beginning of a sentence about relationship types, with the verb for one type or for several.

    `relationship_clause(["playsFor", "coaches"], "has", "have")` is `The relationships playsFor and coaches have`;
    the subject is `untyped` if the query gives no type.
    """
    subject = untyped if not types else f"The relationship{'' if len(types) == 1 else 's'} {all_of(types)}"
    return f"{subject} {plural if len(types) > 1 else singular}"
