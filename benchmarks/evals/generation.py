"""Measures the generation of tasks for the bundled graph and for generated graphs of every domain, in a table.

    python -m benchmarks.evals.generation FOLDER [--tasks 1000] [--graphs nba movie] [--nodes 3000] [--stand-ins FOLDER]

The bar: 1,000 tasks in under five minutes, with all 12 patterns and all six template groups. Each task's query must
run, return rows and cause no error or warning, and the task must follow the rules of realism (checked by
`tests/support/task_rules.py`, which shares no code with the generator). `nba` is the bundled graph. The other graphs
are generated from their CypherBench schemas or, with `--stand-ins`, loaded from the files of
`benchmarks.engines.graphs_for_queries` in that folder. The processor time includes that of the engine, which is started
for each graph. Below the table, patterns with too few tasks and templates without tasks are listed, with the
generator's reasons.
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
from graphground.evals.generation.generate import Generation, generate, read_data
from graphground.evals.tasks.task import write_tasks
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.graph import Graph
from graphground.graphs.loading.export import export_graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg_writing import write_simplekg
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.catalog import Catalog
from graphground.graphs.storage.home import Home
from graphground.graphs.synth import synth
from tests.support.task_rules import Records, violations

START_SECONDS = 300.0
"""The longest wait for the engine's start; this wait does not count as time for the tasks."""
COLUMNS = (
    "graph",
    "tasks",
    "seconds",
    "processor seconds",
    "patterns",
    "fewest, most of a pattern",
    "template groups",
    "fewest, most of a group",
    "duplicates",
    "forbidden",
    "diagnostics",
)


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


def load(name: str, folder: Path, home: Home, nodes: int, stand_ins: Path | None) -> None:
    """Load the graph of a domain into the data folder, unless the graph is there already."""
    if name == "nba" or Catalog(home).find(name) is not None:
        return
    path = folder / f"{name}.json" if stand_ins is None else stand_ins / f"{name}.json"
    if stand_ins is None:
        graph_data = synth(schema_of(name), nodes, 3 * nodes, seed=1)
        write_simplekg(path, graph_data.schema, graph_data.entities(), graph_data.relations())
    load_file(path, home, name=name)


def measured(graph: Graph, home: Home, count: int) -> tuple[Generation, float, float]:
    """Generate `count` tasks; return the tasks, the wall time and the processor time, in seconds."""
    graph.run("MATCH (n) RETURN count(n)", timeout=START_SECONDS)
    start, used_before = time.monotonic(), time.process_time() + engine_seconds(home)
    generation = generate(graph, count, seed=1)
    return generation, time.monotonic() - start, time.process_time() + engine_seconds(home) - used_before


def row_of(graph: Graph, generation: Generation, records: Records, seconds: float, used: float) -> tuple[str, ...]:
    """Check the tasks of a graph, print at most five that break a rule, and return the row of the table."""
    groups = {template["id"]: template["group"] for template in read_data("templates")}
    tasks = generation.tasks
    reports = [validate(task.gold, graph.schema, entities=graph.indexed_entities, read_only=True) for task in tasks]
    found = sum(any(diagnostic.severity != "hint" for diagnostic in report.diagnostics) for report in reports)
    broken = [(task, rules) for task in tasks if (rules := list(violations(task, records, graph)))]
    for task, rules in broken[:5]:
        print(f"{graph.name}: {', '.join(rules)}: {task.gold}", flush=True)
    by_pattern = Counter(task.pattern for task in tasks)
    by_group = Counter(groups[task.template] for task in tasks)
    repeated = len(tasks) - min(len({task.gold for task in tasks}), len({task.question for task in tasks}))
    return (
        graph.name,
        f"{len(tasks):,}",
        f"{seconds:.0f}",
        f"{used:.0f}",
        str(len(by_pattern)),
        f"{min(by_pattern.values(), default=0)}, {max(by_pattern.values(), default=0)}",
        str(len(by_group)),
        f"{min(by_group.values(), default=0)}, {max(by_group.values(), default=0)}",
        str(repeated),
        str(len(broken)),
        str(found),
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--tasks", type=int, default=1_000)
    arguments.add_argument("--graphs", nargs="*", default=["nba", *(name for name in GRAPHS if name != "nba")])
    arguments.add_argument("--nodes", type=int, default=3_000)
    arguments.add_argument("--stand-ins", type=Path)
    options = arguments.parse_args()
    home = Home(options.folder / "home").make()
    missing: dict[str, list[str]] = {}
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    for name in options.graphs:
        try:
            load(name, options.folder, home, options.nodes, options.stand_ins)
            graph = next(source for source in stored_sources(home) if source.name == name).open()
            generation, seconds, used = measured(graph, home, options.tasks)
            export_graph(name, options.folder / "exported.json", home)
            records = Records(json.loads((options.folder / "exported.json").read_bytes()))
            print(f"| {' | '.join(row_of(graph, generation, records, seconds, used))} |", flush=True)
            missing[name] = [f"{entry}: {reason}" for entry, reason in generation.missing.items()]
            write_tasks(generation.tasks, options.folder / f"{name}-tasks.json")
            graph.close()
        finally:
            end_engine(home, kill=True)
    print(f"\nload {os.getloadavg()[0]:.1f}")
    for name, lines in missing.items():
        for line in lines:
            print(f"- {name}: {line}")


if __name__ == "__main__":
    main()
