"""Removes the ending of a word, so that `directed`, `director` and `directs` become equal."""

from __future__ import annotations

ENDINGS = ("ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "or", "s", "e")


def stem(word: str) -> str:
    """Remove the ending of a word in lower case: `stem("directed")` is `direct`."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
