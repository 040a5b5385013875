"""Finds the node or relationship that has a property which a query reads elsewhere, and the edits that read it there.

MATCH (p:Party {plea: 'guilty'})-[:CHARGED_UNDER]->(v) RETURN v.section      the relationship has `plea`
MATCH (p:Party)-[:CHARGED_UNDER {plea: 'guilty'}]->(v) RETURN v.section

MATCH (a:Aircraft) RETURN a.maker                                            a node beside it has `maker`
MATCH (a:Aircraft), (a)-[:OF_TYPE]->(type:Type) RETURN type.maker
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import free_name, without_entry
from graphground.cypher.diagnostics import Edit
from graphground.cypher.names.words import root, split_name
from graphground.cypher.outline.model import Comparison, Data, Facts, PropertyUse, SchemaIndex, Symbol, narrowed
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import RelationshipPattern

Element = t.NodePattern | t.RelationshipPattern


def read_elsewhere(facts: Facts, use: PropertyUse, keys: Mapping[str, str], data: Data | None) -> list[list[Edit]]:
    """Return the edits for each place that may have a property that is not where a query reads it.

    The places are the relationship or the neighbours in the query; if none of them has the property, other nodes of the
    query, and then nodes at the end of a further relationship. A column is read there only if the data have no more
    such relationships than nodes: rarely has a node two, which would multiply its rows. If that rules out one of
    several such places, none is returned. `keys` are the names of the property, by label.
    """
    symbol, index = use.symbol, facts.index
    elements: list[tuple[str, Element]] = []
    for link in symbol.links if symbol.link is None else [symbol.link]:
        known = index.patterns(link.types) if link.types else ()
        if symbol.link is None and link.length == (1, 1) and any(use.key in pattern.properties for pattern in known):
            elements.append((use.key, link.pattern))
        for end, node in ((link.left, link.left_node), (link.right, link.right_node)):
            key = next((keys[label] for label in index.labels_of(end.kinds) if label in keys), "")
            if end is not symbol and key and index.property_types(end.kinds, key):
                elements.append((key, node))
    if elements or symbol.link is not None:
        return [edits for key, element in elements if (edits := _read_at(facts, use, key, element))]
    if (named := named_elsewhere(facts, use, keys)) and not use.in_map:
        return [[Edit(use.node.start, use.node.end, f"{name}.{quoted_name(key)}")] for name, key in named.items()]
    steps: dict[tuple[str, bool], tuple[str, RelationshipPattern]] = {}
    # Labels of the same nodes give the same step; the most general of them keeps all nodes.
    for label in sorted(keys, key=lambda label: index.label_masks[label].bit_count()):
        for pattern, forward in connecting(index, symbol.kinds, index.label_masks[label]):
            steps[pattern.type, forward] = label, pattern
    found = []
    for (type_, forward), (label, pattern) in steps.items():
        own = data.nodes(pattern.start if forward else pattern.end) if data is not None else None
        links = data.relationships(type_, pattern.start, pattern.end) if data is not None else None
        if use.in_map or (own is not None and links is not None and links <= own):
            found.append(_read_beside(facts, use, keys[label], written_relationship("", type_, forward), label))
    return [edits for edits in found if edits] if len(found) == len(steps) else []


def named_elsewhere(facts: Facts, use: PropertyUse, keys: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the query's other nodes that have a property, each with the property's name there.

    `keys` are the names of the property, by label.
    """
    return {
        other.name: keys[label]
        for other in facts.symbols
        if other.kind == "node" and other.name and other.name != use.symbol.name and other.parent is None
        for label in facts.index.labels_of(other.kinds)
        if label in keys and facts.index.property_types(other.kinds, keys[label])
    }


def as_label(facts: Facts, use: PropertyUse) -> list[Edit]:
    """Return the edits that write a property's value as a label: `(c:Case {type: 'criminal'})` as `(c:CriminalCase)`.

    There are none unless the words of one label, of some of these nodes, are those of the value and the written label.
    """
    index, query, found = facts.index, facts.query, set[str]()
    comparison = next((item for item in facts.comparisons if item.left is use and item.operator == "="), None)
    if comparison is None or comparison.negated or not isinstance(comparison.right_node, t.StringLiteral):
        return []
    written = [label.name for label in facts.labels if label.symbol is use.symbol]
    said = {*map(root, split_name(comparison.right_node.value))}
    general = {root(word) for name in written for word in split_name(name.name.text)}
    for label in index.labels_of(use.symbol.kinds):
        words = {*map(root, split_name(label))}
        found |= {label} if said and words - general == said and use.symbol.kinds & ~index.label_masks[label] else set()
    if len(found) != 1:
        return []
    label = quoted_name(found.pop())
    if not use.in_map:
        node = comparison.node
        return [Edit(node.start, node.end, f"{use.symbol.name}:{label}")] if isinstance(node, t.Binary) else []
    pattern = len(written) == 1 and query.text[written[0].start] not in "'\""  # and not in labels(c)
    taken = _take_out(query, comparison.node) if pattern else []
    return [Edit(written[0].end, written[0].end, f":{label}"), *taken] if taken else []


def _entry(facts: Facts, use: PropertyUse, key: str) -> tuple[Comparison, str]:
    """Return the comparison that is an entry of a map, and its text under another key."""
    comparison = next(comparison for comparison in facts.comparisons if comparison.left is use)
    return comparison, f"{quoted_name(key)}: {facts.query.source(comparison.right_node)}"


def _read_at(facts: Facts, use: PropertyUse, key: str, element: Element) -> list[Edit]:
    query = facts.query
    if use.in_map:
        comparison, entry = _entry(facts, use, key)
        put = add_entry(query, element, entry)
        return [*_take_out(query, comparison.node), *put] if put else []
    named = name_element(query, element)
    return [*named[1], Edit(use.node.start, use.node.end, f"{named[0]}.{quoted_name(key)}")] if named else []


def _read_beside(facts: Facts, use: PropertyUse, key: str, step: str, label: str) -> list[Edit]:
    if use.in_map:
        comparison, entry = _entry(facts, use, key)
        return compare_beside(facts, comparison, use, f"{step}(:{quoted_name(label)} {{{entry}}})")
    name = free_name("node", facts.query, label[:1].lower() + label[1:])
    added = _beside(facts, use.symbol, f"{step}({name}:{quoted_name(label)})")
    return [*added, Edit(use.node.start, use.node.end, f"{name}.{quoted_name(key)}")] if added else []


def compare_beside(facts: Facts, comparison: Comparison, use: PropertyUse, step: str) -> list[Edit]:
    """Return the edits that compare the end of a relationship in place of a property that does not exist.

    `(v:Vessel {flag: 'Malta'})` becomes `(v:Vessel), (v)-[:FLIES_FLAG_OF]->(:Country {country_name: 'Malta'})`; `step`
    is the text after `(v)`.
    """
    node = comparison.node
    if comparison.operator != "=" or comparison.negated or facts.index.property_types(use.symbol.kinds, use.key):
        return []
    if not use.in_map:
        named = use.symbol.name is not None and isinstance(node, t.Binary)
        return [Edit(node.start, node.end, f"({use.symbol.name}){step}")] if named else []
    added = _beside(facts, use.symbol, step)
    return [*_take_out(facts.query, node), *added] if added else []


def _beside(facts: Facts, symbol: Symbol, step: str) -> list[Edit]:
    """Return the edits that add a path from a node to its MATCH, `, (a)-[:OF_TYPE]->(:Type)`, unless it is optional."""
    query = facts.query
    clause = next((match.clause for match in facts.matches if any(symbol in part for part in match.parts)), None)
    ends = [end for link in symbol.links for end in ((link.left, link.left_node), (link.right, link.right_node))]
    nodes = [node for end, node in ends if end is symbol]
    if not nodes and clause is not None:
        nodes = [node for node in clause.find(t.NodePattern) if (node.variable and node.variable.name) == symbol.name]
    named = name_element(query, nodes[0]) if nodes else None
    if clause is None or clause.optional or named is None:
        return []
    end = clause.patterns[-1].end
    # A replacement of the last letter, not an insertion: equal replacements count once.
    return [*named[1], Edit(end - 1, end, f"{query.text[end - 1]}, ({named[0]}){step}")]


def name_element(query: t.Query, element: Element) -> tuple[str, list[Edit]] | None:
    """Return the variable of a part of a pattern, and the edits that name it, if it has none; None if it cannot be."""
    if element.variable is not None:
        return element.variable.name, []
    name = free_name("node" if isinstance(element, t.NodePattern) else "relationship", query)
    if isinstance(element, t.NodePattern):
        return name, [Edit(element.start, element.start + 1, f"({name}")]
    if element.types is None:
        return None
    opening = query.text[element.start : element.types.start]  # replaced as a whole: equal replacements count once
    return name, [Edit(element.start, element.types.start, opening.replace("[", f"[{name}", 1))]


def _take_out(query: t.Query, entry: t.Node) -> list[Edit]:
    holder = without_entry(query, entry)
    if holder is None or holder[0].properties is None:
        return []
    place, rest = holder[0].properties, holder[1].rstrip()
    return [Edit(place.start if rest else len(query.text[: place.start].rstrip()), place.end, rest)]


def add_entry(query: t.Query, element: Element, entry: str) -> list[Edit]:
    """Return the edits that add an entry to the map of a node or relationship; none if it has another kind of map."""
    if isinstance(element.properties, t.MapLiteral) and element.properties.entries:
        end = element.properties.end
        return [Edit(end - 1, end, f", {entry}}}")]
    end = query.text.rfind(")" if isinstance(element, t.NodePattern) else "]", element.start, element.end)
    if element.properties is not None or element.where is not None or end < 0:
        return []
    space = "" if query.text[end - 1] in "( " else " "
    return [Edit(end, end + 1, f"{space}{{{entry}}}{query.text[end]}")]


def written_relationship(variable: str, type_: str, forward: bool) -> str:
    """Return a relationship of a pattern: `-[r:hasCEO]->`, or `<-[r:hasCEO]-` if not `forward`."""
    inner = f"-[{variable}:{quoted_name(type_)}]-"
    return f"{inner}>" if forward else f"<{inner}"


def connecting(index: SchemaIndex, left: int, right: int) -> list[tuple[RelationshipPattern, bool]]:
    """Return the schema patterns that connect two sets of node kinds, each with whether it goes from left to right.

    A set is a bit mask, as in `SchemaIndex`.
    """
    found = []
    for pattern in index.schema.patterns:
        ends = (index.ends(pattern),)
        if narrowed(left, right, ends)[0]:
            found.append((pattern, True))
        elif narrowed(right, left, ends)[0]:
            found.append((pattern, False))
    sides = [(pattern, forward, *((left, right) if forward else (right, left))) for pattern, forward in found]
    return [
        (pattern, forward)
        for pattern, forward, starts, ends in sides
        if _listed(index, pattern.start, {other.start for other in index.patterns((pattern.type,))}, starts)
        and _listed(index, pattern.end, {other.end for other in index.patterns((pattern.type,))}, ends)
    ]


def _listed(index: SchemaIndex, label: str, known: Set[str], kinds: int) -> bool:
    """Whether some of the kinds with a label can be an end of a type whose ends have the `known` labels.

    If a type begins at `Person` and `Judge`, it does not begin at nodes with the labels `Person` and `Expert`; if it
    begins at `Person` alone, the schema does not tell the kinds of people apart.
    """
    apart = any(len(known & kind) > 1 for kind in index.kinds if label in kind)
    having = [kind for place, kind in enumerate(index.kinds) if kinds >> place & 1 and label in kind]
    return not apart or not having or any(kind <= known for kind in having)
