"""Finds the names that occur in a question, in upper or lower case, also those within longer names.

    >>> [span.text for span in find_spans("How old was LeBron James in Cleveland?", index)]  # doctest: +SKIP
    ['LeBron James', 'Cleveland']

A name that is a single common word (`who`, `it`, `the`) counts only if the question writes it as a name: in quotation
marks, or with a capital letter that does not begin a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from graphground.cypher.names.lexicon import COMMON
from graphground.graphs.entities.folding import clean, doctrine_of, fold

LONGEST_QUESTION = 2_000
MOST_WORDS = 20
_PIECE = re.compile(r"\S+")
_ABBREVIATED = re.compile(r"\.\w$")
_PART = re.compile(r"[^\s\-/\u2010-\u2015]+")
_AFTER, _BEFORE = '.,;:!?)]}"\u201d/', "([{\"\u201c'\u2018"
_POSSESSIVE = re.compile(r"(?:['\u2019]s|['\u2019])$")
QUOTED = re.compile(r"\"([^\"]{2,200})\"|\u201c([^\u201d]{2,200})\u201d|(?<!\w)'([^']{2,200})'(?!\w)")

ROMAN = {
    str(number): numeral
    for number, numeral in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"), 1)
}
"""Roman numerals, which names write where a question may write a number: `World War 2`."""


@dataclass(frozen=True, slots=True)
class Span:
    """A name within a question: `Span("Cleveland", 28, 37, ("City", "Team"))` at the positions 28 to 36.

    `labels` are the labels whose nodes have the name.
    """

    text: str
    start: int
    end: int
    labels: tuple[str, ...]
    name: str = ""
    """The folded name that occurs: `cartoon` for `cartoons`."""


class Names(Protocol):
    """The interface of the names that `find_spans` looks up; see `EntityIndex.labels_named`."""

    def labels_named(self, folded: Sequence[str]) -> Sequence[tuple[str, ...]]: ...


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question: `Word("jamess", 11, 18, (("james", 16), ("james", 18)))` for `James's`.

    `endings` are the other forms that the word may have at the end of a name, each with the position where it ends.
    """

    folded: str
    start: int
    end: int
    endings: tuple[tuple[str, int], ...]


def find_spans(question: str, names: Names) -> list[Span]:
    """Return all names of an index that occur in a question, in order; they may overlap."""
    question = question[:LONGEST_QUESTION]
    words = words_of(question)
    quoted = [match.span(match.lastindex or 0) for match in QUOTED.finditer(question)]
    return [
        _span(question, words[first].start, end, its, name)
        for first, _, end, its, name in _exact(question, words, quoted, names)
    ]


def _exact(
    question: str, words: Sequence[Word], quoted: Sequence[tuple[int, int]], names: Names
) -> list[tuple[int, int, int, tuple[str, ...], str]]:
    """Return the first and the last word, the end position, the labels and the folded text of each name."""
    tried: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for first in range(len(words)):
        before = ""
        for last in range(first, min(first + MOST_WORDS, len(words))):
            for ending, end in ((words[last].folded, words[last].end), *words[last].endings):
                tried.append((first, last, end))
                texts.append(before + ending)
            before += words[last].folded + " "
    return [
        (first, last, end, its, text)
        for (first, last, end), its, text in zip(tried, names.labels_named(texts), texts, strict=True)
        if its and _is_name(question, words[first : last + 1], quoted)
    ]


def _span(question: str, start: int, end: int, labels: tuple[str, ...], name: str = "") -> Span:
    """Return the span of a name, extended by a bracket or full stop that belongs to the name: `F.C.`, `(1900)`."""
    if question[end : end + 1] == "." and _ABBREVIATED.search(question, start, end):
        end += 1
    if question[end : end + 1] == ")" and question.count("(", start, end) > question.count(")", start, end):
        end += 1
    return Span(question[start:end], start, end, labels, name)


def words_of(question: str) -> list[Word]:
    """Return the question's words with their positions, without the punctuation around them."""
    words: list[Word] = []
    for piece in _PIECE.finditer(question):
        head = piece.group().rstrip(_AFTER)
        start = piece.start() + len(head) - len(head.lstrip(_BEFORE))
        if not head.strip(_BEFORE):
            head, start = piece.group(), piece.start()
        for part in _PART.finditer(question, start, piece.start() + len(head)):
            folded = fold(clean(part.group()))
            for number, word in enumerate(folded.split(" ") if folded else ()):
                whole = number == folded.count(" ")
                endings = _endings(part.group(), part.start()) if whole else ()
                words.append(Word(word, part.start(), part.end(), endings))
    return words


def _endings(text: str, start: int) -> tuple[tuple[str, int], ...]:
    """Return a word's possible forms without a possessive or plural ending, each with the position where it ends."""
    endings: list[tuple[str, int]] = []
    bare = _POSSESSIVE.sub("", text)
    if bare != text and (folded := fold(clean(bare))) and " " not in folded:
        endings.append((folded, start + len(bare)))
    folded = fold(clean(text))
    if " " not in folded and folded.endswith("s") and len(folded) > 3:
        endings.append((folded[:-1], start + len(text)))
        if folded.endswith("ies"):
            endings.append((folded[:-3] + "y", start + len(text)))
        elif folded.endswith("es"):
            endings.append((folded[:-2], start + len(text)))
    elif " " not in folded and len(folded) > 3 and text[0].isupper():
        endings.append((folded + "s", start + len(text)))  # `Republican voters`: the graph has `Republicans`
    if (doctrine := doctrine_of(folded)) is not None:
        endings.append((doctrine, start + len(text)))
    if folded in ROMAN:
        endings.append((ROMAN[folded], start + len(text)))
    return tuple(endings)


def _is_name(question: str, words: Sequence[Word], quoted: Sequence[tuple[int, int]]) -> bool:
    start, end = words[0].start, words[-1].end
    if (start, end) in quoted or any(word.folded not in COMMON and not word.folded.isdecimal() for word in words):
        return len(words) > 1 or len(words[0].folded) > 1 or not words[0].folded.isascii()
    if all(word.folded.isdecimal() for word in words):
        return False
    return all(question[word.start].isupper() for word in words) and not begins_sentence(question, start)


def begins_sentence(question: str, start: int) -> bool:
    before = question[:start].rstrip(" \"'(\u201c\u2018")
    return not before or before[-1] in ".?!:;"
