"""Decides which candidates become nodes: those with the right class and the required links and properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphground.graphs.definitions.model import IDENTICAL, Relationship
from graphground.graphs.wikidata.plan import Plan
from graphground.graphs.wikidata.statements import select_best, select_by_rank
from graphground.graphs.wikidata.values import ITEM, NO_VALUE, Value, item_number, item_number_of_end
from graphground.graphs.wikidata.workspace import Workspace

ITEMS_AT_ONCE = 1000


def ends_of(workspace: Workspace, plan: Plan, relationship: Relationship, item: int) -> Iterator[tuple[int, int]]:
    """Yield the end items of an item's relationships, each with the position of its statement.

    The position counts the statements that the relationship's ranks select. It is -1 for an `identical` relationship,
    which has no statement. An end item that was merged is replaced by the item into which it was merged.
    """
    if relationship.wikidata == IDENTICAL:
        yield item, -1
        return
    items = None if relationship.qualifier else workspace.item_values(item, relationship.wikidata)
    if items is not None:
        for place, end in enumerate(items):
            yield workspace.target(end), place
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
    classes = {
        class_id
        for name in node.classes
        for class_id in (workspace.classes(int(name[1:])) if node.subclasses else {int(name[1:])})
    }

    def values(item: int, name: str) -> list[Value]:
        return [statement.value for statement in select_best(workspace.statements(item, name))]

    def is_member(item: int) -> bool:
        items = workspace.item_values(item, property_of_classes)
        if items is not None:
            return not classes.isdisjoint(items)
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
