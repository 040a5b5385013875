"""The real Neo4j servers that other tests use."""

import neo4j
import pytest

from tests.support.neo4j_server import LTS, NEWEST, Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(300)]


def test_each_neo4j_server_has_the_requested_version(neo4j_5: Neo4jServer, neo4j_newest: Neo4jServer) -> None:
    for server, version in ((neo4j_5, LTS), (neo4j_newest, NEWEST)):
        with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
            found = driver.execute_query("CALL dbms.components() YIELD versions RETURN versions[0] AS v").records
        assert found[0]["v"] == version
