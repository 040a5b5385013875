"""The Neo4j with APOC that other tests attack."""

import neo4j
import pytest

from tests.support.neo4j_server import Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(300)]


def test_apoc_can_read_files_so_that_attacks_would_succeed_without_the_check(neo4j_with_apoc: Neo4jServer) -> None:
    secret = neo4j_with_apoc.folder / "secret.json"
    secret.write_text('{"key": "opened"}')
    server = neo4j_with_apoc
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        query = f"CALL apoc.load.json('file://{secret}') YIELD value RETURN value.key AS key"
        assert driver.execute_query(query).records[0]["key"] == "opened"
