"""The interface of sources of Wikidata statements: endpoints and dumps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.workspace import Workspace

Progress = Callable[[str, int, int | None], None]
"""A function that is called with the step, the amount done so far, and the total amount (None if unknown)."""


class SourceError(ValueError):
    """A source without data that a definition needs; the message names the missing data and a source that has it."""


class Source(Protocol):
    """A source that writes the data that a plan needs into a workspace.

    Every call may be repeated after an interruption.
    """

    @property
    def identity(self) -> str:
        """A description of the source; a build is resumed only if this description is unchanged."""

    @property
    def notes(self) -> list[str]:
        """Notes for the user after a build: lines that could not be read, and data that the source does not have."""

    @property
    def broken(self) -> int:
        """The number of lines that could not be read, so that the graph may be incomplete; 0 for an endpoint."""

    def check(self, plan: Plan) -> None:
        """Raise an error if this source cannot be used, or cannot provide what the definition needs."""

    def selects(self, plan: Plan, label: str) -> bool:
        """Whether the candidates that this source adds for a label satisfy all of the label's conditions."""

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the subclasses of the plan's classes."""

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Fetch candidates for the labels, and the statements of all candidates of these labels.

        The items at the ends of relationships that select a label's items are candidates already.
        """

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the names of nodes and values."""

    def close(self) -> None:
        """Release connections and files."""


def refuse_sparql(plan: Plan) -> None:
    """Raise an error if a definition has SPARQL conditions, which a dump cannot evaluate.

    Raises:
        SourceError: a label has such a condition.
    """
    for label in plan.labels:
        if plan.node(label).sparql:
            raise SourceError(
                f"nodes.{label}.sparql: a dump cannot evaluate SPARQL; build from an endpoint, or use linked_to and "
                "has_property"
            )
