"""Measures the time that reading further rows for a cursor adds to an answer.

    python -m benchmarks.tools.reading_ahead [--rounds 40]

The bundled graph is served by a separate embedded engine. Each query runs in turns without a client that could fetch
further rows, and with such a client, for which further rows are read. The output is the median time in each case, and
the difference.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.opening.bundled import load_bundled
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.server.call import encode_answer
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.kept_rows import keeping_for

QUERIES = (
    "MATCH (n) RETURN n.name AS name",
    "MATCH (a)-[r]->(b) RETURN a.name AS a, type(r) AS type, b.name AS b",
    "MATCH (p:Player) RETURN p",
    "MATCH (p:Player) RETURN p.name AS name ORDER BY name",
)
LIMITS = (100, 500)
WARM_UP = 5


def medians(graphs: OpenGraphs, query: str, limit: int, rounds: int) -> tuple[float, float]:
    """Return the median time of a query in milliseconds, first without and then with further rows read for a cursor."""
    seconds: dict[str | None, list[float]] = {None: [], "client": []}
    for _ in range(WARM_UP + rounds):
        for client, times in seconds.items():
            with keeping_for(client):
                start = perf_counter()
                encode_answer(execute_cypher(graphs, ExecuteCypherRequest(query=query, graph="nba", limit=limit)))
                times.append(perf_counter() - start)
    without, continued = (1000 * median(times[WARM_UP:]) for times in seconds.values())
    return without, continued


def main() -> None:
    """Measure each query with each limit, and print its median times without and with further rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="graphground-ahead-", ignore_cleanup_errors=True) as folder:
        home = Home(Path(folder)).make()
        try:
            load_bundled("nba", home)
            graphs = OpenGraphs(stored_sources(home))
            for query in QUERIES:
                for limit in LIMITS:
                    without, continued = medians(graphs, query, limit, rounds)
                    print(
                        f"{limit:>4} rows: {without:6.1f} ms, with further rows {continued:6.1f} "
                        f"({continued - without:+.1f})  {query}",
                        flush=True,
                    )
        finally:
            end_engine(home)


if __name__ == "__main__":
    main()
