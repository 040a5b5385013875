"""Measures time and memory of `execute_cypher` when it returns a hundred rows of an answer with a million rows or more.

    python -m benchmarks.engines.large_answers FOLDER [--graph movie] [--rounds 5]

FOLDER is a data folder with the graph (`benchmarks/engines/scale.py` makes it). The exit status is 1 if this process or
the engine holds `GROWTH` MiB more after all rounds than after the first, or an answer is not cut at a hundred rows. The
last line of output measures an answer that is read completely, row by row, as an export does.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from benchmarks.engines.scale import of_one
from graphground.graphs.engines.embedded.state import EngineState
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher

GROWTH = 64
LIMIT = 100


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graph", default="movie")
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    home = Home(given.folder)
    graph = open_stored(given.graph, home)
    graphs = OpenGraphs([GraphSource(given.graph, "", "embedded", lambda: graph)])
    label = max(
        (pattern.start for pattern in graph.schema.patterns),
        key=lambda name: sum(pattern.start == name for pattern in graph.schema.patterns),
    )
    pattern = f"MATCH (m:{label})-[r]->(x)"
    count = graph.run(f"{pattern} RETURN count(*) AS c").rows[0][0]
    asked = {
        "rows as they come": f"{pattern} RETURN m.name AS name, type(r) AS type, x.name AS other",
        "with a condition": f"{pattern} WHERE x.name <> m.name RETURN m.name AS name, x.name AS other",
        "over WITH": f"{pattern} WITH m, x WHERE x.name > 'B' RETURN m.name AS name, x.name AS other",
        "UNION ALL": f"{pattern} RETURN m.name AS name UNION ALL {pattern} RETURN x.name AS name",
        "two hops": f"{pattern}<-[s]-(o) RETURN m.name AS name, x.name AS other, o.name AS third",
    }
    print(f"{given.graph}: {count} rows behind {pattern}", flush=True)

    def held() -> tuple[float, float]:
        state = EngineState.read(home)
        return of_one(os.getpid()) / 1024, (of_one(state.pid) if state else 0) / 1024

    missed = False
    for title, query in asked.items():
        taken, after_first = [], (0.0, 0.0)
        for number in range(given.rounds):
            begun = time.perf_counter()
            answer = execute_cypher(graphs, ExecuteCypherRequest(query=query, limit=LIMIT, timeout_s=120))
            taken.append((time.perf_counter() - begun) * 1000)
            missed |= len(answer.rows) != LIMIT or not answer.truncated
            after_first = after_first if number else held()
        ours, engines = (now - then for now, then in zip(held(), after_first, strict=True))
        missed |= max(ours, engines) > GROWTH
        print(
            f"{title}: {taken[0]:.0f} ms the first time, then {min(taken[1:] or taken):.0f}; after {given.rounds} "
            f"rounds here {ours:+.1f} MiB, in the engine {engines:+.1f} (to {held()[1]:.0f})",
            flush=True,
        )
    before, begun = held(), time.perf_counter()
    rows = sum(1 for _ in graph.engine.stream(asked["rows as they come"])) if hasattr(graph.engine, "stream") else 0
    ours, engines = (now - then for now, then in zip(held(), before, strict=True))
    print(
        f"all {rows} rows read one by one: {time.perf_counter() - begun:.1f} s; here {ours:+.1f} MiB, in the engine "
        f"{engines:+.1f} (to {held()[1]:.0f})"
    )
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
