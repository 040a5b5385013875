"""Servers start together, die, or lose their engine; the remaining servers continue to answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.engine_process import engine_pids
from tests.support.serving import COMMAND, environment

TEAMS = {"name": "execute_cypher", "arguments": {"query": "MATCH (t:Team) RETURN count(t)", "graph": "nba"}}
WITHIN = 100


class Server:
    """A stdio server, driven line by line, so that many servers can be started at once."""

    def __init__(self, home: Path):
        self.process = subprocess.Popen(
            [*COMMAND, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment(home),
        )
        self.last = 0
        self.send(
            {
                "method": "initialize",
                "params": {
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "clientInfo": {"name": "many", "version": "1"},
                },
            },
            0,
        )
        self.send({"method": "notifications/initialized"}, None)

    def send(self, message: dict[str, Any], identifier: int | None) -> None:
        assert self.process.stdin is not None
        numbered = {"jsonrpc": "2.0", **({} if identifier is None else {"id": identifier}), **message}
        self.process.stdin.write(json.dumps(numbered) + "\n")
        self.process.stdin.flush()

    def ask(self, params: dict[str, Any]) -> None:
        self.last += 1
        self.send({"method": "tools/call", "params": params}, self.last)

    def answer(self) -> Any:
        """Return the result of the last call; the server is killed if the result takes too long."""
        assert self.process.stdout is not None
        watchdog = threading.Timer(WITHIN, self.process.kill)
        watchdog.start()
        try:
            for line in self.process.stdout:
                message = json.loads(line)
                if message.get("id") == self.last and self.last:
                    return message["result"]["structuredContent"]
        finally:
            watchdog.cancel()
        raise AssertionError("the server left without an answer")

    def rows(self) -> Any:
        self.ask(TEAMS)
        answer = self.answer()
        assert "rows" in answer, answer
        return answer["rows"]

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


@contextmanager
def servers(home: Path, number: int) -> Iterator[list[Server]]:
    with ExitStack() as stack:
        started = []
        for _ in range(number):
            server = Server(home)
            stack.callback(server.close)
            started.append(server)
        yield started


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("number", [4, pytest.param(8, marks=pytest.mark.long)])
def test_servers_started_at_once_share_one_engine(number: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with servers(home, number) as started:
        for server in started:
            server.ask(TEAMS)
        assert [server.answer().get("rows") for server in started] == [[[30]]] * number
        assert len(engine_pids(home)) == 1
        started[0].process.kill()
        started[number // 2 - 1].process.kill()
        left = started[number // 2 :]
        assert [server.rows() for server in left] == [[[30]]] * len(left)
    for pid in engine_pids(home):
        os.kill(pid, signal.SIGTERM)


def test_a_server_continues_after_its_engine_was_killed(data_folder: Path) -> None:
    with servers(data_folder, 2) as (first, second):
        assert first.rows() == second.rows() == [[30]]
        killed = engine_pids(data_folder)  # two engines, if an earlier test kept the first busy
        assert killed
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        begin = time.monotonic()
        assert first.rows() == [[30]]
        seconds = time.monotonic() - begin
        assert second.rows() == [[30]]
        fresh = engine_pids(data_folder)
        assert fresh
        assert not {*fresh} & {*killed}
        assert seconds < 30  # the limit of 6 s is measured by benchmarks/server/startup.py, on a quiet machine


def test_stdout_contains_only_the_protocol(data_folder: Path) -> None:
    server = Server(data_folder)
    try:
        server.ask({"name": "find_entities", "arguments": {"mentions": ["Jordan"], "graph": "nba"}})
        assert server.process.stdout is not None
        lines = [json.loads(server.process.stdout.readline()) for _ in range(2)]
        assert {line["jsonrpc"] for line in lines} == {"2.0"}
        assert sorted(line["id"] for line in lines) == [0, 1]
    finally:
        server.close()
    assert server.process.returncode == 0


def test_lines_that_are_not_messages_do_not_stop_the_server(data_folder: Path) -> None:
    server = Server(data_folder)
    try:
        assert server.process.stdin is not None
        server.process.stdin.write('not json\n{"jsonrpc": "2.0"}\n[]\n\n')
        assert server.rows() == [[30]]
    finally:
        server.close()
