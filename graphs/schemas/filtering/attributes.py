"""Selects the properties that a question names, whose values it mentions, or to which its other words refer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.filtering.lexicon import NOW_CUES, ORDER_CUES, TIME_CUES, is_demonym
from graphground.graphs.schemas.filtering.mentions import Mention
from graphground.graphs.schemas.filtering.selection import Selection
from graphground.graphs.schemas.filtering.vocabulary import SAME_CONCEPT, SAME_ROOT, Element, Evidence
from graphground.graphs.schemas.filtering.words import Word, lemma, split_name

VALUE_GIVEN = 1.0
CUED = 0.5
BESIDE = 0.15
FEW_BESIDE = 3
"""The largest number of properties at which a relationship type keeps all of them, whatever the question names.

They cost few tokens, and questions refer to them indirectly (*wore number 23*). If the token budget is short, they are
among the first elements to be dropped.
"""

YEAR_DIGITS = 4
ORIGIN_WORDS = frozenset({"country", "citizenship", "nationality", "origin", "language"})


class Attributes:
    """The choice of properties for the labels and patterns in a selection."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema

    def without_labels(self, matches: Mapping[Element, Evidence], selection: Selection) -> None:
        """Select the labels whose properties match the question best, for a question that names no label."""
        best = max(
            (
                evidence.score
                for element, evidence in matches.items()
                if element.kind == "property" and evidence.content
            ),
            default=0.0,
        )
        for element, evidence in matches.items():
            if best and element.kind == "property" and evidence.content and evidence.score == best:
                selection.add_label(element.owner, evidence.score)

    def choose(
        self,
        words: Sequence[Word],
        masked: frozenset[int],
        mentions: Sequence[Mention],
        matches: Mapping[Element, Evidence],
        selection: Selection,
    ) -> None:
        """Add the properties that the question needs to `selection`; `masked` has the numbers of words in mentions."""
        self._named(matches, selection)
        self._given(mentions, selection)
        cues = {lemma(word.folded) for number, word in enumerate(words) if number not in masked}
        digits = any(
            word.text.isdigit() and len(word.text) == YEAR_DIGITS
            for number, word in enumerate(words)
            if number not in masked
        )
        if digits or cues & TIME_CUES:
            self._temporal(selection, cues, digits)
        if any(is_demonym(word.text) for number, word in enumerate(words) if number and number not in masked):
            self._origin(selection)
        self._beside(selection)

    def _beside(self, selection: Selection) -> None:
        for pattern in (self.schema.patterns[place] for place in list(selection.patterns)):
            if len(pattern.properties) <= FEW_BESIDE:
                for key in pattern.properties:
                    selection.add_type_property(pattern.type, key, BESIDE)

    def _named(self, matches: Mapping[Element, Evidence], selection: Selection) -> None:
        types = selection.types()
        by_owner: dict[tuple[str, str], list[tuple[Element, Evidence]]] = {}
        for element, evidence in matches.items():
            chosen = element.owner in selection.labels if element.kind == "property" else element.owner in types
            if element.kind in ("property", "type_property") and chosen and evidence.content:
                by_owner.setdefault((element.kind, element.owner), []).append((element, evidence))
        for (kind, owner), found in by_owner.items():
            for element, evidence in found:
                if self._is_reserved(element) and max(evidence.places.values()) <= SAME_CONCEPT:
                    continue
                if not any(dominates(other, evidence) for _, other in found if other is not evidence):
                    if kind == "property":
                        selection.add_property(owner, element.name, evidence.score)
                    else:
                        selection.add_type_property(owner, element.name, evidence.score)

    def _is_reserved(self, element: Element) -> bool:
        return element.kind == "property" and element.name in self.schema.labels[element.owner].reserved

    def _given(self, mentions: Sequence[Mention], selection: Selection) -> None:
        for mention in mentions:
            for label, key in mention.holders:
                if label in selection.labels and key in self.schema.labels[label].properties:
                    selection.add_property(label, key, VALUE_GIVEN)

    def _temporal(self, selection: Selection, cues: set[str], digits: bool) -> None:
        """Add the properties that hold dates or years, to which a comparison or a time expression may refer."""
        bounded = digits or bool(cues & (NOW_CUES | ORDER_CUES))
        with_date = {
            label for label, key in selection.properties if is_temporal(self.schema.labels[label].properties[key], key)
        }
        for label in list(selection.labels):
            for key, type_ in self.schema.labels[label].properties.items():
                if is_temporal(type_, key) and label not in with_date:
                    selection.add_property(label, key, CUED)
        for place in selection.patterns:
            pattern = self.schema.patterns[place]
            for key, type_ in pattern.properties.items():
                if is_temporal(type_, key) and bounded:
                    selection.add_type_property(pattern.type, key, CUED)

    def _origin(self, selection: Selection) -> None:
        for label in list(selection.labels):
            for key, type_ in self.schema.labels[label].properties.items():
                if "str" in type_ and ORIGIN_WORDS & set(split_name(key)):
                    selection.add_property(label, key, CUED)


def dominates(better: Evidence, weaker: Evidence) -> bool:
    """Whether `better` has a higher score than `weaker` and clearly matches a further word.

    It must also match the words that `weaker` matches, at least as strongly.
    """
    extra = set(better.by) - set(weaker.by)
    return (
        set(weaker.by) < set(better.by)
        and better.score > weaker.score
        and max(better.by[number] for number in extra) >= SAME_ROOT
        and all(better.by[number] >= strength for number, strength in weaker.by.items())
    )


def is_temporal(type_: str, name: str) -> bool:
    """Whether a property holds a point in time: its type is a date, or the last word of its name is `year`."""
    if "date" in type_:
        return True
    return type_ in ("int", "float", "str", "unknown") and split_name(name)[-1:] == ["year"]
