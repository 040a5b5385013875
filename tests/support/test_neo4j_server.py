"""Tests of the real Neo4j servers that other tests use."""

import neo4j
import pytest

from tests.support.neo4j_server import LTS, NEWEST, Neo4jServer

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(300)]


def ask(server: Neo4jServer, query: str) -> list[neo4j.Record]:
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        return driver.execute_query(query).records


def test_each_server_has_the_requested_version(neo4j_5: Neo4jServer, neo4j_newest: Neo4jServer) -> None:
    for server, version in ((neo4j_5, LTS), (neo4j_newest, NEWEST)):
        assert ask(server, "CALL dbms.components() YIELD versions RETURN versions[0] AS v")[0]["v"] == version


def test_apoc_can_read_files_so_that_attacks_could_succeed(neo4j_with_apoc: Neo4jServer) -> None:
    secret = neo4j_with_apoc.folder / "secret.json"
    secret.write_text('{"key": "opened"}')
    assert (
        ask(neo4j_with_apoc, f"CALL apoc.load.json('file://{secret}') YIELD value RETURN value.key AS key")[0]["key"]
        == "opened"
    )
