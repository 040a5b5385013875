"""Names and texts as a query must write them, for whoever puts a query together from parts.

The printer has its own way with names: it also quotes those that the language may take for a word of its own.
"""

from __future__ import annotations


def quoted_name(name: str) -> str:
    """A label, type, property or variable, between backticks where it must be.

        >>> quoted_name("Movie"), quoted_name("Box Office")
        ('Movie', '`Box Office`')
    """
    return name if name.isidentifier() else in_backticks(name)


def in_backticks(name: str) -> str:
    """A name as Cypher takes any: `` `Movie` ``."""
    return "`" + name.replace("`", "``") + "`"


def quoted_string(text: str) -> str:
    r"""A string literal: `quoted_string("Night's Watch")` is `'Night\'s Watch'`."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
