"""Words for messages: counted nouns, lists of words that may be long, and whole sentences."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 8
"""The number of words after which a list is cut, unless the caller gives another number."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 row`, `2,500 rows`; an irregular plural is passed."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(words: Sequence[str], most: int = MOST) -> str:
    """Join words after a colon: `listed(["a", "b"])` is `a, b`; a list longer than `most` ends in `and 3 more`."""
    if len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"


def all_of(words: Sequence[str], most: int = MOST) -> str:
    """Join words inside a sentence: `all_of(["a", "b", "c"])` is `a, b and c`; a longer list is cut as by `listed`."""
    return _with_last("and", words) if len(words) <= most else listed(words, most)


def either(words: Sequence[str], most: int = MOST) -> str:
    """Join alternatives: `either(["a", "b", "c"])` is `a, b or c`; a longer list ends in `or one of 3 others`."""
    if len(words) <= most:
        return _with_last("or", words)
    left = len(words) - most
    return f"{', '.join(words[:most])} or {'one other' if left == 1 else f'one of {left} others'}"


def sentence(message: str) -> str:
    """Return a diagnostic's message without the lines that show its position, ended by a full stop if it has no end."""
    line = message.partition("\n")[0]
    return line if line.endswith((".", "?")) else f"{line}."


def _with_last(word: str, words: Sequence[str]) -> str:
    return f" {word} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
