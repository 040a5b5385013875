"""What Memgraph has beyond Bolt's common part, through GQLAlchemy: the extra `memgraph`, loaded on first use.

Without the extra the same is done with statements over Bolt. Never run on a real Memgraph: none runs here.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.engine import EngineUnavailable


def is_installed() -> bool:
    """Whether `pip install 'graphground[memgraph]'` was done."""
    return find_spec("gqlalchemy") is not None


def create_indexes(address: BoltAddress, pairs: Sequence[tuple[str, str]]) -> bool:
    """Label-property indexes that are not there yet; labels and keys are quoted. False where the extra is missing."""
    if not is_installed():
        return False
    from gqlalchemy.exceptions import GQLAlchemyError
    from gqlalchemy.models import MemgraphIndex

    try:
        client = connected(address)
        there = {(index.label, key) for index in client.get_indexes() for key in _keys(index.property)}
        for label, key in pairs:
            if (label.strip("`"), key.strip("`")) not in there:
                client.create_index(MemgraphIndex(label, key))
    except GQLAlchemyError as error:
        raise EngineUnavailable(f"{address.where()} refused an index: {error}") from error
    return True


def connected(address: BoltAddress) -> Any:
    """GQLAlchemy's client for the Memgraph at that address."""
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
