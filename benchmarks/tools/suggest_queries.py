"""How often the gold pattern is among the first ten suggestions, on the one- and two-hop train questions.

    python -m benchmarks.tools.suggest_queries FOLDER [--each 250]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). Two ways:
with the mentions given (the names in the gold query, as a client with its own entity extractor has them) and from
the question alone. Every candidate is run.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

from benchmarks.engines.graphs_for_queries import TRAIN, records
from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions import entities_in, entities_of, suggest

Pattern = frozenset[tuple[str, str, str]]


def pattern_of(text: str) -> Pattern | None:
    """The relationships of a query with `n` and the names of its ends, whatever its other variables are called."""
    nodes: dict[str, str] = {}
    query = parse(text)
    for node in query.find(t.NodePattern):
        variable = node.variable.name if node.variable else ""
        named = (
            [entry.value.value for entry in node.properties.entries if isinstance(entry.value, t.StringLiteral)]
            if isinstance(node.properties, t.MapLiteral)
            else []
        )
        label = node.labels.name.text if isinstance(node.labels, t.LabelName) else nodes.get(variable, "")
        if named:
            nodes[variable] = f"{label} {named[0]}"
        elif variable not in nodes:
            nodes[variable] = f"n {label}" if variable == "n" else label
    edges = set()
    for path in query.find(t.PathPattern):
        for place in range(1, len(path.elements), 2):
            left, hop, right = path.elements[place - 1 : place + 2]
            if not (
                isinstance(left, t.NodePattern)
                and isinstance(right, t.NodePattern)
                and isinstance(hop, t.RelationshipPattern)
                and isinstance(hop.types, t.LabelName)
            ):
                return None
            ends = [nodes[one.variable.name] if one.variable else "" for one in (left, right)]
            edges.add((*(ends if hop.direction == "right" else reversed(ends)), hop.types.name.text))
    return frozenset((one, type_, other) for one, other, type_ in edges)


def kind_of(text: str, pattern: Pattern) -> str | None:
    query = parse(text)
    if next(query.find(t.CallSubquery), None) or any(match.optional for match in query.find(t.Match)):
        return None
    names = sum(isinstance(node.properties, t.MapLiteral) for node in query.find(t.NodePattern))
    paths = sum(1 for _ in query.find(t.PathPattern))
    if len(pattern) == 1 and names == 1 and paths == 1:
        return "one hop"
    if len(pattern) == 2 and paths == 1 and names == 1:
        return "two hops"
    return "connecting" if len(pattern) == 2 and names == 2 else None


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--each", type=int, default=250, help="questions of each graph")
    arguments.add_argument("--misses", type=int, default=5)
    given = arguments.parse_args()
    found: Counter[tuple[str, str, str]] = Counter()
    times: list[float] = []
    ran = failed = shown = 0
    for name in TRAIN:
        graph = open_stored(name, Home(given.folder))
        assert graph.engine is not None
        assert graph.entities is not None
        asked = [one for one in records("cypherbench_tasks/train.jsonl.gz") if one["graph"] == name]
        for one in random.Random(3).sample(asked, min(given.each, len(asked))):
            gold, question = str(one["gold_cypher"]), str(one["nl_question"])
            pattern = pattern_of(gold)
            kind = kind_of(gold, pattern) if pattern else None
            if pattern is None or kind is None or not graph.run(gold, limit=1, timeout=10).rows:
                continue
            mentions = [
                literal.value
                for entry in parse(gold).find(t.MapEntry)
                if isinstance(literal := entry.value, t.StringLiteral)
            ]
            for way, entities in (
                ("mentions", entities_of(mentions, graph.entities)),
                ("question", entities_in(question, graph.entities)),
            ):
                begun = time.perf_counter()
                suggestions = suggest(graph, entities, question)
                times.append(time.perf_counter() - begun)
                place = next(
                    (number for number, other in enumerate(suggestions, 1) if pattern_of(other.cypher) == pattern), 0
                )
                found[way, kind, "asked"] += 1
                found[way, kind, "first ten"] += bool(place)
                found[way, kind, "first"] += place == 1
                if not place and shown < given.misses:
                    shown += 1
                    print(
                        f"MISSED by {way}: {question}\n   {gold}\n   {[one.name for one in entities]}\n   "
                        + "\n   ".join(other.cypher for other in suggestions[:4])
                    )
                for other in suggestions if way == "mentions" else ():
                    ran += 1
                    try:
                        if len(graph.run(other.cypher, limit=1, timeout=10).rows) != 1:
                            raise EngineError("no rows")
                    except EngineError as error:
                        failed += 1
                        print("FAILED", other.cypher, str(error)[:200])
        graph.engine.close()
    for way in ("mentions", "question"):
        total: Counter[str] = Counter()
        for kind in ("one hop", "two hops", "connecting"):
            part = {what: found[way, kind, what] for what in ("asked", "first ten", "first")}
            total.update(part)
            print(way, kind, part, f"{100 * part['first ten'] / max(1, part['asked']):.1f} %")
        print(way, "all", dict(total), f"{100 * total['first ten'] / max(1, total['asked']):.1f} %")
    times.sort()
    print(
        f"candidates run: {ran}, failed or empty: {failed}; suggest: median {1000 * times[len(times) // 2]:.0f} ms, "
        f"p99 {1000 * times[int(len(times) * 0.99)]:.0f} ms"
    )


if __name__ == "__main__":
    main()
