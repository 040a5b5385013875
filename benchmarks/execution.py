"""What `execute_cypher` adds to the bare driver, and how the rewrites pay, on a big graph.

    python benchmarks/execution.py FOLDER [--graph movie]

FOLDER is a data folder with the loaded graph (`python benchmarks/scale.py FOLDER movie`). All times are medians in
milliseconds; the bare driver asks the same engine, session and text.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import neo4j
from scale import of_one

from graphground.graphs.catalog import Catalog
from graphground.graphs.engines.embedded.state import EngineState
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.home import Home
from graphground.graphs.opened import GraphSource, OpenGraphs
from graphground.graphs.rewriting import faster
from graphground.graphs.stored import open_stored
from graphground.server.call import encode_answer
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.failure import ToolFailure

RUNAWAY = {
    "cartesian product": "MATCH (a), (b), (c) WHERE a.name = c.eid RETURN count(*) AS c",
    "unbounded path": "MATCH (a)-[*]-(b) RETURN count(*) AS c",
    "reduce over a long list": "RETURN reduce(t = 0, x IN range(1, 100000000) | t + x) AS total",
    "huge sort": "MATCH (a)-->(b)-->(c) RETURN a.name AS x, b.name AS y, c.name AS z ORDER BY z, y, x LIMIT 5",
    "huge collect": "MATCH (a)-->(b)-->(c) RETURN size(collect(a.name + b.name + c.name)) AS c",
}


def median(action: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        action()
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def in_turn(one: Callable[[], object], other: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The medians of two actions that take turns, so that a busy machine slows both alike."""
    pairs = [(median(one, 1), median(other, 1)) for _ in range(rounds)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graph", default="movie")
    arguments.add_argument("--timeout", type=float, default=5.0)
    given = arguments.parse_args()
    home = Home(given.folder)
    graph = open_stored(given.graph, home)
    graphs = OpenGraphs([GraphSource(given.graph, "", "embedded", lambda: graph)])
    people = [row[0] for row in graph.run("MATCH (p:Person) RETURN p.name AS name LIMIT 2000").rows][::100]
    state, database = EngineState.read(home), Catalog(home).get(given.graph).id
    assert state is not None
    driver = neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{state.port}", auth=("reader", state.reader))
    session = driver.session(database=database, default_access_mode="READ")

    def ours(query: str, limit: int = 100) -> bytes:
        return encode_answer(execute_cypher(graphs, ExecuteCypherRequest(query=query, limit=limit)))

    def bare(query: str) -> list[list[object]]:
        return [record.values() for record in session.run(query)]  # type: ignore[arg-type]

    small = f"MATCH (m:Movie)-[:directedBy]->(p:Person {{name: '{people[0]}'}}) RETURN m.name AS name LIMIT 20"
    many = "MATCH (m:Movie) RETURN m.name AS name, m.runtime_minute AS minutes LIMIT 10000"
    for text in (small, many):
        for action in (bare, ours):
            action(text)
    print("small answer: bare {:.2f}, ours {:.2f}".format(*in_turn(lambda: bare(small), lambda: ours(small), 300)))
    print("10,000 rows: bare {:.1f}, ours {:.1f}".format(*in_turn(lambda: bare(many), lambda: ours(many, 10_000), 21)))
    for name, send in (("as written", lambda query: query), ("as sent", lambda query: faster(query, "arcadedb"))):
        taken = []
        for one in people:
            query = (f"CALL {{ MATCH (n:Movie)-[r0:directedBy]->(m0:Person {{name: '{one}'}}) RETURN n, m0 AS m UNION "
                     f"MATCH (n:Movie)-[r1:writtenBy]->(m1:Person {{name: '{one}'}}) RETURN n, m1 AS m }} "
                     "WITH DISTINCT n RETURN n.name")
            text = send(query)
            taken.append(median(lambda text=text: bare(text), 2 if name == "as written" else 5))  # type: ignore[misc]
            if name == "as written" and len(taken) == 5:
                break
        print(f"UNION in CALL {name}: median {statistics.median(taken):.1f}, worst {max(taken):.1f}")
    before = of_one(os.getpid())
    begun = time.perf_counter()
    answer = execute_cypher(graphs, ExecuteCypherRequest(
        query="MATCH (m:Movie)-[r]->(x) RETURN m.name AS movie, type(r) AS type, x.name AS name", limit=100))
    taken_ms = (time.perf_counter() - begun) * 1000
    print(f"limit 100 of {'more' if answer.truncated else 'fewer'} rows: {taken_ms:.0f} ms, "
          f"{(of_one(os.getpid()) - before) / 1024:.1f} MiB more here")
    for name, query in RUNAWAY.items():
        begun = time.perf_counter()
        try:
            execute_cypher(graphs, ExecuteCypherRequest(query=query, timeout_s=given.timeout))
            said = "answered"
        except ToolFailure as failure:
            said = failure.error
        except EngineError as error:
            said = str(error)
        ended = time.perf_counter() - begun
        begun = time.perf_counter()
        ours("RETURN 1 AS one")
        print(f"{name}: {said} after {ended:.1f} s of {given.timeout:.0f}; "
              f"the next call {time.perf_counter() - begun:.2f} s", flush=True)


if __name__ == "__main__":
    main()
