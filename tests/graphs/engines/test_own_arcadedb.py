"""A user's own ArcadeDB over Bolt; the tests use the embedded engine's server as if it were a separate database."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import neo4j
import pytest

from graphground.graphs.engines.address import Database
from graphground.graphs.entities import own_index
from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.storage.home import Catalog, Home
from graphground.tools import all_tools
from graphground.tools.tool import ToolFailure
from tests.support.own_arcadedb import start_writable

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]


@dataclass(frozen=True)
class Server:
    """The address of the server, and the passwords of an administrator and of a read-only user."""

    uri: str
    root: str
    reader: str
    database: str

    def as_user(self, user: str, database: str | None = None) -> Database:
        return Database(
            "films", self.uri, user, self.root if user == "root" else self.reader, database or self.database
        )


@pytest.fixture(scope="module")
def server(small_home: Home) -> Server:
    state = start_writable(small_home)
    return Server(f"bolt://127.0.0.1:{state.port}", state.root, state.reader, Catalog(small_home).get("films").id)


@pytest.fixture(params=["root", "reader"])
def graphs(request: pytest.FixtureRequest, server: Server, tmp_path: Path) -> Iterator[OpenGraphs]:
    database = server.as_user(request.param)
    graphs = OpenGraphs(
        [GraphSource("films", "", "bolt", lambda: open_database(database, Home(tmp_path).make()), eager=True)]
    )
    yield graphs
    graphs.close()


def test_only_a_read_only_user_makes_the_database_refuse_writes(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    guards = {}
    for user in ("root", "reader"):
        with caplog.at_level(logging.WARNING):
            graph = open_database(server.as_user(user), Home(tmp_path).make())
        assert graph.engine is not None
        guards[user] = (
            graph.write_protected,
            [message for message in caplog.messages if "did not refuse a trial write" in message],
        )
        assert graph.engine.run("MATCH (n) RETURN count(n)").rows == [[4]], "the probe left nothing behind"
        graph.close()
        caplog.clear()
    assert guards["reader"] == (True, [])
    refused, (warning,) = guards["root"]
    assert refused is False
    assert warning.startswith("graph 'films': its ArcadeDB did not refuse a trial write, which was rolled back.")
    assert "readRecord" in warning


def test_every_tool_gives_its_answer_on_an_arcadedb_server(graphs: OpenGraphs) -> None:
    calls = {
        "list_graphs": ({}, "films"),
        "get_schema": ({"form": "enhanced"}, "has cast"),
        "get_filtered_schema": ({"question": "Who directed Heat?"}, "directedBy"),
        "find_entities": ({"mentions": ["Micheal Mann"]}, "Michael Mann"),
        "validate_cypher": ({"query": "MATCH (m:Movi) RETURN m.name"}, "Movie"),
        "execute_cypher": (
            {"query": "MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p) RETURN p.name, m.released"},
            "1995-12-15",
        ),
        "ground_question": ({"question": "Who directed Heat?"}, "directedBy"),
    }
    tools = all_tools()
    assert calls.keys() == tools.keys()
    for name, (arguments, expected) in calls.items():
        answer = tools[name].run(graphs, tools[name].request.model_validate(arguments))
        assert expected in (answer.as_text() or answer.model_dump_json()), name


def test_a_rename_that_changes_no_count_is_detected_in_time(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_index, "UNMARKED_SECONDS", 0.0)
    monkeypatch.setattr(own_index, "MOST_SHARE", 1e9)
    graph = open_database(server.as_user("root"), Home(tmp_path).make())
    names = graph.entities
    assert isinstance(names, OwnIndex)
    names.wait(60)
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=("root", server.root)) as driver,
        driver.session(database=server.database) as session,
    ):
        for old, new in (("Michael Mann", "Renamed"), ("Renamed", "Michael Mann")):
            session.run("MATCH (p:Person {name: $old}) SET p.name = $new", old=old, new=new).consume()
            graph.check_for_changes()
            assert not names.stale
            deadline = time.monotonic() + 60
            while [candidate.name for candidate in names.find(new)][:1] != [new]:
                assert time.monotonic() < deadline, "the index never got the new name"
                names.wait(60)  # a build that an earlier lookup started may have read the old name
    graph.close()


def test_the_check_refuses_a_write_that_the_database_would_accept(server: Server, graphs: OpenGraphs) -> None:
    tool = all_tools()["execute_cypher"]
    for query in ("CREATE (:Movie {name: 'x'})", "MATCH (n) DETACH DELETE n", "CREATE (:Unheard)"):
        with pytest.raises(ToolFailure) as failure:
            tool.run(graphs, tool.request.model_validate({"query": query}))
        assert failure.value.error == "not_read_only"
    assert graphs.get().run("MATCH (n) RETURN count(n)").rows == [[4]]


def test_a_construct_that_arcadedb_does_not_support_is_reported_before_the_query_and_after_it(
    graphs: OpenGraphs,
) -> None:
    query = {"query": "MATCH p = SHORTEST 1 (a:Movie)-[:directedBy]->+(b:Person) RETURN length(p) AS hops"}
    graphs.open_eager()
    validate, execute = all_tools()["validate_cypher"], all_tools()["execute_cypher"]
    verdict = validate.run(graphs, validate.request.model_validate(query))
    assert [diagnostic.code for diagnostic in verdict.diagnostics if diagnostic.code == "not_in_this_database"]
    with pytest.raises(ToolFailure) as failure:
        execute.run(graphs, execute.request.model_validate(query))
    refusal, hint = failure.value.diagnostics
    assert "not supported" in refusal.message
    assert (hint.code, "shortestPath((a)-[*]-(b))" in hint.message) == ("not_in_this_database", True)
