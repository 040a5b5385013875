"""Checks the consistency of a whole definition.

For example, labels must exist, units must be known, and no label's items may be selected through the label itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from graphground.cypher.schema import RESERVED_PROPERTIES
from graphground.graphs.definitions.model import IDENTICAL, Definition, Property, Relationship
from graphground.graphs.definitions.units import find_unit, units

Place = tuple[str | int, ...]
PATTERN = re.compile(r"\(:(\w+)\)-\[:(\w+)\]->\(:(\w+)\)")


def inconsistencies(definition: Definition) -> Iterator[tuple[Place, str]]:
    """Yield the place (the path of keys) and the message of each problem; yield nothing if there is no problem."""
    yield from _relationships(definition)
    yield from _nodes(definition)
    yield from _types(definition)
    try:
        levels(definition)
    except CycleError as error:
        circle = " needs ".join(reversed(error.args[1]))
        yield (
            ("nodes", error.args[1][0], "from_relationships"),
            (f"depends on itself: {circle}; give one of these labels a class, without from_relationships"),
        )
    except LookupError:
        pass  # `_relationships` and `_nodes` have reported this problem


def selecting(definition: Definition, label: str) -> list[tuple[Relationship, bool]]:
    """Return the relationships through which a label's items are selected (`from_relationships`).

    Each relationship comes with True if it ends at the label, False if it starts there.

        selecting(movies, "Person")  →  [((:Movie)-[:directedBy]->(:Person), True)]

    Raises:
        LookupError: `from_relationships` names a relationship that does not exist, is ambiguous, or does not connect
            the label with another label.
    """
    found = []
    for name in definition.nodes[label].from_relationships:
        relationship = _named(definition, name, label)
        found.append((relationship, relationship.end == label))
    return found


def levels(definition: Definition) -> list[list[str]]:
    """Return the labels in levels: the items of a label are selected through labels of earlier levels only.

    Raises:
        CycleError: the items of a label are selected through other labels that are selected through this label.
        LookupError: `from_relationships` names a relationship that `selecting` refuses, or that has an unknown label.
    """
    needs = {
        label: {
            relationship.start if is_end else relationship.end for relationship, is_end in selecting(definition, label)
        }
        for label in definition.nodes
    }
    if unknown := {other for others in needs.values() for other in others} - definition.nodes.keys():
        raise LookupError(f"there is no node label {min(unknown)!r}")
    sorter = TopologicalSorter(needs)
    sorter.prepare()
    order = list(definition.nodes)
    result = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=order.index)
        result.append(ready)
        sorter.done(*ready)
    return result


def _named(definition: Definition, name: str, label: str) -> Relationship:
    types = list(dict.fromkeys(relationship.type for relationship in definition.relationships))
    if pattern := PATTERN.fullmatch(name.replace(" ", "")):
        start, type_, end = pattern.groups()
        candidates = [
            relationship
            for relationship in definition.relationships
            if (relationship.start, relationship.type, relationship.end) == (start, type_, end)
        ]
        if not candidates:
            raise LookupError(f"there is no relationship {name}")
    else:
        candidates = [relationship for relationship in definition.relationships if relationship.type == name]
        if not candidates:
            raise LookupError(f"there is no relationship type {name!r}{_near(name, types)}")
    candidates = [relationship for relationship in candidates if label in (relationship.start, relationship.end)]
    if not candidates:
        raise LookupError(f"{label!r} is at neither end of {name!r}")
    if len(candidates) > 1:
        raise LookupError(f"{name!r} is ambiguous: name the pattern, as in {str(candidates[0])!r}")
    if candidates[0].start == candidates[0].end:
        raise LookupError(f"{name!r} connects {label!r} to itself, so it cannot select the items of {label!r}")
    return candidates[0]


def _relationships(definition: Definition) -> Iterator[tuple[Place, str]]:
    seen: dict[str, int] = {}
    for number, relationship in enumerate(definition.relationships):
        place: Place = ("relationships", number)
        for end in ("start", "end"):
            label = getattr(relationship, end)
            if label not in definition.nodes:
                yield (*place, end), f"there is no node label {label!r}{_near(label, definition.nodes)}"
        if str(relationship) in seen:
            yield place, f"{relationship} appears twice (also relationships[{seen[str(relationship)]}])"
        seen.setdefault(str(relationship), number)
        if relationship.wikidata == IDENTICAL and (relationship.properties or relationship.qualifier):
            yield (
                place,
                f'a relationship with wikidata = "{IDENTICAL}" has no statement, so it can have no properties and no '
                "qualifier",
            )
        for key, value in relationship.properties.items():
            yield from _property((*place, "properties", key), value)
            if value.qualifiers or value.item:
                yield (*place, "properties", key), "'qualifiers' and 'item' are allowed only for properties of nodes"


def _nodes(definition: Definition) -> Iterator[tuple[Place, str]]:
    for label, node in definition.nodes.items():
        place: Place = ("nodes", label)
        if not node.classes and not node.from_relationships:
            yield place, "needs 'wikidata' (a class) or 'from_relationships', which select the items"
        if "Q5" in node.classes and node.subclasses and node.members == "instances":
            yield place, "people are instances of Q5 itself: set subclasses = false"
        if (
            not node.from_relationships
            and "Q5" in node.classes
            and not (node.linked_to or node.has_property or node.sparql)
        ):
            yield place, "selects all people in Wikidata: add linked_to, has_property, sparql or from_relationships"
        if node.sparql and "?item" not in node.sparql:
            yield (*place, "sparql"), "must use ?item"
        if node.sparql and node.from_relationships:
            yield (*place, "sparql"), "is allowed with a class, not with from_relationships"
        for number, name in enumerate(node.from_relationships):
            try:
                relationship = _named(definition, name, label)
            except LookupError as error:
                yield (*place, "from_relationships", number), error.args[0]
                continue
            if relationship.wikidata != IDENTICAL and relationship.qualifier and relationship.start == label:
                yield (*place, "from_relationships", number), "cannot select the start of a qualified relationship"
        for key, value in node.properties.items():
            if key in RESERVED_PROPERTIES:
                yield (*place, "properties", key), "every node has this property already"
            yield from _property((*place, "properties", key), value)


def _property(place: Place, value: Property) -> Iterator[tuple[Place, str]]:
    if value.unit is not None and find_unit(value.unit) is None:
        yield (*place, "unit"), f"the unit {value.unit!r} is not known{_near(value.unit, [u.name for u in units()])}"
    if value.unit is not None and value.type not in ("float", "int", "list[float]", "list[int]"):
        yield (*place, "unit"), f"is allowed with float, int or a list of these, not with {value.type}"
    if (value.type == "bool") != (value.item is not None):
        yield (
            place,
            "type bool and 'item' go together: the value is true if the item is among the Wikidata property's values",
        )


def _types(definition: Definition) -> Iterator[tuple[Place, str]]:
    used = list(dict.fromkeys(relationship.type for relationship in definition.relationships))
    for name, type_ in definition.types.items():
        if name not in used:
            yield ("types", name), f"there is no relationship of this type{_near(name, used)}"
        for implied in type_.implies:
            if implied not in used:
                yield ("types", name, "implies"), f"there is no relationship type {implied!r}{_near(implied, used)}"


def _near(name: str, known: Iterable[str]) -> str:
    found = nearest(name, known)
    return f" (nearest: {found})" if found else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar: `nearest("flaot", ["float", "int"])` is `"float"`.

    Return None if no known name is similar.
    """
    from rapidfuzz import process  # needed only for errors; loading it takes longer than checking a definition

    found = process.extractOne(name, list(known), score_cutoff=60)
    return found[0] if found else None
