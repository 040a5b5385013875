"""Measures the time from process start to a server's first answers, compared with an empty server of the same SDK.

    python -m benchmarks.server.startup [--rounds 15] [--first-row]

Both servers receive the same bytes over stdio: `initialize`, `notifications/initialized`, `tools/list`. They take
turns, so that other load slows both alike. `--first-row` also measures the first row of `execute_cypher` on the bundled
graph, with the engine stopped and with it running, the first call after kill -9 of the engine, and eight servers
started at once.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack

from graphground.graphs.engines.embedded.launcher import EngineState, end_engine
from graphground.graphs.storage.home import Home

EMPTY = [sys.executable, "-c", "from mcp.server import MCPServer; MCPServer('empty').run()"]
OURS = [sys.executable, "-m", "graphground", "serve"]
OPENING = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "startup", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]
FIRST_ROW = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/call",
    "params": {
        "name": "execute_cypher",
        "arguments": {"query": "MATCH (t:Team) RETURN t.name ORDER BY t.name LIMIT 1", "graph": "nba"},
    },
}


def start(command: list[str], messages: list[dict[str, object]], last: int, cpu: list[float] | None = None) -> float:
    """Start a server and send it `messages`.

    Returns:
        The milliseconds from process start to the answer with the id `last`. The server's CPU time, in milliseconds, is
        appended to `cpu` if that is given.
    """
    text = "".join(json.dumps(message) + "\n" for message in messages)
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(text)
    process.stdin.flush()
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == last:
            if "error" in answer or answer["result"].get("isError"):
                sys.exit(line)
            break
    milliseconds = (time.perf_counter() - begin) * 1000
    process.stdin.close()
    process.stdout.close()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process.wait(timeout=30)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if cpu is not None:
        cpu.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return milliseconds


def first_rows(rounds: int) -> None:
    """Measure the time to the first row: with the engine stopped or running, after kill -9, and with eight servers."""
    home = Home.default()
    start(OURS, [*OPENING, FIRST_ROW], 3)  # loads the bundled graph before the measurement
    cold, warm, recovered = [], [], []
    for _ in range(rounds):
        end_engine(home)
        cold.append(start(OURS, [*OPENING, FIRST_ROW], 3))
        warm.append(start(OURS, [*OPENING, FIRST_ROW], 3))
    for title, figures in (("cold", cold), ("running", warm)):
        print(
            f"to the first row of execute_cypher, engine {title}, ms: median {statistics.median(figures):.0f}, "
            f"worst {max(figures):.0f}"
        )
    for _ in range(rounds):
        with Talker() as talker:
            talker.ask()
            state = EngineState.read(home)
            assert state is not None
            os.kill(state.pid, signal.SIGKILL)
            recovered.append(talker.ask())
    print(
        f"first call after kill -9 of the engine, ms: median {statistics.median(recovered):.0f}, worst {max(recovered):.0f}"
    )
    end_engine(home)
    begin = time.perf_counter()
    with ExitStack() as stack:
        talkers = [stack.enter_context(Talker()) for _ in range(8)]
        for talker in talkers:
            talker.send()
        for talker in talkers:
            talker.receive()
        print(f"eight servers at once, engine stopped, all answered after {(time.perf_counter() - begin):.1f} s")


class Talker:
    """A running server to which the same query is sent repeatedly."""

    def __enter__(self) -> Talker:
        self.process = subprocess.Popen(
            OURS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.number = 2
        self._write(*OPENING)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def _write(self, *messages: dict[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        self.process.stdin.flush()

    def send(self) -> None:
        """Send a request."""
        self.number += 1
        self._write({**FIRST_ROW, "id": self.number})

    def receive(self) -> None:
        """Wait for the response."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer or answer["result"].get("isError"):
                    sys.exit(line)
                return
        sys.exit("the server ended")

    def ask(self) -> float:
        """Send the query, and return the milliseconds to its answer."""
        begin = time.perf_counter()
        self.send()
        self.receive()
        return (time.perf_counter() - begin) * 1000


def main() -> None:
    """Measure both servers in turns, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first-row", action="store_true")
    parsed = parser.parse_args()
    for command in (EMPTY, OURS):
        start(command, OPENING, 2)
    empty, ours = [], []
    empty_cpu: list[float] = []
    our_cpu: list[float] = []
    for _ in range(parsed.rounds):
        empty.append(start(EMPTY, OPENING, 2, empty_cpu))
        ours.append(start(OURS, OPENING, 2, our_cpu))
    middle = statistics.median(ours) / statistics.median(empty)
    print(
        f"to tools/list, ms (median, best): empty {statistics.median(empty):.0f} {min(empty):.0f}; "
        f"graphground {statistics.median(ours):.0f} {min(ours):.0f}; "
        f"ratio {middle:.2f} {min(ours) / min(empty):.2f}"
    )
    print(
        f"CPU time of the whole process, ms (median): empty {statistics.median(empty_cpu):.0f}; "
        f"graphground {statistics.median(our_cpu):.0f}; "
        f"ratio {statistics.median(our_cpu) / statistics.median(empty_cpu):.2f}"
    )
    if parsed.first_row:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["GRAPHGROUND_HOME"] = folder
            try:
                first_rows(5)
            finally:
                end_engine(Home.default())


if __name__ == "__main__":
    main()
