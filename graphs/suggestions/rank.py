"""Which patterns fit the words of a question best. No model: stems of the schema's words, and where they stand.

>>> Question("Which sculptures were created by Auguste Rodin?").mentions("createdBy")
1.0
"""

from __future__ import annotations

import re
from functools import lru_cache

from graphground.cypher.names.split import split
from graphground.graphs.suggestions.patterns import QueryShape

SMALL_WORDS = frozenset(
    {
        "a",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "in",
        "into",
        "is",
        "it",
        "its",
        "list",
        "many",
        "me",
        "much",
        "name",
        "names",
        "of",
        "on",
        "or",
        "provide",
        "s",
        "show",
        "tell",
        "that",
        "the",
        "their",
        "them",
        "there",
        "these",
        "they",
        "this",
        "to",
        "was",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "with",
    }
)

LIKE = {
    "direct": {"film", "director"},
    "star": {"cast", "act", "actor"},
    "member": {"cast"},
    "receive": {"win", "award"},
    "employ": {"use", "weapon"},
    "perpetrate": {"carry", "commit", "responsible", "perpetrator"},
    "occur": {"happen", "place", "country"},
    "target": {"against", "attack"},
    "display": {"hous", "exhibit", "show"},
    "inhabit": {"live", "habitat", "found"},
    "feed": {"eat", "prey", "diet", "consume"},
    "rank": {"taxonomic"},
    "parent": {"belong", "subtaxa", "under", "classify"},
    "play": {"player", "team", "club"},
    "create": {"paint", "sculpt", "make", "artist", "creator"},
    "associate": {"movement", "link", "belong"},
    "base": {"headquarter", "locate"},
    "found": {"founder", "establish"},
    "taxon": {"speci", "taxa", "animal", "organism"},
    "person": {"people", "individual", "artist"},
    "terrorist": {"perpetrator"},
    "home": {"stadium", "venue"},
}
"""Words that questions use for words that schemas use, as stems."""


class Question:
    """The words of a question by stem, with the place of the first of each."""

    def __init__(self, text: str, without: tuple[str, ...] = ()) -> None:
        for mention in without:
            text = text.replace(mention, " ")
        self._places: dict[str, int] = {}
        for place, word in enumerate(re.findall(r"[^\W\d_]+", text.lower())):
            if word not in SMALL_WORDS:
                self._places.setdefault(stem(word), place)

    def place(self, name: str) -> int | None:
        """Where the first word stands that a schema's name consists of."""
        places = [
            self._places[word] for part in parts(name) for word in (part, *LIKE.get(part, ())) if word in self._places
        ]
        return min(places, default=None)

    def mentions(self, name: str) -> float:
        """The share of a schema name's words that the question has, between 0 and 1."""
        words = parts(name)
        if not words:
            return 0.0
        hits = sum(
            1.0 if word in self._places else 0.7 if self._places.keys() & LIKE.get(word, set()) else 0.0
            for word in words
        )
        return hits / len(words)


@lru_cache(maxsize=4096)
def parts(name: str) -> tuple[str, ...]:
    """The stems of a schema's name, small words left out: `hasCastMember` is `cast` and `member`."""
    words = [word.lower() for word in split(name) if not word.isdecimal()]
    return tuple(stem(word) for word in words if word not in SMALL_WORDS)


def stem(word: str) -> str:
    """A word without its ending, roughly: `created`, `creates` and `creating` are one."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: len(word) - len(ending)] + instead
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def score(shape: QueryShape, question: Question, rows: int) -> float:
    """How well a pattern fits: its relationships, the label asked for, how many of the entities it uses."""
    certainty = sum(entity.score for entity in shape.entities)
    if shape.itself:
        return certainty - 0.4
    steps = shape.steps
    words = sum(question.mentions(step.pattern.type) for step in steps) / len(steps)
    target = question.place(shape.target)
    asked = 0.0 if target is None else 1.0 - min(target, 20) / 40
    middles = [chain[0].target for chain, _ in shape.chains if len(chain) > 1]
    between = sum(0.6 if question.place(label) is not None else -0.2 for label in middles)
    return 1.2 * certainty + 1.4 * words + 1.2 * asked + between - 0.25 * len(steps) - (0.0 if rows else 3.0)
