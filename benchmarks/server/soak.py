"""Runs many clients on one engine with good and bad queries, and checks for wrong answers, hanging calls and leaks.

    python -m benchmarks.server.soak FOLDER [--clients 32] [--seconds 600] [--graph movie] [--traced]

FOLDER is a data folder with the graph. Each client sends look-ups whose answers are known, and occasionally another
query: a query with an empty answer, a write, which must be refused, or a runaway with a short time limit. A fifth of
the runaways are queries that the engine cannot terminate. Each minute, the number of calls, their latencies, and the
memory of this process and the engine are printed; at the end, the calls by outcome, the verdict and, with `--traced`,
the lines of Python that hold more memory than a minute after the start.

The exit status is 1 if an answer was wrong; if a runaway was not terminated `LATE` seconds after its limit (`RESTART`
seconds if the engine was restarted meanwhile, since a waiting query begins later); if a write ended in anything but
`not_read_only`; if a look-up failed with another error than `engine_busy`; if this process holds `GROWTH` MiB more at
the end than after the third minute (in a short run, than after half of the run); or if the process has more descriptors
or threads at the end than clients and connections explain.

An hour on a quiet machine: `python -m benchmarks.server.soak FOLDER --graph movie --clients 32 --seconds 3600`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import threading
import time
import tracemalloc
from array import array
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.engines.scale import of_one
from graphground.graphs.engines.client_context import calling_as
from graphground.graphs.engines.embedded.launcher import EngineState
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure

RUNAWAYS = (
    "MATCH (a), (b), (c) WHERE a.name = c.eid AND b.name = 'nothing' RETURN count(*) AS c",
    "RETURN reduce(s = 0, x IN range(1, 1000000) | s + reduce(t = 0, y IN range(1, 1000000) | t + y)) AS total",
)
LIMIT = 1.0
LATE, RESTART = 1.0, 6.0
GROWTH = 8.0
LEFT = 100
BUSY = ("engine_busy",)


class Latencies:
    """A histogram of latencies by tenths of a millisecond, in constant memory.

    `str(latencies)` is `"median 115.6, p90 225.0, p99 402.2, worst 719.0 ms"`.
    """

    def __init__(self) -> None:
        self._counts = array("I", bytes(4 * 10 * 40_000))
        """The number of latencies in each tenth of a millisecond, up to 40 s, above every time limit of a look-up."""
        self._number = 0
        self._worst = 0.0

    def __len__(self) -> int:
        return self._number

    def add(self, seconds: float) -> None:
        """Count a latency."""
        self._counts[min(len(self._counts) - 1, int(seconds * 10_000))] += 1
        self._number += 1
        self._worst = max(self._worst, seconds)

    def __str__(self) -> str:
        if not self._number:
            return "none"
        found = [f"{name} {self._at(share):.1f}" for name, share in (("median", 0.5), ("p90", 0.9), ("p99", 0.99))]
        return ", ".join([*found, f"worst {1000 * self._worst:.1f} ms"])

    def _at(self, share: float) -> float:
        """Return the quantile `share` of the latencies, in milliseconds."""
        left = self._number * share
        for tenths, count in enumerate(self._counts):
            left -= count
            if left < 0:
                return tenths / 10
        return 1000 * self._worst


@dataclass
class Observations:
    """The observations of the clients: counts of outcomes, latencies, and problems."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    latencies: Latencies = field(default_factory=Latencies)
    minute: Latencies = field(default_factory=Latencies)
    snapshot: tracemalloc.Snapshot | None = None
    """The traced allocations after the first minute."""

    def add(self, kind: str, outcome: str, seconds: float, restarted: bool) -> None:
        with self.lock:
            self.outcomes[f"{kind}: {outcome}"] += 1
            if kind == "look-up" and outcome == "answered":
                self.latencies.add(seconds)
                self.minute.add(seconds)
            bar = LIMIT + (RESTART if restarted else LATE)
            if kind.startswith("runaway") and outcome not in BUSY and seconds > bar:
                self.late.append(round(seconds, 2))


def memory(process: int) -> str:
    """Return a process's resident and anonymous memory: `153 MiB (87 of its own)`; `none` if it has ended."""
    try:
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        whole, own = (int(lines[key].split()[0]) / 1024 for key in ("VmRSS", "RssAnon"))
    except (OSError, KeyError):
        return "none"
    return f"{whole:.0f} MiB ({own:.0f} of its own)"


def ask(
    graphs: OpenGraphs,
    home: Home,
    known: dict[str, str],
    label: str,
    number: int,
    rng: random.Random,
    observed: Observations,
) -> None:
    """Make a random call of a client, and add its outcome to the observations."""
    eid = rng.choice(list(known))
    kind, query, timeout = rng.choices(
        [
            ("look-up", f"MATCH (n:{label} {{eid: '{eid}'}}) RETURN n.name AS name", 30.0),
            ("empty", f"MATCH (n:{label} {{name: 'no such name {number}'}}) RETURN n.name AS name", 30.0),
            ("write", f"MATCH (n:{label}) SET n.name = 'x'", 30.0),
            ("runaway", RUNAWAYS[0], LIMIT),
            ("runaway unstoppable", RUNAWAYS[1], LIMIT),
        ],
        [90, 6, 3.5, 0.4, 0.1],
    )[0]
    before, start = instances(home), time.perf_counter()
    try:
        answer = execute_cypher(graphs, ExecuteCypherRequest(query=query, timeout_s=timeout))
        outcome = "answered"
        if kind == "look-up" and answer.rows != [[known[eid]]]:
            observed.wrong.append(f"{eid}: {answer.rows}")
    except ToolFailure as failure:
        outcome = failure.error
    except Exception as error:
        outcome = f"{type(error).__name__} {str(error)[:80]}"
    seconds, after = time.perf_counter() - start, instances(home)
    # A query that the engine cannot terminate runs in a separate process, which is started and killed within the call.
    observed.add(kind, outcome, seconds, before != after or kind == "runaway unstoppable")


def instances(home: Home) -> list[str]:
    """Return the id of the current engine process in a list; an empty text without a process."""
    state = EngineState.read(home)
    return ["" if state is None else state.instance]


def watch(observed: Observations, home: Home, seconds: float, start: float) -> list[int]:
    """Print a line each minute until the end; return the memory of this process at each of these times, in KiB."""
    step, memories = min(60.0, seconds / 4), []
    while (at := time.monotonic() - start) < seconds:
        time.sleep(max(0.0, min(step * (len(memories) + 1), seconds) - at))
        with observed.lock:
            minute, observed.minute = observed.minute, Latencies()
            calls = observed.outcomes.total()
        state = EngineState.read(home)
        memories.append(of_one(os.getpid()))
        print(
            f"{time.monotonic() - start:.0f} s: {calls} calls; look-ups {minute}; this process "
            f"{memory(os.getpid())}, {threading.active_count()} threads; engine "
            f"{memory(state.pid) if state else 'none'}; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        if len(memories) == 1 and tracemalloc.is_tracing():
            observed.snapshot = tracemalloc.take_snapshot()
    return memories


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graph", default="movie")
    arguments.add_argument("--clients", type=int, default=32)
    arguments.add_argument("--seconds", type=float, default=600)
    arguments.add_argument(
        "--traced", action="store_true", help="trace every allocation, which makes the run three times slower"
    )
    options = arguments.parse_args()
    if options.traced:
        tracemalloc.start(12)
    home = Home(options.folder)
    graph = open_stored(options.graph, home)
    graphs = OpenGraphs([GraphSource(options.graph, "", "embedded", lambda: graph)])
    label = max(graph.schema.labels.values(), key=lambda label: len(label.properties)).name
    known = {
        row[0]: row[1] for row in graph.run(f"MATCH (n:{label}) RETURN n.eid AS eid, n.name AS name LIMIT 500").rows
    }
    observed, start = Observations(), time.monotonic()
    first = EngineState.read(home)
    print(
        f"{time.strftime('%Y-%m-%d %H:%M')}, {options.clients} clients, {options.seconds:.0f} s; this process "
        f"{memory(os.getpid())}; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )

    def call_until_end(number: int) -> None:
        rng = random.Random(number)
        with calling_as(f"client {number}"):
            while time.monotonic() - start < options.seconds:
                ask(graphs, home, known, label, number, rng, observed)

    clients = [threading.Thread(target=call_until_end, args=(number,)) for number in range(options.clients)]
    for client in clients:
        client.start()
    memories = watch(observed, home, options.seconds, start)
    for client in clients:
        client.join()
    last = EngineState.read(home)
    if observed.snapshot is not None:
        for found in tracemalloc.take_snapshot().compare_to(observed.snapshot, "lineno")[:15]:
            print(f"  {found}")
    for outcome, count in sorted(observed.outcomes.items()):
        print(f"{outcome}: {count}")
    same = first and last and first.instance == last.instance
    print(
        f"look-ups: {observed.latencies}; {len(observed.latencies) / options.seconds:.0f} a second; engine "
        f"{'the same process' if same else 'restarted'}"
    )
    settled = memories[min(2, max(0, len(memories) // 2 - 1))]
    left = len(os.listdir("/proc/self/fd")) + threading.active_count()
    sys.exit(1 if verdict(observed, (memories[-1] - settled) / 1024, left - 8 * options.clients) else 0)


def verdict(observed: Observations, grown: float, left: int) -> bool:
    """Print the result for each requirement; return whether a requirement was missed."""
    failed_lookups = sum(
        count
        for outcome, count in observed.outcomes.items()
        if outcome.startswith("look-up: ") and outcome.split(": ")[1] not in ("answered", *BUSY)
    )
    written = sum(
        count
        for outcome, count in observed.outcomes.items()
        if outcome.startswith("write: ") and outcome != "write: not_read_only"
    )
    checks = [
        (not observed.wrong, f"wrong answers: {len(observed.wrong)} {observed.wrong[:3]}"),
        (not failed_lookups, f"look-ups that failed, other than refused as busy: {failed_lookups}"),
        (
            not observed.late,
            f"runaways that ran for more than {LIMIT + LATE:g} s ({LIMIT + RESTART:g} s with "
            f"a restart): {len(observed.late)} {sorted(observed.late)[-5:]}",
        ),
        (not written, f"writes that were not refused: {written}"),
        (left < LEFT, f"descriptors and threads, beyond eight for each client: {max(0, left)} (less than {LEFT})"),
        (grown < GROWTH, f"growth of this process after its first minutes: {grown:.1f} MiB (less than {GROWTH:g})"),
    ]
    for fine, text in checks:
        print(f"{'ok    ' if fine else 'FAILED'} {text}")
    return not all(fine for fine, _ in checks)


if __name__ == "__main__":
    main()
