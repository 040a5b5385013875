"""Addresses of a test's Neo4j, and the results of opening them."""

from contextlib import closing

import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.engine import EngineUnavailable
from tests.support.neo4j_server import Neo4jServer


def as_scheme(server: Neo4jServer, scheme: str, database: str | None = None) -> BoltAddress:
    """Return the address of a server with another scheme, such as `neo4j+s`."""
    return BoltAddress(server.uri.replace("bolt://", f"{scheme}://"), server.user, server.password, database)


def answers(address: BoltAddress) -> bool:
    """Whether the database at an address answers a query."""
    with closing(bolt_engine(address)) as engine:
        return engine.run("RETURN 1 AS one").rows == [[1]]


def refusal(address: BoltAddress) -> str:
    """Return the message of the error when an address that cannot be used is opened."""
    with pytest.raises(EngineUnavailable) as caught:
        bolt_engine(address)
    return str(caught.value)
