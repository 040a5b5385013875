"""Decides which candidates in a workspace become nodes, and writes the graph as SimpleKG, in a fixed order.

Nodes are sorted by label and item number, relationships by pattern, start and end. Nodes have the same ids as in the
graphs that CypherBench published: `Movie#Q25173`. As in CypherBench's code, relationships of a type between the same
nodes are merged if their properties do not contradict each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

from graphground.graphs.definitions.model import IDENTICAL, Relationship
from graphground.graphs.wikidata.conversion import node_property, property_value
from graphground.graphs.wikidata.plan import TEXTS, Plan
from graphground.graphs.wikidata.statements import (
    ITEM,
    NO_VALUE,
    QUANTITY,
    Statement,
    Value,
    item_number,
    item_number_of_end,
    select_best,
    select_by_rank,
)
from graphground.graphs.wikidata.workspace import Workspace, article_address

EXAMPLES = 3


class Discards:
    """The discarded values by place (`Person.date_of_birth`) and reason (`date coarser than a day`)."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], list[str]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, place: str, reason: str, example: str) -> None:
        """Count a discarded value; the first `EXAMPLES` texts for a place and reason are kept as examples."""
        self._counts[place, reason] += 1
        if self._counts[place, reason] <= EXAMPLES:
            self._found.setdefault((place, reason), []).append(example)

    def document(self) -> list[dict[str, Any]]:
        """Return maps with the keys `place`, `reason`, `count` and `examples`, sorted by place and reason."""
        return [
            {"place": place, "reason": reason, "count": self._counts[place, reason], "examples": examples}
            for (place, reason), examples in sorted(self._found.items())
        ]


def described(value: Value) -> str:
    """Return a value as text: `("quantity", "+170", "Q7727")` becomes `quantity +170 Q7727`."""
    return " ".join(str(part) for part in value)


ITEMS_AT_ONCE = 1000
NAMES_KEPT = 1 << 14


class GraphWriting:
    """The entities and relations of the graph in a workspace; `discards` collects the values that do not fit."""

    def __init__(self, plan: Plan, workspace: Workspace) -> None:
        self.plan, self.workspace = plan, workspace
        self.discards = Discards()
        self._name_of: Callable[[str], str | None] = lru_cache(NAMES_KEPT)(self._name)

    def _name(self, identifier: str) -> str | None:
        number = item_number(identifier)
        if number is None:
            return None
        return self.workspace.name_of(self.workspace.target(number))

    def entities(self) -> Iterator[Mapping[str, Any]]:
        """Yield each node that has a name as a SimpleKG entity; nodes without names are discarded."""
        for number, label in enumerate(self.plan.labels):
            for items in self.workspace.batches("nodes", number, ITEMS_AT_ONCE):
                for item in items:
                    entity = self._entity(label, item)
                    if entity is not None:
                        yield entity

    def _entity(self, label: str, item: int) -> Mapping[str, Any] | None:
        names = self.workspace.names(item)
        if names is None or not names.name:
            self.discards.add(label, "a node without a name", f"Q{item}")
            return None
        properties = {}
        for key, property_ in self.plan.node(label).properties.items():
            statements = self.workspace.statements(item, property_.wikidata)
            if not statements and property_.type != "bool":
                continue
            value = node_property(statements, property_, self._name_of, self._discarding(f"{label}.{key}", item))
            if value is not None:
                properties[key] = value
        provenance = [article_address(names.article, self.plan.definition.wikipedia)] if names.article else []
        return {
            "eid": f"{label}#Q{item}",
            "label": label,
            "name": names.name,
            "aliases": list(names.aliases),
            "description": names.description,
            "properties": properties,
            "provenance": provenance,
        }

    def _discarding(self, place: str, item: int) -> Callable[[str, Value], None]:
        return lambda reason, value: self.discards.add(place, reason, f"Q{item}: {described(value)}")

    def relations(self) -> Iterator[Mapping[str, Any]]:
        """Yield each relationship as a SimpleKG relation, except those at nodes without names."""
        rids = count()
        for relationship in self.plan.definition.relationships:
            start, end_label = self.plan.number(relationship.start), self.plan.number(relationship.end)
            for items in self.workspace.batches("nodes", start, ITEMS_AT_ONCE):
                starts = self.workspace.named_nodes(start, items)
                ends = {
                    item: list(ends_of(self.workspace, self.plan, relationship, item))
                    for item in items
                    if item in starts
                }
                written = self.workspace.named_nodes(
                    end_label, {end for ends_of_item in ends.values() for end, _ in ends_of_item}
                )
                for item, ends_of_item in ends.items():
                    written_ends = [(end, place) for end, place in ends_of_item if end in written]
                    for end, properties in self._relationships(relationship, item, written_ends):
                        yield {
                            "rid": str(next(rids)),
                            "label": relationship.type,
                            "subj_id": f"{relationship.start}#Q{item}",
                            "obj_id": f"{relationship.end}#Q{end}",
                            "properties": properties,
                            "provenance": [],
                        }

    def _relationships(
        self, relationship: Relationship, item: int, ends: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the ends of an item's relationships, each with the properties of the relationship.

        Each of `ends` comes with the position of its statement. Relationships with the same end are merged if their
        properties do not contradict each other.
        """
        if not relationship.properties:
            yield from ((end, {}) for end in sorted({end for end, _ in ends}))
            return
        statements = (
            []
            if relationship.wikidata == IDENTICAL
            else select_by_rank(
                self.workspace.statements(item, relationship.wikidata), self.plan.definition.ranks(relationship)
            )
        )
        by_end: dict[int, list[dict[str, Any]]] = {}
        for end, place in ends:
            found = self._properties(relationship, statements[place], item) if place >= 0 else {}
            merge_into(by_end.setdefault(end, []), found)
        for end in sorted(by_end):
            for properties in by_end[end]:
                yield end, properties

    def _properties(self, relationship: Relationship, statement: Statement, item: int) -> dict[str, Any]:
        properties = {}
        for key, property_ in relationship.properties.items():
            values: Sequence[Value] = (
                (statement.value,)
                if property_.wikidata == relationship.wikidata
                else statement.qualifiers.get(property_.wikidata, ())
            )
            value = property_value(
                values, property_, self._name_of, self._discarding(f"{relationship.type}.{key}", item)
            )
            if value is not None:
                properties[key] = value
        return properties


def merge_into(several: list[dict[str, Any]], properties: dict[str, Any]) -> None:
    """Merge a relationship's properties into the first map in `several` that does not contradict them.

    If there is no such map, append the properties. Lists never contradict each other: they are merged, without
    repetition.

    >>> several = [{"start_year": 1999}]
    >>> merge_into(several, {"start_year": 1999, "end_year": 2003}); several
    [{'start_year': 1999, 'end_year': 2003}]
    """
    for known in several:
        if all(
            known[key] == value for key, value in properties.items() if key in known and not isinstance(value, list)
        ):
            for key, value in properties.items():
                known[key] = sorted({*known[key], *value}) if isinstance(value, list) and key in known else value
            return
    several.append(properties)


def values_named(plan: Plan, workspace: Workspace, label: str, items: Sequence[int]) -> set[int]:
    """Return the items that are values or units in the properties of some nodes and their relationships.

    Only properties whose values may be names are considered.
    """
    values: set[Value] = set()
    for property_ in plan.node(label).properties.values():
        for item in items if property_.type in TEXTS else ():
            values.update(statement.value for statement in select_best(workspace.statements(item, property_.wikidata)))
    for relationship in plan.starting(label):
        texts = [property_.wikidata for property_ in relationship.properties.values() if property_.type in TEXTS]
        ranks = plan.definition.ranks(relationship)
        for item in items if texts else ():
            for statement in select_by_rank(workspace.statements(item, relationship.wikidata), ranks):
                for name in texts:
                    values.update(statement.qualifiers.get(name, ()))
    names = (value[1] if value[0] == ITEM else value[2] if value[0] == QUANTITY else "" for value in values)
    return {number for name in names if (number := item_number(name)) is not None}


def ends_of(workspace: Workspace, plan: Plan, relationship: Relationship, item: int) -> Iterator[tuple[int, int]]:
    """Yield the end items of an item's relationships, each with the position of its statement.

    The position counts the statements that the relationship's ranks select. It is -1 for an `identical` relationship,
    which has no statement. An end item that was merged is replaced by the item into which it was merged.
    """
    if relationship.wikidata == IDENTICAL:
        yield item, -1
        return
    statements = select_by_rank(workspace.statements(item, relationship.wikidata), plan.definition.ranks(relationship))
    for place, statement in enumerate(statements):
        values: Sequence[Value] = (
            statement.qualifiers.get(relationship.qualifier, ()) if relationship.qualifier else (statement.value,)
        )
        for value in values:
            number = item_number_of_end(value[1]) if value[0] == ITEM else None
            if number is not None:
                yield workspace.target(number), place


def add_ends(workspace: Workspace, plan: Plan, label: str) -> None:
    """Add to a label's candidates the items at the ends of the relationships that select the label's items."""
    for relationship, is_end in plan.selecting(label):
        if not is_end and relationship.wikidata != IDENTICAL:
            continue
        other_label = plan.number(relationship.start if is_end else relationship.end)
        for items in workspace.batches("nodes", other_label, ITEMS_AT_ONCE):
            found = {end for item in items for end, _ in ends_of(workspace, plan, relationship, item)}
            with workspace.doing():
                workspace.add_candidates(plan.number(label), sorted(found))


def select(workspace: Workspace, plan: Plan, label: str) -> None:
    """Turn the candidates that satisfy a label's conditions into nodes of the label.

    A candidate that was merged is replaced by the item into which it was merged.
    """
    node, number = plan.node(label), plan.number(label)
    property_of_classes = plan.class_property(label)
    classes = plan.classes(label, workspace)

    def values(item: int, name: str) -> list[Value]:
        return [statement.value for statement in select_best(workspace.statements(item, name))]

    def is_member(item: int) -> bool:
        return any(value[0] == ITEM and item_number(value[1]) in classes for value in values(item, property_of_classes))

    def fits(item: int) -> bool:
        if classes and not is_member(item):
            return False
        if any((ITEM, link.item) not in values(item, link.property) for link in node.linked_to):
            return False
        return all(any(value[0] != NO_VALUE for value in values(item, name)) for name in node.has_property)

    for items in workspace.batches("candidates", number, ITEMS_AT_ONCE):
        found = {target for item in items if fits(target := workspace.target(item))}
        with workspace.doing():
            workspace.add_nodes(number, sorted(found))
