"""Folds names, and finds those that occur in a question, in any case, also within longer names.

    >>> [its.text for its in find_spans("How old was LeBron James in Cleveland?", index.labels_named)]  # doctest: +SKIP
    ['LeBron James', 'Cleveland']

A name that is a single common word (`who`, `it`, `the`) counts only if the question writes it as a name: in quotation
marks, or with a capital letter that does not begin a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from graphground.cypher.names.lexicon import COMMON
from graphground.cypher.names.words import decomposed, word_lists
from graphground.graphs.entities.candidate import Candidate, EntityLookup, Search

_DROPPED = str.maketrans("", "", "'`\u2018\u2019\u02bc\u02bb\u00b4")
_WORD_BY_ITSELF = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]").match
_ASCII = {number: (" " if not chr(number).isalnum() else chr(number).lower()) for number in range(128)}
_ASCII[ord("\n")] = "\n"
_ASCII[ord("'")] = _ASCII[ord("`")] = ""
_ASCII_TABLE = str.maketrans(_ASCII)


def fold(text: str) -> str:
    """Return the folded words of a text, joined by single spaces; line breaks count as spaces.

        >>> fold("Beyoncé Knowles-Carter"), fold("O'Neill, Łukasz"), fold("東京 Tower")
        ('beyonce knowles carter', 'oneill lukasz', '東 京 tower')

    Names are compared without case, accents or punctuation. Chinese characters and Japanese kana are split into single
    characters, so that a name is found by a part of it. A name of punctuation or symbols alone keeps them: `!!!`.
    """
    folded = " ".join(fold_lines(text.replace("\n", " ")).split())
    return folded or " ".join(text.casefold().split())


def fold_lines(text: str) -> str:
    """Fold many names at once, one per line, which is much cheaper than folding each name separately.

    Line breaks are kept. A line of punctuation alone becomes blank; the caller must fold such a line with `fold`.
    """
    if text.isascii():
        return text.translate(_ASCII_TABLE)
    return decomposed(text.translate(_DROPPED)).casefold().translate(_FOLDED)


class _FoldedCharacters(dict[int, str]):
    """The text for each character that a name may contain, computed when the character is met first."""

    def __missing__(self, number: int) -> str:
        char = chr(number)
        kind = unicodedata.category(char) if number < 0x10000 else ""
        folded = char
        if kind[:1] in ("P", "S", "Z") or kind in ("Cc", "Cf"):
            folded = " "
        elif kind[:1] == "M" and unicodedata.combining(char):
            folded = ""
        elif _WORD_BY_ITSELF(char):
            folded = f" {char} "
        self[number] = folded
        return folded


# Letters that have no canonical decomposition but are commonly typed without their stroke or ligature.
_PLAIN = "øo łl đd ðd þth æae œoe ıi ħh ŧt ŋn"
_FOLDED = _FoldedCharacters({ord("\n"): "\n", **{ord(pair[0]): pair[1:] for pair in _PLAIN.split()}})


def doctrine_of(word: str) -> str | None:
    """Return the doctrine of a folded word for its followers: `atheism` for `atheists`; None for any other word."""
    bare = word.removesuffix("s").removesuffix("ist")
    return bare + "ism" if len(bare) > 2 and word.removesuffix("s") != bare else None


def clean(text: str, longest: int = 300) -> str:
    """Return a mention that is safe to process: without control characters and lone surrogates, and of limited length.

    >>> clean("  Le\x00Bron\tJames ")
    'Le Bron James'
    """
    cut = text[: 4 * longest]
    if not cut.isprintable():
        cut = "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in cut)
    return " ".join(cut.split())[:longest]


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


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the question: `Word("jamess", 11, 18, (("james", 16), ("james", 18)))` for `James's`.

    `endings` are the other forms that the word may have at the end of a name, each with the position where it ends.
    """

    folded: str
    start: int
    end: int
    endings: tuple[tuple[str, int], ...]


def find_spans(question: str, labels_named: Callable[[Sequence[str]], Sequence[tuple[str, ...]]]) -> list[Span]:
    """Return all names that occur in a question, in order; they may overlap.

    `labels_named` returns for each folded text the labels that have it as a name, as `EntityIndex.labels_named` does.
    """
    question = question[:LONGEST_QUESTION]
    words = words_of(question)
    quoted = [match.span(match.lastindex or 0) for match in QUOTED.finditer(question)]
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
        _span(question, words[first].start, end, its, text)
        for (first, last, end), its, text in zip(tried, labels_named(texts), texts, strict=True)
        if its and _is_name(question, words[first : last + 1], quoted)
    ]


def _span(question: str, start: int, end: int, labels: tuple[str, ...], name: str) -> Span:
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


COUNTRIES: dict[str, list[str]] = word_lists()["demonyms"]
"""For each adjective, the possible names of its country in a graph: `French painters`, where the graph has `France`."""


def demonyms_in(
    question: str, taken: Sequence[tuple[int, int]], lookup: EntityLookup, limit: int = 8
) -> Iterator[tuple[Word, list[Candidate]]]:
    """Yield each adjective in a question whose country is in the graph, with the entities that have the country's name.

    An adjective in a longer name, as in `French Open`, is left out. So is an adjective that overlaps one of the spans
    `taken`, pairs of a start and an end in the question. At most `limit` entities are looked up for each country name.
    """
    words = words_of(question)
    for place, word in enumerate(words):
        countries = COUNTRIES.get(question[word.start : word.end])
        beside = [*(words[place - 1 : place] if place > 1 else ()), *words[place + 1 : place + 2]]
        if not countries or any(
            question[other.start].isupper() and question[other.start : other.end] not in COUNTRIES for other in beside
        ):
            continue
        if any(start < word.end and word.start < end for start, end in taken):
            continue
        for candidates in lookup.find_all(countries, Search(mode="fuzzy", limit=limit)):
            same = [candidate for candidate in candidates if candidate.match in ("exact", "alias")]
            if same:
                text = question[word.start : word.end]
                yield word, [replace(candidate, match="alias", matched=text) for candidate in same]
                break
