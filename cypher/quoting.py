"""Quotes names and strings for queries that are assembled from parts.

The printer has its own rule: it also quotes names that the language might take for a keyword.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphground.cypher.safety.canonical import two_readings

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


def quote_like(written: str, name: str) -> str:
    """Return a name to stand where another is written: a string in place of a string.

    >>> quote_like("Movi", "Movie"), quote_like("'Movi'", "Movie")
    ('Movie', "'Movie'")
    """
    return quoted_string(name) if written[:1] in ("'", '"') else quoted_name(name)


# Builds MATCH clauses and property look-ups from stored names, which may contain any characters


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern with its conditions and variables: `Pattern("(n)", ("'x' IN labels(n)",), ("n",))`."""

    text: str
    conditions: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()

    def match(self) -> str:
        """Return the MATCH clause; WHERE, WITH, UNWIND and RETURN may follow it."""
        if not self.conditions:
            return f"MATCH {self.text}"
        return f"MATCH {self.inside()} WITH {', '.join(self.variables)}"

    def inside(self) -> str:
        """Return the pattern with its conditions, to be placed between the braces of `EXISTS { … }`
        or `COUNT { … }`."""
        return self.text + (f" WHERE {' AND '.join(self.conditions)}" if self.conditions else "")


def quotable(name: str) -> bool:
    """Return whether all databases read the name in backticks alike."""
    return not two_readings(in_backticks(name))


def property_of(variable: str, key: str) -> str:
    """Return the expression for a property's value: `n.name`."""
    return f"{variable}.{quoted_name(key)}" if quotable(key) else f"{variable}[{quoted_string(key)}]"


def nodes(*labels: str, variable: str = "n") -> Pattern:
    """Build the pattern for nodes that have all these labels."""
    marks = "".join(f":{quoted_name(label)}" for label in labels if quotable(label))
    conditions = [f"{quoted_string(label)} IN labels({variable})" for label in labels if not quotable(label)]
    return Pattern(f"({variable}{marks})", tuple(conditions), (variable,))


def relationships(
    type_: str, start: str = "", end: str = "", *, variable: str = "r", ends: tuple[str, str] = ("a", "b")
) -> Pattern:
    """Build the pattern for relationships of a type between nodes of two labels; "" means any label."""
    left, right = (nodes(*filter(None, [label]), variable=name) for label, name in zip((start, end), ends, strict=True))
    by_type = (f"type({variable}) = {quoted_string(type_)}",) if not quotable(type_) else ()
    mark = "" if by_type else f":{quoted_name(type_)}"
    return Pattern(
        f"{left.text}-[{variable}{mark}]->{right.text}",
        by_type + left.conditions + right.conditions,
        (ends[0], variable, ends[1]),
    )
