"""Concepts that relate English words to each other: `born` to `birth`, `wrote` to `author`, `who` to a person.

The words are in lexicon.json: concepts of general English for attributes and relations, in the words of names and of
questions. The file contains no name of a particular graph. A word may belong to several concepts; `pass-away` stands
for two consecutive words.
"""

from __future__ import annotations

from functools import cache

from graphground.cypher.names.words import lemma, root, word_lists

_WORDS = word_lists()

TIME_CUES = frozenset(_WORDS["time_cues"])
"""Words that ask for a point or span of time, even if the question names no property."""

ORDER_CUES = frozenset(_WORDS["order_cues"])
"""Words that compare or sort by time."""

NOW_CUES = frozenset(_WORDS["now_cues"])
"""Words that ask whether something holds now or held in the past, such as `current` and `former`."""

STOP_WORDS = frozenset(_WORDS["stop_words"])
"""Structure words without content."""

COMMON = STOP_WORDS | frozenset(_WORDS["common_words"])
"""Common words of questions; a name that is only such a word must be written as a name in the question."""

CONNECTORS = frozenset(_WORDS["connectors"])
"""Words that stay in lower case within a name."""

TALK_WORDS = frozenset(_WORDS["talk_words"])
"""Common words of questions, such as numbers, which need not match any element of a schema."""

NAME_STOP_WORDS = frozenset(_WORDS["name_stop_words"])
"""Words of a label, type or property with little content: `hasGenre` is about genre."""

AGENTS = frozenset(_WORDS["agents"])
"""Nouns for people who do something; `who` in a question matches the labels with these names."""


@cache
def concepts_by_root() -> dict[str, frozenset[str]]:
    """Return the concepts of each root, or of each pair of roots joined by a space."""
    found: dict[str, set[str]] = {}
    for concept, words in _WORDS["concepts"].items():
        for word in words:
            key = " ".join(root(part) for part in word.split("-"))
            found.setdefault(key, set()).add(concept)
    return {key: frozenset(concepts) for key, concepts in found.items()}


@cache
def concepts_of(word: str) -> frozenset[str]:
    """Return the concepts of one folded word: `{"birth"}` for `born`."""
    table = concepts_by_root()
    return table.get(root(word), frozenset()) | table.get(lemma(word), frozenset())
