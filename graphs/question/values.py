"""Finds values that a question says in another form, and names of digits: `RJ` by "rejected", `2` by "route 2".

Only labels that the question names are considered, and of them properties with few different texts. Similar vectors are
not enough: "unpaid" is most similar to `paid`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from graphground.cypher.names.lexicon import concepts_of
from graphground.cypher.names.words import root
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.spans import fold
from graphground.graphs.entities.verdicts.judging import Judgement
from graphground.graphs.graph import Graph
from graphground.graphs.question.model import Mention, Question
from graphground.graphs.question.properties import Property, read_properties

SAID, EXPLAINED = 0.55, 0.9
"""How strongly a question must say a label, and from what strength on a word says an element of the schema instead."""
MAX_LABELS, MAX_CODE, MAX_NUMBERS = 3, 4, 8
"""The maximum numbers of labels whose values are compared, of letters of an abbreviation, and of names of digits."""
SCORE = 0.8

REFERENCE = re.compile(r"(?<![\w/.-])\d+(?:[/.-]\d+)+(?![\w/.-]*\d)")
BESIDE = frozenset(("and", "or", "no", "nr", "number", "numbers"))
"""Words that may stand between the word for a label and a number that names a node."""
Stretch = tuple[int, int]


def add_values(question: Question, graph: Graph) -> Question:
    """Return the question with mentions of values that it says in another form.

    >>> add_values(read_text("claims that were rejected", schema, lookup), graph).mentions[-1].nodes[0].name
    ... # doctest: +SKIP
    'RJ'
    """
    said = {name: question.strength("label", name) for name in graph.schema.labels}
    labels = sorted((name for name in said if said[name] >= SAID), key=lambda name: -said[name])[:MAX_LABELS]
    free = [n for n in question.content if all(its.strength < EXPLAINED for its in question.meanings.get(n, ()))]
    if graph.engine is None:
        return question
    found: dict[Stretch, list[Candidate]] = {}
    for stretch, label, text in islice(_numbers(question, labels), MAX_NUMBERS):
        for one in graph.entities.find(text, label=label) if graph.entities is not None else ():
            known = {other.key for other in found.get(stretch, ())}
            if text in (one.name, one.matched) and one.key not in known:
                found.setdefault(stretch, []).append(one)
    for label, keys in read_properties(graph, labels).items() if free else ():
        for its in keys.values():
            for (first, last), value, key in _matches(question, free, its):
                candidate = Candidate(value, label, its.key, SCORE, "fuzzy", key, is_value=True)
                found.setdefault((first, last), []).append(candidate)
    mentions: list[Mention] = []
    for first, last in sorted(found, key=lambda stretch: stretch[0] - stretch[1]):
        if all(last < other.words[0] or other.words[1] < first for other in mentions):
            start, end = question.words[first].start, question.words[last].end
            every = found[first, last]
            verdict = Judgement("found" if len(every) == 1 else "ambiguous", every, chance=every[0].score)
            mentions.append(Mention(question.text[start:end], start, end, verdict, (first, last)))
    if not mentions:
        return question
    taken = {number for new in mentions for number in range(new.words[0], new.words[1] + 1)}
    meanings = {number: its for number, its in question.meanings.items() if number not in taken}
    mentions = sorted([*question.mentions, *mentions], key=lambda mention: mention.start)
    return replace(question, mentions=mentions, meanings=meanings)


def _numbers(question: Question, labels: Sequence[str]) -> Iterator[tuple[Stretch, str | None, str]]:
    """Yield what may be names of digits: `152/2022`, `000211`, and numbers after some words.

    They stand after the word for a label, "routes 2 and 2A", or after one that the schema does not have: "chapter 29".
    """
    for match in REFERENCE.finditer(question.text):
        its = [n for n, word in enumerate(question.words) if match.start() <= word.start < match.end()]
        if its and not question.mentioned.intersection(its):
            yield (its[0], its[-1]), None, match.group()
    after, meanings = None, question.meanings
    for number, word in enumerate(question.words):
        named = {its.name: its.strength for its in question.meanings.get(number, ()) if its.kind == "label"}
        if named and max(named.values()) >= EXPLAINED:
            after = max(named, key=lambda name: named[name])
        elif word.folded.isdecimal() and number not in question.mentioned:
            if after in labels or (word.folded[0] == "0" and len(word.folded) > 2):
                yield (number, number), after if after in labels else None, word.text
            elif number - 1 in question.content and all(its.strength < SAID for its in meanings.get(number - 1, ())):
                yield from (((number, number), label, word.text) for label in labels)
        elif word.folded not in BESIDE and number not in question.mentioned:
            after = None


def _matches(question: Question, free: list[int], its: Property) -> Iterator[tuple[Stretch, str, str]]:
    """Yield the stretches of free words that say exactly one value of a property, with the value and its node."""
    codes = all(value.isalpha() and value.isupper() and len(value) <= MAX_CODE for value, _ in its.values)
    by_words = {value: fold(value).split() for value, _ in its.values}
    for first in free:
        for length in {len(words) for words in by_words.values()}:
            last = first + length - 1
            if any(number not in free for number in range(first, last + 1)):
                continue
            words = [word.folded for word in question.words[first : last + 1]]
            same = [
                (value, key)
                for value, key in its.values
                if (codes and length == 1 and abbreviates(value, words[0]))
                or (len(by_words[value]) == length and all(map(_alike, words, by_words[value])))
            ]
            if len(same) == 1:
                yield (first, last), *same[0]


def _alike(word: str, other: str) -> bool:
    return root(word) == root(other) or bool(concepts_of(word) & concepts_of(other))


def abbreviates(code: str, word: str) -> bool:
    """Whether a code is made of letters of a word in their order, the first one included.

    >>> abbreviates("RJ", "rejected"), abbreviates("DLY", "delayed"), abbreviates("OK", "delayed")
    (True, True, False)
    """
    letters = iter(word)
    return (
        2 <= len(code) < len(word) and code[0].lower() == word[0] and all(letter in letters for letter in code.lower())
    )
