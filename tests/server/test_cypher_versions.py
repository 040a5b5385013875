"""A database whose default language is Cypher 25: its queries are checked as Cypher 25."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import neo4j
import pytest

from graphground.graphs.engines.address import Database
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.storage.home import Home
from graphground.server.application import Application, Outcome
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = pytest.mark.neo4j
NEWER = "LET least = 1 MATCH (f:Film) FILTER f.year > least RETURN f.name AS name"


def wait_until_accepted(server: Neo4jServer, query: str) -> None:
    """Wait until the server accepts a query: a changed default language takes effect a moment later."""
    deadline = time.monotonic() + 30
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        while True:
            try:
                driver.execute_query(query)
                return
            except neo4j.exceptions.CypherSyntaxError:
                assert time.monotonic() < deadline, query


@pytest.fixture
def newer(neo4j_newest: Neo4jServer) -> Iterator[Neo4jServer]:
    seeded(
        neo4j_newest,
        "MATCH (n) DETACH DELETE n",
        "CREATE (:Film {name: 'Heat', year: 1995})",
        "ALTER DATABASE neo4j SET DEFAULT LANGUAGE CYPHER 25",
    )
    wait_until_accepted(neo4j_newest, "LET x = 1 RETURN x")
    yield neo4j_newest
    seeded(neo4j_newest, "ALTER DATABASE neo4j SET DEFAULT LANGUAGE CYPHER 5", "MATCH (n) DETACH DELETE n")


def application(server: Neo4jServer, folder: Path) -> Application:
    def opened() -> OpenGraphs:
        database = Database("films", server.uri, server.user, server.password)
        return OpenGraphs([GraphSource("films", "", "bolt", lambda: open_database(database, Home(folder).make()))])

    return Application(opened)


def called(server: Neo4jServer, tool: str, query: str) -> Outcome:
    with TemporaryDirectory() as folder, closing(application(server, Path(folder))) as app:
        return app.call(tool, {"query": query})


def test_cypher_25_is_run_and_valid_if_it_is_the_databases_default(newer: Neo4jServer) -> None:
    checked = called(newer, "validate_cypher", NEWER)
    assert b'"valid":true' in checked.payload, checked.payload
    answer = called(newer, "execute_cypher", NEWER)
    assert not answer.is_error
    assert b'"rows":[["Heat"]]' in answer.payload


def test_an_empty_answer_of_cypher_25_is_explained(newer: Neo4jServer) -> None:
    answer = called(newer, "execute_cypher", "MATCH (f:Film) FILTER f.year > 2000 RETURN f.name AS name")
    assert not answer.is_error
    assert b'"rows":[]' in answer.payload
    assert b"matches_nothing" in answer.payload


def test_on_a_database_of_cypher_5_a_cypher_25_query_is_reported_as_newer(neo4j_5: Neo4jServer) -> None:
    checked = called(neo4j_5, "validate_cypher", NEWER)
    assert b'"valid":false' in checked.payload
    assert b"Cypher 25" in checked.payload
