"""Measures a well-behaved client while other clients build large values, on a Neo4j with little memory.

    python -m benchmarks.security.large_values [--heap 512m] [--attackers 8] [--seconds 40]

Starts a Neo4j 5.26 with APOC. Each attacker sends queries that build too large values (those of the tests), one after
another, through `execute_cypher`. The well-behaved client sums ten numbers five times a second. The output is the
number of answers of each kind to the attackers, and the well-behaved client's failures and its median, p95 and slowest
call. The exit status is 1 if a call of the well-behaved client failed, or if its p95 was above 1 s.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.callers import calling_as
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import Application
from tests.cypher.memory.test_large_values import LARGE, PARAMETERS
from tests.support.neo4j_server import APOC, LTS, running_neo4j

SCHEMA = PropertyGraphSchema.from_cypherbench(
    {
        "name": "films",
        "entities": [{"label": "Movie", "description": None, "properties": {"name": "str"}}],
        "relations": [],
    }
)
SMALL_QUERY = "UNWIND range(1, 10) AS i RETURN sum(i) AS x"


def attack(application: Application, first: int, stop: threading.Event, answers: Counter[str]) -> None:
    """Send the large queries in a cycle, beginning with number `first`, until `stop` is set; count the answers."""
    with calling_as("session attacker"):
        for query in itertools.islice(itertools.cycle(LARGE), first, None):
            used = {name: value for name, value in PARAMETERS.items() if "$" + name in query}
            answer = application.call("execute_cypher", {"query": query, "timeout_s": 5, "parameters": used})
            answers[json.loads(answer.payload).get("error", "answered")] += 1
            if stop.wait(0.05):
                return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heap", default="512m")
    parser.add_argument("--attackers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=40)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_neo4j(Path(folder), LTS, apoc=APOC, heap=options.heap) as server,
    ):
        engine = BoltEngine(BoltAddress(server.uri, "neo4j", server.password))
        graph = Graph("films", SCHEMA, "", engine)
        application = Application(lambda: OpenGraphs([GraphSource("films", "", "neo4j", lambda: graph)]))
        application.call("execute_cypher", {"query": SMALL_QUERY})
        stop, answers = threading.Event(), Counter[str]()
        attackers = [
            threading.Thread(target=attack, args=(application, number * 6, stop, answers))
            for number in range(options.attackers)
        ]
        for attacker in attackers:
            attacker.start()
        times, failed, end = [], [], time.monotonic() + options.seconds
        with calling_as("session well-behaved"):
            while time.monotonic() < end:
                start = time.monotonic()
                answer = application.call("execute_cypher", {"query": SMALL_QUERY, "timeout_s": 10})
                times.append(1000 * (time.monotonic() - start))
                if answer.is_error:
                    failed.append(answer.text[:100])
                time.sleep(0.2)
        stop.set()
        for attacker in attackers:
            attacker.join()
        engine.close()
    times.sort()
    p95 = times[int(len(times) * 0.95)]
    print(f"attackers: {dict(answers)}")
    print(f"well-behaved client: {len(times)} calls, {len(failed)} failed {failed[:2]}; median {times[len(times) // 2]:.0f}, "
          f"p95 {p95:.0f}, slowest {times[-1]:.0f} ms")  # fmt: skip
    sys.exit(1 if failed or p95 > 1000 else 0)


if __name__ == "__main__":
    main()
