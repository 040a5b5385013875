"""A rough phonetic key of a name: `Stephen`, `Steven` and `Stefan` have the same key.

    >>> sound("stephen"), sound("steven"), sound("seth")
    ('stfn', 'stfn', 'st')

Letters and groups of letters that often stand for the same sound in European names are written alike, and vowels after
the first letter are left out, as in the phonetic keys of Soundex and Metaphone. A person's name is often written as it
sounds, which changes more letters than a typing error does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_ALIKE = (
    ("ph", "f"), ("sch", "sh"), ("ch", "k"), ("ck", "k"), ("gh", ""), ("tz", "z"), ("x", "ks"), ("q", "k"),
    ("y", "i"), ("v", "f"), ("z", "s"),
)  # fmt: skip
_SOFT_C, _SOFT_G, _SILENT, _TWICE = (
    re.compile("c(?=[ei])"),
    re.compile("g(?=[ei])"),
    re.compile("(?<!^)[aeiouhw]"),
    re.compile(r"(.)\1+"),
)


@lru_cache(maxsize=4_096)
def sound(word: str) -> str:
    """Return a rough phonetic key of a folded word."""
    text = word
    for letters, written in _ALIKE:
        text = text.replace(letters, written)
    text = _SOFT_G.sub("j", _SOFT_C.sub("s", text)).replace("c", "k")
    return _TWICE.sub(r"\1", _SILENT.sub("", text))


def sound_the_same(words: Sequence[str], its: Sequence[str]) -> bool:
    """Whether two names of several words sound the same and share a word of three or more letters.

    `steven curry` sounds like `stephen curry`, and not like `seth curry`.
    """
    return (
        len(words) == len(its) > 1
        and any(word == other and len(word) > 2 for word, other in zip(words, its, strict=True))
        and all(word == other or sound(word) == sound(other) for word, other in zip(words, its, strict=True))
    )
