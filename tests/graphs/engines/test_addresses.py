"""Addresses of real Neo4j servers: routing, several databases, and the user."""

import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine, bolt_engine
from graphground.graphs.engines.engine import QueryFailed
from tests.support.bolt_addresses import answers, as_scheme, refusal
from tests.support.neo4j_server import Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(400)]


@pytest.fixture(params=["neo4j_5", "neo4j_newest"])
def server(request: pytest.FixtureRequest) -> Neo4jServer:
    found: Neo4jServer = request.getfixturevalue(request.param)
    return found


def test_routing_addresses_select_the_database_and_refusals_are_reported(server: Neo4jServer) -> None:
    for database in (None, "neo4j"):
        assert answers(as_scheme(server, "neo4j", database))
    assert "has no database 'films'" in refusal(as_scheme(server, "neo4j", "films"))
    assert "refused the user" in refusal(BoltAddress(server.uri.replace("bolt://", "neo4j://"), server.user, "wrong"))


def test_several_databases_of_one_server_are_several_graphs(server: Neo4jServer) -> None:
    """Open both databases of a server; in Community, `system` accepts only administrative queries."""
    data = BoltEngine(as_scheme(server, "neo4j", "neo4j"))
    system = BoltEngine(as_scheme(server, "neo4j", "system"))
    assert data.run("RETURN 1 AS one").rows == [[1]]
    assert {row[0] for row in system.run("SHOW DATABASES YIELD name RETURN name").rows} == {"neo4j", "system"}
    with pytest.raises(QueryFailed):
        system.run("MATCH (n) RETURN n")
    data.close()
    system.close()


def test_sessions_run_as_the_user_of_the_address(server: Neo4jServer) -> None:
    engine = bolt_engine(as_scheme(server, "bolt"))
    assert engine.run("SHOW CURRENT USER YIELD user RETURN user").rows == [[server.user]]
    engine.close()
