"""The Bolt engine on real Neo4j servers."""

import threading
import tracemalloc
from collections.abc import Iterator
from functools import reduce

import neo4j
import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine, bolt_engine, connection_of, pooled_connections
from graphground.graphs.engines.client_context import cancellable
from graphground.graphs.engines.engine import EngineUnavailable, QueryCancelled, QueryFailed, QueryTimeout
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.ports import free_port

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(300)]
ENDLESS = "UNWIND range(1, 100000000) AS a UNWIND range(1, 1000000) AS b WITH a, b WHERE a + b < 0 RETURN count(*)"


on_each_version = pytest.mark.parametrize("server", ["neo4j_5", "neo4j_newest"], indirect=True, scope="module")
"""For tests of what the database says or does, which another version may say or do differently."""


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Neo4jServer:
    server: Neo4jServer = request.getfixturevalue(getattr(request, "param", "neo4j_5"))
    seeded(
        server,
        "MATCH (n) DETACH DELETE n",
        "CREATE (h:Movie:Film {name: 'Heat', released: date('1995-12-15')})-[:DIRECTED_BY {year: 1994}]->"
        "(:Person {name: 'Michael Mann'})",
    )
    return server


@pytest.fixture
def engine(server: Neo4jServer) -> Iterator[BoltEngine]:
    engine = bolt_engine(server.address)
    yield engine
    engine.close()


@on_each_version
def test_every_kind_of_value_becomes_plain_json(engine: BoltEngine) -> None:
    table = engine.run(
        """RETURN date('1995-12-15') AS d, datetime('2020-01-02T10:00:00+01:00') AS dt,
        duration('P1Y2M3DT4H') AS du, point({latitude: 48.85, longitude: 2.35}) AS p, 0.0 / 0.0 AS nan,
        1.0 / 0.0 AS inf, {a: [1, {b: date('-0044-03-15')}]} AS m, [1, 2.5, 'x', null] AS l, time('10:00') AS t,
        localdatetime('2020-01-01T00:00:00') AS ldt, localdatetime('-0044-03-15T12:30:00') AS old, $b AS bytes""",
        {"b": b"\x00\xff"},
    )
    assert dict(zip(table.columns, table.rows[0], strict=True)) == {
        "d": "1995-12-15",
        "dt": "2020-01-02T10:00:00+01:00",
        "du": "P1Y2M3DT4H",
        "p": {"srid": 4326, "x": 2.35, "y": 48.85},
        "nan": "NaN",
        "inf": "Infinity",
        "m": {"a": [1, {"b": "-0044-03-15"}]},
        "l": [1, 2.5, "x", None],
        "t": "10:00:00Z",
        "ldt": "2020-01-01T00:00:00",
        "old": "-0044-03-15T12:30:00",
        "bytes": "AP8=",
    }


@on_each_version
def test_nodes_relationships_and_paths_become_maps(engine: BoltEngine) -> None:
    ((node, relationship, path),) = engine.run("MATCH p = (m:Movie)-[r]->(n) RETURN m, r, p").rows
    assert node["labels"] == ["Film", "Movie"]
    assert node["properties"] == {"name": "Heat", "released": "1995-12-15"}
    assert (relationship["type"], relationship["properties"]) == ("DIRECTED_BY", {"year": 1994})
    assert relationship["start"] == node["id"]
    assert path["nodes"][0] == node
    assert path["relationships"] == [relationship]


def test_a_limit_keeps_whole_rows_and_reports_whether_there_were_more(engine: BoltEngine) -> None:
    table = engine.run("UNWIND range(1, 5) AS i RETURN i", limit=3)
    assert (table.rows, table.truncated) == ([[1], [2], [3]], True)
    assert not engine.run("UNWIND range(1, 5) AS i RETURN i", limit=5).truncated
    assert engine.run("UNWIND range(1, 2500) AS i RETURN i").rows[-1] == [2500]
    assert engine.run("MATCH (n:Nothing) RETURN n", limit=5).rows == []


def test_a_million_rows_with_a_limit_take_little_memory(engine: BoltEngine) -> None:
    engine.run("RETURN 1")
    tracemalloc.start()
    try:
        table = engine.run("UNWIND range(1, 1000000) AS i RETURN i, 'name ' + toString(i) AS name", limit=100)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
    assert (len(table.rows), table.truncated) == (100, True)


@on_each_version
def test_a_refused_query_is_reported_with_the_position_of_the_error(engine: BoltEngine) -> None:
    with pytest.raises(QueryFailed) as caught:
        engine.run("MATCH (n)\nRETRN n")
    assert (caught.value.line, caught.value.column) == (2, 1)
    assert caught.value.code == "Neo.ClientError.Statement.SyntaxError"
    with pytest.raises(QueryFailed, match="by zero"):
        engine.run("RETURN 1 / 0")
    with pytest.raises(QueryFailed, match="parameter"):
        engine.run("RETURN $x")
    with pytest.raises(QueryFailed, match="cannot be sent"):
        engine.run("RETURN $x", {"x": object()})
    with pytest.raises(QueryFailed, match="nested too deeply"):
        engine.run("RETURN $x", {"x": reduce(lambda value, _: [value], range(5_000), 1)})
    for depth in (300, 900):  # more than JSON, or the driver, allows
        with pytest.raises(QueryFailed, match="nested too deeply"):
            engine.run(f"UNWIND [1, 2] AS n RETURN reduce(x = [], i IN range(1, {depth}) | [x]) AS x")
        assert engine.run("RETURN 1").rows == [[1]]
    with pytest.raises(QueryFailed):
        engine.run("EXPLAIN MATCH (n) RETURN m")


@on_each_version
@pytest.mark.parametrize(
    "query",
    [
        "CREATE (:X)",
        "MATCH (n) DETACH DELETE n",
        "MERGE (:X {a: 1})",
        "CREATE INDEX FOR (n:X) ON (n.a)",
        "MATCH (n) SET n.a = 1",
        "CALL db.createLabel('X')",
    ],
)
def test_a_write_is_refused_by_the_database(engine: BoltEngine, query: str) -> None:
    with pytest.raises(QueryFailed):
        engine.run(query)
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[2]]


@on_each_version
def test_capabilities_are_determined_by_a_trial_write(engine: BoltEngine, server: Neo4jServer) -> None:
    capabilities = engine.capabilities()
    assert (capabilities.version, capabilities.dialect.name) == (server.version, "neo4j")
    assert capabilities.trial_write == "refused"
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[2]]


@on_each_version
def test_a_query_ends_in_the_database_at_its_time_limit(engine: BoltEngine) -> None:
    with pytest.raises(QueryTimeout, match="time limit of 1 s"):
        engine.run(ENDLESS, timeout=1)
    assert not [
        row
        for row in engine.run("SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery").rows
        if "100000000" in row[0]
    ]


def test_a_query_that_the_database_cannot_terminate_is_abandoned(engine: BoltEngine) -> None:
    with pytest.raises(QueryTimeout):
        engine.run("RETURN reduce(s = 0, x IN range(1, 300000000) | s + x)", timeout=1)
    running = engine.run("SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery").rows
    assert any("reduce" in row[0] for row in running), "the caller did not wait for its end"
    assert engine.run("RETURN 1").rows == [[1]]


def test_cancelling_ends_the_query_in_the_database(engine: BoltEngine) -> None:
    with cancellable() as cancellation:
        timer = threading.Timer(0.5, cancellation.cancel)
        timer.start()
        with pytest.raises(QueryCancelled):
            engine.run(ENDLESS, timeout=60)
        timer.join()
        with pytest.raises(QueryCancelled):
            engine.run("RETURN 1")


def test_an_invalid_address_is_reported_with_a_readable_error(server: Neo4jServer) -> None:
    user, password = server.user, server.password
    for address, message in (
        (BoltAddress(f"bolt://127.0.0.1:{free_port()}", user, password), "No Bolt server answers at bolt://127.0.0.1"),
        (BoltAddress("bolt://no-such-host.invalid:7687", user, password), "No Bolt server answers"),
        (BoltAddress(server.uri, user, "wrong"), "refused the user 'neo4j' or its password"),
        (BoltAddress(server.uri, user, password, "films"), "has no database 'films'"),
        (BoltAddress("http://localhost:7474", user, password), "is not the address of a Bolt server"),
        (BoltAddress("localhost:7687", user, password), "Write it as neo4j://HOST:7687"),
    ):
        with pytest.raises(EngineUnavailable, match=message) as caught:
            bolt_engine(address)
        assert password not in str(caught.value)


def test_closing_reaches_every_connection_while_a_thread_writes_to_one_of_them(server: Neo4jServer) -> None:
    engine = bolt_engine(server.address)
    with engine._session() as first, engine._session() as second:
        for session in (first, second):
            session.begin_transaction()
        connections = pooled_connections(engine._driver)
        assert len(connections) == 2
        with memoryview(connections[0].outbox._buffer.data):  # as long as it exists, writing raises BufferError
            engine.close()
        assert all(connection.closed() for connection in connections)


def test_a_session_is_closed_although_its_connection_breaks_in_an_unexpected_way(
    engine: BoltEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        monkeypatch.undo()
        raise BufferError("another thread is killing the connection")

    def interrupted() -> None:
        with engine._session(fetch_size=1) as opened:
            sessions.append(opened)
            opened.run("UNWIND range(1, 10) AS i RETURN i")
            monkeypatch.setattr(connection_of(opened), "fetch_message", broken)

    sessions: list[neo4j.Session] = []
    with pytest.raises(BufferError):
        interrupted()
    assert sessions[0].closed()
    assert engine.run("RETURN 1").rows == [[1]]
