"""Shortens long values visibly: a shortened text ends in `… (of 12,345 characters)`."""

from __future__ import annotations

from typing import Any

LONGEST_TEXT = 4_000
LONGEST_LIST = 500
DEEPEST = 20
"""The maximum depth of nested JSON in an answer; most clients can parse about a hundred levels."""


def shorten_rows(rows: list[Any]) -> bool:
    """Shorten the long texts and lists in rows, in place; return whether any value was shortened.

    >>> rows = [["Heat", "x" * 5_000]]
    >>> shorten_rows(rows), rows[0][1][-26:]
    (True, 'xxx… (of 5,000 characters)')
    """
    changed = False
    for row in rows:
        for place, value in enumerate(row):
            kind = type(value)
            if (kind is str and len(value) > LONGEST_TEXT) or kind is list or kind is dict:
                short = shortened(value)
                if short is not value:
                    row[place] = short
                    changed = True
    return changed


def shortened(value: Any, depth: int = 0) -> Any:
    """Return the value itself if it is short enough, else a shortened copy."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}… (of {len(value):,} characters)"
    if isinstance(value, list | dict) and depth >= DEEPEST:
        return f"… (nested deeper than {DEEPEST} levels)" if value else value
    if isinstance(value, list):
        items = [shortened(item, depth + 1) for item in value[:LONGEST_LIST]]
        if len(value) > LONGEST_LIST:
            return [*items, f"… (of {len(value):,} items)"]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        entries = {key: shortened(item, depth + 1) for key, item in value.items()}
        return entries if any(entries[key] is not item for key, item in value.items()) else value
    return value
