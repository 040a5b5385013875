"""Keeps more of the schema of your own database, because its names seldom match the words of questions.

*Which banks sent the most money to Latvia?* names no property of a `Filing`, yet needs its `amount`: the word *money*
refers to properties of this kind. The selection is then filled up to a share of the whole schema: first with further
properties of the selected labels, the most relevant label first, then with neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.filtering.connecting import LabelGraph
from graphground.graphs.schemas.filtering.selection import Selection
from graphground.graphs.schemas.filtering.words import Word, lemma, split_name
from graphground.graphs.schemas.forms import base_form
from graphground.graphs.schemas.token_count import estimate_tokens

SHARE = 0.5
"""The share of the whole schema's tokens up to which a selection is filled."""
BY_KIND, BESIDE, NEIGHBOUR = 0.45, 0.3, 0.15
MOST_LABELS = 60
"""The largest number of labels of a schema whose selections are filled up.

For a larger schema, the share `SHARE` would be too much text.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CUES: Mapping[str, frozenset[str]] = {
    "amount": _words(
        "amount money revenue sale turnover income profit earn spend spent spending cost price pay paid "
        "payment sum total sent send receive transfer worth value expensive cheap fee budget balance "
        "discount unit quantity piece ordered sold line highest lowest largest average"
    ),
    "moment": _words(
        "when date year month day since before after until begin began start started end ended joined "
        "hired opened raised registered old young recent latest earliest first last time"
    ),
}
"""For each kind of property, the words of questions that refer to it."""

NAMES: Mapping[str, frozenset[str]] = {
    "amount": _words(
        "amount price cost total revenue sum value fee freight quantity qty balance paid salary budget "
        "units count discount rate volume share income sales"
    ),
    "moment": _words(
        "date year time day month begin start end since until from created opened hired registered raised "
        "founded born died released at"
    ),
}
"""For each kind of property, the words that occur in its names."""


def is_learned(schema: PropertyGraphSchema) -> bool:
    """Whether the schema was read from a user's own database: only such a schema has detected naming properties."""
    return any(label.naming for label in schema.labels.values())


def widen(selection: Selection, words: Sequence[Word], graph: LabelGraph) -> None:
    """Add to `selection` elements to which a question may refer without naming them."""
    lemmas = {lemma(word.folded) for word in words}
    for kind, cues in CUES.items():
        if lemmas & cues:
            _by_kind(selection, kind, graph)
    if len(selection.schema.labels) <= MOST_LABELS:
        fill(selection)


def _by_kind(selection: Selection, kind: str, graph: LabelGraph) -> None:
    """Add the properties of a kind, `amount` or `moment`, to a selection.

    If the chosen elements have no such property, the nearest elements that have one are added, with the paths to them.
    """
    if _add(selection, kind, selection.labels, selection.types()):
        return
    schema = selection.schema
    reached = set(selection.labels)
    while reached:
        places = {place for label in reached for others in graph.edges[label].values() for place in others}
        around = reached.union(*((schema.patterns[place].start, schema.patterns[place].end) for place in places))
        labels = [
            label
            for label in around
            if any(_is(kind, key, type_, schema, label) for key, type_ in schema.labels[label].properties.items())
        ]
        types = [place for place in places if any(_named(kind, key) for key in schema.patterns[place].properties)]
        if labels or types:
            chosen = set(selection.labels)
            for place in types:
                selection.add_pattern(place, BY_KIND)
            for label in labels:
                if label not in chosen:
                    for place in graph.connection({label}, chosen, {}):
                        selection.add_pattern(place, BY_KIND)
            _add(selection, kind, labels, {schema.patterns[place].type for place in types})
            return
        if around == reached:
            return
        reached = around


def _add(selection: Selection, kind: str, labels: Iterable[str], types: Iterable[str]) -> bool:
    schema, found = selection.schema, False
    for label in list(labels):
        for key, type_ in schema.labels[label].properties.items():
            if _is(kind, key, type_, schema, label):
                selection.add_property(label, key, BY_KIND)
                found = True
    for type_ in types:
        for key in schema.relationship_properties[type_]:
            if _named(kind, key):
                selection.add_type_property(type_, key, BY_KIND)
                found = True
    return found


def _is(kind: str, key: str, type_: str, schema: PropertyGraphSchema, label: str) -> bool:
    texts = schema.labels[label].texts.get(key)
    real = texts.type if texts is not None else type_
    if kind == "moment":
        return real in ("date", "datetime") or (real == "int" and _named(kind, key))
    return real in ("int", "float", "unknown") and _named(kind, key)


def _named(kind: str, key: str) -> bool:
    return bool({lemma(word) for word in split_name(key)} & NAMES[kind] or set(split_name(key)) & NAMES[kind])


def fill(selection: Selection) -> None:
    """Add properties of the selected labels, then neighbours, then properties of relationship types.

    Stop when the selection has the share `SHARE` of the whole schema's tokens.
    """
    schema = selection.schema
    budget = SHARE * estimate_tokens(base_form(schema))
    used = float(estimate_tokens(base_form(selection.part())))
    labels = sorted(selection.labels, key=lambda label: -selection.labels[label])
    for label in labels:
        for key, type_ in schema.labels[label].properties.items():
            if (label, key) not in selection.properties and used < budget:
                selection.add_property(label, key, BESIDE)
                used += estimate_tokens(f", {key}: {type_}")
    for place, pattern in enumerate(schema.patterns):
        if place in selection.patterns:
            continue
        inside = pattern.start in labels and pattern.end in labels
        if used < budget and (inside or pattern.start in labels or pattern.end in labels):
            added = [end for end in {pattern.start, pattern.end} if end not in selection.labels]
            selection.add_pattern(place, NEIGHBOUR)
            used += estimate_tokens(f"{pattern}\n")
            for end in added:
                for key, type_ in schema.labels[end].properties.items():
                    if used < budget:
                        selection.add_property(end, key, NEIGHBOUR)
                        used += estimate_tokens(f", {key}: {type_}")
    for type_, properties in schema.relationship_properties.items():
        if type_ in selection.types():
            for key in properties:
                if used < budget:
                    selection.add_type_property(type_, key, BESIDE)
