"""The words of a schema's names, indexed: which labels, types and properties does a question's word speak of?

    >>> vocabulary = Vocabulary(films)
    >>> vocabulary.match("who directed the film")[Element("type", "", "directedBy")].score
    1.0
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Literal, NamedTuple

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.filtering.lexicon import GENERIC_NAME_WORDS, NAME_STOP_WORDS, STOP_WORDS, concepts_of
from graphground.graphs.filtering.lexicon import concepts_by_root as concept_table
from graphground.graphs.filtering.words import Word, lemma, root, split_name
from graphground.graphs.units import UNITS

Kind = Literal["label", "type", "property", "type_property"]

SAME_LEMMA, SAME_ROOT, SAME_CONCEPT = 1.0, 0.9, 0.65
MODIFIER, GENERIC, FULL = 0.6, 0.25, 1.0

TOO_COMMON = 60
"""A concept that so many names share says nothing."""


class Element(NamedTuple):
    """What a name in a schema names: `Element("property", "Movie", "runtime_minute")`; labels have no owner."""

    kind: Kind
    owner: str
    name: str


@dataclass(slots=True)
class Evidence:
    """How far the question's words cover an element's name.

    `places` maps the name's word numbers to the best weight found, `told` to the same weighed by how rare the word
    is among names; `by` holds the numbers of the question's words.
    """

    total: float
    weights: Sequence[float]
    places: dict[int, float] = field(default_factory=dict)
    by: dict[int, float] = field(default_factory=dict)
    told: dict[int, float] = field(default_factory=dict)

    @property
    def relevance(self) -> float:
        """The score, less where only common words agree: of 2,000 labels many have *city*, few *bloc party*."""
        return self.score * (0.4 + 0.6 * min(1.0, sum(self.told.values())))

    @property
    def score(self) -> float:
        """From 0 to 1: the matched share of the name's weight."""
        return sum(self.weights[place] * weight for place, weight in self.places.items()) / self.total

    @property
    def content(self) -> bool:
        """Whether a word that tells something was matched, not a generic one only."""
        return any(self.weights[place] > GENERIC for place in self.places) or len(self.places) == len(self.weights)

    @property
    def literal(self) -> frozenset[int]:
        """The name's words that were said themselves, in some form."""
        return frozenset(place for place, weight in self.places.items() if weight >= SAME_ROOT)


class Vocabulary:
    """An index over one schema; build it once and keep it."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        self._postings: dict[str, list[tuple[Element, int, float]]] = {}
        self._weights: dict[Element, tuple[float, ...]] = {}
        for label in schema.labels.values():
            self._add(Element("label", "", label.name), head_last=True)
            for key in label.properties:
                self._add(Element("property", label.name, key))
        for type_, properties in schema.relationship_properties.items():
            self._add(Element("type", "", type_))
            for key in properties:
                self._add(Element("type_property", type_, key))

    def elements(self) -> list[Element]:
        """Everything that has a name."""
        return list(self._weights)

    def match(self, words: Sequence[Word], skip: Iterable[int] = (),
              kinds: frozenset[str] | None = None, concepts: bool = True) -> dict[Element, Evidence]:
        """The elements that the words speak of, with the evidence; `skip` are the numbers of words to leave out."""
        found: dict[Element, Evidence] = {}
        size = log(1 + len(self._weights))
        left_out = frozenset(skip)
        for number in range(len(words)):
            if number in left_out:
                continue
            for key, weight in self._keys(words, number, concepts):
                postings = self._postings.get(key, ())
                if len(postings) > TOO_COMMON and weight <= SAME_CONCEPT:
                    continue
                rare = 1 - log(1 + len(postings)) / size
                for element, place, most in postings:
                    if kinds is not None and element.kind not in kinds:
                        continue
                    evidence = found.get(element)
                    if evidence is None:
                        weights = self._weights[element]
                        evidence = found[element] = Evidence(sum(weights), weights)
                    strength = min(weight, most)
                    if strength > evidence.places.get(place, 0.0):
                        evidence.places[place] = strength
                    if strength * rare > evidence.told.get(place, 0.0):
                        evidence.told[place] = strength * rare
                    if strength > evidence.by.get(number, 0.0):
                        evidence.by[number] = strength
        return found

    def _keys(self, words: Sequence[Word], number: int, concepts: bool) -> list[tuple[str, float]]:
        folded = words[number].folded
        keys: list[tuple[str, float]] = []
        if folded not in STOP_WORDS:
            keys = [("=" + lemma(folded), SAME_LEMMA), ("~" + root(folded), SAME_ROOT)]
        if not concepts:
            return keys
        meant = set(concepts_of(folded))
        if number + 1 < len(words):
            meant |= concept_table().get(f"{root(folded)} {root(words[number + 1].folded)}", frozenset())
        if folded in ("who", "whom"):
            meant.add("agent")
        return keys + [("#" + concept, SAME_CONCEPT) for concept in meant]

    def _add(self, element: Element, head_last: bool = False) -> None:
        if element in self._weights:
            return
        words = split_name(element.name) or [element.name.lower()]
        content = [word for word in words if word not in NAME_STOP_WORDS] or words
        if element.kind in ("property", "type_property") and len(content) > 1 and content[-1] in UNITS:
            content = content[:-1]
        weights: list[float] = []
        for number, word in enumerate(content):
            if head_last:
                weights.append(FULL if number == len(content) - 1 else MODIFIER)
            else:
                weights.append(GENERIC if word in GENERIC_NAME_WORDS and len(content) > 1 else FULL)
        self._weights[element] = tuple(weights)
        for number, word in enumerate(content):
            keys: dict[str, float] = {"=" + lemma(word): SAME_LEMMA, "~" + root(word): SAME_ROOT}
            keys |= {"#" + concept: SAME_CONCEPT for concept in concepts_of(word)}
            for key, most in keys.items():
                self._postings.setdefault(key, []).append((element, number, most))
