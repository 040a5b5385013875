"""Filters a schema by the reading of a question.

>>> filter_schema(read("Who directed Heat?", films), films.schema).schema.labels.keys()  # doctest: +SKIP
dict_keys(['Movie', 'Person'])
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, get_args

from graphground.cypher.names.lexicon import AGENTS, NOW_CUES, ORDER_CUES, STOP_WORDS, TIME_CUES
from graphground.cypher.names.words import lemma, split_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.vectors.building import STATIC, encoder
from graphground.graphs.filtering.selection import LeftOut, Selection, Write, find_largest, fit, left_out_of
from graphground.graphs.question.kept import PerSchema
from graphground.graphs.question.meanings import Element, elements_of, weigh_words
from graphground.graphs.question.model import Question
from graphground.graphs.schemas.forms import MANY_PATTERNS, base_form
from graphground.graphs.schemas.statistics import Statistics

Method = Literal["auto", "exact", "masked", "similarity"]
METHODS: tuple[Method, ...] = get_args(Method)
DEFAULT_TOKENS = 1_000
MEANT = 0.85
"""The relevance from which a question means a property, by its words and not only by their meaning."""
DENSE, MAX_LABELS_DENSE = 4, 500
"""The mean number of patterns of a type from which a type and not a pattern is selected, if there are fewer labels."""


class UnknownMethod(ValueError):
    """An error: there is no filtering method of this name."""


@dataclass(frozen=True, slots=True)
class FilteredSchema:
    """A part of a schema, the method that chose it, and the elements left out.

    `whole` is true if the question matched nothing, so that everything was kept (as far as it fits). `cut` is true if
    elements were dropped to fit the budget. `too_small` is true if not even one label fits; `schema` is then the whole
    schema.
    """

    schema: PropertyGraphSchema
    method: Method
    whole: bool
    cut: bool
    left_out: LeftOut
    too_small: bool = False


def filter_schema(
    question: Question,
    schema: PropertyGraphSchema,
    method: Method = "auto",
    *,
    facts: Statistics | None = None,
    max_tokens: int | None = None,
) -> FilteredSchema:
    """Return the part of the schema that the question needs; everything if the question matches nothing.

    The least relevant elements are dropped until the base form of the part, with the marks from `facts`, fits into
    `max_tokens`; `auto` has the default `DEFAULT_TOKENS`. `facts` are the statistics of the data.

    Raises:
        UnknownMethod: the method does not exist.
    """
    if method not in METHODS:
        raise UnknownMethod(f"there is no method {method!r}; the methods are {', '.join(METHODS)}")
    # The types join so many labels (as nodes with several labels do) that labels hardly tell them apart.
    dense = len(schema.patterns) > max(MANY_PATTERNS, DENSE * len(schema.relationship_types))
    wide = method == "auto" and dense and len(schema.labels) < MAX_LABELS_DENSE
    if method == "similarity":
        selection = select_similar(question, schema)
    elif method in ("exact", "masked"):
        selection = select_exact(question, schema, masked=method == "masked")
    else:
        selection = select(question, schema, wide=wide)
        if facts is not None:  # a property without values is shown only to a question that clearly means it
            selection.properties = {
                key: relevance
                for key, relevance in selection.properties.items()
                if relevance >= MEANT or facts.fill(*key) != 0
            }
    whole = not selection
    if whole:
        selection = Selection.whole(schema)
    budget = max_tokens if max_tokens is not None else DEFAULT_TOKENS if method == "auto" else None
    cut = False
    if budget is not None:
        smaller = (fit_types if wide and not whole else fit)(selection, budget, lambda its: base_form(its, facts))
        cut = len(smaller) < len(selection)
        if not smaller:
            return FilteredSchema(schema, method, whole, True, LeftOut(), too_small=True)
        selection = smaller
    part = schema if whole and not cut else selection.part()
    return FilteredSchema(part, method, whole, cut, left_out_of(schema, part))


def fit_types(selection: Selection, max_tokens: int, write: Write) -> Selection:
    """Return the most relevant relationship types of a selection, each with all its patterns, that fit the budget."""
    schema = selection.schema
    types: dict[str, float] = {}
    places: dict[str, list[int]] = {}
    for place, relevance in selection.patterns.items():
        type_ = schema.patterns[place].type
        types[type_] = max(relevance, types.get(type_, 0.0))
        places.setdefault(type_, []).append(place)
    ranked = sorted(types, key=lambda type_: -types[type_])

    def first(count: int) -> Selection:
        chosen = Selection(schema)
        for label, relevance in selection.labels.items():
            chosen.add_label(label, relevance)
        for type_ in ranked[:count]:
            for place in places[type_]:
                chosen.add_pattern(place, selection.patterns[place])
        kept = set(ranked[:count])
        chosen.properties = {key: value for key, value in selection.properties.items() if key[0] in chosen.labels}
        chosen.type_properties = {key: value for key, value in selection.type_properties.items() if key[0] in kept}
        return chosen

    fitting = find_largest(first, len(ranked), max_tokens, write)
    # A budget for less than one type is left to the cutting by labels and properties.
    return fitting if fitting.patterns else fit(selection, max_tokens, write)


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
    at_nodes = frozenset(link.type for around in question.neighbourhoods.values() for link in around.links)
    chosen = _Chosen(_labels(question, schema), _types(question), at_nodes)
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


NEAR = 0.5
"""The least cosine at which a name counts as near; chosen on two of CypherBench's training graphs."""


def select_exact(question: Question, schema: PropertyGraphSchema, *, masked: bool = False) -> Selection:
    """Select the elements that the question's words name, in singular or plural, and the patterns between them.

    With `masked`, the words of each mention are replaced by the labels of the nodes that it names.
    """
    left_out = question.mentioned if masked else frozenset()
    words = {lemma(word.folded) for place, word in enumerate(question.words) if place not in left_out}
    if masked:
        for mention in question.mentions:
            labels = (
                [label for node in mention.nodes for label in node.labels] if mention.verdict != "not_found" else []
            )
            words.update(lemma(word) for label in labels for word in split_name(label))
    words -= STOP_WORDS
    scores: dict[Element, float] = {}
    for element in elements_of(schema):
        weights = weigh_words(split_name(element.name) or [element.name.lower()], label=element.kind == "label")
        matched = sum(weight for word, weight in weights if lemma(word) in words)
        if matched >= 1.0 or (matched and len(weights) == 1):
            scores[element] = matched / sum(weight for _, weight in weights)
    return select_named(schema, scores)


def select_similar(question: Question, schema: PropertyGraphSchema) -> Selection:
    """Select the elements whose names are near in meaning to a word, or two neighbouring words, of the question."""
    words = [word.folded for word in question.words if word.folded not in STOP_WORDS]
    elements = elements_of(schema)
    if not words or not elements:
        return Selection(schema)
    names = list(dict.fromkeys(" ".join(split_name(element.name)) for element in elements))
    texts = [*words, *map(" ".join, pairwise(words))]
    near = (encoder(STATIC).encode(texts) @ encoder(STATIC).encode(names).T).max(axis=0).tolist()
    cosine = dict(zip(names, near, strict=True))
    scores = {element: cosine[" ".join(split_name(element.name))] for element in elements}
    return select_named(schema, {element: score for element, score in scores.items() if score >= NEAR})


def select_named(schema: PropertyGraphSchema, scores: Mapping[Element, float]) -> Selection:
    """Select the labels in `scores`, the patterns between them, and the patterns with a type in `scores`.

    A pattern must have a label in `scores` at one end, if there are any. A property in `scores` is selected if its
    label or type is selected; if no label is selected, the properties with the highest score also select their labels.
    """
    selection = Selection(schema)
    types = {element.name: score for element, score in scores.items() if element.kind == "type"}
    for element, score in scores.items():
        if element.kind == "label":
            selection.add_label(element.name, score)
    named = dict(selection.labels)
    for place, pattern in enumerate(schema.patterns):
        if pattern.start in named and pattern.end in named:
            selection.add_pattern(place, types.get(pattern.type, 0.5))
        elif pattern.type in types and (not named or pattern.start in named or pattern.end in named):
            selection.add_pattern(place, types[pattern.type])
    if not selection:
        properties = {element: score for element, score in scores.items() if element.kind == "property"}
        highest = max(properties.values(), default=0.0)
        for element, score in properties.items():
            if score == highest:
                selection.add_label(element.owner, score)
    kept_types = selection.types()
    for element, score in scores.items():
        if element.kind == "property" and element.owner in selection.labels:
            selection.add_property(element.owner, element.name, score)
        elif element.kind == "type_property" and element.owner in kept_types:
            selection.add_type_property(element.owner, element.name, score)
    return selection


LONGEST_PATH = 4
MOST_PARALLEL = 4


class LabelGraph:
    """A schema as an undirected graph of labels; its edges hold the positions of patterns."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        self.edges: dict[str, dict[str, list[int]]] = {label: {} for label in schema.labels}
        for place, pattern in enumerate(schema.patterns):
            self.edges[pattern.start].setdefault(pattern.end, []).append(place)
            if pattern.end != pattern.start:
                self.edges[pattern.end].setdefault(pattern.start, []).append(place)

    def between(self, left: str, right: str) -> list[int]:
        """Return the positions of the patterns between two labels, in either direction."""
        return self.edges[left].get(right, [])

    def components(self, labels: Iterable[str], patterns: Iterable[int]) -> list[set[str]]:
        """Return the groups of labels that the patterns at these positions connect."""
        group: dict[str, set[str]] = {label: {label} for label in labels}
        for place in patterns:
            pattern = self.schema.patterns[place]
            left, right = group.get(pattern.start), group.get(pattern.end)
            if left is None or right is None or left is right:
                continue
            left |= right
            for label in right:
                group[label] = left
        return list({id(members): members for members in group.values()}.values())

    def connection(self, start: set[str], goals: set[str], preferred: Mapping[int, float]) -> list[int]:
        """Return the positions of the patterns on the shortest paths between two groups of labels.

        A path has at most `LONGEST_PATH` patterns; the result is empty if there is no such path. `preferred` holds
        scores by the positions of patterns; of equally short paths, those with the best scores are kept.
        """
        depth = dict.fromkeys(start, 0)
        parents: dict[str, list[str]] = {}
        queue = deque(start)
        reached: list[str] = []
        limit = LONGEST_PATH
        while queue:
            label = queue.popleft()
            if depth[label] >= limit:
                continue
            for neighbour in self.edges[label]:
                if neighbour not in depth:
                    depth[neighbour] = depth[label] + 1
                    queue.append(neighbour)
                if depth[neighbour] == depth[label] + 1:
                    parents.setdefault(neighbour, []).append(label)
                    if neighbour in goals and neighbour not in reached:
                        reached.append(neighbour)
                        limit = depth[neighbour]
        found: set[int] = set()
        frontier = set(reached)
        while frontier:
            label = frontier.pop()
            for parent in self._best(label, parents.get(label, []), preferred)[:MOST_PARALLEL]:
                found.update(self._chosen(parent, label, preferred))
                if depth[parent] > 0:
                    frontier.add(parent)
        return sorted(found)

    def _best(self, label: str, parents: list[str], preferred: Mapping[int, float]) -> list[str]:
        def best_score(parent: str) -> float:
            return max((preferred.get(place, 0.0) for place in self.between(parent, label)), default=0.0)

        best = max(map(best_score, parents), default=0.0)
        return [parent for parent in parents if best_score(parent) == best] if best else parents

    def _chosen(self, left: str, right: str, preferred: Mapping[int, float]) -> list[int]:
        places = self.between(left, right)
        scored = [place for place in places if preferred.get(place, 0.0) > 0]
        return scored or places


label_graph = PerSchema(LabelGraph)
"""Return a schema as a graph of labels."""
