"""The three pruned forms of Ozsoy's study: exact match, masked exact match, similarity.

`exact` keeps elements that a word of the question names. `masked` does the same after replacing each entity mention
with its label. `similarity` keeps names whose embedding is near the embedding of a word or phrase of the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphground.graphs.schemas.filtering.lexicon import STOP_WORDS
from graphground.graphs.schemas.filtering.mentions import Mention, masked
from graphground.graphs.schemas.filtering.selection import Selection
from graphground.graphs.schemas.filtering.vocabulary import SAME_LEMMA, Element, Evidence, Vocabulary
from graphground.graphs.schemas.filtering.words import question_words


def select_exact(vocabulary: Vocabulary, question: str) -> Selection:
    """Select the elements that the question's words name, in singular or plural, and the patterns between them."""
    keys = vocabulary.keys(question_words(question), concepts=False)
    found = literal_matches(vocabulary.match(keys))
    labels = [element.name for element in found if element.kind == "label"]
    types = [element.name for element in found if element.kind == "type"]
    ends = [
        end
        for type_ in types
        for pattern in vocabulary.schema.relationship_types[type_]
        for end in (pattern.start, pattern.end)
    ]
    owners = dict.fromkeys([*labels, *ends]) or None
    return select_named(
        vocabulary,
        found | literal_matches(vocabulary.match_properties(keys, owners, vocabulary.schema.relationship_types)),
    )


def literal_matches(matches: Mapping[Element, Evidence]) -> dict[Element, float]:
    """Return the elements whose names share a content word with the question, with their scores."""
    return {
        element: evidence.score
        for element, evidence in matches.items()
        if evidence.content and max(evidence.places.values()) >= SAME_LEMMA
    }


def select_masked(vocabulary: Vocabulary, question: str, mentions: Sequence[Mention]) -> Selection:
    """Return the selection of `select_exact` for the question with its mentions replaced by their labels."""
    return select_exact(vocabulary, masked(question, mentions))


def select_similar(vocabulary: Vocabulary, similar: Mapping[Element, float]) -> Selection:
    """Select the elements in `similar`; it holds the similarity of elements near in meaning to the question."""
    return select_named(vocabulary, similar)


def select_named(vocabulary: Vocabulary, scores: Mapping[Element, float]) -> Selection:
    """Select the labels in `scores`, the patterns between them, and the patterns with a type in `scores`.

    A pattern must have a label in `scores` at one end, if there are any. A property in `scores` is selected if its
    label or type is selected; if no label is selected, the properties with the highest score also select their labels.
    """
    schema = vocabulary.schema
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


def phrases(question: str, longest: int = 3) -> list[str]:
    """Return the words and phrases of a question: `["art", "art movement", "movement", …]`.

    A phrase has up to `longest` words; it neither begins nor ends with a structure word.
    """
    words = [word.folded for word in question_words(question)]
    found: dict[str, None] = {}
    for start in range(len(words)):
        if words[start] in STOP_WORDS:
            continue
        for length in range(1, longest + 1):
            run = words[start : start + length]
            if len(run) == length and run[-1] not in STOP_WORDS:
                found[" ".join(run)] = None
    return list(found)
