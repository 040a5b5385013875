"""Measures how many of MetaQA's questions its graph can answer: a few per cent of its relationships are missing.

    python -m benchmarks.tools.metaqa_ceiling [--each 400]

A question counts if any path from its name, of as many relationships as the question has hops, ends at the answers with
an F1 of at least 0.9: no query on the graph answers the others, however it is found. As in Cypher, no relationship is
used twice in a path.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator

from benchmarks.tools.strangers import SHARED, Asked, metaqa_questions

Step = tuple[str, bool]
Around = dict[Step, set[str]]


def main() -> None:
    arguments = argparse.ArgumentParser(description="Count the questions that the graph of MetaQA can answer.")
    arguments.add_argument("--each", type=int, default=400, help="the questions of each number of hops")
    options = arguments.parse_args()
    around, names, starts = read_graph()
    asked, answered = Counter[str](), Counter[str]()
    for question in metaqa_questions(options.each):
        asked[question.group] += 1
        hops = int(question.group.split()[1])
        found = ends(around, starts[(question.names or ("",))[0]], hops)
        answered[question.group] += any(fits({names[end] for end in reached}, question) for reached in found)
    for group in sorted(asked):
        print(f"{group}: {answered[group]} of {asked[group]}, {100 * answered[group] / asked[group]:.1f} %")


def read_graph() -> tuple[dict[str, Around], dict[str, str], dict[str, set[str]]]:
    """Return what is around each node by type and direction, the nodes' names, and the nodes of each name."""
    around: dict[str, Around] = defaultdict(lambda: defaultdict(set))
    names: dict[str, str] = {}
    starts: dict[str, set[str]] = defaultdict(set)
    with gzip.open(SHARED / "metaqa/graph.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["type"] == "node":
                names[record["id"]] = record["properties"]["name"]
                starts[names[record["id"]]].add(record["id"])
            else:
                start, end = record["start"]["id"], record["end"]["id"]
                around[start][record["label"], True].add(end)
                around[end][record["label"], False].add(start)
    return around, names, starts


def ends(around: dict[str, Around], starts: set[str], hops: int) -> Iterator[set[str]]:
    """Yield, for each sequence of types and directions, the nodes at which its paths end."""
    # A path is the node where it is and the two before: only the step just made can be made back.
    paths: dict[tuple[Step, ...], set[tuple[str, str]]] = {(): {("", start) for start in starts}}
    for _ in range(hops):
        longer: dict[tuple[Step, ...], set[tuple[str, str]]] = defaultdict(set)
        for steps, places in paths.items():
            for before, place in places:
                for step, others in around[place].items():
                    back = bool(steps) and step == (steps[-1][0], not steps[-1][1])
                    longer[*steps, step].update((place, end) for end in others if not (back and end == before))
        paths = longer
    for places in paths.values():
        yield {end for _, end in places}


def fits(named: set[str], question: Asked) -> bool:
    """Return whether names are the answers, with an F1 of at least 0.9."""
    return 2 * len(named & question.answer) / max(1, len(named) + len(question.answer)) >= 0.9


if __name__ == "__main__":
    main()
