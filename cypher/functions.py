"""The standard functions of Neo4j 5.26 and of Cypher 25: their arguments and results.

    >>> FUNCTIONS["left"].arguments, FUNCTIONS["left"].required
    ((Type(String), Type(Integer)), 2)
    >>> FUNCTIONS["count"].aggregating, FUNCTIONS["tointeger"].name
    (True, 'toInteger')

functions.json lists all functions. A line holds the name, the arguments (`?` before optional ones), `->`, and the
result. Letters stand for types: A any type, V vector, N node, R relationship, P path, B Boolean, I Integer, F Float
(accepts an Integer), S String, O Point, D Date, T Time, t LocalTime, d LocalDateTime, Z DateTime, U Duration, M Map
(accepts a node or relationship), L list, Ls list of strings, and so on. `=` is the type of the first argument, `[=` a
list of it, `e` its elements, `|` the union of all arguments' types, `*` any number of arguments. `@` marks aggregating
functions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graphground.cypher import tree
from graphground.cypher.types import ANY, LIST, SINGLE_TYPES, Type, list_of

VECTOR = Type(0)
"""The type of vectors. It has no bit in the mask, so a value of any other known type never counts as a vector."""

_TABLES = json.loads((Path(__file__).parent / "functions.json").read_text(encoding="utf-8"))
_LETTERS: dict[str, Type] = {
    **dict(zip("NRPBIFSODTtdZUM", SINGLE_TYPES, strict=True)),
    "A": ANY,
    "L": LIST,
    "V": VECTOR,
}
_LETTERS |= {f"L{letter}": list_of(_LETTERS[letter.upper()]) for letter in "sifbnr"}

RENAMED: dict[str, str] = _TABLES["renamed"]
"""Functions of other dialects, each with its name in Cypher; an empty name means that Cypher uses another construct."""


class Function(NamedTuple):
    """One function: `left(original :: STRING, length :: INTEGER)` has two required arguments.

    `result` is a type, or a word for a type that depends on the arguments: `same`, `list`, `element`, `union`.
    """

    name: str
    arguments: tuple[Type, ...]
    required: int
    result: Type | str
    aggregating: bool
    repeated: bool


def _read(table: list[str]) -> dict[str, Function]:
    found: dict[str, Function] = {}
    for line in table:
        words = line.split()
        arrow = words.index("->")
        required = 0
        arguments: list[Type] = []
        repeated = False
        for word in words[1:arrow]:
            if word[0] == "*":
                repeated = True
            elif word[0] != "?":
                required += 1
            arguments.append(type_of_letters(word.lstrip("?*")))
        result = words[arrow + 1]
        special = {"=": "same", "[=": "list", "e": "element", "|": "union"}.get(result)
        found[words[0].lower()] = Function(
            words[0],
            tuple(arguments),
            max(required, int(repeated)),
            special or type_of_letters(result),
            words[-1] == "@",
            repeated,
        )
    return found


def type_of_letters(letters: str) -> Type:
    """Return the type for letters of the table: `SL` is a string or a list."""
    found: Type | None = None
    place = 0
    while place < len(letters):
        size = 2 if letters[place] == "L" and letters[place + 1 : place + 2].islower() else 1
        type_ = _LETTERS[letters[place : place + size]]
        found = type_ if found is None else found | type_
        place += size
    return found or ANY


FUNCTIONS: dict[str, Function] = _read(_TABLES["functions"])
CYPHER25_FUNCTIONS: dict[str, Function] = _read(_TABLES["cypher 25"])
AGGREGATES = frozenset(key for table in (FUNCTIONS, CYPHER25_FUNCTIONS) for key in table if table[key].aggregating)
"""The aggregating functions, in lower case."""


def is_aggregate(node: tree.Node) -> bool:
    """Return whether a node itself is an aggregate: `count(*)`, `collect(n)`, `percentileCont(n.age, 0.5)`."""
    if isinstance(node, tree.FunctionCall):
        return node.key in AGGREGATES
    return isinstance(node, tree.CountStar)


def aggregates_in(node: tree.Node) -> Iterator[tree.Node]:
    """Yield the aggregates in an expression, except those in a subquery: `count(n)` in `1 + count(n)`."""
    if is_aggregate(node):
        yield node
    if not isinstance(node, tree.Subquery):
        for child in node.children():
            yield from aggregates_in(child)


def contains_aggregate(node: tree.Node) -> bool:
    """Return whether an expression contains an aggregate outside subqueries: `count(*) + 1`."""
    return next(aggregates_in(node), None) is not None


def groups_rows(projection: tree.Projection) -> bool:
    """Return whether a WITH or RETURN groups its rows, because one of its items contains an aggregate."""
    return any(contains_aggregate(item.expression) for item in projection.items)


# The matching part of a query: its clauses up to the last MATCH, before RETURN projects the result


def matched_part(clauses: Sequence[tree.Clause]) -> list[tree.Clause]:
    """Return the clauses up to the last MATCH and the filters directly after it; empty without MATCH.

    A CALL subquery that contains a MATCH counts as a MATCH. A filter is a WITH … WHERE that neither aggregates nor
    sorts nor pages, or a FILTER. Clauses without a condition between the filters, such as LET, are included.
    """
    last = max((place for place, clause in enumerate(clauses) if _matches(clause)), default=None)
    if last is None:
        return []
    end = last + 1
    while end < len(clauses) and _only_filters(clauses[end]):
        end += 1
    while end > last + 1 and getattr(clauses[end - 1], "where", None) is None:  # a LET, or a WITH without a filter
        end -= 1
    return list(clauses[:end])


def _matches(clause: tree.Clause) -> bool:
    if isinstance(clause, tree.CallSubquery):
        return any(True for _ in clause.find(tree.Match))
    return isinstance(clause, tree.Match)


def _only_filters(clause: tree.Clause) -> bool:
    match clause:
        case tree.With(projection=projection):
            return not (
                groups_rows(projection)
                or projection.order_by
                or projection.skip
                or projection.limit
                or projection.group_by is not None
            )
        case tree.Filter() | tree.Let():
            return True
    return False


# The built-in procedures of Neo4j 5.26: their arguments, columns and access modes


class Procedure(NamedTuple):
    """A procedure: `db.labels` has no arguments and yields the column `label`."""

    required: int
    most: int
    mode: str
    columns: Mapping[str, Type]


def _read_procedures(table: list[str]) -> dict[str, Procedure]:
    found: dict[str, Procedure] = {}
    for line in table:
        name, counts, mode, *columns = line.split()
        least, _, most = counts.partition("-")
        pairs = (column.split(":") for column in columns)
        found[name] = Procedure(
            int(least), int(most), mode, {column: type_of_letters(letters) for column, letters in pairs}
        )
    return found


PROCEDURES: dict[str, Procedure] = _read_procedures(_TABLES["procedures"])
