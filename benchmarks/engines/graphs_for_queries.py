"""Generates the stand-in graphs for other benchmarks: one for each of the 11 schemas, in one data folder.

python -m benchmarks.engines.graphs_for_queries FOLDER [--nodes 3000] [--relationships 9000] [--graphs art soccer]
"""

from __future__ import annotations

import argparse
import gzip
import json
from functools import cache
from pathlib import Path

from benchmarks.stand_ins import stand_in
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.storage.home import Home
from tests.support.shared_data import SHARED

TRAIN = ("art", "biology", "soccer", "terrorist_attack")
DEVELOPED = ("company", "fictional_character", "flight_accident")
GRAPHS = (*TRAIN, *DEVELOPED, "geography", "movie", "nba", "politics")


def schema_of(graph: str) -> PropertyGraphSchema:
    """Return the CypherBench schema of a graph."""
    return PropertyGraphSchema.from_cypherbench((SHARED / "schemas" / f"{graph}.json").read_text("utf-8"))


@cache
def records(name: str) -> list[dict[str, object]]:
    """Return the records of a `.jsonl.gz` file in ../shared/data."""
    with gzip.open(SHARED / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def gold_queries(graph: str) -> list[str]:
    """Return the distinct gold queries of a graph, from the train tasks and from the recorded predictions."""
    found = [
        record["gold_cypher"] for record in records("cypherbench_tasks/train.jsonl.gz") if record["graph"] == graph
    ]
    for name in ("scored", "unscored"):
        found += [
            record["gold_cypher"]
            for record in records(f"predictions/cypherbench_{name}.jsonl.gz")
            if record["graph"] == graph
        ]
    return [str(text) for text in dict.fromkeys(found)]


def predicted_queries(graph: str) -> list[str]:
    """Return the distinct queries that models wrote for a graph."""
    return [
        str(text)
        for text in dict.fromkeys(
            record["pred_cypher"]
            for name in ("scored", "unscored")
            for record in records(f"predictions/cypherbench_{name}.jsonl.gz")
            if record["graph"] == graph
        )
        if text
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--nodes", type=int, default=3_000)
    arguments.add_argument("--relationships", type=int, default=9_000)
    arguments.add_argument("--graphs", nargs="+", default=list(GRAPHS))
    options = arguments.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for graph in options.graphs:
        graph_data = stand_in(schema_of(graph), gold_queries(graph), options.nodes, options.relationships, seed=1)
        file = options.folder / f"{graph}.json"
        print(
            graph, *write_simplekg(file, graph_data.schema, graph_data.entities(), graph_data.relations()), flush=True
        )
        load_file(file, Home(options.folder), name=graph)


if __name__ == "__main__":
    main()
