"""Where statements come from: the calls that a build makes of an endpoint or a dump."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.workspace import Workspace

Progress = Callable[[str, int, int | None], None]
"""Takes the step, how much of it is done, and how much there is (None where that is unknown)."""


class SourceError(ValueError):
    """A source that cannot give what a definition asks for; the message says what, and which source can."""


class Source(Protocol):
    """Puts into a workspace what a plan asks for. Every call may be repeated after an interruption."""

    @property
    def identity(self) -> str:
        """What must be the same for a build to go on."""

    def check(self, plan: Plan) -> None:
        """Raise SourceError where this source cannot serve the definition."""

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """The subclasses of the plan's classes."""

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """The candidates of labels that the build has not put there itself, and the statements of all of them."""

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """The names of nodes and values."""

    def close(self) -> None:
        """Release connections and files."""
