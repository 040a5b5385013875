"""Makes mentions as people and models write them: real names, each with one kind of error, repeatable by a seed."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable

KINDS = (
    "unmodified",
    "typing error",
    "two typing errors",
    "case",
    "accents",
    "swapped words",
    "word missing",
    "initials",
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def typing_error(name: str, rng: random.Random) -> str:
    """Return a name with one random typing error: a wrong, missing or additional letter, or two swapped letters.

    Rarely, the name is unchanged, for example if the two swapped letters are equal.
    """
    place = rng.randrange(len(name))
    match rng.randrange(4):
        case 0:
            return name[:place] + rng.choice(_LETTERS) + name[place + 1 :]
        case 1 if len(name) > 2:
            return name[:place] + name[place + 1 :]
        case 2:
            return name[:place] + rng.choice(_LETTERS) + name[place:]
        case _:
            return name[:place] + name[place + 1 : place + 2] + name[place : place + 1] + name[place + 2 :]


def two_typing_errors(name: str, rng: random.Random) -> str:
    return typing_error(typing_error(name, rng), rng)


def other_case(name: str, rng: random.Random) -> str:
    return rng.choice([name.upper(), name.lower(), name.swapcase()])


def without_accents(name: str, rng: random.Random) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))


def swapped_words(name: str, rng: random.Random) -> str:
    words = name.split()
    if len(words) == 2:
        return rng.choice([f"{words[1]} {words[0]}", f"{words[1]}, {words[0]}"])
    place = rng.randrange(len(words) - 1) if len(words) > 1 else 0
    words[place : place + 2] = reversed(words[place : place + 2])
    return " ".join(words)


def word_missing(name: str, rng: random.Random) -> str:
    words = name.split()
    if len(words) < 2:
        return name
    del words[rng.randrange(len(words))]
    return " ".join(words)


def initials(name: str, rng: random.Random) -> str:
    """Shorten all words except the last to initials: `D. Hopper`."""
    *first, last = name.split()
    return " ".join([*(word[0] + "." for word in first), last])


_ERRORS: dict[str, Callable[[str, random.Random], str]] = {
    "unmodified": lambda name, rng: name,
    "typing error": typing_error,
    "two typing errors": two_typing_errors,
    "case": other_case,
    "accents": without_accents,
    "swapped words": swapped_words,
    "word missing": word_missing,
    "initials": initials,
}


def with_error(name: str, kind: str, rng: random.Random) -> str | None:
    """Return the name with an error of the given kind; None if the name is too short or would not change."""
    if (kind == "typing error" and len(name) < 4) or (kind == "two typing errors" and len(name) < 6):
        return None
    changed = _ERRORS[kind](name, rng)
    return changed if changed.strip() and (changed != name or kind == "unmodified") else None


def mentions(names: list[str], kind: str, count: int, seed: int = 7) -> list[tuple[str, str]]:
    """Return at most `count` pairs (mention, name) with one kind of error."""
    rng = random.Random(f"{kind}{seed}")
    pairs: list[tuple[str, str]] = []
    for name in rng.sample(names, len(names)):
        mention = with_error(name, kind, rng)
        if mention is not None:
            pairs.append((mention, name))
        if len(pairs) == count:
            break
    return pairs
