"""Compares looking up several mentions in one call with a call per mention.

    python -m benchmarks.entities.mentions_together FOLDER [--graph movie] [--mentions 20] [--model all-MiniLM-L6-v2]

FOLDER is a data folder with the loaded graph (`python -m benchmarks.engines.scale FOLDER movie --keep`). The mentions
are random names of the graph, unmodified or with one error. Four things are measured: look-ups with the entity index,
look-ups without it, the vectors of the mentions, and the relationships that distinguish namesakes. One call for all
mentions and a call per mention take turns, three times; the output is the shortest time of each in milliseconds. With
`--model`, the vectors of that model are measured too (needs the extra `vectors`).
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.entities.mention_errors import KINDS, with_error
from graphground.graphs.engines.concurrency import run_concurrently
from graphground.graphs.entities.index import EntityIndex
from graphground.graphs.entities.names_in_database import NamesInDatabase
from graphground.graphs.entities.surroundings import surroundings
from graphground.graphs.entities.vectors.encoders import STATIC, loaded_encoder
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graph", default="movie")
    parser.add_argument("--mentions", type=int, default=20)
    parser.add_argument("--model", action="append", default=[])
    options = parser.parse_args()
    graph = open_stored(options.graph, Home(options.folder))
    index, engine = graph.entities, graph.engine
    assert isinstance(index, EntityIndex)
    assert engine is not None
    mentions = drawn(index, options.mentions)
    print(
        f"{options.graph}: {index.info.texts:,} names, {len(mentions)} mentions, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    beside(
        "by spelling, index",
        lambda: [index.find(mention, mode="fuzzy") for mention in mentions],
        lambda: index.find_all(mentions, mode="fuzzy"),
    )
    found = [candidates[0] for candidates in index.find_all(mentions, mode="fuzzy") if candidates]
    beside(
        "distinguished by their relationships",
        lambda: [surroundings(engine, graph.schema, entity) for entity in found],
        lambda: run_concurrently(lambda entity: surroundings(engine, graph.schema, entity), found),
    )
    for model in (STATIC, *options.model):
        encoder = loaded_encoder(model)
        beside(
            f"vectors of {model}",
            lambda encoder=encoder: [encoder.encode([mention]) for mention in mentions],  # type: ignore[misc]
            lambda encoder=encoder: list(encoder.encode(mentions)),
            same=close,
        )
    names = NamesInDatabase(graph.name, engine, lambda: graph.schema)
    names.find("any")  # reads all names first
    beside("without an index", lambda: [names.find(mention) for mention in mentions], lambda: names.find_all(mentions))
    engine.close()


def drawn(index: EntityIndex, count: int, seed: int = 5) -> list[str]:
    """Return `count` random names of the index, unmodified or with one error."""
    rng, mentions = random.Random(seed), list[str]()
    while len(mentions) < count:
        mention = with_error(index._files.text[rng.randrange(index._files.rows)], rng.choice(KINDS[:7]), rng)
        if mention is not None:
            mentions.append(mention)
    return mentions


def beside(
    title: str,
    alone: Callable[[], list[object]],
    at_once: Callable[[], list[object]],
    same: Callable[[list[object], list[object]], bool] = lambda apart, together: apart == together,
) -> None:
    """Check that calls per mention (`alone`) and a single call (`at_once`) return the same; print their times."""
    assert same(alone(), at_once()), title
    times: dict[Callable[[], list[object]], list[float]] = {alone: [], at_once: []}
    for _ in range(ROUNDS):
        for way, milliseconds in times.items():
            start = time.perf_counter()
            way()
            milliseconds.append(1000 * (time.perf_counter() - start))
    separate, all_ = min(times[alone]), min(times[at_once])
    print(
        f"{title}: one by one {separate:.1f} ms, together {all_:.1f} ms ({separate / all_:.1f} times faster)",
        flush=True,
    )


def close(first: list[Any], other: list[Any]) -> bool:
    return bool(np.allclose(np.concatenate(first), np.stack(other), atol=1e-4))


if __name__ == "__main__":
    main()
