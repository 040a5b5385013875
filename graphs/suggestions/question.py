"""The content of a question apart from names: schema words, operators, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.spans import COMMON
from graphground.graphs.schemas.filtering.lexicon import STOP_WORDS, TALK_WORDS
from graphground.graphs.schemas.filtering.vocabulary import Element, Vocabulary
from graphground.graphs.schemas.filtering.words import Word, fold, question_words
from graphground.graphs.suggestions.cues import (
    AT_LEAST,
    AT_MOST,
    DATE,
    EARLY,
    GREATER,
    HIGH,
    LATE,
    LESS,
    LOW,
    MILLIONS,
    MONTHS,
    NUMBER,
    WRITTEN,
    cues_of,
)
from graphground.graphs.suggestions.mentions import Mention

SAME, OUTDONE = 0.12, 0.25
QUANTIFIERS = frozenset(("many", "much", "any", "all", "each", "every", "such"))
"""Words that are not reduced to a stem, because other words have the same stem: `many` and `man`."""
SAID = 0.6


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or date in a question with the comparison beside it: `Quantity("date", "1940-05-05", ">", 40)`.

    `kind` is `year`, `number` or `date`; `start` is the position in the text.
    """

    kind: str
    value: float | int | str
    comparison: str
    start: int


@dataclass(frozen=True, slots=True)
class Value:
    """A text in a question that a property may hold: `Value("Taipei", "Taipei", 103, "Person", "place_of_birth")`.

    `label` and `key` are empty if the text is not in the entity index.
    """

    name: str
    text: str
    start: int
    label: str = ""
    key: str = ""


@dataclass
class Question:
    """A question analysed against a schema, with its names masked."""

    text: str
    mentions: Sequence[Mention]
    """The names of entities, in the question's order."""
    vocabulary: Vocabulary
    known_values: Sequence[Mention] = ()
    """Texts that are not the name of an entity but a value of a property."""
    unknown: Sequence[Mention] = ()
    """Texts that look like names but were not found."""
    masked: str = ""
    words: list[Word] = field(default_factory=list)
    """The words of the question that are not part of a name."""
    _scores: dict[Element, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        pieces, last = [], 0
        for number, mention in sorted(enumerate(self.mentions), key=lambda item: item[1].start):
            if mention.start >= last:
                mark = f"@{number}"
                pieces += [self.text[last : mention.start], mark.ljust(mention.end - mention.start)]
                last = mention.start + max(len(mark), mention.end - mention.start)
        self.masked = ("".join(pieces) + self.text[last:]).lower().replace("’", "'")
        hidden = [
            (mention.start, mention.end) for mention in (*self.mentions, *self.known_values) if mention.start >= 0
        ]
        self.words = [
            word for word in question_words(self.text) if not any(start <= word.start < end for start, end in hidden)
        ]

    @property
    def schema(self) -> PropertyGraphSchema:
        return self.vocabulary.schema

    @cached_property
    def cues(self) -> frozenset[str]:
        """The names of the operators to which the question refers."""
        return cues_of(self.masked)

    @cached_property
    def evidence(self) -> dict[Element, dict[int, float]]:
        """For each label, type and property, the words that refer to it, with their strengths.

        A word that names one relationship type counts little for another type with a related name.
        """
        keys = self.vocabulary.keys(
            self.words, [number for number, word in enumerate(self.words) if word.folded in QUANTIFIERS]
        )
        found = self.vocabulary.match(keys) | self.vocabulary.match_properties(
            keys, types=self.schema.relationship_properties
        )
        best: dict[tuple[str, int], float] = {}
        for element, evidence in found.items():
            for number, strength in evidence.by.items():
                best[element.kind, number] = max(best.get((element.kind, number), 0.0), strength)
        said: dict[Element, dict[int, float]] = {}
        for element, evidence in found.items():
            kind = element.kind
            own = {
                number: strength
                for number, strength in evidence.by.items()
                if kind != "type" or strength >= best[kind, number] - SAME or strength >= best[kind, number] / 2 > 0.4
            }
            kept = {
                number: strength if strength >= best[kind, number] - SAME or kind != "type" else strength * OUTDONE
                for number, strength in own.items()
            }
            if kept:
                said[element] = kept
            whole = max(evidence.by.values(), default=1.0)
            self._scores[element] = evidence.score * max(kept.values(), default=0.0) / (whole or 1.0)
        return said

    def score(self, element: Element) -> float:
        """Return the share of an element's name that the question's words cover, from 0 to 1."""
        _ = self.evidence
        return self._scores.get(element, 0.0)

    def score_of(self, label: str, key: str) -> float:
        """Return how strongly the question refers to a property of a label, from 0 to 1."""
        return self.score(Element("property", label, key))

    def speaks_of_schema(self, mention: Mention) -> bool:
        """Whether a mention consists only of words of the schema, of time or of questions: `CEO`, `May`."""
        said = {number for by in self.evidence.values() for number in by}
        return all(
            number in said or number not in self.content or word.folded in MONTHS
            for number, word in enumerate(self.words)
            if mention.start <= word.start < mention.end
        )

    def names_labels(self) -> bool:
        """Whether a word of the question refers to a label."""
        return any(element.kind == "label" for element in self.evidence)

    @cached_property
    def content(self) -> frozenset[int]:
        """The positions of the content words."""
        return frozenset(
            number
            for number, word in enumerate(self.words)
            if word.folded not in STOP_WORDS and word.folded not in TALK_WORDS and not word.folded.isdecimal()
        )

    @cached_property
    def order(self) -> tuple[str, str] | None:
        """The order that the question asks for: `("time", "asc")` for *earliest*, `("size", "desc")` for *tallest*."""
        for word in question_words(self.masked):
            for words, found in (
                (EARLY, ("time", "asc")),
                (LATE, ("time", "desc")),
                (HIGH, ("size", "desc")),
                (LOW, ("size", "asc")),
            ):
                if word.folded in words:
                    if word.folded == "most" and re.match(r"most recent", self.masked[word.start :]):
                        return ("time", "desc")
                    if word.folded == "least" and self.masked[: word.start].endswith("at "):
                        continue
                    return found
        return None

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The numbers and dates outside names."""
        found: list[Quantity] = []
        taken: list[tuple[int, int]] = []
        for date in DATE.finditer(self.masked):
            taken.append(date.span())
            found.append(Quantity("date", _iso(date), self._comparison(*date.span()), date.start()))
        for number in NUMBER.finditer(self.masked):
            if any(start <= number.start() < end for start, end in taken):
                continue
            text = number.group().replace(",", "")
            value: float | int = float(text) if "." in text else int(text)
            scale = re.match(r" (thousand|million|billion)\b", self.masked[number.end() :])
            if scale:
                value = int(value * MILLIONS[scale[1]])
            year = isinstance(value, int) and 1000 <= value <= 2100 and not scale and "," not in number.group()
            found.append(
                Quantity("year" if year else "number", value, self._comparison(*number.span()), number.start())
            )
        return found

    @cached_property
    def values(self) -> list[Value]:
        """Texts that may be the value of a property: values in the entity index, and texts written like values."""
        found = [
            Value(entity.name, mention.text, mention.start, entity.label, entity.key)
            for mention in (*self.known_values, *self.mentions)
            for entity in mention.values
        ]
        names = [mention.text for mention in self.mentions]
        known = [*names, *(mention.text for mention in self.known_values)]
        for written in WRITTEN.finditer(self.text):
            text = written.group()
            if fold(text) not in COMMON and not any(text in other or other in text for other in known):
                found.append(Value(text, text, written.start()))
        found += [Value(name, name, self.text.find(name)) for name in names]
        return found

    def _comparison(self, start: int, end: int) -> str:
        """Return the comparison that the words before a number (`at least`) or after it (`or later`) express."""
        before = re.split(r"[,;?]| (?:and|or) |@\d", self.masked[max(0, start - 40) : start])[-1]
        after = self.masked[end : end + 18]
        if (
            AT_LEAST.search(before)
            or AT_LEAST.match(after.split(" ", 2)[-1] if after[:1] == " " else after)
            or re.match(r"\W*(\w+ )?or (more|later|above|after|higher|over|older|taller)", after)
        ):
            return ">="
        if AT_MOST.search(before) or re.match(r"\W*(\w+ )?or (less|fewer|earlier|before|below|lower|shorter)", after):
            return "<="
        places = {
            sign: max((match.end() for match in re.finditer(rf"\b(?:{pattern.pattern})\b", before)), default=-1)
            for sign, pattern in ((">", GREATER), ("<", LESS))
        }
        sign, place = max(places.items(), key=lambda item: item[1])
        if place < 0:
            return "<>" if re.search(r"\b(not|other than|except|excluding)\b", before) else "="
        return sign


def _iso(date: re.Match[str]) -> str:
    month, day, year, day2, month2, year2, year3, month3, day3 = date.groups()
    if year3:
        return f"{year3}-{month3}-{day3}"
    number = MONTHS.index((month or month2).lower()) + 1
    return f"{year or year2}-{number:02d}-{int(day or day2):02d}"
