"""Selects the part of a schema that a question needs, from the reading of the question.

A label is needed if a word means it or a named node has it; a relationship type, if a word means it and the data allow
it, above all at the named nodes; a property, if a word means it or a value is given. What is chosen is then connected.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from graphground.cypher.names.lexicon import AGENTS, NOW_CUES, ORDER_CUES, TIME_CUES
from graphground.cypher.names.words import lemma, split_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.filtering.connecting import LabelGraph
from graphground.graphs.filtering.selection import Selection
from graphground.graphs.question.meanings import PerSchema
from graphground.graphs.question.model import Question

CLEAR, CLAIM = 0.5, 0.12
"""The least strength with which a word means a label, and how far below the word's best label another may be."""
TYPE_CLAIM = 0.35
UNSPOKEN, CONNECTING, NEIGHBOUR = 0.5, 0.8, 0.2
"""The relevance of a pattern between chosen labels of which no word speaks, of a connecting pattern, and of a neighbour
when a word is unexplained."""
MANY_LABELS, FEW_LABELS, MAX_LABELS, MAX_CONNECTED, MAX_NEIGHBOURS = 50, 6, 14, 6, 30
MENTION_NODES = 4
BESIDE, FEW_BESIDE = 0.15, 3
CUED = 0.5
POINTS_IN_TIME = frozenset(("year", "date", "time", "timestamp"))
"""The last words of names of properties that hold a point in time, whatever their type."""

label_graph = PerSchema(LabelGraph)
"""Return a schema as a graph of labels."""


@dataclass
class _Chosen:
    labels: dict[str, float] = field(default_factory=dict)
    types: dict[str, float] = field(default_factory=dict)
    """How strongly words mean a relationship type, from 0 to 1."""
    at_nodes: frozenset[str] = frozenset()
    """The types of the relationships that the named nodes really have."""


def select(question: Question, schema: PropertyGraphSchema, *, wide: bool = False) -> Selection:
    """Return the selection for a question; an empty selection if nothing matches.

    With `wide`, everything that may matter is selected, each with its relevance, to be cut to a budget.
    """
    graph = label_graph(schema)
    chosen = _Chosen(_labels(question, schema), _types(question), _types_at_nodes(question))
    selection = Selection(schema)
    for label, relevance in chosen.labels.items():
        selection.add_label(label, relevance)
    if wide:
        _add_types(chosen, schema, selection)
    else:
        _add_patterns(question, chosen, schema, graph, selection)
        if not selection.labels:
            _add_owners(question, selection)
        _connect(selection, graph, chosen)
        if question.unexplained and selection.labels:
            _add_neighbours(selection, graph)
    _add_properties(question, schema, selection)
    return selection


def _labels(question: Question, schema: PropertyGraphSchema) -> dict[str, float]:
    found: dict[str, float] = {}
    for meanings in question.meanings.values():
        labels = [meaning for meaning in meanings if meaning.kind == "label"]
        best = max((meaning.strength for meaning in labels), default=0.0)
        for meaning in labels:
            if meaning.strength >= max(CLEAR, best - CLAIM):
                found[meaning.name] = max(meaning.strength, found.get(meaning.name, 0.0))
    if len(found) > FEW_LABELS:
        found = _without_parts(found, question)
    if any(word.folded in ("who", "whom", "whose") for word in question.words):
        for label in schema.labels:
            if any(lemma(word) in AGENTS for word in split_name(label)[-1:]):
                found.setdefault(label, 0.65)
    for mention in question.mentions:
        if mention.verdict != "not_found":
            for node in mention.nodes[:MENTION_NODES]:
                for label in node.labels:
                    if label in schema.labels:
                        found[label] = 1.0
    return found


def _without_parts(found: dict[str, float], question: Question) -> dict[str, float]:
    """Return the labels without those whose words another says too: `Literature` beside `ReligiousLiterature`."""
    words = {
        label: {n for n, strength in question.strengths["label", "", label].items() if strength >= CLEAR}
        for label in found
    }
    kept: dict[str, float] = {}
    for label in sorted(found, key=lambda label: (-len(words[label]), -found[label])):
        if len(kept) < MAX_LABELS and not any(
            words[label] <= words[other] and found[label] <= found[other] + CLAIM for other in kept
        ):
            kept[label] = found[label]
    return kept


def _types(question: Question) -> dict[str, float]:
    found: dict[str, float] = {}
    for meanings in question.meanings.values():
        types = [meaning for meaning in meanings if meaning.kind == "type"]
        best = max((meaning.strength for meaning in types), default=0.0)
        for meaning in types:
            strength = meaning.strength if meaning.strength >= best - TYPE_CLAIM else 0.5 * meaning.strength
            found[meaning.name] = max(strength, found.get(meaning.name, 0.0))
    return found


def _types_at_nodes(question: Question) -> frozenset[str]:
    return frozenset(link.type for around in question.neighbourhoods.values() for link in around.links)


def _add_types(chosen: _Chosen, schema: PropertyGraphSchema, selection: Selection) -> None:
    """Add every type by its own relevance: on a graph of many labels, labels say little about what is meant."""
    sizes: dict[str, int] = {}
    for pattern in schema.patterns:
        sizes[pattern.type] = sizes.get(pattern.type, 0) + 1
    most = max(sizes.values(), default=1)
    for place, pattern in enumerate(schema.patterns):
        said = chosen.types.get(pattern.type, 0.0)
        here = 0.25 if pattern.type in chosen.at_nodes else 0.0
        selection.patterns[place] = 0.7 * said + here + 0.05 * sizes[pattern.type] / most


def _add_patterns(
    question: Question, chosen: _Chosen, schema: PropertyGraphSchema, graph: LabelGraph, selection: Selection
) -> None:
    labels = dict(selection.labels)
    between: dict[tuple[str, str], list[int]] = {}
    for label in labels:
        for other, places in graph.edges[label].items():
            if other in labels and (label != other or _meets_itself(question, label, chosen, schema, places)):
                between[min(label, other), max(label, other)] = places
    for places in between.values():
        scores = {place: chosen.types.get(schema.patterns[place].type, 0.0) for place in places}
        best = max(scores.values())
        for place in places:
            pattern = schema.patterns[place]
            ends = min(labels[pattern.start], labels[pattern.end])
            if best < CLEAR:
                selection.add_pattern(place, max(scores[place], UNSPOKEN) * ends)
            elif scores[place] >= 0.6 * best:
                selection.add_pattern(place, scores[place] * (0.5 + ends / 2))
    touched = {
        pattern.type for pattern in schema.patterns if not labels or pattern.start in labels or pattern.end in labels
    }
    joined = {schema.patterns[place].type for place in selection.patterns}
    for place, pattern in enumerate(schema.patterns):
        said = chosen.types.get(pattern.type, 0.0)
        start, end = labels.get(pattern.start, 0.0), labels.get(pattern.end, 0.0)
        # A type that no chosen label has is meant only by its very name.
        if said >= CLEAR and (start or end or not labels or (pattern.type not in touched and said > 0.85)):
            aside = 0.6 if pattern.type in joined and not (start and end) else 1.0
            selection.add_pattern(place, aside * said * (0.5 + 0.35 * max(start, end) + 0.15 * min(start, end)))


def _meets_itself(
    question: Question, label: str, chosen: _Chosen, schema: PropertyGraphSchema, places: Iterable[int]
) -> bool:
    """Whether a pattern from a label to itself may matter: a word means its type, or the label is named twice."""
    if any(chosen.types.get(schema.patterns[place].type, 0.0) >= CLEAR for place in places):
        return True
    named = sum(any(label in node.labels for node in mention.nodes[:1]) for mention in question.mentions)
    return named + len(question.strengths.get(("label", "", label), {})) > 1


def _add_owners(question: Question, selection: Selection) -> None:
    """Add the labels whose properties match best, for a question that names no label."""
    properties = {key: max(by.values()) for key, by in question.strengths.items() if key[0] == "property"}
    best = max(properties.values(), default=0.0)
    for (_, owner, _), strength in properties.items():
        if strength >= max(best - 0.05, CLEAR):
            selection.add_label(owner, strength)


def _connect(selection: Selection, graph: LabelGraph, chosen: _Chosen) -> None:
    """Add the shortest paths between the chosen labels, except to groups that no path reaches."""
    preferred = {place: chosen.types.get(pattern.type, 0.0) for place, pattern in enumerate(selection.schema.patterns)}
    strong = sorted(selection.labels, key=lambda label: -selection.labels[label])[:MAX_CONNECTED]
    groups = graph.components(strong, selection.patterns)
    apart: set[str] = set()
    while len(groups) > 1:
        smallest = min(groups, key=len)
        rest = {label for group in groups if group is not smallest for label in group}
        places = graph.connection(smallest, rest, preferred)
        if not places:
            apart |= smallest
            groups.remove(smallest)
            continue
        for place in places:
            selection.add_pattern(place, CONNECTING * max(selection.labels[label] for label in smallest))
            strong += [selection.schema.patterns[place].start, selection.schema.patterns[place].end]
        groups = graph.components([label for label in strong if label not in apart], selection.patterns)


def _add_neighbours(selection: Selection, graph: LabelGraph) -> None:
    """Add the neighbours of the chosen labels, to which an unexplained word may refer, unless there are very many."""
    places = {place for label in selection.labels for others in graph.edges[label].values() for place in others}
    if len(places) <= MAX_NEIGHBOURS:
        for place in sorted(places):
            if place not in selection.patterns:
                selection.add_pattern(place, NEIGHBOUR)


def _add_properties(question: Question, schema: PropertyGraphSchema, selection: Selection) -> None:
    types = selection.types()
    best: dict[tuple[str, int], float] = {}
    for (kind, owner, _), by in question.strengths.items():
        if (kind == "property" and owner in selection.labels) or (kind == "type_property" and owner in types):
            for number, strength in by.items():
                best[owner, number] = max(strength, best.get((owner, number), 0.0))
    # Among many labels the properties of each must be few.
    slack = TYPE_CLAIM if len(schema.labels) < MANY_LABELS else CLAIM
    for (kind, owner, name), by in question.strengths.items():
        needed = any(s >= max(CLEAR - 0.05, best.get((owner, n), 0.0) - slack) for n, s in by.items())
        if kind == "property" and owner in selection.labels and needed:
            selection.add_property(owner, name, max(by.values()))
        elif kind == "type_property" and owner in types and needed:
            selection.add_type_property(owner, name, max(by.values()))
    for mention in question.mentions:
        if mention.verdict == "not_found":
            continue
        for candidate in mention.candidates[: 2 * MENTION_NODES]:
            key = candidate.property if candidate.is_value else candidate.name_property
            label = schema.labels.get(candidate.label)
            if candidate.label in selection.labels and label is not None and key in label.properties:
                selection.add_property(candidate.label, key, 1.0)
    _add_times(question, schema, selection)
    for pattern in (schema.patterns[place] for place in list(selection.patterns)):
        if len(pattern.properties) <= FEW_BESIDE:  # they cost little, and questions refer to them indirectly
            for key in pattern.properties:
                selection.add_type_property(pattern.type, key, BESIDE)


def _add_times(question: Question, schema: PropertyGraphSchema, selection: Selection) -> None:
    """Add the properties that hold dates or years if the question speaks of a time."""
    cues = {lemma(question.words[n].folded) for n in range(len(question.words)) if n not in question.mentioned}
    years = any(
        word.folded.isdecimal() and len(word.folded) == 4
        for n, word in enumerate(question.words)
        if n not in question.mentioned
    )
    if not years and not cues & TIME_CUES:
        return
    dated = {label for label, key in selection.properties if is_temporal(schema.labels[label].properties[key], key)}
    for label in list(selection.labels):
        for key, type_ in schema.labels[label].properties.items():
            if is_temporal(type_, key) and label not in dated:
                selection.add_property(label, key, CUED)
    if years or cues & (NOW_CUES | ORDER_CUES):
        for place in selection.patterns:
            pattern = schema.patterns[place]
            for key, type_ in pattern.properties.items():
                if is_temporal(type_, key):
                    selection.add_type_property(pattern.type, key, CUED)


def is_temporal(type_: str, name: str) -> bool:
    """Whether a property holds a point in time: its type is a date, or its name ends in a word such as `date`.

    Dates are often kept as text or as numbers.
    """
    if "date" in type_:
        return True
    return type_ in ("int", "float", "str", "unknown") and bool(set(split_name(name)[-1:]) & POINTS_IN_TIME)
