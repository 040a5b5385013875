"""Measures how long an agent's first query takes: right after `initialize`, and three seconds later.

    python -m benchmarks.server.first_answer [--runs 5]

Bars: 1.2 s right after `initialize` (`cold` in the output), 0.3 s three seconds later. `tools/list` is measured too.
Each run starts a new engine. The graph is loaded, and the archive of the engine's classes is created, before the first
run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path

from mcp.client import Client

from graphground.graphs.engines.embedded.archive import archive_file, make_archive
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from tests.support.serving import LEGACY, stdio

QUERY = {"graph": "nba", "query": "MATCH (t:Team) RETURN t.name LIMIT 5"}


async def one_run(home: Path, pause: float) -> tuple[float, float, float]:
    """Run a server and a client; return the seconds that `initialize`, `tools/list` and the first query took."""
    begin = time.perf_counter()
    async with Client(stdio(home), mode=LEGACY) as client:
        initialized = time.perf_counter()
        await client.list_tools()
        tools_listed = time.perf_counter()
        await asyncio.sleep(pause)
        query_start = time.perf_counter()
        answer = await client.call_tool("execute_cypher", QUERY)
        assert not answer.is_error, answer
        return initialized - begin, tools_listed - initialized, time.perf_counter() - query_start


def main() -> None:
    """Measure all runs, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    file = archive_file()
    if file is not None:
        make_archive(file)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        asyncio.run(one_run(home, 0))  # loads the bundled graph
        print(f"load {os.getloadavg()[0]:.1f}, medians of {runs} runs, seconds")
        for title, pause in (("cold", 0.0), ("three seconds after initialize", 3.0)):
            times = []
            for _ in range(runs):
                end_engine(Home(home))
                times.append(asyncio.run(one_run(home, pause)))
            initialize, list_tools, first_query = (statistics.median(column) for column in zip(*times, strict=True))
            print(
                f"{title}: initialize {initialize:.2f}, tools/list {list_tools:.3f}, first query {first_query:.2f} "
                f"(fastest {min(run[2] for run in times):.2f})"
            )
        end_engine(Home(home))


if __name__ == "__main__":
    main()
