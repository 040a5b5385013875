"""Memgraph's own features beyond plain Bolt, through GQLAlchemy: the extra `memgraph`, imported on first use.

Without the extra, the caller sends equivalent statements over Bolt. Not tested with a real Memgraph.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.engine import EngineUnavailable


def is_installed() -> bool:
    """Whether the extra is installed (`pip install 'graphground[memgraph]'`)."""
    return find_spec("gqlalchemy") is not None


def create_indexes(address: BoltAddress, pairs: Sequence[tuple[str, str]]) -> bool:
    """Create the missing indexes for `(label, property)` pairs of quoted names.

    Return whether the extra is installed; without it, no index is created.
    """
    if not is_installed():
        return False
    from gqlalchemy.exceptions import GQLAlchemyError
    from gqlalchemy.models import MemgraphIndex

    try:
        client = connected(address)
        existing = {(index.label, key) for index in client.get_indexes() for key in _keys(index.property)}
        for label, key in pairs:
            if (label.strip("`"), key.strip("`")) not in existing:
                client.create_index(MemgraphIndex(label, key))
    except GQLAlchemyError as error:
        raise EngineUnavailable(f"{address.where()} refused an index: {error}") from error
    return True


def connected(address: BoltAddress) -> Any:
    """Return GQLAlchemy's client for the Memgraph at an address."""
    from gqlalchemy import Memgraph

    parts = urlsplit(address.uri)
    return Memgraph(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or 7687,
        username=address.user,
        password=address.password,
        encrypted="+" in parts.scheme,
    )


def _keys(property_: Any) -> Sequence[str]:
    if property_ is None:
        return ()
    return (property_,) if isinstance(property_, str) else tuple(property_)
