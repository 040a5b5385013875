"""The versions of Cypher and the order of access levels; cheap to import."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Language = Literal["cypher5", "cypher25"]
"""The version of Cypher for a query that does not state one."""

Access = Literal["read", "write", "schema", "admin"]
"""Access levels: what a query does to the database, from the least to the most."""

ORDER: dict[Access, int] = {"read": 0, "write": 1, "schema": 2, "admin": 3}


def widest(accesses: Iterable[Access]) -> Access:
    """The highest of several access levels: `widest(["read", "schema", "write"])` is `schema`; `read` for none."""
    return max(accesses, key=ORDER.__getitem__, default="read")
