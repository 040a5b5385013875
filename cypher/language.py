"""The versions of Cypher and the order of access levels; cheap to import."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Language = Literal["cypher5", "cypher25"]
"""The version of Cypher for a query that does not state a version."""

Access = Literal["read", "write", "schema", "admin"]
"""Access levels: the effect of a query on the database, from the weakest to the strongest."""

ORDER: dict[Access, int] = {"read": 0, "write": 1, "schema": 2, "admin": 3}


def widest(accesses: Iterable[Access]) -> Access:
    """Return the highest of several access levels, `read` for none:
    `widest(["read", "schema", "write"])` is `schema`."""
    return max(accesses, key=ORDER.__getitem__, default="read")
