"""Servers start together, die, or lose their engine; the remaining servers continue to answer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.engine_process import engine_pids
from tests.support.serving import COMMAND, LineServer, environment

TEAMS = {"name": "execute_cypher", "arguments": {"query": "MATCH (t:Team) RETURN count(t)", "graph": "nba"}}
WITHIN = 100


def rows(server: LineServer) -> Any:
    return server.ask("tools/call", TEAMS)["structuredContent"]["rows"]


@contextmanager
def servers(home: Path, number: int) -> Iterator[list[LineServer]]:
    with ExitStack() as stack:
        started = []
        for _ in range(number):
            server = LineServer([*COMMAND, "serve"], environment(home), WITHIN)
            stack.callback(server.close)
            started.append(server)
        yield started


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("number", [3, pytest.param(8, marks=pytest.mark.long)])
def test_servers_started_at_once_share_one_engine(number: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with servers(home, number) as started:
        for server in started:
            server.send("tools/call", TEAMS)
        assert [server.receive()["structuredContent"].get("rows") for server in started] == [[[30]]] * number
        assert len(engine_pids(home)) == 1
        started[0].process.kill()
        started[number // 2 - 1].process.kill()
        left = started[number // 2 :]
        assert [rows(server) for server in left] == [[[30]]] * len(left)
    for pid in engine_pids(home):
        os.kill(pid, signal.SIGTERM)


def test_a_server_continues_after_its_engine_was_killed(data_folder: Path) -> None:
    with servers(data_folder, 2) as (first, second):
        assert rows(first) == rows(second) == [[30]]
        killed = engine_pids(data_folder)  # two engines, if an earlier test kept the first busy
        assert killed
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        assert rows(first) == [[30]]  # how soon, benchmarks/guard.py measures
        assert rows(second) == [[30]]
        fresh = engine_pids(data_folder)
        assert fresh
        assert not {*fresh} & {*killed}
