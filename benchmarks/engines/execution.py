"""Measures the time that `execute_cypher` adds to the bare driver, the time that rewriting saves, and runaway queries.

    python -m benchmarks.engines.execution FOLDER [--graph movie] [--neo4j URI USER PASSWORD [--fill FILE]]

FOLDER is a data folder with the loaded graph (`python -m benchmarks.engines.scale FOLDER movie`, or the stand-in of
`benchmarks/engines/graphs_for_queries.py`). With `--neo4j`, a Neo4j is measured too; `--fill` first **empties** that
Neo4j and loads a SimpleKG file into it. The times of repeated queries are medians, in milliseconds. `execute_cypher`
and the bare driver take turns; the driver sends the same text to the same database, in a session of access mode READ.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import neo4j

from benchmarks.engines.same_answers import fill
from benchmarks.engines.scale import of_one
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.dialects import ARCADEDB
from graphground.graphs.engines.embedded.launcher import EngineState
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.engines.rewriting import rewrite_for
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Catalog, Home
from graphground.server.application import encode_answer
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure

RUNAWAY = {
    "cartesian product": "MATCH (a), (b), (c) WHERE a.name = c.eid RETURN count(*) AS c",
    "unbounded path": "MATCH (a)-[*]-(b) RETURN count(*) AS c",
    "reduce in reduce": "RETURN reduce(s = 0, x IN range(1, 1000000) | s + reduce(t = 0, y IN range(1, 1000000) | "
    "t + y)) AS total",
    "any in any": "RETURN any(x IN range(1, 1000000) WHERE any(y IN range(1, 1000000) WHERE y = -x)) AS found",
    "text doubled a hundred times": "RETURN size(reduce(s = 'x', x IN range(1, 100) | s + s)) AS n",
    "huge sort": "MATCH (a)-->(b)-->(c) RETURN a.name AS x, b.name AS y, c.name AS z ORDER BY z, y, x LIMIT 5",
    "huge collect": "MATCH (a)-->(b)-->(c) RETURN size(collect(a.name + b.name + c.name)) AS c",
}
LOOK_UP = "MATCH (p:Person {name: %s}) RETURN p.eid AS eid"
TWO_HOPS = (
    "MATCH (p:Person {name: %s})<-[:directedBy]-(m:Movie)-[:hasCastMember]->(q:Person) WHERE q.name <> %s "
    "RETURN m.name AS film, q.name AS name ORDER BY film, name LIMIT 20"
)


@dataclass
class Side:
    """A database, queried through `execute_cypher` and with the bare driver."""

    title: str
    graphs: OpenGraphs
    session: neo4j.Session

    def ours(self, query: str, limit: int = 100) -> bytes:
        return encode_answer(execute_cypher(self.graphs, ExecuteCypherRequest(query=query, limit=limit)))

    def bare(self, query: str, **parameters: object) -> list[list[object]]:
        return [record.values() for record in self.session.run(query, parameters)]


def median(action: Callable[[], object], times: int) -> float:
    milliseconds = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        milliseconds.append((time.perf_counter() - start) * 1000)
    return statistics.median(milliseconds)


def in_turn(rounds: int, *actions: Callable[[], object]) -> list[float]:
    """Run the actions in turns, so that other load slows all alike; return the median milliseconds of each."""
    rows = [[median(action, 1) for action in actions] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def overhead(side: Side, person: str) -> None:
    small = f"MATCH (m:Movie)-[:directedBy]->(p:Person {{name: '{person}'}}) RETURN m.name AS name LIMIT 20"
    many = "UNWIND range(1, 10000) AS i RETURN 'name ' + toString(i) AS name, i * 1.5 AS minutes"
    for text in (small, many):
        side.bare(text), side.ours(text)
    bare, ours = in_turn(300, lambda: side.bare(small), lambda: side.ours(small))
    print(f"{side.title}: small answer: bare {bare:.2f}, ours {ours:.2f}: {ours - bare:+.2f} ms")
    bare, ours = in_turn(21, lambda: side.bare(many), lambda: side.ours(many, 10_000))
    print(f"{side.title}: 10,000 rows: bare {bare:.1f}, ours {ours:.1f}: {ours / bare:.2f} times", flush=True)


def literals(side: Side, people: list[str]) -> None:
    """Measure a query sent in three ways: as the same text, with changing literals, and with changing parameters."""
    for name, query in (("look-up", LOOK_UP), ("two hops, filter and sort", TWO_HOPS)):
        others = itertools.cycle(people)

        def quoted(texts: Iterator[str], query: str = query) -> str:
            value = f"'{next(texts)}'"
            return query.replace("%s", value)

        same_text = quoted(iter(people))
        with_parameter = query.replace("%s", "$name")
        for _ in range(20):  # the database has planned every form before the measurement
            side.bare(same_text), side.bare(quoted(others)), side.bare(with_parameter, name=next(others))
        again, literal, parameter = in_turn(
            200,
            lambda same_text=same_text: side.bare(same_text),
            lambda quoted=quoted, others=others: side.bare(quoted(others)),
            lambda with_parameter=with_parameter, others=others: side.bare(with_parameter, name=next(others)),
        )
        print(
            f"{side.title}: {name}: the same text {again:.2f}, another literal {literal:.2f}, another parameter "
            f"{parameter:.2f} ms",
            flush=True,
        )


def unions(side: Side, people: list[str]) -> None:
    """Measure `CALL { … UNION … }` as written, and as rewritten for the engine."""
    for name, send in (("as written", lambda query: query), ("as sent", lambda query: rewrite_for(ARCADEDB, query))):
        milliseconds = []
        for person in people[:5] if name == "as written" else people:
            query = (
                f"CALL {{ MATCH (n:Movie)-[r0:directedBy]->(m0:Person {{name: '{person}'}}) RETURN n, m0 AS m UNION "
                f"MATCH (n:Movie)-[r1:writtenBy]->(m1:Person {{name: '{person}'}}) RETURN n, m1 AS m }} "
                "WITH DISTINCT n RETURN n.name"
            )
            text = send(query)
            milliseconds.append(median(partial(side.bare, text), 3))
        print(
            f"{side.title}: UNION in CALL {name}: median {statistics.median(milliseconds):.1f}, worst {max(milliseconds):.1f}"
        )


def part_of_a_large_answer(side: Side) -> None:
    before, start = of_one(os.getpid()), time.perf_counter()
    answer = execute_cypher(
        side.graphs,
        ExecuteCypherRequest(
            query="MATCH (m:Movie)-[r]->(x) RETURN m.name AS movie, type(r) AS type, x.name AS name", limit=100
        ),
    )
    milliseconds = (time.perf_counter() - start) * 1000
    print(
        f"{side.title}: limit 100 of {'more' if answer.truncated else 'fewer'} rows: {milliseconds:.0f} ms, "
        f"{(of_one(os.getpid()) - before) / 1024:.1f} MiB more in this process"
    )


def runaways(side: Side, timeout: float) -> None:
    for name, query in RUNAWAY.items():
        start = time.perf_counter()
        try:
            execute_cypher(side.graphs, ExecuteCypherRequest(query=query, timeout_s=timeout))
            outcome = "answered"
        except ToolFailure as failure:
            outcome = failure.error
        except EngineError as error:
            outcome = str(error)
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        side.ours("RETURN 1 AS one")
        print(
            f"{side.title}: {name}: {outcome} after {seconds:.1f} s of {timeout:g}; the next call "
            f"{time.perf_counter() - start:.2f} s",
            flush=True,
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graph", default="movie")
    arguments.add_argument("--timeout", type=float, default=5.0)
    arguments.add_argument("--neo4j", nargs=3, metavar=("URI", "USER", "PASSWORD"))
    arguments.add_argument("--fill", type=Path)
    options = arguments.parse_args()
    home = Home(options.folder)
    graph = open_stored(options.graph, home)
    people = [
        str(row[0])
        for row in graph.run("MATCH (m:Movie)-[:directedBy]->(p:Person) RETURN DISTINCT p.name AS name LIMIT 2000").rows
        if "'" not in str(row[0])
    ][::10]
    state, database = EngineState.read(home), Catalog(home).get(options.graph).id
    assert state is not None
    print(f"{time.strftime('%Y-%m-%d %H:%M')}, load {os.getloadavg()[0]:.1f}")
    driver = neo4j.GraphDatabase.driver(f"bolt://127.0.0.1:{state.port}", auth=("reader", state.reader))
    sides = [
        Side(
            "embedded",
            OpenGraphs([GraphSource(options.graph, "", "embedded", lambda: graph)]),
            driver.session(database=database, default_access_mode="READ"),
        )
    ]
    if options.neo4j:
        if options.fill:
            fill(*options.neo4j, options.fill)
        uri, user, password = options.neo4j
        neo4j_graph = Graph("neo4j", graph.schema, engine=BoltEngine(BoltAddress(uri, user, password)))
        sides.append(
            Side(
                "neo4j",
                OpenGraphs([GraphSource("neo4j", "", "bolt", lambda: neo4j_graph)]),
                neo4j.GraphDatabase.driver(uri, auth=(user, password)).session(default_access_mode="READ"),
            )
        )
    for side in sides:
        overhead(side, people[0])
        literals(side, people)
        part_of_a_large_answer(side)
        if side.title == "embedded":
            unions(side, people[:20])
    for side in sides:
        runaways(side, options.timeout)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
