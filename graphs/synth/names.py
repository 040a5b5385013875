"""Generated names: pronounceable and mostly distinct, with a few homonyms.

>>> [make_name("Person", number) for number in range(2)]
['Nagon Sherukan', 'Maklemar Mistudar']
"""

from __future__ import annotations

from functools import cache
from zlib import crc32

ONSETS = ("b", "k", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "st", "br", "kl", "dr", "sh", "tr", "z")
VOWELS = ("a", "e", "i", "o", "u")
CODAS = ("", "n", "r", "l", "s")
PEOPLE = frozenset({"Person", "Player", "Politician", "Character"})

WORDS = 2**16
"""The number of distinct words of which names consist."""


@cache
def word(number: int) -> str:
    """Return the word of one to three syllables for a number below `WORDS`; it is the same on every machine."""
    mixed = (number * 40_503 + 12_345) % WORDS
    syllables = []
    for _ in range(3):
        mixed, onset = divmod(mixed, len(ONSETS))
        mixed, vowel = divmod(mixed, len(VOWELS))
        syllables.append(ONSETS[onset] + VOWELS[vowel])
        if not mixed:
            break
    return ("".join(syllables) + CODAS[number % len(CODAS)]).capitalize()


def make_name(label: str, number: int) -> str:
    """Return the name of a label's node with the given number.

    Names for labels in `PEOPLE` have two words. Of other names, a third have two words, a third are like `The Karin of
    Sado`, and a third contain the label and the number: `Karin Museum 5`.
    """
    salt = crc32(label.encode())  # otherwise the first person and the first film would have the same name
    first, second = word((number * 2_654_435_761 + salt >> 5) % WORDS), word((number // 7 + number * 31 + salt) % WORDS)
    if label in PEOPLE:
        return f"{first} {second}"
    match number % 3:
        case 0:
            return f"{first} {second}"
        case 1:
            return f"The {first} of {second}"
        case _:
            return f"{first} {label} {number}"


def number_of_name(number: int) -> int:
    """Return the number from which a node's name is generated: usually the node's own number.

    For one node in fifty it is half the node's number, so that two nodes may have the same name.
    """
    return number // 2 if number % 50 == 49 else number
