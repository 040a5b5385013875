"""The content of a question apart from entity names: words of the schema, operators, numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from graphground.cypher.names.lexicon import COMMON, STOP_WORDS, TALK_WORDS
from graphground.cypher.names.words import Word, fold, question_words
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.question.quantities import AT_LEAST, AT_MOST, DATE, GREATER, LESS, MILLIONS, MONTHS, NUMBER
from graphground.graphs.suggestions.cues import EARLY, HIGH, LATE, LOW, WRITTEN, cues_of
from graphground.graphs.suggestions.mentions import Mention
from graphground.graphs.suggestions.vocabulary import Element, Vocabulary

SAME, OUTDONE = 0.12, 0.25
QUANTIFIERS = frozenset(("many", "much", "any", "all", "each", "every", "such"))
"""Words that are not reduced to a stem, because an unrelated word may have the same stem: `many` and `man`."""
MENTIONED = 0.6
"""The minimum score of a property, from 0 to 1, at which a question is regarded as mentioning it."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or date in a question, with the comparison that applies to it: `Quantity("year", 1940, ">", 40)`.

    `kind` is `year`, `number` or `date` (with `value` in the form `1940-05-05`); `start` is the position in the text.
    """

    kind: str
    value: float | int | str
    comparison: str
    start: int


@dataclass(frozen=True, slots=True)
class Value:
    """A possible value of a property: `Value("Taipei", "taipei", 103, "Person", "place_of_birth")`.

    `name` is the value as stored, and `text` is the value as written. `start` is the position of `text` in the
    question, or -1 if it does not occur there. `label` and `key` are empty if the text is not known as a value of a
    property.
    """

    name: str
    text: str
    start: int
    label: str = ""
    key: str = ""


@dataclass
class Question:
    """A question analysed for a schema; in `masked` its entity names are replaced with `@0`, `@1`, …."""

    text: str
    mentions: Sequence[Mention]
    """The mentions that may name entities."""
    vocabulary: Vocabulary
    known_values: Sequence[Mention] = ()
    """The mentions that are not names of entities but values of a property."""
    unknown: Sequence[Mention] = ()
    """The mentions that are written like names but were not found."""
    masked: str = ""
    words: list[Word] = field(default_factory=list)
    """The words of the question that are not part of a name or of a known value."""
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
        """The names of the cues in the question: see `cues_of`."""
        return cues_of(self.masked)

    @cached_property
    def evidence(self) -> dict[Element, dict[int, float]]:
        """For each label, type and property, the indices of the words that refer to it, with strengths from 0 to 1.

        A word that names a relationship type counts little for other types with related names.
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
        matched: dict[Element, dict[int, float]] = {}
        for element, evidence in found.items():
            kind = element.kind
            own = {
                number: strength
                for number, strength in evidence.by.items()
                if kind != "type" or strength >= best[kind, number] - SAME or strength >= best[kind, number] / 2 > 0.4
            }
            strengths = {
                number: strength if strength >= best[kind, number] - SAME or kind != "type" else strength * OUTDONE
                for number, strength in own.items()
            }
            if strengths:
                matched[element] = strengths
            whole = max(evidence.by.values(), default=1.0)
            self._scores[element] = evidence.score * max(strengths.values(), default=0.0) / (whole or 1.0)
        return matched

    def score(self, element: Element) -> float:
        """Return how strongly the question refers to a label, type or property, from 0 to 1."""
        _ = self.evidence
        return self._scores.get(element, 0.0)

    def score_of(self, label: str, key: str) -> float:
        """Return how strongly the question refers to a property of a label, from 0 to 1."""
        return self.score(Element("property", label, key))

    def speaks_of_schema(self, mention: Mention) -> bool:
        """Whether all content words of a mention are words of the schema or names of months: `CEO`, `May`."""
        matched = {number for by in self.evidence.values() for number in by}
        return all(
            number in matched or number not in self.content or word.folded in MONTHS
            for number, word in enumerate(self.words)
            if mention.start <= word.start < mention.end
        )

    def names_labels(self) -> bool:
        """Whether a word of the question refers to a label."""
        return any(element.kind == "label" for element in self.evidence)

    @cached_property
    def content(self) -> frozenset[int]:
        """The indices of the content words: all words but stop words, numbers, and words such as `show`."""
        return frozenset(
            number
            for number, word in enumerate(self.words)
            if word.folded not in STOP_WORDS and word.folded not in TALK_WORDS and not word.folded.isdecimal()
        )

    @cached_property
    def order(self) -> tuple[str, str] | None:
        """The question's sort order, if any: `("time", "asc")` for *earliest*, `("size", "desc")` for *tallest*."""
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
        date_spans: list[tuple[int, int]] = []
        for date in DATE.finditer(self.masked):
            date_spans.append(date.span())
            found.append(Quantity("date", _iso(date), self._comparison(*date.span()), date.start()))
        for number in NUMBER.finditer(self.masked):
            if any(start <= number.start() < end for start, end in date_spans):
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
        """Texts that may be values of a property: known values, texts that are written like names, and mentions."""
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
        """Return the comparison that words before or after a number express: `>=` for `at least`; `=` by default."""
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
