"""The interface of a source of statements: the calls that a build makes to an endpoint or a dump."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.workspace import Workspace

Progress = Callable[[str, int, int | None], None]
"""Called with the step, the amount done, and the total (None if unknown)."""


class SourceError(ValueError):
    """A source that cannot provide what a definition needs; the message says what, and which source can."""


class Source(Protocol):
    """Writes the data that a plan requests into a workspace. Every call may be repeated after an interruption."""

    @property
    def identity(self) -> str:
        """The value that must be unchanged for a build to be resumed."""

    @property
    def notes(self) -> list[str]:
        """Notes for the user after a build: lines that could not be read, and data that the source does not have."""

    def check(self, plan: Plan) -> None:
        """Raise SourceError if this source cannot provide what the definition needs."""

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the subclasses of the plan's classes."""

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Fetch the candidates of labels that the build has not added itself, and the statements of all candidates."""

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the names of nodes and values."""

    def close(self) -> None:
        """Release connections and files."""


def refuse_sparql(plan: Plan) -> None:
    """Raise if a definition has SPARQL conditions, which a dump cannot evaluate.

    Raises:
        SourceError: there is such a condition.
    """
    for label in plan.labels:
        if plan.node(label).sparql:
            raise SourceError(
                f"nodes.{label}.sparql: a dump cannot evaluate SPARQL; build from an endpoint, or use linked_to and "
                "has_property"
            )
