"""The versions of Cypher and the order of access levels; cheap to import."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Language = Literal["cypher5", "cypher25"]
"""The version of Cypher that a query is in which does not say its own."""

Access = Literal["read", "write", "schema", "admin"]
"""What a query does to the database, from the least to the most."""

ORDER: dict[Access, int] = {"read": 0, "write": 1, "schema": 2, "admin": 3}


def widest(accesses: Iterable[Access]) -> Access:
    """The most of several: `widest(["read", "schema", "write"])` is `schema`; `read` of none."""
    return max(accesses, key=ORDER.__getitem__, default="read")
