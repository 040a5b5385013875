"""Calls three servers on one Neo4j behind haproxy while one of them is killed and started again every minute.

    python -m benchmarks.server.balancer [--seconds 600] [--every 60] [--clients 8]

Half of the clients use the protocol with sessions. Right, wrong and lost calls are counted, and the memory of a server
that is never killed is read after the first minute and at the end. The exit status is 1 if an answer was wrong, or if a
kill lost more calls than there are clients (those in flight, and one of each session of the dead server).
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from pathlib import Path

import anyio
import anyio.to_thread

from benchmarks.results import Figure, record
from tests.support.balancer import Tally, balanced
from tests.support.neo4j_server import running_neo4j
from tests.support.serving import LEGACY, MODERN


def megabytes(pid: int) -> float:
    """Return the resident memory of a process in megabytes (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def soak(folder: Path, more: dict[str, str], seconds: float, every: float, clients: int) -> int:
    """Run the calls and the kills; return the exit status."""
    tokens = [f"token number {number} of the balancer" for number in range(clients)]
    (folder / "tokens").write_text("\n".join(tokens))
    tally, stopped, kills = Tally(), anyio.Event(), 0
    with balanced(folder, {**more, "GRAPHGROUND_TOKEN_FILE": str(folder / "tokens")}) as service:
        spared = service.replicas[-1].process
        assert spared is not None
        begin, first = time.monotonic(), 0.0
        async with anyio.create_task_group() as callers:
            for number, token in enumerate(tokens):
                mode = (MODERN, LEGACY)[number % 2]
                callers.start_soon(tally.call_until, stopped, service.address, mode, token, f"client-{number}")
            for victim in itertools.cycle(service.replicas[:-1]):
                await anyio.sleep(every)
                first = first or megabytes(spared.pid)
                if time.monotonic() - begin >= seconds:
                    break
                await anyio.to_thread.run_sync(victim.kill)
                kills += 1
                await anyio.sleep(every / 6)
                await anyio.to_thread.run_sync(victim.start)
                print(f"{time.monotonic() - begin:4.0f} s: {kills} kills, {dict(tally.counts)}", flush=True)
            stopped.set()
        last = megabytes(spared.pid)
    wrong, lost = tally.counts["wrong"] + tally.counts["error"], tally.counts["lost"]
    print(
        f"{dict(tally.counts)}; {kills} kills; memory {first:.0f} MB after the first minute, {last:.0f} MB at the end"
    )
    data = f"{clients} clients, {kills} kills, {tally.counts['right']} right answers"
    command = f"benchmarks.server.balancer --seconds {seconds:.0f}"
    record(
        "server",
        Figure("wrong answers behind a balancer", data, wrong, "", "<= 0", command),
        Figure("calls lost by a kill of a server", data, round(lost / max(1, kills), 2), "", f"<= {clients}", command),
    )
    return int(wrong > 0 or lost > kills * clients)


def main() -> int:
    """Read the command line, start a Neo4j, and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--every", type=float, default=60)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "neo4j").mkdir()
        with running_neo4j(folder / "neo4j") as server:
            more = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
            return anyio.run(soak, folder, more, options.seconds, options.every, options.clients)


if __name__ == "__main__":
    sys.exit(main())
