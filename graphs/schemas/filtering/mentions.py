"""Finds the entities that a question names, and their labels: `paintings at the Musée d'Orsay` names a Museum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.schemas.filtering.words import Word, fold, lemma, question_words


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of the question that is a value in the graph.

    `Mention(27, 40, "Musée d'Orsay", (("Museum", "name"),))` begins at character 27 and ends before character 40;
    `holders` are pairs of a label and a property that have the value. `exact` is False if the text is known to differ
    from the value, for example in upper and lower case.
    """

    start: int
    end: int
    text: str
    holders: tuple[tuple[str, str], ...]
    exact: bool = True


class MentionFinder(Protocol):
    """A finder of the parts of a question that are values in the graph."""

    def mentions(self, question: str) -> Sequence[Mention]: ...


@runtime_checkable
class SpanFinder(Protocol):
    """An entity index that finds names in a question, as spans with the attributes `text`, `start`, `end`, `labels`."""

    def spans(self, question: str) -> Sequence[Any]: ...


class KnownValues:
    """A table of values in which mentions are found, for graphs whose values fit into memory.

    >>> values = KnownValues([("Museum", "name", "Musée d'Orsay")])
    >>> [mention.holders for mention in values.mentions("Who painted what hangs in the musée d'orsay?")]
    [(('Museum', 'name'),)]
    """

    def __init__(self, values: Iterable[tuple[str, str, str]]) -> None:
        self._holders: dict[tuple[str, ...], dict[tuple[str, str], set[str]]] = {}
        self._longest: dict[str, int] = {}
        for label, property_, value in values:
            words = tuple(map(key_of, question_words(value)))
            if words:
                self._holders.setdefault(words, {}).setdefault((label, property_), set()).add(value)
                self._longest[words[0]] = max(self._longest.get(words[0], 0), len(words))

    def mentions(self, question: str) -> list[Mention]:
        """Return the mentions in a question, without overlaps: from the left, the longest value at each position."""
        words = question_words(question)
        folded = [key_of(word) for word in words]
        found: list[Mention] = []
        place = 0
        while place < len(words):
            for length in range(min(self._longest.get(folded[place], 0), len(words) - place), 0, -1):
                holders = self._holders.get(tuple(folded[place : place + length]))
                if holders is not None:
                    start, end = words[place].start, words[place + length - 1].end
                    text = question[start:end]
                    same = {holder for holder, values in holders.items() if text in values}
                    found.append(Mention(start, end, text, tuple(sorted(same or holders)), bool(same)))
                    place += length
                    break
            else:
                place += 1
        return found


def key_of(word: Word) -> str:
    """Return the form in which a word is compared with values: folded, with lower-case plurals made singular."""
    return lemma(word.folded) if word.text.islower() else fold(word.text)


def mentions_in(question: str, entities: object, schema: PropertyGraphSchema) -> list[Mention]:
    """Return the mentions of a question, found with a table of values or an entity index; empty without `entities`."""
    finder = getattr(entities, "mentions", None)
    if finder is not None:
        return list(finder(question))
    if not isinstance(entities, SpanFinder):
        return []
    found = [_of_span(question, span, entities, schema) for span in entities.spans(question)]
    singular, places = singular_form(question)
    if singular != question:
        covered = {place for mention in found for place in range(mention.start, mention.end)}
        for span in entities.spans(singular):
            start, end = places[span.start], places[span.end]
            if not any(place in covered for place in range(start, end)):
                found.append(_of_span(question, _Moved(span.text, start, end, tuple(span.labels)), entities, schema))
    return sorted(found, key=lambda mention: mention.start)


@dataclass(frozen=True, slots=True)
class _Moved:
    text: str
    start: int
    end: int
    labels: tuple[str, ...]


def singular_form(question: str) -> tuple[str, list[int]]:
    """Return the question with each lower-case word replaced by its lemma, and each character's original position."""
    parts: list[str] = []
    places: list[int] = []
    last = 0
    for word in question_words(question):
        new = lemma(word.text) if word.text.islower() else word.text
        parts += [question[last : word.start], new]
        places += range(last, word.start)
        places += [min(word.start + number, word.end - 1) for number in range(len(new))]
        last = word.end
        if len(new) < word.end - word.start and places:
            places[-1] = max(places[-1], word.start)
    parts.append(question[last:])
    places += range(last, len(question) + 1)
    return "".join(parts), places


def _of_span(question: str, span: Any, entities: object, schema: PropertyGraphSchema) -> Mention:
    """Convert a span to a mention; find for each label of the span the properties that have its text as a value.

    If no property is found for a label, `name` is assumed.
    """
    text = span.text
    holders: list[tuple[str, str]] = []
    for label in span.labels:
        holders += [(label, key) for key in _holding(text, label, entities, schema)] or [(label, "name")]
    return Mention(span.start, span.end, question[span.start : span.end], tuple(holders))


def _holding(text: str, label: str, entities: object, schema: PropertyGraphSchema) -> list[str]:
    holds = getattr(entities, "holds", None)
    known = schema.labels.get(label)
    if holds is None or known is None:
        return []
    found = []
    for key, type_ in known.properties.items():
        if "str" in type_ and key not in known.reserved - {"name"}:
            with suppress(ValueError, LookupError):  # the property is not in the index
                if holds(text, label=label, property=key):
                    found.append(key)
                    if key in ("name", known.naming):
                        break
    return found


def masked(question: str, mentions: Iterable[Mention]) -> str:
    """Return the question with each mention replaced by the mention's labels, for the method `masked`.

    >>> masked("Who painted Guernica?", [Mention(12, 20, "Guernica", (("Painting", "name"),))])
    'Who painted Painting?'
    """
    parts: list[str] = []
    last = 0
    for mention in sorted(mentions, key=lambda item: item.start):
        if mention.start >= last:
            parts += [question[last : mention.start], " ".join(dict.fromkeys(label for label, _ in mention.holders))]
            last = mention.end
    return "".join([*parts, question[last:]])
