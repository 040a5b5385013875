"""The three pruned forms of Ozsoy's study: exact match, masked exact match, similarity.

`exact` keeps elements that a word of the question names. `masked` does the same after replacing each entity mention
with its label. `similarity` keeps names whose embedding is near the embedding of a word or phrase of the question.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from graphground.cypher.names.lexicon import STOP_WORDS
from graphground.cypher.names.words import lemma, split_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.vectors.encoders import STATIC, encoder
from graphground.graphs.filtering.selection import Selection
from graphground.graphs.question.meanings import Element, elements_of, weigh_words
from graphground.graphs.question.model import Question

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
