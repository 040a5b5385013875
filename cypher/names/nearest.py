"""Finds the names most similar to an unknown name, by spelling and by the meaning of their parts.

>>> nearest("Movi", ["Movie", "Person", "Genre"])[0].name
'Movie'
>>> nearest("wasBornAt", ["diedIn", "bornIn", "memberOf"])[0].name
'bornIn'
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from graphground.cypher.names.words import root, split, word_lists
from graphground.cypher.safety.time_limit import check_work

ALIKE = 0.7
_NEGATIONS = ("un", "in", "im", "ir", "il", "dis", "non", "not")


@dataclass(frozen=True, slots=True)
class Near:
    """A candidate and its similarity to the unknown name, from 0 to 1; a bonus for the context may raise it above 1."""

    name: str
    score: float


def nearest(
    found: str, candidates: Iterable[str], *, limit: int = 3, favoured: Collection[str] = (), worst: float = 0.36
) -> list[Near]:
    """Return the candidates most similar to `found`, best first; `favoured` names fit the context and receive a bonus.

    Candidates whose similarity is below `worst` are left out.
    """
    near = []
    check_work()
    for candidate in candidates:
        letters = spelling(found, candidate)
        if letters < ALIKE:
            letters *= 0.85  # long names are half alike by chance
        score = max(letters, 0.92 * meaning(found, candidate))
        if score >= worst:
            near.append(Near(candidate, score + (0.12 if candidate in favoured else 0.0)))
    near.sort(key=lambda candidate: -candidate.score)
    return near[:limit]


def closest(found: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Return the known words most similar to an unknown word, best first, for "did you mean".

    >>> closest("querry", ["graph", "query", "parameters"])
    ['query']
    """
    return [near.name for near in nearest(found, known, limit=limit)]


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """Return the end of a message, `; did you mean 'load'?`, or an empty string if no known word is similar."""
    words = closest(found, known, limit=1)
    return f"; did you mean {words[0]!r}?" if words else ""


def is_clear(near: list[Near], least: float = 0.42, lead: float = 0.1) -> bool:
    """Return whether the best candidate is similar enough, and leads the second by enough, to become an edit."""
    return bool(near) and near[0].score >= least and (len(near) == 1 or near[0].score - near[1].score >= lead)


def spelling(first: str, second: str) -> float:
    """Return the similarity of spelling, 0 to 1, ignoring case and separators:
    1 for `runtime_minute` and `runtimeMinute`."""
    from rapidfuzz.distance import OSA, Indel  # imported on first use: only queries with mistakes need this package

    left, right = _bare(first), _bare(second)
    return max(OSA.normalized_similarity(left, right), 0.9 * Indel.normalized_similarity(left, right))


def meaning(first: str, second: str) -> float:
    """Return the similarity in meaning, 0 to 1: the share of common stems and synonyms; function words count little."""
    left, right = concepts(first), concepts(second)
    if not left or not right:
        return 0.0
    shared = sum(_weight(part) for part in left if part in right)
    if not shared:
        return 0.0
    return 2 * shared / (sum(map(_weight, left)) + sum(map(_weight, right)))


def abbreviates(short: str, long: str, *, initials: bool = False) -> bool:
    """Whether a text in capitals stands for another: its initials, or its first and further letters in their order.

    In small letters, it is the beginning of a word.

    >>> abbreviates("USA", "United States of America"), abbreviates("LRY", "Lorry"), abbreviates("RES", "restoration")
    (True, True, True)
    >>> abbreviates("Sat", "Saturday"), abbreviates("satday", "Saturday")
    (True, False)
    """
    code, letters = short.lower(), iter(_bare(long))
    if not short.isupper():
        return not initials and 2 < len(code) < len(long) and long.isalpha() and long.lower().startswith(code)
    if len(code) >= len(_bare(long)):
        return False
    heads = [word[0] for word in split(long)]
    if code in ("".join(heads).lower(), "".join(filter(str.isupper, heads)).lower()):
        return True
    return not initials and 1 < len(code) < 6 and long.lower().startswith(code[0]) and all(c in letters for c in code)


def opposed(first: str, second: str) -> bool:
    """Whether a text negates another: `inactive` and `active`, `not paid` and `paid`."""
    short, long = sorted((_bare(first), _bare(second)), key=len)
    return len(short) > 2 and long.endswith(short) and long.removesuffix(short) in _NEGATIONS


@lru_cache(4096)
def concepts(name: str) -> frozenset[str]:
    """Return the parts of a name as stems, with synonyms unified: `concepts("wasBornAt")` contains `birth`."""
    return frozenset(_concepts().get(root(word.lower()), root(word.lower())) for word in split(name))


@cache
def _concepts() -> dict[str, str]:
    """Return the concept of each root: a single one, because a fix must be unambiguous.

    In `lexicon` a word may have several concepts, because a filtered schema must miss nothing. One list for both
    purposes lost suggestions.
    """
    found: dict[str, str] = {}
    for line in word_lists()["same_concept"]:
        roots = [root(word) for word in line.split()]
        for its in roots:
            found.setdefault(its, roots[0])
    return found


@cache
def _fillers() -> frozenset[str]:
    return frozenset(root(word) for word in word_lists()["name_stop_words"])


def _weight(part: str) -> float:
    return 0.2 if part in _fillers() else 1.0


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def distance(a: str, b: str) -> int:
    """Return the least number of letters to change, add or delete to turn `a` into `b` (Levenshtein distance)."""
    from rapidfuzz.distance import Levenshtein  # imported on first use: only queries with mistakes need this package

    return Levenshtein.distance(a, b)
