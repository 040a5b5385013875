r"""Builds MATCH clauses and property look-ups from stored names, which may contain any characters.

    >>> nodes("Box Office").match()
    'MATCH (n:`Box Office`)'
    >>> nodes(r"A\u0041").match()
    "MATCH (n) WHERE 'A\\\\u0041' IN labels(n) WITH n"
    >>> property_of("n", r"A\u0041")
    "n['A\\\\u0041']"

Some databases decode `\u0041` in backticks and others do not, so a query with such a name in backticks is never sent
(`cypher.readings`). All databases read a string alike if its backslashes are escaped, so such a label, type or property
is compared with a string instead. Such a query is slower, because it uses no index and no count store.
"""

from __future__ import annotations

from dataclasses import dataclass

from graphground.cypher.quoting import in_backticks, quoted_name, quoted_string
from graphground.cypher.readings import two_readings


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
