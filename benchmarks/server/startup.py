"""Measures the time from process start to a server's first answers, compared with an empty server of the same SDK.

    python -m benchmarks.server.startup [--rounds 15] [--first-row]

Both servers receive the same bytes over stdio: `initialize`, `notifications/initialized`, `tools/list`. They take
turns, so that other load slows both alike. `--first-row` also measures the first row of `execute_cypher` on the bundled
graph, with the engine stopped and with it running, the first call after kill -9 of the engine, and eight servers
started at once.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from typing import Any

from graphground.graphs.engines.embedded.launcher import EngineState, end_engine
from graphground.graphs.storage.home import Home
from tests.support.serving import LineServer

EMPTY = [sys.executable, "-c", "from mcp.server import MCPServer; MCPServer('empty').run()"]
OURS = [sys.executable, "-m", "graphground", "serve"]
FIRST_ROW = {
    "name": "execute_cypher",
    "arguments": {"query": "MATCH (t:Team) RETURN t.name ORDER BY t.name LIMIT 1", "graph": "nba"},
}


def start(command: list[str], cpu: list[float] | None = None, call: dict[str, Any] | None = None) -> float:
    """Start a server, list its tools, and call a tool if one is given.

    Returns:
        The milliseconds from process start to the last answer. The server's CPU time, in milliseconds, is appended to
        `cpu` if that is given.
    """
    begin = time.perf_counter()
    server = LineServer(command)
    server.send("tools/list", {})
    if call is not None:
        server.send("tools/call", call)
    if server.receive().get("isError"):
        sys.exit("the call failed")
    milliseconds = (time.perf_counter() - begin) * 1000
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    server.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if cpu is not None:
        cpu.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return milliseconds


def first_rows(rounds: int) -> None:
    """Measure the time to the first row: with the engine stopped or running, after kill -9, and with eight servers."""
    home = Home.default()
    start(OURS, call=FIRST_ROW)  # loads the bundled graph before the measurement
    cold, warm, recovered = [], [], []
    for _ in range(rounds):
        end_engine(home)
        cold.append(start(OURS, call=FIRST_ROW))
        warm.append(start(OURS, call=FIRST_ROW))
    for title, figures in (("cold", cold), ("running", warm)):
        print(
            f"to the first row of execute_cypher, engine {title}, ms: median {statistics.median(figures):.0f}, "
            f"worst {max(figures):.0f}"
        )
    for _ in range(rounds):
        with closing(LineServer(OURS)) as server:
            server.ask("tools/call", FIRST_ROW)
            state = EngineState.read(home)
            assert state is not None
            os.kill(state.pid, signal.SIGKILL)
            begin = time.perf_counter()
            server.ask("tools/call", FIRST_ROW)
            recovered.append((time.perf_counter() - begin) * 1000)
    print(
        f"first call after kill -9 of the engine, ms: median {statistics.median(recovered):.0f}, worst {max(recovered):.0f}"
    )
    end_engine(home)
    begin = time.perf_counter()
    with ExitStack() as stack:
        servers = [stack.enter_context(closing(LineServer(OURS))) for _ in range(8)]
        for server in servers:
            server.send("tools/call", FIRST_ROW)
        for server in servers:
            server.receive()
        print(f"eight servers at once, engine stopped, all answered after {(time.perf_counter() - begin):.1f} s")


def main() -> None:
    """Measure both servers in turns, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first-row", action="store_true")
    parsed = parser.parse_args()
    for command in (EMPTY, OURS):
        start(command)
    empty, ours = [], []
    empty_cpu: list[float] = []
    our_cpu: list[float] = []
    for _ in range(parsed.rounds):
        empty.append(start(EMPTY, empty_cpu))
        ours.append(start(OURS, our_cpu))
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
