"""The notation of schema texts: property maps, sample values and notes at the end of a line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import grouped
from graphground.cypher.text_values import TextValues

LONGEST_SAMPLE, LONGEST_DESCRIPTION = 40, 120
"""The maximum numbers of characters of a sample value and of a description."""


def property_map(
    properties: Mapping[str, str],
    without: Iterable[str] = (),
    texts: Mapping[str, TextValues] | None = None,
    empty: frozenset[str] = frozenset(),
) -> str:
    """Return a property map, ` {start_year, end_year: int, freight: str(float)}`; an empty string without properties.

    `str(float)` is the type of text that holds numbers; `list[str] (no values)` is the type of a property in `empty`.
    """
    left, profiles = frozenset(without), texts or {}

    def type_of(key: str) -> str:
        text = f"({profiles[key].type})" if key in profiles else ""
        return f"{properties[key]}{text}{' (no values)' if key in empty else ''}"

    inner = typed_names([key for key in properties if key not in left], type_of)
    return f" {{{inner}}}" if inner else ""


def typed_names(keys: Iterable[str], type_of: Callable[[str], str]) -> str:
    """Return property names, each type once after all the properties that have it:
    `name, eid: str, height_cm: float`."""
    groups = grouped(keys, type_of)
    return ", ".join(f"{', '.join(map(quoted_name, group))}: {type_of(group[0])}" for group in groups)


def show_value(value: Any) -> str:
    """Return a sample value as Cypher writes it, shortened: `'The Lord of the Rings: The Fell…'`, `['Drama', …]`."""
    if isinstance(value, str):
        text = re.sub(r"\s+", " ", value).strip()
        text = text if len(text) <= LONGEST_SAMPLE else text[: LONGEST_SAMPLE - 1].rstrip() + "…"
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, list):
        return f"[{', '.join(show_value(part) for part in value[:1])}{', …' if len(value) > 1 else ''}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def cut_description(text: str | None) -> str | None:
    """Return a description, shortened to `LONGEST_DESCRIPTION` characters; None for None."""
    if not text or len(text) <= LONGEST_DESCRIPTION:
        return text
    return text[: LONGEST_DESCRIPTION - 1].rstrip() + "…"


def note(parts: Iterable[str | None]) -> str:
    """Return a note for the end of a line: `  // 1,204; in centimetres`; empty parts are left out.

    If all parts are empty, the result is an empty string.
    """
    texts = [part for part in parts if part]
    return "  // " + "; ".join(texts) if texts else ""
