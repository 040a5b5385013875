"""Statements with their ranks and qualifiers, and the selection by rank.

>>> select_best([Statement(NORMAL, ("text", "a")), Statement(PREFERRED, ("text", "b"))])
[Statement(rank=2, value=('text', 'b'), qualifiers={}, identifier='')]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from graphground.graphs.wikidata.values import ITEM, Value, value_of_snak

DEPRECATED, NORMAL, PREFERRED = 0, 1, 2
BODIES_KEPT = 1 << 12
RANKS = {
    "deprecated": DEPRECATED,
    "normal": NORMAL,
    "preferred": PREFERRED,
    "DeprecatedRank": DEPRECATED,
    "NormalRank": NORMAL,
    "PreferredRank": PREFERRED,
}
"""The numbers of ranks, by the names of ranks in entity documents and in RDF."""


class Statement(NamedTuple):
    """A statement: `Statement(NORMAL, ("item", "Q1"), {"P580": [("time", 1999, 0, 0, 9)]}, "Q42-F078…")`."""

    rank: int
    value: Value
    qualifiers: Mapping[str, Sequence[Value]] = {}
    identifier: str = ""


def select_best(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return the preferred statements, or the normal statements if none is preferred."""
    if len(statements) == 1:
        return statements if statements[0].rank != DEPRECATED else ()
    valid = drop_deprecated(statements)
    return [statement for statement in valid if statement.rank == PREFERRED] or valid


def drop_deprecated(statements: Iterable[Statement]) -> list[Statement]:
    """Return all statements except deprecated ones."""
    return [statement for statement in statements if statement.rank != DEPRECATED]


def select_by_rank(statements: Sequence[Statement], ranks: str) -> Sequence[Statement]:
    """Return the statements that a definition's `ranks` selects: `best` or `not_deprecated`."""
    return select_best(statements) if ranks == "best" else drop_deprecated(statements)


Wanted = Mapping[str, frozenset[str]]
"""The properties to read, each with the qualifiers to read for its statements."""


def statements_of(claims: Mapping[str, Any] | Sequence[Any], wanted: Wanted) -> dict[str, list[Statement]]:
    """Return the wanted statements in an entity document's `claims`, by property, sorted by identifier.

    Malformed statements are left out.
    """
    found: dict[str, list[Statement]] = {}
    if not isinstance(claims, Mapping):  # an entity without statements has an empty list
        return found
    for name in wanted.keys() & claims.keys():
        statements = []
        for claim in claims[name]:
            try:
                statements.append(_statement(claim, wanted[name]))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
        if statements:
            statements.sort(key=_identifier)
            found[name] = statements
    return found


def _statement(claim: Mapping[str, Any], qualifiers: frozenset[str]) -> Statement:
    snaks: Mapping[str, Any] = claim.get("qualifiers") or {}
    values = {name: [value_of_snak(snak) for snak in snaks[name]] for name in qualifiers if name in snaks}
    return Statement(
        RANKS[claim["rank"]], value_of_snak(claim["mainsnak"]), values, claim.get("id", "").replace("$", "-", 1)
    )


def _identifier(statement: Statement) -> str:
    return statement.identifier.upper()


def pack_statements(statements: Sequence[Statement]) -> bytes:
    """Return statements as bytes, the form in which a workspace stores them."""
    return orjson.dumps([tuple(statement) for statement in statements])


def items_in(body: bytes) -> list[int] | None:
    """Return the item numbers in bytes such as `b"42 5"`; None for bytes that `pack_statements` returned.

    If a property's statements have items as values, the normal rank and no qualifiers, a workspace may store only the
    numbers of the items, in any order. They are returned without repetition, sorted as texts.

    >>> items_in(b"5 42 5")
    [42, 5]
    """
    return None if body.startswith(b"[") else [int(number) for number in sorted(set(body.split()))]


@lru_cache(BODIES_KEPT)
def unpack_statements(body: bytes) -> list[Statement]:
    """Return the statements in bytes that `pack_statements` returned, or in a list of items (see `items_in`).

    Callers share the returned list, and must not change it.

    >>> unpack_statements(b"5")
    [Statement(rank=1, value=('item', 'Q5'), qualifiers={}, identifier='')]
    """
    numbers = items_in(body)
    if numbers is not None:
        return [Statement(NORMAL, (ITEM, f"Q{number}")) for number in numbers]
    return [
        Statement(
            rank,
            tuple(value),
            {name: [tuple(item) for item in values] for name, values in qualifiers.items()} if qualifiers else {},
            key,
        )
        for rank, value, qualifiers, key in orjson.loads(body)
    ]
