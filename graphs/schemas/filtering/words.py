"""Splits names and questions into words, and reduces variants of a word to a common form.

>>> split_name("hasCastMember"), split_name("avg_gestation_period_days")
(['has', 'cast', 'member'], ['avg', 'gestation', 'period', 'days'])
>>> lemma("cities"), root("created"), root("creation")
('city', 'creat', 'creat')
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from graphground.cypher.names.letters import decomposed
from graphground.cypher.names.split import split

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+\w*")
_SUFFIXES = (
    "iest",
    "est",
    "ier",
    "ational",
    "ations",
    "ation",
    "ments",
    "ment",
    "ities",
    "ity",
    "ists",
    "ist",
    "ives",
    "ive",
    "ences",
    "ence",
    "ances",
    "ance",
    "ships",
    "ship",
    "ions",
    "ion",
    "ings",
    "ing",
    "ers",
    "ors",
    "er",
    "or",
    "ees",
    "ed",
    "ies",
    "es",
    "al",
    "ly",
    "s",
    "e",
    "y",
)
SHORTEST_ROOT = 4

IRREGULAR = {
    "men": "man",
    "women": "woman",
    "people": "person",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "lives": "life",
    "wives": "wife",
    "taxa": "taxon",
    "criteria": "criterion",
    "phenomena": "phenomenon",
    "genera": "genus",
    "phyla": "phylum",
    "media": "medium",
    "indices": "index",
    "vertices": "vertex",
    "analyses": "analysis",
    "crises": "crisis",
    "series": "series",
    "species": "species",
    "was": "be",
    "were": "be",
    "is": "be",
    "are": "be",
    "been": "be",
    "has": "have",
    "had": "have",
    "does": "do",
    "did": "do",
    "born": "bear",
    "written": "write",
    "wrote": "write",
    "won": "win",
    "led": "lead",
    "held": "hold",
    "made": "make",
    "built": "build",
    "bought": "buy",
    "sold": "sell",
    "gave": "give",
    "given": "give",
    "taught": "teach",
    "sang": "sing",
    "sung": "sing",
    "spoke": "speak",
    "spoken": "speak",
    "began": "begin",
    "begun": "begin",
    "ate": "eat",
    "eaten": "eat",
    "fed": "feed",
    "grew": "grow",
    "grown": "grow",
    "flew": "fly",
    "flown": "fly",
    "drew": "draw",
    "drawn": "draw",
    "took": "take",
    "taken": "take",
    "left": "leave",
    "met": "meet",
    "paid": "pay",
    "sent": "send",
    "shot": "shoot",
    "slain": "slay",
    "slew": "slay",
    "found": "find",
    "fought": "fight",
    "bred": "breed",
    "lay": "lie",
    "lain": "lie",
    "ran": "run",
    "sat": "sit",
    "stood": "stand",
    "known": "know",
    "knew": "know",
    "shown": "show",
    "worn": "wear",
    "wore": "wear",
    "hid": "hide",
    "dwelt": "dwell",
    "employee": "employee",
    "committee": "committee",
    "weighed": "weigh",
    "dying": "die",
    "died": "die",
    "dies": "die",
    "lying": "lie",
    "bus": "bus",
    "status": "status",
    "gas": "gas",
    "census": "census",
    "basis": "basis",
    "bases": "base",
    "movies": "movie",
    "cookies": "cookie",
    "ties": "tie",
    "zombies": "zombie",
    "calories": "calorie",
    "selfies": "selfie",
    "prairies": "prairie",
    "pies": "pie",
    "address": "address",
    "news": "news",
    "lens": "lens",
}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question and its position: `Word("paintings", 27, 36)`."""

    text: str
    start: int
    end: int

    @property
    def folded(self) -> str:
        """The word in lower case, without accents and without a trailing `'s`."""
        return fold(self.text)


def fold(text: str) -> str:
    """Return a word in lower case, without accents and without a trailing `'s`: `Beyoncé’s` becomes `beyonce`."""
    plain = text.lower().replace("’", "'").removesuffix("'s")
    if plain.isascii():
        return plain
    return "".join(letter for letter in decomposed(plain) if not unicodedata.combining(letter))


def split_name(name: str) -> list[str]:
    """Return the words of a label, type or property, in lower case."""
    return [fold(part) for part in split(name)]


def question_words(question: str) -> list[Word]:
    """Return the words of a text with their positions, without punctuation."""
    return [Word(match.group(), match.start(), match.end()) for match in _WORD.finditer(question)]


@lru_cache(maxsize=50_000)
def lemma(word: str) -> str:
    """Return the singular of a noun or the base form of a common irregular verb; any other word unchanged."""
    known = IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """Return a word without its endings: `created`, `creator` and `creation` have the root `creat`."""
    text = lemma(word)
    if text in IRREGULAR.values():
        return text
    for suffix in _SUFFIXES:
        if text.endswith(suffix) and len(text) - len(suffix) >= SHORTEST_ROOT:
            return _undoubled(text[: -len(suffix)])
    for suffix in ("ing", "ed", "er"):  # short verbs: used, aired, owner
        if text.endswith(suffix) and len(text) - len(suffix) == SHORTEST_ROOT - 1:
            return text[: -len(suffix)].removesuffix("e")
    return text.rstrip("eiy") if len(text) > SHORTEST_ROOT - 1 else text


def _undoubled(text: str) -> str:
    """Return a root without a doubled last consonant (`star` for `starr`, of `starred`), or without a final `i`."""
    if len(text) > 3 and text[-1] == text[-2] and text[-1] not in "aeiouls":
        return text[:-1]
    return text.removesuffix("i") if len(text) > SHORTEST_ROOT else text
