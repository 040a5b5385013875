"""An index of the words in a schema's names, which finds the labels, types and properties to which a word refers.

>>> vocabulary = Vocabulary(films)
>>> words = question_words("who directed the film")
>>> vocabulary.match(vocabulary.keys(words))[Element("type", "", "directedBy")].score
0.9
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from typing import Literal, NamedTuple

from graphground.cypher.names.lexicon import (
    GENERIC_NAME_WORDS,
    NAME_STOP_WORDS,
    STOP_WORDS,
    concepts_by_root,
    concepts_of,
)
from graphground.cypher.names.words import Word, lemma, root, split_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.units import UNITS

Kind = Literal["label", "type", "property", "type_property"]

SAME_LEMMA, SAME_ROOT, SAME_CONCEPT = 1.0, 0.9, 0.65
MODIFIER, GENERIC, FULL = 0.6, 0.25, 1.0

AGENT_KEY = "#agent"
TOO_COMMON = 60
"""The maximum number of names that may share a concept; a more common concept is ignored."""


class Element(NamedTuple):
    """A named element of a schema: `Element("property", "Movie", "runtime_minute")`.

    The owner of a label or relationship type is an empty string.
    """

    kind: Kind
    owner: str
    name: str


@dataclass(slots=True)
class Evidence:
    """The evidence that words of the question refer to an element.

    A match of a word of the name with a word of the question has a strength from 0 to 1. `places` holds the best
    strength for each matched word of the name, by its position; `rarity` holds this strength times the rarity of the
    word among all names. `by` holds the best strength for each matching word of the question, by its number. `weights`
    are the weights of the words of the name, and `total` is their sum.
    """

    total: float
    weights: Sequence[float]
    places: dict[int, float] = field(default_factory=dict)
    by: dict[int, float] = field(default_factory=dict)
    rarity: dict[int, float] = field(default_factory=dict)

    @property
    def relevance(self) -> float:
        """The score, lowered if only common words match: of 2,000 labels many contain *city*, few *bloc party*."""
        return self.score * (0.4 + 0.6 * min(1.0, sum(self.rarity.values())))

    @property
    def score(self) -> float:
        """The share of the name that is matched, from 0 to 1; each word counts by its weight and its best strength."""
        return sum(self.weights[place] * weight for place, weight in self.places.items()) / self.total

    @property
    def content(self) -> bool:
        """Whether a content word of the name matched, not only a generic word; also true if all words matched."""
        return any(self.weights[place] > GENERIC for place in self.places) or len(self.places) == len(self.weights)

    @property
    def literal(self) -> frozenset[int]:
        """The positions of the name's words that the question contains, possibly in another form."""
        return frozenset(place for place, weight in self.places.items() if weight >= SAME_ROOT)


Postings = dict[str, list[tuple[Element, int, float]]]
Key = tuple[str, float]


class Vocabulary:
    """An index of one schema's words; create one object per schema."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        self._structure: Postings = {}
        self._attributes: dict[tuple[str, str], Postings] = {}
        self._weights: dict[Element, tuple[float, ...]] = {}
        self._single: set[str] = set()
        for label in schema.labels.values():
            self._add(Element("label", "", label.name), self._structure, head_last=True)
            owned = self._attributes.setdefault(("property", label.name), {})
            for key in label.properties:
                self._add(Element("property", label.name, key), owned)
        for type_, properties in schema.relationship_properties.items():
            self._add(Element("type", "", type_), self._structure)
            owned = self._attributes.setdefault(("type_property", type_), {})
            for key in properties:
                self._add(Element("type_property", type_, key), owned)

    def elements(self) -> list[Element]:
        """Return all labels, relationship types and properties of the schema."""
        return list(self._weights)

    def is_name(self, word: str) -> bool:
        """Whether a word alone names an element: `museums` names the label Museum."""
        return lemma(word) in self._single

    def keys(self, words: Sequence[Word], skip: Iterable[int] = (), concepts: bool = True) -> dict[int, list[Key]]:
        """Return, for the number of each word, the keys under which the word is looked up.

        Words whose numbers are in `skip` are left out; without `concepts`, so are the keys of concepts.
        """
        left_out = frozenset(skip)
        return {number: self._keys(words, number, concepts) for number in range(len(words)) if number not in left_out}

    def match(self, keys: Mapping[int, Sequence[Key]]) -> dict[Element, Evidence]:
        """Return the labels and relationship types to which the words refer, with the evidence."""
        found: dict[Element, Evidence] = {}
        self._collect(keys, self._structure, found, log(1 + len(self.schema.labels) + len(self.schema.patterns)))
        return found

    def match_properties(
        self, keys: Mapping[int, Sequence[Key]], labels: Iterable[str] | None = None, types: Iterable[str] = ()
    ) -> dict[Element, Evidence]:
        """Return the properties to which the words refer, of these labels (all labels if None) and types."""
        found: dict[Element, Evidence] = {}
        owners = [("property", label) for label in (self.schema.labels if labels is None else labels)]
        for owner in (*owners, *(("type_property", type_) for type_ in types)):
            self._collect(keys, self._attributes.get(owner, {}), found, 0.0)
        return found

    def _collect(
        self, keys: Mapping[int, Sequence[Key]], postings: Postings, found: dict[Element, Evidence], size: float
    ) -> None:
        for number, its_keys in keys.items():
            for key, weight in its_keys:
                entries = postings.get(key)
                if entries is None or (len(entries) > TOO_COMMON and weight <= SAME_CONCEPT):
                    continue
                rare = 1 - log(1 + len(entries)) / size if size else 0.0
                for element, place, most in entries:
                    evidence = found.get(element)
                    if evidence is None:
                        weights = self._weights[element]
                        evidence = found[element] = Evidence(sum(weights), weights)
                    strength = min(weight, most)
                    if strength > evidence.places.get(place, 0.0):
                        evidence.places[place] = strength
                    if strength * rare > evidence.rarity.get(place, 0.0):
                        evidence.rarity[place] = strength * rare
                    if strength > evidence.by.get(number, 0.0):
                        evidence.by[number] = strength

    def _keys(self, words: Sequence[Word], number: int, concepts: bool) -> list[Key]:
        folded = words[number].folded
        keys: list[Key] = []
        if folded not in STOP_WORDS:
            keys = [("=" + lemma(folded), SAME_LEMMA), ("~" + root(folded), SAME_ROOT)]
        if not concepts:
            return keys
        named = set(concepts_of(folded))
        if number + 1 < len(words):
            named |= concepts_by_root().get(f"{root(folded)} {root(words[number + 1].folded)}", frozenset())
        if folded in ("who", "whom"):
            named.add("agent")
        return keys + [("#" + concept, SAME_CONCEPT) for concept in named]

    def _add(self, element: Element, postings: Postings, head_last: bool = False) -> None:
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
        if len(content) == 1:
            self._single.add(lemma(content[0]))
        for number, word in enumerate(content):
            for key, most in keys_of_name(word):
                if key == AGENT_KEY and element.kind != "label":
                    continue  # `who` asks for a label of people, not for every property like head_coach
                postings.setdefault(key, []).append((element, number, most))


@lru_cache(maxsize=50_000)
def keys_of_name(word: str) -> tuple[Key, ...]:
    """Return the keys under which a word of a name is found: its lemma, root and concepts, each with a strength."""
    keys = {"=" + lemma(word): SAME_LEMMA, "~" + root(word): SAME_ROOT}
    keys |= {"#" + concept: SAME_CONCEPT for concept in concepts_of(word)}
    return tuple(keys.items())
