"""The names most like a wrong one, by spelling and by the meaning of their parts.

    >>> nearest("Movi", ["Movie", "Person", "Genre"])[0].name
    'Movie'
    >>> nearest("wasBornAt", ["diedIn", "bornIn", "memberOf"])[0].name
    'bornIn'
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

from graphground.cypher.work import check_work

ALIKE = 0.7
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
FILLING = frozenset(["a", "an", "and", "at", "be", "been", "by", "for", "from", "has", "have", "in", "is", "of", "on",
                     "the", "to", "was", "with"])

# Words that name the same thing in graphs; the first of a line stands for all of it.
_SAME = """
    birth born bear birthday birthdate birthplace
    death die died dies dead deceased
    citizen citizenship nationality national
    country nation land
    direct director film filmmaker
    write writer author screenwriter written wrote
    act actor actress cast star perform performer play role
    produce producer production studio
    found founder establish inception create creator creation launch start begin began since
    end finish stop until conclude terminate close
    locate location place situate site based headquarter headquarters where position
    lead leader head chief ceo president chair run
    member belong membership
    own owner possess
    child children offspring son daughter kid
    father dad
    mother mum mom
    parent
    spouse wife husband marry married partner
    kill murder slay killed
    gender sex
    job occupation profession work career
    award prize honour honor win won receive
    movie film picture
    person people human individual
    company firm organisation organization business corporation enterprise
    club team squad side
    coach manager trainer
    genre category style kind class
    language tongue
    title name label called
    description summary text about
    date day time when
    year
    amount number count total quantity nbr num
    money revenue income gross earning
    length long duration runtime
    height tall elevation altitude
    weight mass heavy
    depth deep
    area size surface
    victim casualty fatality injury injured
    manufacture manufacturer make maker build builder
    operate operator airline carrier
    crash accident
    depart departure origin source leave
    destine destination target goal arrive arrival
    friend know
    score rating rate
    comment reply answer
"""


@dataclass(frozen=True, slots=True)
class Near:
    """A valid name with how near it is, 0 to 1 (context may lift it above 1)."""

    name: str
    score: float


def nearest(found: str, candidates: Iterable[str], *, limit: int = 3, favoured: Collection[str] = (),
            worst: float = 0.36) -> list[Near]:
    """The candidates most like `found`, best first; `favoured` ones fit their place in the query and win ties."""
    near = []
    check_work()
    for candidate in candidates:
        letters = spelling(found, candidate)
        if letters < ALIKE:
            letters *= 0.85  # chance alone makes long names half alike
        score = max(letters, 0.92 * meaning(found, candidate))
        if score >= worst:
            near.append(Near(candidate, score + (0.12 if candidate in favoured else 0.0)))
    near.sort(key=lambda one: -one.score)
    return near[:limit]


def is_clear(near: list[Near], least: float = 0.42, lead: float = 0.1) -> bool:
    """Whether the first of several is so much nearer than the second that it may be put in unasked."""
    return bool(near) and near[0].score >= least and (len(near) == 1 or near[0].score - near[1].score >= lead)


def spelling(one: str, other: str) -> float:
    """Likeness of letters, 0 to 1, without case and separators: `spelling("runtime_minute", "runtimeMinute")` is 1."""
    from rapidfuzz.distance import OSA, Indel  # loaded on first use: only mistakes need it

    left, right = _bare(one), _bare(other)
    return max(OSA.normalized_similarity(left, right), 0.9 * Indel.normalized_similarity(left, right))


def meaning(one: str, other: str) -> float:
    """Likeness of the parts of two names: shared stems and synonyms count, small words little."""
    left, right = concepts(one), concepts(other)
    if not left or not right:
        return 0.0
    shared = sum(_weight(part) for part in left if part in right)
    if not shared:
        return 0.0
    return 2 * shared / (sum(map(_weight, left)) + sum(map(_weight, right)))


@lru_cache(4096)
def concepts(name: str) -> frozenset[str]:
    """The parts of a name as stems, synonyms folded: `concepts("wasBornAt")` holds `birth`."""
    same = _synonyms()
    stems = (_stem(part.lower()) for part in PART.findall(name))
    return frozenset(same.get(stem, stem) for stem in stems)


def _weight(part: str) -> float:
    return 0.2 if part in FILLING else 1.0


def _bare(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "or", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[:-len(ending)]
    return word


@lru_cache(1)
def _synonyms() -> dict[str, str]:
    folded: dict[str, str] = {}
    for line in _SAME.strip().splitlines():
        words = [_stem(word) for word in line.split()]
        for word in words:
            folded.setdefault(word, words[0])
    return folded
