"""The data that a definition needs (labels in order, their properties, qualifiers), and the sources that provide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from graphground.graphs.definitions.read import IDENTICAL, Definition, Node, Relationship
from graphground.graphs.wikidata.statements import Wanted, item_number
from graphground.graphs.wikidata.workspace import Workspace

INSTANCE_OF, SUBCLASS_OF = "P31", "P279"
TEXTS = ("str", "list[str]")
"""The types of properties whose values may be names of items."""


@dataclass(frozen=True)
class Plan:
    """The data that a definition needs: `Plan(read_definition("movie")).labels` is `["Movie", "Person", …]`."""

    definition: Definition

    @cached_property
    def labels(self) -> list[str]:
        """All labels; a label's position is its number in a workspace."""
        return list(self.definition.nodes)

    def number(self, label: str) -> int:
        """Return a label's number in a workspace."""
        return self.labels.index(label)

    def node(self, label: str) -> Node:
        """Return a label's definition."""
        return self.definition.nodes[label]

    def class_property(self, label: str) -> str:
        """Return the property that leads to classes: `P31`, or `P279` if the subclasses themselves are the nodes."""
        return INSTANCE_OF if self.node(label).members == "instances" else SUBCLASS_OF

    @cached_property
    def roots(self) -> list[int]:
        """The classes whose subclasses are needed, as item numbers."""
        return sorted(
            {_number(name) for label in self.labels for name in self.node(label).classes if self.node(label).subclasses}
        )

    def classes(self, label: str, workspace: Workspace) -> set[int]:
        """Return the classes whose members may be nodes of a label, with their stored subclasses, as item numbers."""
        node, named = self.node(label), map(_number, self.node(label).classes)
        return set().union(*map(workspace.classes, named)) if node.subclasses else set(named)

    def starting(self, label: str) -> list[Relationship]:
        """Return the relationships that start at a label and are read from statements."""
        return [
            relationship
            for relationship in self.definition.relationships
            if relationship.start == label and relationship.wikidata != IDENTICAL
        ]

    @cached_property
    def qualifiers(self) -> Wanted:
        """The qualifiers to read for the statements of each property, for all labels together."""
        found: dict[str, set[str]] = {}
        for node in self.definition.nodes.values():
            for value in node.properties.values():
                found.setdefault(value.wikidata, set()).update(link.property for link in value.qualifiers)
        for relationship in self.definition.relationships:
            names = found.setdefault(relationship.wikidata, set())
            names.update([relationship.qualifier] if relationship.qualifier else [])
            names.update(
                value.wikidata for value in relationship.properties.values() if value.wikidata != relationship.wikidata
            )
        return {name: frozenset(names) for name, names in found.items()}

    @cached_property
    def in_full(self) -> frozenset[str]:
        """The properties and qualifiers whose values are converted, so that their units and precisions are needed."""
        parts = [node.properties for node in self.definition.nodes.values()]
        parts += [relationship.properties for relationship in self.definition.relationships]
        return frozenset(value.wikidata for properties in parts for value in properties.values())

    @cached_property
    def as_statements(self) -> frozenset[str]:
        """The Wikidata properties whose statements are needed: for qualifiers, or for ranks other than the best."""
        every_rank = {
            relationship.wikidata
            for relationship in self.definition.relationships
            if self.definition.ranks(relationship) != "best"
        }
        return frozenset(every_rank) | {name for name, qualifiers in self.qualifiers.items() if qualifiers}

    @cached_property
    def beyond_values(self) -> frozenset[str]:
        """The Wikidata properties that need more than the best values: other ranks, qualifiers, units or precisions."""
        return frozenset(name for name in self.wanted_of(self.labels) if name in self.in_full | self.as_statements)

    def wanted(self, label: str, *, are_selected: bool = False) -> Wanted:
        """Return the properties to read for a label's items, each with its qualifiers.

        With `are_selected`, the items are known to satisfy the label's conditions, and properties that only these
        conditions need are left out.
        """
        node = self.node(label)
        names = {value.wikidata for value in node.properties.values()}
        names |= {relationship.wikidata for relationship in self.starting(label)}
        if not are_selected:
            names |= {link.property for link in node.linked_to} | set(node.has_property)
            names |= {self.class_property(label)} if node.classes else set()
        return {name: self.qualifiers.get(name, frozenset()) for name in sorted(names)}

    def wanted_of(self, labels: Sequence[str]) -> Wanted:
        """Return the properties to read for items that may belong to any of the labels, each with its qualifiers."""
        return {name: qualifiers for label in labels for name, qualifiers in self.wanted(label).items()}


def _number(name: str) -> int:
    number = item_number(name)
    assert number is not None, "a definition's classes are checked when it is read"
    return number


Progress = Callable[[str, int, int | None], None]
"""A function that is called with the step, the amount done so far, and the total amount (None if unknown)."""


def report_nothing(step: str, done: int, total: int | None) -> None:
    """Do nothing, as the progress of a build that nobody watches."""


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
        return []

    @property
    def broken(self) -> int:
        """The number of lines that could not be read, so that the graph may be incomplete; 0 for an endpoint."""
        return 0

    def check(self, plan: Plan) -> None:
        """Raise an error if this source cannot be used, or cannot provide what the definition needs."""

    def selects(self, plan: Plan, label: str) -> bool:
        """Whether the candidates for a label satisfy its conditions: a query for members of classes checks all."""
        return not plan.node(label).from_relationships

    def subclasses(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the subclasses of the plan's classes."""

    def items(self, plan: Plan, labels: Sequence[str], workspace: Workspace) -> None:
        """Fetch candidates for the labels, and the statements of all candidates of these labels.

        The items at the ends of relationships that select a label's items are candidates already.
        """

    def names(self, plan: Plan, workspace: Workspace) -> None:
        """Fetch the names of nodes and values."""

    def close(self) -> None:
        """Release connections and files, if there are any."""
        return
