"""Where a question names entities, and what they are: `paintings at the Musée d'Orsay` names a Museum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from graphground.graphs.filtering.words import Word, fold, lemma, question_words


@dataclass(frozen=True, slots=True)
class Mention:
    """A part of the question that is a value in the graph.

    `Mention(27, 41, "Musée d'Orsay", (("Museum", "name"),))`: where it stands, and the labels and properties that
    hold it; `exact` says that capitals agree too.
    """

    start: int
    end: int
    text: str
    holders: tuple[tuple[str, str], ...]
    exact: bool = True


class MentionFinder(Protocol):
    """Whatever can say which parts of a question are values of the graph."""

    def mentions(self, question: str) -> Sequence[Mention]: ...


@runtime_checkable
class SpanFinder(Protocol):
    """An entity index that finds spans: each has `start`, `end` and `candidates`."""

    def spans(self, question: str) -> Sequence[Any]: ...


class KnownValues:
    """Mentions by a table of values, for graphs small enough to hold their values in memory.

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
        """The longest values first from the left, none overlapping."""
        words = question_words(question)
        folded = [key_of(word) for word in words]
        found: list[Mention] = []
        place = 0
        while place < len(words):
            for length in range(min(self._longest.get(folded[place], 0), len(words) - place), 0, -1):
                holders = self._holders.get(tuple(folded[place:place + length]))
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
    """A word as values are compared: folded, a plural in small letters as its singular (`midfielders`)."""
    return lemma(word.folded) if word.text.islower() else fold(word.text)


def mentions_in(question: str, entities: object) -> list[Mention]:
    """The mentions of a question through whatever is there: a table of values, an entity index, or nothing."""
    finder = getattr(entities, "mentions", None)
    if finder is not None:
        return list(finder(question))
    if isinstance(entities, SpanFinder):
        return [mention for span in entities.spans(question) if (mention := _of_span(question, span)) is not None]
    return []


def _of_span(question: str, span: Any) -> Mention | None:
    text = question[span.start:span.end]
    candidates = list(span.candidates)
    if not candidates:
        return None
    same = [one for one in candidates if one.name == text]
    holders = {(one.label, "name" if one.property == "aliases" else one.property): None
               for one in same or candidates}
    return Mention(span.start, span.end, text, tuple(holders), bool(same))


def masked(question: str, mentions: Iterable[Mention]) -> str:
    """The question with each mention replaced by its labels, as the masked form wants it.

        >>> masked("Who painted Guernica?", [Mention(12, 20, "Guernica", (("Painting", "name"),))])
        'Who painted Painting?'
    """
    parts: list[str] = []
    last = 0
    for mention in sorted(mentions, key=lambda one: one.start):
        if mention.start >= last:
            parts += [question[last:mention.start], " ".join(dict.fromkeys(label for label, _ in mention.holders))]
            last = mention.end
    return "".join([*parts, question[last:]])
