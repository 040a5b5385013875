"""Reports labels, relationship types and properties that are not in the schema, and suggests the nearest names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_

from graphground.cypher.checks.findings import Findings, relationship_clause
from graphground.cypher.checks.places import (
    add_entry,
    as_label,
    connecting,
    name_element,
    named_elsewhere,
    read_elsewhere,
    written_relationship,
)
from graphground.cypher.diagnostics import Edit, all_of, applied, either, listed, reversal, reversed_text, text_with
from graphground.cypher.names.nearest import Near, abbreviates, is_clear, meaning, nearest, spelling
from graphground.cypher.names.words import root, split_name
from graphground.cypher.outline.model import (
    Data,
    Facts,
    LabelUse,
    Link,
    PropertyUse,
    Symbol,
    common_texts,
    links_to_reverse,
    narrowed,
    written_kinds,
)
from graphground.cypher.quoting import quote_like, quoted_name, quoted_string
from graphground.cypher.safety.time_limit import check_work
from graphground.cypher.schema import RelationshipPattern, pattern_texts
from graphground.cypher.tree import MapLiteral, Node, NodePattern, StringLiteral, Variable

ONLY_FIT = 3
FEW = 20
"""The number of different values of a property below which it divides nodes into kinds."""
MOST_STEPS, MOST_WAYS = 3, 2_000
"""The most relationships of a path that is offered for one relationship, and the most beginnings of such paths."""
LIKE_ENOUGH, SLIP = 0.62, 0.8
"""The least similarity of names that mean the same, and of a name and its misspelling."""
LIKELY = 0.5
"""The least similarity in meaning of a property and of a label or relationship that says the same."""
TEXT_OPERATORS: Mapping[str, tuple[Callable[[str, str], bool], str]] = {
    "=": (str.__eq__, "is"),
    "CONTAINS": (str.__contains__, "contains"),
    "STARTS WITH": (str.startswith, "starts with"),
    "ENDS WITH": (str.endswith, "ends with"),
}
"""The operators that compare texts, each with its test and its verb."""
GENERIC_NAMES = frozenset({"name", "title"})
"""Property names that agents guess for the property that names a node."""


def unknown_labels(facts: Facts, findings: Findings, data: Data | None = None) -> None:
    """Report labels that are not in the schema: `(m:Movi)` instead of `Movie`."""
    known = facts.index.label_masks
    for use in facts.labels:
        if use.name.name.text not in known:
            _unknown_label(facts, use, findings, data)


def _unknown_label(facts: Facts, use: LabelUse, findings: Findings, data: Data | None) -> None:
    index, found = facts.index, use.name.name.text
    fitting = index.labels_of(_having_properties(facts, use.symbol))
    narrow = len(fitting) < len(index.label_masks)
    near = nearest(found, index.label_masks, favoured=fitting if narrow else ())
    suggestions = [candidate.name for candidate in near]
    clear = is_clear(near, LIKE_ENOUGH)  # a Venue is not an Event
    if narrow and not any(item.name in fitting or item.score >= SLIP for item in near):
        # The relationships allow these nodes alone, whatever the label is called; a label of all of them keeps all.
        together = index.schema.label_combinations
        whole = [
            label
            for label in fitting
            if all(label == other or any({label, other} <= labels for labels in together) for other in fitting)
        ]
        suggestions = whole or (list(fitting) if len(fitting) <= ONLY_FIT else suggestions)
        clear = bool(whole)
    message = f"There is no label {found!r} in the graph {index.schema.name!r}."
    distant = not near or near[0].score < LIKE_ENOUGH or narrows(found, near[0].name)
    if distant and (edits := _as_value(facts, use, fitting, data)):
        message += f" It is a value of a property: write {applied(facts.query.text, edits)}."
        findings.error("unknown_label", message, use.name, edits=edits)
        return
    if not any(item.score >= SLIP for item in near) and (edits := _as_property(facts, use)):
        message += f" It is a property of the neighbouring node: write {applied(facts.query.text, edits)}."
        findings.error("unknown_label", message, use.name, edits=edits)
        return
    if found in index.types:
        message += f" {found!r} is a relationship type: write it in brackets, `-[:{quoted_name(found)}]->`."
    message += f" Labels: {listed(list(index.label_masks), 20)}." if index.label_masks else " The graph has no labels."
    findings.error(
        "unknown_label",
        message,
        use.name,
        [quote_like(facts.query.source(use.name), name) for name in suggestions],
        clear=clear,
    )


def narrows(label: str, other: str) -> bool:
    """Whether a label says more than another, as `CriminalCase` says more than `Case`."""
    return {*split_name(other)} < {*split_name(label)}


def _as_value(facts: Facts, use: LabelUse, labels: Sequence[str], data: Data | None) -> list[Edit]:
    """Return the edits that write an unknown label as a value: `(:Lorry)` or `(:LorryUnit)` as `(:Unit {kind: 'LRY'})`.

    There are none unless exactly one property of the nodes that fit has such a value.
    """
    node = next((node for node in facts.query.find(NodePattern) if node.labels is use.name), None)
    if node is None or data is None or not isinstance(node.properties, MapLiteral | None):
        return []
    written, found = use.name.name.text, dict[tuple[str, str], list[str]]()
    for label in [label for label in labels if narrows(written, label)] or labels:
        own = split_name(label) if narrows(written, label) else []
        rest = [word for word in split_name(written) if word not in own]
        for key in facts.index.schema.labels[label].properties:
            known = data.property(label, key)
            for value, _ in known.common if known is not None and (known.distinct or FEW) < FEW else ():
                code = isinstance(value, str) and len(value) > 2 and abbreviates(value, " ".join(rest))
                if isinstance(value, str) and (code or split_name(value) == rest):
                    found.setdefault((key, value), []).append(label)
    if len(found) != 1:
        return []
    ((key, value), owners) = found.popitem()
    label = max(owners, key=lambda label: facts.index.label_masks[label].bit_count())
    entries = node.properties.entries if node.properties else []
    map_ = ", ".join([*map(facts.query.source, entries), f"{quoted_name(key)}: {quoted_string(value)}"])
    return [
        Edit(
            use.name.start, node.properties.end if node.properties else use.name.end, f"{quoted_name(label)} {{{map_}}}"
        )
    ]


def _as_property(facts: Facts, use: LabelUse) -> list[Edit]:
    """Return the edits that read a property of a node in place of a neighbour with an unknown label and a name.

    `(s:Supplier)-[:LOCATED_IN]->(c:City {name: 'Porto'})` becomes `(s:Supplier {city: 'Porto'})` if suppliers have a
    `city`, and `c.name` elsewhere `s.city`. There are none if the query uses the neighbour for anything else.
    """
    symbol, query = use.symbol, facts.query
    uses = [item for item in facts.properties if item.symbol is symbol]
    if len(symbol.links) != 1 or len({item.key for item in uses}) != 1:
        return []
    link, reads = symbol.links[0], [item for item in uses if not item.in_map]
    own, node, owner = link.left_node, link.right_node, link.left
    if symbol is link.left:
        own, node, owner = node, own, link.right
    keys = [key for key in facts.index.properties_of(owner.kinds) if spelling(key, use.name.name.text) == 1]
    paths = [path.elements for match in facts.matches for path in match.clause.patterns]
    others = sum(variable.name == symbol.name for variable in query.find(Variable) if symbol.name) - len(reads)
    plain = link.simple and not (link.pattern.variable or link.pattern.properties or node.where)
    named = name_element(query, own)
    if not plain or named is None or len(keys) != 1 or others != (node.variable is not None):
        return []
    if not any(node in (path[0], path[-1]) for path in paths):
        return []
    key, written = quoted_name(keys[0]), node.properties.entries if isinstance(node.properties, MapLiteral) else []
    put = (
        add_entry(query, own, ", ".join(f"{key}: {query.source(entry.value)}" for entry in written)) if written else []
    )
    if written and not put:
        return []
    edits = [Edit(item.node.start, item.node.end, f"{named[0]}.{key}") for item in reads]
    gone = Edit(own.end, node.end, "") if own.start < node.start else Edit(node.start, own.start, "")
    return [*(named[1] if reads else ()), *edits, *put, gone]


def unknown_types(facts: Facts, findings: Findings) -> None:
    """Report relationship types that are not in the schema: `-[:directBy]->` instead of `directedBy`."""
    known = facts.index.types
    for use in facts.types:
        if use.name.name.text not in known:
            _unknown_type(facts, use, findings)


def _unknown_type(facts: Facts, use: LabelUse, findings: Findings) -> None:
    index, found, link = facts.index, use.name.name.text, use.symbol.link
    written = facts.query.source(use.name)
    as_written, in_reverse = _patterns_between(facts, link) if link is not None else ([], [])
    fitting = tuple(dict.fromkeys(pattern.type for pattern in as_written or in_reverse))
    narrow = 0 < len(fitting) < len(index.types)
    near = nearest(found, index.types, favoured=fitting if narrow else (), limit=len(index.types))
    if narrow:  # a type that does not connect these nodes would cause the next error, unless this one is a slip of it
        opposite = {pattern.type for pattern in in_reverse}
        slips = {item.name for item in near if item.score >= SLIP} & opposite
        near = [item for item in near if item.name in {*fitting, *slips} or spelling(found, item.name) >= SLIP]
    near = near[:ONLY_FIT]
    place: Node = use.name
    suggestions, clear = [quote_like(written, item.name) for item in near], is_clear(near)
    link = link if link is not None and link.unknown else None  # None for type(r) = 'directBy'
    if len(fitting) > 1 and near and near[0].score < SLIP and not meaning(found, near[0].name):
        # Letters in common, as in BORROWED and RESERVED, do not tell which of several possible types was meant.
        suggestions, clear = [quote_like(written, name) for name in fitting] * (len(fitting) <= ONLY_FIT), False
    elif link is not None and near and near[0].score < LIKE_ENOUGH and link.left.kinds & link.right.kinds:
        clear = False  # between nodes of one label, REPORTS_TO has the direction of MANAGES or the opposite
    elif link is not None and near and link.left.kinds & link.right.kinds and _opposite_voice(found, near[0].name):
        text, renamed = facts.query.text, Edit(use.name.start, use.name.end, suggestions[0])
        turned = text_with(text, link.pattern, [*reversal(text, link.pattern), renamed])
        suggestions, clear, place = [turned], link.simple, link.pattern
    everything = facts.index.everything
    known = link is not None and (
        link.left.declared not in (0, everything) and link.right.declared not in (0, everything)
    )
    ways = _ways(facts, link, link.left.kinds, link.right.kinds, found) if link is not None and known else []
    if link is not None and ways and ways[0].score > (near[0].score if near else LIKE_ENOUGH if narrow else 0):
        alike = ways[0].score >= LIKE_ENOUGH
        ways = [way for way in ways if not alike or way.score >= LIKE_ENOUGH]
        suggestions, clear, place = [way.name for way in ways[:ONLY_FIT]], alike and len(ways) == 1, link.pattern
    elif narrow and not near:
        suggestions = [quote_like(written, name) for name in fitting] if len(fitting) <= ONLY_FIT else []
    message = f"There is no relationship type {found!r} in the graph {index.schema.name!r}."
    if found in index.label_masks:
        message += f" {found!r} is a label: write it in parentheses, `(:{quoted_name(found)})`."
    if narrow:
        message += f" Relationships between these nodes: {listed(pattern_texts(as_written + in_reverse))}."
    if place is not use.name and "(:" in suggestions[0]:
        message += _by_way_of(suggestions)
    elif not narrow:
        types = list(index.types)
        message += f" Types: {listed(types, 20)}." if types else " The graph has no relationship types."
    findings.error("unknown_relationship_type", message, place, suggestions, clear=clear)


def _opposite_voice(first: str, second: str) -> bool:
    """Whether one of two types is the passive of the other: `CITED_BY` and `CITES`."""
    words = [[root(word) for word in split_name(name)] for name in (first, second)]
    return words[0] == [*words[1], "by"] or words[1] == [*words[0], "by"]


def _patterns_between(facts: Facts, link: Link) -> tuple[list[RelationshipPattern], list[RelationshipPattern]]:
    """Return the schema's patterns that connect both ends of a link as written, and those that do in reverse."""
    left, right = _having_properties(facts, link.left), _having_properties(facts, link.right)
    if link.pattern.direction == "left":
        left, right = right, left
    as_written, in_reverse = [], []
    for pattern in facts.index.schema.patterns:
        ends = facts.index.ends(pattern)
        if narrowed(left, right, (ends,))[0]:
            as_written.append(pattern)
        elif narrowed(right, left, (ends,))[0]:
            in_reverse.append(pattern)
    return (as_written + in_reverse, []) if link.pattern.direction == "both" else (as_written, in_reverse)


def _having_properties(facts: Facts, symbol: Symbol) -> int:
    """Return the kinds of a symbol that have the properties that the query reads of it, as far as any kind does."""
    kinds, index = symbol.kinds, facts.index
    for use in facts.properties:
        if use.symbol is symbol:
            owners = [index.label_masks[label] for label in index.labels_by_property.get(use.key, ())]
            kinds = reduce(or_, owners, 0) & kinds or kinds
    return kinds


def unknown_properties(facts: Facts, findings: Findings, data: Data | None = None) -> None:
    """Report properties of nodes and relationships that are not in the schema:
    `n.runtime` instead of `runtime_minute`."""
    index = facts.index
    for use in facts.properties:
        symbol = use.symbol
        if symbol.kind == "node":
            if not index.property_types(symbol.kinds, use.key):
                _unknown_on_node(facts, use, findings, data)
        elif symbol.link is not None and not symbol.link.unknown:
            properties = relationship_properties(facts, symbol.link)
            if use.key not in properties:
                _unknown_on_relationship(facts, use, symbol.link, properties, findings, data)


def _holding(facts: Facts, use: PropertyUse, keys: Iterable[str], data: Data | None) -> list[str]:
    """Return the properties with the text that a property is compared with: `reason` for `r.cause = 'failure'`."""
    sought = [
        (TEXT_OPERATORS[comparison.operator][0], comparison.right_node.value)
        for comparison in facts.comparisons
        if comparison.left is use and comparison.operator in TEXT_OPERATORS
        if isinstance(comparison.right_node, StringLiteral)
    ]
    values = {key: common_texts(facts, use.symbol, key, data) for key in keys} if sought else {}
    return [key for key, its in values.items() if any(fits(value, text) for fits, text in sought for value in its)]


def relationship_properties(facts: Facts, link: Link) -> dict[str, str]:
    """Map each property that a relationship may have, given its relationship types and ends, to the property's type."""
    found: dict[str, str] = {}
    for pattern in _fitting(facts, link):
        for key, type_ in pattern.properties.items():
            found[key] = type_ if found.get(key, type_) == type_ else "unknown"
    return found


def _fitting(facts: Facts, link: Link) -> list[RelationshipPattern]:
    """Return the patterns of a link's types that connect its ends; all patterns of the types if none does."""
    left, right = link.left.kinds, link.right.kinds
    if link.pattern.direction == "left":
        left, right = right, left
    both = link.pattern.direction == "both" or link.length != (1, 1)
    patterns = list(facts.index.patterns(link.types))
    fitting = [
        pattern
        for pattern in patterns
        if link.length != (1, 1)
        or narrowed(left, right, (facts.index.ends(pattern),))[0]
        or (both and narrowed(right, left, (facts.index.ends(pattern),))[0])
    ]
    return fitting if fitting and not link.bad else patterns


def _unknown_on_node(facts: Facts, use: PropertyUse, findings: Findings, data: Data | None) -> None:
    index = facts.index
    labels = index.labels_of(use.symbol.kinds)
    if not labels:  # the schema has no labels
        return
    properties = index.properties_of(use.symbol.kinds)
    near = nearest(use.key, properties)
    if not near or near[0].score < SLIP:
        said = {*split_name(use.key)}
        parts = [key for key in properties if said < {*split_name(key)}]
        near = [Near(parts[0], LIKE_ENOUGH)] if len(parts) == 1 else near  # `no` is `card_no`, not a number elsewhere
    naming = (
        [
            key
            for key in dict.fromkeys(index.schema.labels[label].naming for label in labels)
            if key is not None and key in properties
        ]
        if use.key.lower() in GENERIC_NAMES or any(split_name(use.key) == split_name(label) for label in labels)
        else []
    )
    message = _no_property(facts, use, labels)
    if naming:
        message += f" Names are in the propert{'y' if len(naming) == 1 else 'ies'} {all_of(naming)}."
    elsewhere = index.labels_by_property.get(use.key, ())
    message += _owners(elsewhere, use.key)
    links = [link for link in use.symbol.links if not link.unknown and use.key in relationship_properties(facts, link)]
    if links:
        subject = relationship_clause(links[0].types or (), "has", "have", untyped="The node's relationship")
        message += f" {subject} a property {use.key!r}"
        name = links[0].symbol.name
        message += "." if links[0].length == (1, 1) or name is None else f": read [x IN {name} | x.{use.key}]."
    elif not near or not elsewhere:
        owner = labels[0] if len(labels) == 1 else "these nodes"
        message += f" Properties of {owner}: {listed(_own_properties(facts, labels, properties), 20)}."
    held = _holding(facts, use, properties, data)
    called = [label for label in index.label_masks if label not in labels and meaning(use.key, label) > LIKELY]
    if len(held) == 1 and not called:
        near, naming = [Near(held[0], 1.0)], []
    suggested = naming or [candidate.name for candidate in near]
    # If other labels have the property, the label may be wrong, so a mere `name` is no certain fix.
    vague = bool(elsewhere) and bool(near) and near[0].name in GENERIC_NAMES
    clear = len(naming) == 1 if naming else is_clear(near) and not vague
    slip = bool(near) and near[0].score >= SLIP
    if links and not slip:
        suggested = []
    if not slip and (edits := as_label(facts, use)):
        message += f" The value is a label: write {applied(facts.query.text, edits)}."
        findings.error("unknown_property", message, use.node, edits=edits)
        return
    called_after = bool(_neighbours_named(facts, use))
    # A name is guessed on any node, but what another node of the query has is read of the wrong one.
    called_after |= bool(use.key != "name" and named_elsewhere(facts, use, dict.fromkeys(elsewhere, use.key)))
    if not slip and (links or called_after or not (naming or (near and near[0].score >= LIKE_ENOUGH))):
        suggested = [] if elsewhere else suggested  # a property with the very name is meant, wherever it is
        if _moved(facts, use, message, findings, data):
            return
    _add(use, message, suggested, clear and not links and (slip or not called_after), findings)


def _own_properties(facts: Facts, labels: Iterable[str], properties: Iterable[str]) -> list[str]:
    """Return the properties that the loader does not add to every node; if there are none, return all properties."""
    known = [facts.index.schema.labels[label] for label in labels]
    own = [
        key for key in properties if not all(key in label.reserved and key != label.name_property for label in known)
    ]
    return own or list(properties)


def _owners(names: Sequence[str], key: str) -> str:
    """Return the sentence that names the labels or types with a property: ` Movie has a property 'runtime'.`

    Empty if there are none.
    """
    return f" {all_of(names)} {'has' if len(names) == 1 else 'have'} a property {key!r}." if names else ""


def _no_property(facts: Facts, use: PropertyUse, labels: tuple[str, ...]) -> str:
    """Return the sentence that says which nodes do not have the property:
    `Nodes labelled Movie have no property 'runtime'.`"""
    index = facts.index
    if len(labels) == 1:
        return f"Nodes labelled {labels[0]} have no property {use.key!r}."
    owners = [label for label in labels if use.key in index.schema.labels[label].properties]
    if owners:
        sets = [
            ":".join(sorted(index.kinds[place])) for place in range(len(index.kinds)) if use.symbol.kinds >> place & 1
        ]
        return f"No node whose labels are exactly {either(sets, 4)} has a property {use.key!r}."
    return f"No node labelled {either(labels)} has a property {use.key!r}."


def _unknown_on_relationship(
    facts: Facts, use: PropertyUse, link: Link, properties: dict[str, str], findings: Findings, data: Data | None
) -> None:
    held = _holding(facts, use, properties, data)
    near = [Near(held[0], 1.0)] if len(held) == 1 else nearest(use.key, properties)
    types = link.types or tuple(dict.fromkeys(pattern.type for pattern in _fitting(facts, link)))
    message = f"{relationship_clause(types, 'has', 'have')} no property {use.key!r}"
    owner = types[0] if len(types) == 1 else "these relationships"
    others = [pattern for pattern in facts.index.patterns(types) if not pattern.properties.keys() <= properties.keys()]
    if others:  # relationships of the same types between other nodes have more properties
        message = f"Between these nodes, {message[0].lower()}{message[1:]}"
        owner += " between these nodes"
    message += f". Properties of {owner}: {listed(list(properties), 20)}." if properties else ", nor any other."
    message += _owners(pattern_texts(pattern for pattern in others if use.key in pattern.properties), use.key)
    for symbol in (link.left, link.right):
        if facts.index.property_types(symbol.kinds, use.key):
            labels = facts.index.labels_of(symbol.kinds)
            if len(labels) == 1:
                message += f" {labels[0]} has a property {use.key!r}" + (
                    f": read {symbol.name}.{use.key}." if symbol.name else "."
                )
    message += _owners([name for name in facts.index.types_by_property.get(use.key, ()) if name not in types], use.key)
    if not (near and near[0].score >= LIKE_ENOUGH) and _moved(facts, use, message, findings, data):
        return
    _add(use, message, [candidate.name for candidate in near], is_clear(near), findings)


def _neighbours_named(facts: Facts, use: PropertyUse) -> dict[str, str]:
    """Return the naming property of the label that a column is called after: `{"Country": "name"}` for `c.country`.

    A comparison is left to the check of names, which knows what the value names.
    """
    if use.symbol.kind != "node" or any(use in (its.left, its.right) for its in facts.comparisons):
        return {}
    words = split_name(use.key)
    words = words[:-1] if len(words) > 1 and words[-1] in GENERIC_NAMES else words
    return {
        label: known.name_property
        for label, known in facts.index.schema.labels.items()
        if known.name_property and split_name(label) == words and not facts.index.label_masks[label] & use.symbol.kinds
    }


def _moved(facts: Facts, use: PropertyUse, message: str, findings: Findings, data: Data | None) -> bool:
    """Report a property with the edits that read it where it is; return whether there is such a place."""
    index, named = facts.index, _neighbours_named(facts, use)
    near = [use.key]
    if use.key not in index.labels_by_property and use.key not in index.types_by_property:
        near = [item.name for item in nearest(use.key, index.labels_by_property) if item.score >= LIKE_ENOUGH]
    keys = dict.fromkeys(index.labels_by_property.get(near[0], ()), near[0]) if len(near) == 1 else {}
    ways = read_elsewhere(facts, use, named or keys, data)
    if len(ways) == 1:
        edits = ways[0]
        read = [edits[0].replacement] * (len(edits) == 1)
        message += "" if read else f" Write {applied(facts.query.text, edits)}."
        findings.error("unknown_property", message, use.node, read, edits=edits)
    elif ways:
        findings.error("unknown_property", message, use.node, choices=ways)
    return bool(ways)


def _add(use: PropertyUse, message: str, names: list[str], clear: bool, findings: Findings) -> None:
    written = findings.query.source(use.key_node)
    findings.error(
        "unknown_property", message, use.key_node, [quote_like(written, name) for name in names], clear=clear
    )


# Reports relationships that the schema does not allow: they are reversed,


def wrong_relationships(facts: Facts, findings: Findings, data: Data | None = None) -> None:
    """Report relationships that the schema does not allow as written: `(:Person)-[:hasCEO]->(:Company)` is reversed.

    Nodes whose labels never occur together are reported too.
    """
    for symbol, labels in facts.contradictions:
        findings.error(
            "impossible_pattern",
            f"No node can match {symbol.name}: the labels that the query requires of it, including "
            f"{findings.query.source(labels)}, never occur together. Use a different variable for a different node."
            if symbol.name
            else f"No node can match this pattern: the labels {findings.query.source(labels)} never occur together. "
            "Use a separate node pattern for a different node.",
            labels,
        )
    for link in facts.links:
        if link.bad and not link.unknown:
            _wrong(facts, link, findings, data)


def _wrong(facts: Facts, link: Link, findings: Findings, data: Data | None) -> None:
    left, right = written_kinds(link, True), written_kinds(link, False)
    if narrowed(left, right, link.pairs)[0]:
        # The link alone is possible: it contradicts what other patterns state about its ends.
        reversible = links_to_reverse(facts, link)
        if len(reversible) == 1:
            _reversed(facts, reversible[0], findings, data, clear=True)
        elif link in reversible:
            _reversed(facts, link, findings, data, clear=False)
        else:
            _impossible(facts, link, link.left.kinds, link.right.kinds, findings)
    elif narrowed(left, right, link.reversed_pairs)[0]:
        _reversed(facts, link, findings, data, clear=True)
    else:
        _impossible(facts, link, left, right, findings)


def _reversed(facts: Facts, link: Link, findings: Findings, data: Data | None, clear: bool) -> None:
    pattern = link.pattern
    other_way = reversed_text(facts.query.text, pattern)
    mirror = data.mirror(link.type) if data is not None and link.type is not None else None
    if mirror and link.simple and pattern.properties is None and meaning(link.type or "", mirror):
        # `SIGNED_BY` says all that `SIGNED` says, and more, and has the direction that is written.
        variable = pattern.variable.name if pattern.variable is not None else ""
        other_way = written_relationship(variable, mirror, pattern.direction == "right")
    message = f"{relationship_clause(link.types or (), 'is', 'are')} written in the opposite direction: "
    # The patterns that the relationship would fit if reversed; if it fits none, all patterns of its types.
    left, right = link.left.kinds, link.right.kinds
    if link.pattern.direction == "right":
        left, right = right, left
    patterns = list(facts.index.patterns(link.types))
    allowed = [pattern for pattern in patterns if narrowed(left, right, (facts.index.ends(pattern),))[0]] or patterns
    message += f"the schema has {all_of(pattern_texts(allowed))}." if allowed else "reverse it."
    findings.error("reversed_direction", message, pattern, [other_way], clear=clear)


def _impossible(facts: Facts, link: Link, left: int, right: int, findings: Findings) -> None:
    index, pattern = facts.index, link.pattern
    left_labels, right_labels = index.labels_of(left), index.labels_of(right)
    ends = f"{either(left_labels) or 'this node'} with {either(right_labels) or 'this node'}"
    between = connecting(index, left, right)
    if link.types:
        message = f"{relationship_clause(link.types, 'never connects', 'never connect')} {ends}."
    elif between:
        message = f"No relationship in this direction connects {ends}."
    else:
        message = f"No relationship connects {ends} in either direction."
    known = list(index.patterns(link.types)) if link.types else []
    if known:
        message += f" The schema has {all_of(pattern_texts(known))}."
    suggestions = []
    variable = pattern.variable.name if pattern.variable is not None else ""
    alike = {}
    if link.type is not None:
        alike = {item.name: item.score for item in nearest(link.type, {way.type for way, _ in between}, worst=0.0)}
        between.sort(key=lambda way: -alike.get(way[0].type, 0.0))
    nodes = f"{left_labels[0]} and {right_labels[0]}" if len(left_labels) == len(right_labels) == 1 else "these nodes"
    typed = [way.name for way in _ways(facts, link, left, right)[:ONLY_FIT]] if link.types else []
    ways = typed
    if not between and not typed and pattern.variable is None:
        ways = [way.name for way in _ways(facts, link, left, right, "")[:ONLY_FIT]]
    if between:
        message += f" Relationships between {nodes}: {listed(pattern_texts(pattern for pattern, _ in between))}."
        direct = [written_relationship(variable, pattern.type, forward) for pattern, forward in between]
        suggestions = list(dict.fromkeys(direct))[:ONLY_FIT]
        unlike = max(alike.values(), default=1.0) < LIKE_ENOUGH
    if ways and (not between or (len(ways) == 1 < len(suggestions) and unlike)):
        # One of several types that say something else is less likely than a node left out on the only way.
        suggestions = [*ways, *suggestions]
        message += _by_way_of(ways)
    # A property that an end does not have suggests that its label is wrong, and not the way to it.
    doubted = any(
        use.symbol in (link.left, link.right) and not index.property_types(use.symbol.kinds, use.key)
        for use in facts.properties
    )
    clear = not between and len(typed) == 1 and not doubted
    findings.error("impossible_pattern", message, pattern, suggestions, clear=clear)


def _by_way_of(ways: Sequence[str]) -> str:
    through = "another node" if ways[0].count("(:") == 1 else "other nodes"
    return f" A path leads through {through}: {either([f'(…){way}(…)' for way in ways], 3)}."


def _ways(facts: Facts, link: Link, left: int, right: int, unknown: str | None = None) -> list[Near]:
    """Return the ways over one more node between two sets of node kinds, most similar to the written type first.

    One relationship of a way is the written one: `(:Customer)-[:CONTAINS]->(:Product)` has the way
    `-[:PLACED]->(:Order)-[:CONTAINS]->`; if there is none, ways over two more nodes are returned. If its type is
    `unknown`, all ways over one node are returned, with their similarity to it.
    """
    index, pattern = facts.index, link.pattern
    if link.length != (1, 1) or pattern.properties is not None:
        return []
    masks, written = index.label_masks, facts.query.source(pattern)
    steps: dict[str, list[tuple[str, str, str]]] = {}
    for known in index.schema.patterns:
        for start, end, forward in ((known.start, known.end, True), (known.end, known.start, False)):
            own = known.type in (link.types or ()) and pattern.direction in ("both", "right" if forward else "left")
            text = written if own else written_relationship("", known.type, forward)
            steps.setdefault(start, []).append((end, text, known.type))
    # A way so far: its last label, its relationships as written, the labels between them, and all their names.
    ways: list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]]
    ways = [(start, (), (), ()) for start in index.labels_of(left)]
    begins = {start for start, found in steps.items() if any(text == written for _, text, _ in found)}
    for length in range(1, MOST_STEPS + 1 if unknown is None else 3):
        found: dict[tuple[str, ...], tuple[int, Near]] = {}
        grown = []
        for last, texts, middles, names in ways:
            check_work()
            between = (*middles, last) if texts else ()
            said = names if masks[last] & (left | right) else (*names, *between[-1:])  # an end's label says nothing
            for end, text, type_ in steps.get(last, ()):
                way = (end, (*texts, text), between, (*said, type_))
                # No long way leads on to a country and back to what else is based in it.
                back = type_ in names and texts[-1].endswith(">") != text.endswith(">")
                if back and length > 2:
                    continue
                if not back and (unknown is not None or length < MOST_STEPS - 1 or written in way[1] or end in begins):
                    grown.append(way)
                if length == 1 or not masks[end] & right or (unknown is None and written not in way[1]):
                    continue
                score = nearest(unknown, way[3], worst=0.0)[0].score if unknown is not None else 1.0
                further = zip(between, way[1][1:], strict=True)
                whole = texts[0] + "".join(f"(:{quoted_name(label)}){step}" for label, step in further)
                size = sum(masks[label].bit_count() for label in between)  # the most general labels of the same nodes
                if way[1] not in found or found[way[1]][0] < size:
                    found[way[1]] = size, Near(whole, score)
        if found or len(grown) > MOST_WAYS:
            return sorted((way for _, way in found.values()), key=lambda way: -way.score)
        ways = grown
    return []
