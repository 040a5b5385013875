"""A user's own ArcadeDB over Bolt; the tests use the embedded engine's server as if it were a separate database."""

import json
import logging
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import neo4j
import pytest

from graphground.graphs.engines.address import Database
from graphground.graphs.engines.engine import EngineUnavailable, QueryFailed
from graphground.graphs.entities import own_index
from graphground.graphs.entities.own_index import OwnIndex
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.storage.home import Catalog, Home
from graphground.tools import all_tools
from graphground.tools.tool import ToolFailure
from tests.support.commands import RunCommand
from tests.support.own_arcadedb import start_writable
from tests.support.serving import COMMAND, environment

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


def test_the_server_is_recognised_as_arcadedb(server: Server, tmp_path: Path) -> None:
    graph = open_database(server.as_user("reader"), Home(tmp_path).make())
    assert graph.engine is not None
    capabilities = graph.engine.capabilities()
    graph.close()
    assert capabilities.dialect.name == "arcadedb"
    assert capabilities.version.startswith("26.")


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


def test_the_names_of_a_database_are_indexed_in_the_background(graphs: OpenGraphs) -> None:
    names = graphs.get("films").entities
    assert isinstance(names, OwnIndex)
    names.wait(60)
    assert (names.built_by_itself, names.state) == (True, None)
    assert [candidate.name for candidate in names.find("Micheal Mann")][:1] == ["Michael Mann"]


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


def test_an_invalid_address_is_reported(server: Server, tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="has no database 'nothing'"):
        open_database(server.as_user("reader", "nothing"), Home(tmp_path))
    with pytest.raises(EngineUnavailable, match="refused the user 'nobody'"):
        open_database(Database("films", server.uri, "nobody", "wrong", server.database), Home(tmp_path))


def test_a_write_that_bypasses_the_check_is_refused_for_the_read_only_user(server: Server, tmp_path: Path) -> None:
    graph = open_database(server.as_user("reader"), Home(tmp_path).make())
    assert graph.engine is not None
    with pytest.raises(QueryFailed):
        graph.engine.run("CREATE (:Movie {name: 'x'})")
    graph.close()


def test_the_server_warns_at_start_before_the_first_call(server: Server, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "serve", "--uri", server.uri, "--user", "root", "--database", server.database, "--name", "films"],
        env=environment(tmp_path, {"NEO4J_PASSWORD": server.root}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watchdog = threading.Timer(90, process.kill)
    watchdog.start()
    try:
        assert process.stdin is not None
        assert process.stderr is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
        process.stdin.flush()
        lines = iter(process.stderr.readline, "")
        assert any("WARNING" in line and "did not refuse a trial write" in line for line in lines)
    finally:
        watchdog.cancel()
        rest = process.communicate(timeout=60)[1]
    assert process.returncode == 0, rest


def test_doctor_warns_if_only_the_check_prevents_writes(run_command: RunCommand, server: Server) -> None:
    outputs = {}
    for user, password in (("root", server.root), ("reader", server.reader)):
        words = ("--uri", server.uri, "--user", user, "--database", server.database, "--name", "films")
        doctor = run_command("doctor", *words, more={"NEO4J_PASSWORD": password})
        assert doctor.returncode == 0, doctor.stdout + doctor.stderr
        outputs[user] = doctor.stdout
    assert "WARN graph films: writes are refused by this server only\n" in outputs["root"]
    assert "ok   graph films: writes are refused by the database too\n" in outputs["reader"]
