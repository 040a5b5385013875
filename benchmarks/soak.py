"""Many clients at once on one engine, good and bad queries mixed: nothing may be wrong, stuck or leaking.

    python benchmarks/soak.py FOLDER [--clients 32] [--seconds 600] [--graph movie]

FOLDER is a data folder with the graph. Each client asks look-ups whose answers are known beforehand, and now and then
something else: an empty answer, a query that is refused, a runaway with a short time limit. Printed at the end: calls
by outcome, wrong answers (there must be none), latencies, and what memory and threads did.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import threading
import time
from collections import Counter
from pathlib import Path

from scale import of_one, resident

from graphground.graphs.engines.embedded.state import EngineState
from graphground.graphs.home import Home
from graphground.graphs.opened import GraphSource, OpenGraphs
from graphground.graphs.stored import open_stored
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.failure import ToolFailure

RUNAWAY = "MATCH (a), (b), (c) WHERE a.name = c.eid AND b.name = 'nothing' RETURN count(*) AS c"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graph", default="movie")
    arguments.add_argument("--clients", type=int, default=32)
    arguments.add_argument("--seconds", type=float, default=600)
    given = arguments.parse_args()
    home = Home(given.folder)
    graph = open_stored(given.graph, home)
    graphs = OpenGraphs([GraphSource(given.graph, "", "embedded", lambda: graph)])
    label = max(graph.schema.labels.values(), key=lambda one: len(one.properties)).name
    known = {row[0]: row[1] for row in graph.run(
        f"MATCH (n:{label}) RETURN n.eid AS eid, n.name AS name LIMIT 500").rows}
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []
    latencies: list[float] = []
    lock = threading.Lock()
    end = time.monotonic() + given.seconds

    def client(number: int) -> None:
        rng = random.Random(number)
        while time.monotonic() < end:
            eid = rng.choice(list(known))
            kind, query, timeout = rng.choices(
                [("look-up", f"MATCH (n:{label} {{eid: '{eid}'}}) RETURN n.name AS name", 30.0),
                 ("empty", f"MATCH (n:{label} {{name: 'no such name {number}'}}) RETURN n.name AS name", 30.0),
                 ("refused", f"MATCH (n:{label}) SET n.name = 'x'", 30.0),
                 ("runaway", RUNAWAY, 1.0)], [90, 6, 3.5, 0.5])[0]
            begun = time.perf_counter()
            try:
                answer = execute_cypher(graphs, ExecuteCypherRequest(query=query, timeout_s=timeout))
                outcome = f"{kind}: answered"
                if kind == "look-up" and answer.rows != [[known[eid]]]:
                    with lock:
                        wrong.append(f"{eid}: {answer.rows}")
            except ToolFailure as failure:
                outcome = f"{kind}: {failure.error}"
            except Exception as error:
                outcome = f"{kind}: {type(error).__name__} {str(error)[:80]}"
            with lock:
                outcomes[outcome] += 1
                if outcome == "look-up: answered":
                    latencies.append(time.perf_counter() - begun)

    state = EngineState.read(home)
    before = (of_one(os.getpid()), threading.active_count())
    clients = [threading.Thread(target=client, args=(number,)) for number in range(given.clients)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    later = EngineState.read(home)
    for outcome, count in sorted(outcomes.items()):
        print(f"{outcome}: {count}")
    latencies.sort()
    print(f"wrong answers: {len(wrong)} {wrong[:3]}")
    print(f"look-ups: median {1000 * statistics.median(latencies):.1f} ms, "
          f"p99 {1000 * latencies[int(len(latencies) * 0.99)]:.1f} ms, worst {1000 * latencies[-1]:.0f} ms; "
          f"{len(latencies) / given.seconds:.0f} a second")
    print(f"this process: {before[0] / 1024:.0f} MiB before, {of_one(os.getpid()) / 1024:.0f} after; threads "
          f"{before[1]} before, {threading.active_count()} after; engine "
          f"{'the same process' if state and later and state.instance == later.instance else 'restarted'}, "
          f"all together {resident(os.getpid()):.0f} MiB")


if __name__ == "__main__":
    main()
