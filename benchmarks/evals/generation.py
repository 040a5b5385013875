"""Measures the generation of tasks for the bundled graph and for generated graphs: number, time, validator findings.

    python -m benchmarks.evals.generation FOLDER [--tasks 1000] [--graphs nba movie] [--nodes 3000] [--stand-ins FOLDER]

The bar: 1,000 tasks in under five minutes, with all 12 patterns and all template groups. Each task must be executable
and non-empty, have no validator findings, and follow the rules of realism (checked by `tests/support/task_rules.py`,
which shares no code with the generator). `nba` is the bundled graph. The other graphs are generated from their
CypherBench schemas or, with `--stand-ins`, loaded from the files of `benchmarks.engines.graphs_for_queries` in that
folder. The processor time includes the engine's.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from pathlib import Path

from benchmarks.engines.graphs_for_queries import GRAPHS, schema_of
from graphground.cypher import validate
from graphground.evals.generation.generate import generate, read_data
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.loading.export import export_graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.graphs.synth import synth
from tests.support.task_rules import Records, violations

START_SECONDS = 300.0
"""The longest wait for the engine's start, which does not count as time for the tasks."""


def engine_seconds(home: Home) -> float:
    """Return the processor time of the data folder's engine processes, in seconds; 0 on systems without `/proc`."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            command = stat.with_name("cmdline").read_text().split("\0")
            if "graphground.graphs.engines.embedded.process" in command and str(home.folder) in command:
                fields = stat.read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--tasks", type=int, default=1_000)
    arguments.add_argument("--graphs", nargs="*", default=["nba", *(name for name in GRAPHS if name != "nba")])
    arguments.add_argument("--nodes", type=int, default=3_000)
    arguments.add_argument("--stand-ins", type=Path)
    given = arguments.parse_args()
    home = Home(given.folder / "home").make()
    groups = {template["id"]: template["group"] for template in read_data("templates")}
    try:
        for name in given.graphs:
            if name != "nba" and given.stand_ins is not None:
                load_file(given.stand_ins / f"{name}.json", home, name=name)
            elif name != "nba":
                made = synth(schema_of(name), given.nodes, 3 * given.nodes, seed=1)
                write_simplekg(given.folder / f"{name}.json", made.schema, made.entities(), made.relations())
                load_file(given.folder / f"{name}.json", home, name=name)
            graph = next(source for source in stored_sources(home) if source.name == name).open()
            graph.run("MATCH (n) RETURN count(n)", timeout=START_SECONDS)
            started, used = time.monotonic(), time.process_time() + engine_seconds(home)
            tasks = generate(graph, given.tasks, seed=1)
            seconds, used = time.monotonic() - started, time.process_time() + engine_seconds(home) - used
            reports = [
                validate(task.gold, graph.schema, entities=graph.indexed_entities, read_only=True) for task in tasks
            ]
            spoken = sum(any(found.severity != "hint" for found in report.diagnostics) for report in reports)
            export_graph(name, given.folder / "exported.json", home)
            known = Records(json.loads((given.folder / "exported.json").read_bytes()))
            broken = [(task, found) for task in tasks if (found := list(violations(task, known, graph)))]
            print(
                f"{name}: {len(tasks)} tasks in {seconds:.0f} s ({used:.0f} s of processor time), "
                f"{len({task.pattern for task in tasks})} patterns, "
                f"{len({groups[task.template] for task in tasks})} template groups, {spoken} with diagnostics, "
                f"{len(broken)} that break a rule; {dict(Counter(task.pattern for task in tasks))}",
                flush=True,
            )
            for task, found in broken[:5]:
                print(f"  {', '.join(found)}: {task.gold}", flush=True)
            graph.close()
    finally:
        end_engine(home, kill=True)


if __name__ == "__main__":
    main()
