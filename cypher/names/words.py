"""Splits names and questions into words, and reduces variants of a word to a common form.

>>> split("hasCastMember"), split("avg_gestation_period"), split("NBATeam2"), split("StraßeÜberDenFluss")
(['has', 'Cast', 'Member'], ['avg', 'gestation', 'period'], ['NBA', 'Team', '2'], ['StraßeÜber', 'Den', 'Fluss'])
>>> lemma("cities"), root("created"), root("creation")
('city', 'creat', 'creat')
>>> decomposed("ﬁn ①")
'fin 1'

The stems are ours: a stemmer of English prose, such as Snowball's, keeps `creator` and `creation` apart.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

# fmt: off
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""The English names, whatever the locale of the process."""
_PART = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_WHOLE_PHRASES = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}\N{ARABIC LIGATURE JALLAJALALOUHOU}"
"""The two signs that become whole phrases, of 18 and of 8 letters. Any other sign becomes at most 7 letters."""
_DECOMPOSED = re.compile(f"[^{_WHOLE_PHRASES}]+")
_SUFFIXES = (
    "iest", "est", "ier", "ational", "ations", "ation", "ments", "ment", "ities", "ity", "ists", "ist", "ives", "ive",
    "ences", "ence", "ances", "ance", "ships", "ship", "ions", "ion", "ings", "ing", "ers", "ors", "er", "or", "ees",
    "ed", "ies", "es", "al", "ly", "s", "e", "y",
)
# fmt: on
SHORTEST_ROOT = 4
_VOWEL_AND_Y = ("ay", "ey", "oy", "uy")


@cache
def word_lists() -> Any:
    """Return the lists of English words in lexicon.json, by name."""
    return json.loads((Path(__file__).parent / "lexicon.json").read_text(encoding="utf-8"))


@cache
def _irregular() -> dict[str, str]:
    return dict(word_lists()["irregular"])


def split(name: str) -> list[str]:
    """Return the words of a label, type or property as written: `runtimeMinute` gives `runtime` and `Minute`."""
    return _PART.findall(name)


def decomposed(text: str) -> str:
    """Return the compatibility decomposition (NFKD) of a text, at most seven times as long;
    signs for phrases are kept."""
    if not any(sign in text for sign in _WHOLE_PHRASES):
        return unicodedata.normalize("NFKD", text)
    return _DECOMPOSED.sub(lambda found: unicodedata.normalize("NFKD", found.group()), text)


def fold(text: str) -> str:
    """Return a word in lower case, without accents and without a trailing `'s`: `Beyoncé’s` becomes `beyonce`."""
    plain = text.lower().replace("’", "'").removesuffix("'s")
    if plain.isascii():
        return plain
    return "".join(letter for letter in decomposed(plain) if not unicodedata.combining(letter))


@lru_cache(8192)
def split_name(name: str) -> list[str]:
    """Return the words of a label, type or property, in lower case."""
    return [fold(part) for part in split(name)]


def as_words(name: str) -> str:
    """Return a name of the schema in lower-case words: `hasCastMember` becomes `has cast member`.

    >>> as_words("partOfDivision"), as_words("runtime_minute")
    ('part of division', 'runtime minute')
    """
    return " ".join(split(name)).lower()


def plural(text: str) -> str:
    """Return the English plural of a noun: `movies` for `movie`, `countries` for `country`.

    >>> plural("country"), plural("movie"), plural("award class")
    ('countries', 'movies', 'award classes')
    """
    if re.search(r"[^aeiou]y$", text):
        return text[:-1] + "ies"
    return text + ("es" if re.search(r"(s|x|ch|sh)$", text) else "s")


@lru_cache(maxsize=50_000)
def lemma(word: str) -> str:
    """Return the singular of a noun or the base form of a common irregular verb; any other word unchanged."""
    known = _irregular().get(word)
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
    if text in _irregular().values():
        return text.removesuffix("e") if len(text) > SHORTEST_ROOT - 1 else text
    for suffix in _SUFFIXES:
        if text.endswith(suffix) and len(text) - len(suffix) >= SHORTEST_ROOT:
            return text if text[-2:] in _VOWEL_AND_Y else _undoubled(text[: -len(suffix)])
    for suffix in ("ing", "ed", "er"):  # short verbs: used, aired, owner
        if text.endswith(suffix) and len(text) - len(suffix) == SHORTEST_ROOT - 1:
            return text[: -len(suffix)].removesuffix("e")
    if text.endswith("y") or len(text) < SHORTEST_ROOT:  # `play` as `player`, `bury` as `buried`, `sony` not as `son`
        return text if text[-2:] in _VOWEL_AND_Y or len(text) < SHORTEST_ROOT else text[:-1] + "i"
    return text.rstrip("ei")


def _undoubled(text: str) -> str:
    """Return a root without a doubled last consonant (`star` for `starr`, of `starred`), or without a final `i`."""
    if len(text) > 3 and text[-1] == text[-2] and text[-1] not in "aeiouls":
        return text[:-1]
    return text.removesuffix("i") if len(text) > SHORTEST_ROOT else text
