"""Generates tasks for the bundled graph and for generated graphs of every domain: number, time, validator findings.

    python -m benchmarks.evals.generation FOLDER [--tasks 1000] [--graphs nba movie] [--nodes 3000]

The bar: 1,000 tasks in under five minutes, with all 12 patterns and all template groups, each executable and non-empty,
and without validator findings. `nba` is the bundled graph; the others are generated from their CypherBench schemas.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from benchmarks.engines.graphs_for_queries import GRAPHS, schema_of
from graphground.cypher import validate
from graphground.evals.generation.generate import generate, read_data
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.graphs.synth import synth


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--tasks", type=int, default=1_000)
    arguments.add_argument("--graphs", nargs="*", default=["nba", *(name for name in GRAPHS if name != "nba")])
    arguments.add_argument("--nodes", type=int, default=3_000)
    given = arguments.parse_args()
    home = Home(given.folder / "home").make()
    groups = {template["id"]: template["group"] for template in read_data("templates")}
    try:
        for name in given.graphs:
            if name != "nba":
                made = synth(schema_of(name), given.nodes, 3 * given.nodes, seed=1)
                write_simplekg(given.folder / f"{name}.json", made.schema, made.entities(), made.relations())
                load_file(given.folder / f"{name}.json", home, name=name)
            graph = next(source for source in stored_sources(home) if source.name == name).open()
            graph.run("MATCH (n) RETURN count(n)")
            started = time.monotonic()
            tasks = generate(graph, given.tasks, seed=1)
            seconds = time.monotonic() - started
            empty = sum(not graph.run(task.gold, timeout=30).rows for task in tasks)
            reports = [
                validate(task.gold, graph.schema, entities=graph.indexed_entities, read_only=True) for task in tasks
            ]
            spoken = sum(any(found.severity != "hint" for found in report.diagnostics) for report in reports)
            print(
                f"{name}: {len(tasks)} tasks in {seconds:.0f} s, {len({task.pattern for task in tasks})} patterns, "
                f"{len({groups[task.template] for task in tasks})} template groups, {empty} empty, {spoken} with "
                f"diagnostics; {dict(Counter(task.pattern for task in tasks))}",
                flush=True,
            )
            graph.close()
    finally:
        end_engine(home, kill=True)


if __name__ == "__main__":
    main()
