"""Quotes names and strings for queries that are assembled from parts.

The printer has its own rule: it also quotes names that the language might take for a keyword.
"""

from __future__ import annotations

import re

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\Z")
_SPECIAL = re.compile(r"[\\'\n\r\t\b\f]")


def quoted_name(name: str) -> str:
    """Return a label, type, property or variable, in backticks if some database could not parse it without them.

    >>> quoted_name("Movie"), quoted_name("Box Office"), quoted_name("Größe")
    ('Movie', '`Box Office`', '`Größe`')
    """
    return name if _PLAIN.match(name) else in_backticks(name)


def in_backticks(name: str) -> str:
    """Return a name in backticks: `` `Movie` ``."""
    return "`" + name.replace("`", "``") + "`"


def quoted_string(text: str) -> str:
    r"""Return a string literal: `quoted_string("Night's Watch")` is `'Night\'s Watch'`."""
    return "'" + _SPECIAL.sub(lambda found: _ESCAPES[found[0]], text) + "'"
