"""Measures how often `why_empty` finds the cause, on train gold queries with one wrong name, direction or filter.

    python -m benchmarks.tools.why_empty FOLDER [--each 400]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). A query is counted only if
it returns rows on its graph, and the broken query returns none.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.engines.graphs_for_queries import TRAIN, gold_queries
from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.graphs.engines.engine import EngineError, is_empty_answer
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home
from graphground.graphs.why_empty.explain import why_empty

Broken = tuple[str, str, int, int, str]
"""A broken query: kind (`name`, `direction`, `filter`), text, start and end of the change, and the replaced text."""

CODES = {
    "name": ("entity_not_found",),
    "direction": ("reversed_direction",),
    "filter": ("filter_removes_all", "entity_not_found"),
}


def broken(text: str, rng: random.Random) -> Iterator[Broken]:
    """Yield a broken query of each kind for which the text has something to change: a name, a direction, a filter."""
    query = parse(text)
    literals = [entry.value for entry in query.find(t.MapEntry) if isinstance(entry.value, t.StringLiteral)]
    if literals:
        literal = rng.choice(literals)
        raw = query.source(literal)[1:-1]
        place = rng.randrange(len(raw))
        changed = raw[:place] + raw[place + 1 :] if raw[place] != "\\" and raw[max(0, place - 1)] != "\\" else raw + "x"
        new = f"'{changed}'"
        yield "name", splice(text, literal, new), literal.start, literal.start + len(new), query.source(literal)
    hops = [
        relationship_pattern
        for relationship_pattern in query.find(t.RelationshipPattern)
        if relationship_pattern.direction != "both"
    ]
    if hops:
        hop = rng.choice(hops)
        inner = query.source(hop)
        inner = inner[inner.index("[") : inner.rindex("]") + 1]
        new = f"<-{inner}-" if hop.direction == "right" else f"-{inner}->"
        yield "direction", splice(text, hop, new), hop.start, hop.start + len(new), query.source(hop)
    filters = [binary for clause in query.find(t.With) if clause.where for binary in clause.where.find(t.Binary)]
    filters += [binary for clause in query.find(t.Match) if clause.where for binary in clause.where.find(t.Binary)]
    filters = [filter_ for filter_ in filters if filter_.operator in ("=", ">", ">=", "<", "<=", "IN")]
    if filters:
        chosen = rng.choice(filters)
        found = next(
            (
                literal
                for literal in chosen.walk()
                if isinstance(literal, t.StringLiteral | t.IntegerLiteral | t.FloatLiteral)
            ),
            None,
        )
        if found is not None:
            if isinstance(found, t.StringLiteral):
                day = found.value[4:5] == "-" and found.value[:4].isdigit()
                far = "'9999-01-01'" if chosen.operator.startswith((">", "=")) else "'0001-01-01'"
                new = far if day else f"'{found.value[:-1]}qx'"
            else:
                new = "-99999999" if chosen.operator.startswith("<") else "99999999"
            shift = len(new) - (found.end - found.start)
            yield "filter", splice(text, found, new), chosen.start, chosen.end + shift, query.source(chosen)


def splice(text: str, node: t.Node, new: str) -> str:
    return text[: node.start] + new + text[node.end :]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--each", type=int, default=400, help="number of queries of each graph")
    arguments.add_argument("--misses", type=int, default=5)
    options = arguments.parse_args()
    named: dict[str, Counter[str]] = defaultdict(Counter)
    times: list[float] = []
    shown = 0
    for name in TRAIN:
        graph = open_stored(name, Home(options.folder))
        assert graph.engine is not None
        assert graph.entities is not None
        rng = random.Random(7)
        queries = gold_queries(name)
        filtered = [text for text in queries if " WHERE " in text]
        chosen = rng.sample(queries, min(options.each, len(queries))) + rng.sample(
            filtered, min(options.each // 3, len(filtered))
        )
        for text in dict.fromkeys(chosen):
            try:
                if is_empty_answer(graph.run(text, limit=2, timeout=10).rows):
                    named["all"]["no answer here"] += 1
                    continue
                for kind, broken_text, start, end, original in broken(text, rng):
                    if not is_empty_answer(graph.run(broken_text, limit=2, timeout=10).rows):
                        named[kind]["still answered"] += 1
                        continue
                    call_start = time.perf_counter()
                    causes = why_empty(graph, parse(broken_text))
                    times.append(time.perf_counter() - call_start)
                    hit = any(
                        cause.code in CODES[kind] and cause.column - 1 < end and start < cause.end_column - 1
                        for cause in causes
                    )
                    named[kind]["named" if hit else "missed"] += 1
                    if kind == "name" and hit:
                        named[kind]["right name suggested"] += any(original in cause.suggestions for cause in causes)
                    if not hit and shown < options.misses:
                        shown += 1
                        print(
                            f"MISSED {kind}: {broken_text}\n   broken: {original}\n   messages: {[cause.message for cause in causes]}"
                        )
            except EngineError as error:
                named["all"]["engine error"] += 1
                print("ERROR", text, error)
        graph.engine.close()
    for kind, counts in named.items():
        total = counts["named"] + counts["missed"]
        share = f"{100 * counts['named'] / total:.1f} % named" if total else ""
        print(kind, dict(counts), share)
    times.sort()
    if times:
        print(
            f"{len(times)} explained, median {1000 * times[len(times) // 2]:.1f} ms, "
            f"p99 {1000 * times[int(len(times) * 0.99)]:.1f} ms"
        )


if __name__ == "__main__":
    main()
