"""Prints a table of the numbers of tasks by graph pattern and domain: CypherBench's tasks, and those that we generate.

    python -m benchmarks.evals.patterns FOLDER

FOLDER holds the tasks that `benchmarks.evals.generation FOLDER` has written. CypherBench's tasks are the distinct
gold queries of the train tasks and of the recorded predictions. All tasks are classified by `evals.tasks.classify`. A
domain without a published query in `../shared` has a `?` for CypherBench. Below the table, the published patterns that
we do not generate are listed, and the time-sensitive relationship types of each domain: by CypherBench's
`graph_info.json`, and by the schema.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from benchmarks.engines.graphs_for_queries import GRAPHS, gold_queries, schema_of
from graphground.evals.tasks.classify import BASIC, SPECIAL, classify
from tests.support.shared_data import SHARED


def generated(folder: Path, graph: str) -> list[str]:
    """Return the gold queries of a graph's generated tasks; an empty list if there is no file of tasks."""
    file = folder / f"{graph}-tasks.json"
    return [task["gold_cypher"] for task in json.loads(file.read_bytes())] if file.exists() else []


def patterns_of(queries: list[str]) -> Counter[str]:
    """Count the graph patterns of gold queries."""
    return Counter(classify(query)[0] for query in queries)


def timed(graph: str) -> tuple[set[str], set[str]]:
    """Return the relationship types with years by CypherBench's `graph_info.json`, and those by the schema."""
    listed = json.loads((SHARED / "cypherbench_tasks" / "graph_info.json").read_text("utf-8"))[graph]["relations"]
    years = {"start_year", "end_year"}
    return (
        {relation["label"] for relation in listed if relation["is_time_sensitive"]},
        {pattern.type for pattern in schema_of(graph).patterns if years <= pattern.properties.keys()},
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    folder = arguments.parse_args().folder
    published = {graph: patterns_of(gold_queries(graph)) for graph in GRAPHS}
    ours = {graph: patterns_of(generated(folder, graph)) for graph in GRAPHS}
    print(f"| pattern | {' | '.join(GRAPHS)} |\n|---|{'---|' * len(GRAPHS)}")
    for pattern in (*BASIC, *SPECIAL):
        cells = [
            f"{published[graph][pattern] if published[graph] else '?'}, {ours[graph][pattern]}" for graph in GRAPHS
        ]
        print(f"| `{pattern}` | {' | '.join(cells)} |")
    totals = [f"{published[graph].total() or '?'}, {ours[graph].total()}" for graph in GRAPHS]
    print(f"| all | {' | '.join(totals)} |\n")
    for graph in GRAPHS:
        if absent := [pattern for pattern in published[graph] if not ours[graph][pattern]]:
            print(f"- {graph}: published and not generated: {', '.join(absent)}")
        by_list, by_schema = timed(graph)
        print(f"- {graph}: types with years: {sorted(by_list)}; by the schema {sorted(by_schema)}")


if __name__ == "__main__":
    main()
