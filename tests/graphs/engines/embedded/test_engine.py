"""The embedded engine: one process, Bolt only, read-only, and restarted after it dies."""

import os
import re
import signal
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from graphground.graphs.engines.client_context import cancellable
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import EngineState, ensure_engine, is_alive, state_file
from graphground.graphs.engines.engine import EngineBusy, EngineUnavailable, QueryCancelled, QueryFailed, QueryTimeout
from graphground.graphs.storage.home import Catalog, Home
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
MANY = "UNWIND range(1, 3000000) AS a UNWIND range(1, 3000000) AS b "


@pytest.fixture
def engine(small_home: Home) -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(small_home, Catalog(small_home).get("films").id)
    yield engine
    engine.close()


def listening(pid: int) -> list[str]:
    """Return the local addresses on which the process listens, in hexadecimal as in Linux's /proc:
    `["0100007F:A3C1"]`."""
    sockets = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith("socket:["):
            sockets.add(target[8:-1])
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in sockets and fields[3] in ("0A", "07"):
                found.append(fields[1])
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_engine_listens_on_a_single_loopback_port(small_home: Home, engine: EmbeddedEngine) -> None:
    engine.run("RETURN 1")
    state = ensure_engine(small_home)
    # The engine's HTTP listener exists only for a moment after the start, when queries are already answered.
    deadline = time.monotonic() + 30
    while len(addresses := listening(state.pid)) > 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [int(address.split(":")[1], 16) for address in addresses] == [state.port]
    assert addresses[0].split(":")[0] in ("0100007F", "0000000000000000FFFF00000100007F")


def test_the_passwords_are_in_a_file_that_only_its_user_can_read(small_home: Home, engine: EmbeddedEngine) -> None:
    engine.run("RETURN 1")
    assert stat.S_IMODE(state_file(small_home).stat().st_mode) == 0o600
    assert stat.S_IMODE(small_home.folder.stat().st_mode) == 0o700
    first = EngineState.read(small_home)
    assert first is not None
    assert first.reader != first.root
    assert len(first.reader) >= 32


def test_values_are_returned_as_loaded(engine: EmbeddedEngine) -> None:
    rows = engine.run(
        "MATCH (m:Movie {name: 'Heat'})-[c:`has cast`]->(p) RETURN m.released, m.runtime_minute, "
        "m.filming_location, m.seen, c.signed, c.year, p.born, p.aliases"
    ).rows
    assert rows == [["1995-12-15", 170.0, ["Los Angeles"], True, "1994-11-02", 1994, "-0044-03-15", ['Bobby "Milk"']]]
    assert engine.run("MATCH (m:Movie) WHERE m.released > date('1990-01-01') RETURN m.name").rows == [["Heat"]]


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (:Movie {name: 'x'})",
        "CREATE (:Unheard)",
        "MATCH (n) DETACH DELETE n",
        "CREATE INDEX FOR (n:Movie) ON (n.seen)",
        "FOREACH (x IN [1] | CREATE (:Movie))",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "LOAD CSV FROM 'http://127.0.0.1:9/x' AS line RETURN line",
        "CREATE CONSTRAINT FOR (n:Movie) REQUIRE n.x IS UNIQUE",
        "ALTER USER root SET PASSWORD 'x'",
        "TERMINATE TRANSACTION 'x'",
        "CALL db.create.setNodeVectorProperty(null, 'x', [1])",
    ],
)
def test_writes_file_access_and_administration_have_no_effect(engine: EmbeddedEngine, query: str) -> None:
    before = engine.run("MATCH (n) RETURN count(n), count(n.x)").rows
    with suppress(QueryFailed):  # a statement may run if it has no effect: only the effect is checked
        assert "root:" not in str(engine.run(query, timeout=20).rows)
    assert engine.run("MATCH (n) RETURN count(n), count(n.x)").rows == before
    assert engine.run("CALL db.labels()").rows in ([["Movie"], ["Person"]], [["Person"], ["Movie"]])


@pytest.mark.parametrize(
    "query",
    [
        MANY + "WITH a, b WHERE a + b < 0 RETURN count(*)",
        "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b UNWIND range(1, 3000) AS c RETURN a, b, c ORDER BY c, b, a",
        MANY + "RETURN collect(a + b)",
    ],
    ids=["cartesian product", "sort", "collect"],
)
def test_a_runaway_query_ends_at_its_time_limit_and_the_next_call_succeeds(engine: EmbeddedEngine, query: str) -> None:
    engine.run("RETURN 1")
    with pytest.raises((QueryTimeout, QueryFailed)):  # a refusal because of the memory needed is also correct
        engine.run(query, timeout=1)
    assert engine.run("RETURN 1", timeout=30).rows == [[1]]


def test_a_union_all_is_limited_in_each_part_and_complete_if_all_rows_are_within_the_limit(
    engine: EmbeddedEngine,
) -> None:
    query = "MATCH (n) RETURN n.name AS x ORDER BY x UNION ALL MATCH (n) RETURN n.eid AS x ORDER BY x"
    every = engine.run(query)
    assert (len(every.rows), every.truncated) == (8, False)
    first = engine.run(query, limit=5)
    assert (len(first.rows), first.truncated) == (5, True)
    assert all(row in every.rows for row in first.rows)
    assert sorted(engine.run(query, limit=8).rows) == sorted(every.rows)
    assert not engine.run(query, limit=8).truncated


def test_a_cancelled_query_ends_in_the_engine(engine: EmbeddedEngine) -> None:
    engine.run("RETURN 1")
    with cancellable() as cancellation:
        timer = threading.Timer(0.5, cancellation.cancel)
        timer.start()
        with pytest.raises(QueryCancelled):
            engine.run(MANY + "WITH a, b WHERE a + b < 0 RETURN count(*)", timeout=60)
        timer.join()
    until(lambda: "RETURN count(*)" not in str(engine.run("SHOW TRANSACTIONS").rows))


def test_a_query_that_never_ran_waits_for_the_new_engine_and_has_its_full_time(
    small_home: Home, engine: EmbeddedEngine
) -> None:
    def seconds_after_a_kill(timeout: float | None) -> float:
        os.kill(ensure_engine(small_home).pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        start = time.monotonic()
        assert engine.run("RETURN 1", timeout=timeout).rows == [[1]]
        return time.monotonic() - start

    engine.run("RETURN 1")
    before = ensure_engine(small_home)
    for last in (False, False, True):  # a machine that is busy only during the second restart is no reason to fail
        restart = seconds_after_a_kill(None)
        try:
            seconds_after_a_kill(0.6 * restart)
            break
        except (QueryTimeout, EngineBusy):  # busy: the process took the query before it ended
            if last:
                raise
    after = ensure_engine(small_home)
    assert after.instance != before.instance
    assert after.reader != before.reader
    until(lambda: not Path(f"/proc/{before.pid}").exists())  # not even as a zombie process


def test_an_engine_killed_during_a_query_is_restarted_and_the_query_succeeds(
    small_home: Home, engine: EmbeddedEngine
) -> None:
    engine.run("RETURN 1")
    state = ensure_engine(small_home)
    timer = threading.Timer(0.5, os.kill, (state.pid, getattr(signal, "SIGKILL", signal.SIGTERM)))
    timer.start()
    table = engine.run("UNWIND range(1, 2000) AS a UNWIND range(1, 800) AS b WITH a, b WHERE a = b RETURN count(*)")
    timer.join()
    assert table.rows == [[800]]


def test_an_idle_engine_stops_and_is_restarted(own_small_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHGROUND_ENGINE_IDLE_S", "4")
    engine = EmbeddedEngine(own_small_home, Catalog(own_small_home).get("films").id)
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[4]]
    until(lambda: not is_alive(own_small_home))
    assert EngineState.read(own_small_home) is None
    assert engine.run("MATCH (n) RETURN count(n)").rows == [[4]]
    engine.close()


@pytest.mark.parametrize(
    ("variable", "value", "fix"),
    [
        ("GRAPHGROUND_ENGINE_HEAP", "lots", "write a size such as 512m or 2g"),
        ("GRAPHGROUND_ENGINE_IDLE_S", "soon", "write a number of seconds"),
        ("GRAPHGROUND_ENGINE_JVM_ARGS", "-Da=x'", "close every quotation mark"),
    ],
)
def test_a_wrong_setting_causes_a_readable_error(
    variable: str, value: str, fix: str, empty_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(EngineUnavailable, match=re.escape(f"{variable} is {value!r}; {fix}")):
        ensure_engine(empty_home)


def test_an_engine_that_cannot_start_is_reported_with_the_reason(
    empty_home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHGROUND_ENGINE_JVM_ARGS", "-XX:NoSuchOption=1")
    with pytest.raises(EngineUnavailable, match="could not start"):
        ensure_engine(empty_home)
