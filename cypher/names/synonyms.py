"""Words with the same meaning in graphs: `born` and `birth`, `movie` and `film`.

A stem has a single concept here, because a fix must be unambiguous. In `graphs.schemas.filtering.lexicon` a word may
have several concepts, because a filtered schema must miss nothing. One list for both purposes lost suggestions.
"""

from __future__ import annotations

from functools import cache

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
"""The concepts, one per line; the first word of a line stands for all its words."""


def concept(word: str) -> str:
    """Return the concept of a stem: `concept("offspr")` is `child`; a stem without synonyms is its own concept."""
    return _concepts().get(word, word)


@cache
def _concepts() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _SAME.strip().splitlines():
        stems = [stem(word) for word in line.split()]
        for stem_ in stems:
            found.setdefault(stem_, stems[0])
    return found


# Removes the ending of a word, so that `directed`, `director` and `directs` become equal


ENDINGS = ("ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "or", "s", "e")


def stem(word: str) -> str:
    """Remove the ending of a word in lower case: `stem("directed")` is `direct`."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
