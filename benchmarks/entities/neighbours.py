"""Compares an HNSW index with a full scan of sign bits: recall, time, build time, bytes and memory.

    python -m benchmarks.entities.neighbours --names 460000

The index holds vectors of synthetic names (synthetic_names.py), all with the same label, made by the static model. The
mentions are names, unmodified or with one of six kinds of error. Recall@10 is the share of the ten results that are at
least as near as the tenth result of an exact comparison with eight-bit vectors. Processor times, which other load
hardly changes, are printed beside wall times.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.entities.lookup import resident_mb
from benchmarks.entities.mention_errors import KINDS, with_error
from benchmarks.entities.synthetic_names import synthetic_records
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.files import Files
from graphground.graphs.entities.record import Record
from graphground.graphs.entities.vectors import approximate
from graphground.graphs.entities.vectors.building import build_vectors
from graphground.graphs.entities.vectors.column import Column
from graphground.graphs.entities.vectors.encoders import STATIC, encoder

EVERYTHING = 1 << 32


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--names", type=int, default=460_000)
    parser.add_argument("--mentions", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "i"
        build_index(folder, one_label(options.names))
        files, model = Files(folder), encoder(STATIC)
        clock = time.perf_counter()
        build_vectors(files, model, descriptions=False, ann=0)
        print(
            f"{options.names:,} names, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; vectors made in "
            f"{time.perf_counter() - clock:.0f} s",
            flush=True,
        )
        names = folder / "vectors" / "names"
        estimated = approximate.seconds_for(Column(names).eight, options.names)
        clock, cpu = time.perf_counter(), time.process_time()
        build_vectors(files, model, descriptions=False, ann=1)
        print(
            f"graph of neighbours: {time.perf_counter() - clock:.0f} s by the clock, "
            f"{time.process_time() - cpu:.0f} s of processor time (estimated: "
            f"{estimated:.0f} s), load {os.getloadavg()[0]:.1f}"
        )
        for file in sorted(names.iterdir()):
            print(f"  {file.name:32}{file.stat().st_size / 1e6:>9.1f} MB")
        mentions = vectors_of_mentions(files, options.mentions)
        least = [tenth(Column(names), vector) for vector in mentions]
        for name, exact in (("neighbours", False), ("sign bits", True)):
            column, before = Column(names), resident_mb()
            report(
                name,
                mentions,
                least,
                lambda vector, column=column, exact=exact: column.nearest(  # type: ignore[misc]
                    vector, 0, EVERYTHING, 10, exact=exact
                ),
                before,
            )


def one_label(count: int) -> Iterator[Record]:
    """Return `count` synthetic records, all with the same label."""
    return (replace(record, label="Thing") for record in synthetic_records(count))


def vectors_of_mentions(files: Files, count: int) -> list[Any]:
    """Return the vectors of `count` random mentions, without vectors that are zero."""
    rng, mentions = random.Random(5), []
    while len(mentions) < count:
        mention = with_error(files.text[rng.randrange(files.rows)], rng.choice(KINDS[:7]), rng)
        if mention is not None:
            mentions.append(mention)
    return [vector for vector in encoder(STATIC).encode(mentions) if vector.any()]


def tenth(column: Column, vector: Any) -> float:
    """Return the cosine of the tenth nearest vector in an exact comparison with eight-bit vectors."""
    cosines = np.concatenate(
        [
            (column.eight[low : low + 100_000].astype(np.float32) @ vector)
            * np.asarray(column._scale[low : low + 100_000], dtype=np.float32)
            for low in range(0, len(column), 100_000)
        ]
    )
    return float(np.partition(cosines, -10)[-10])


def report(
    name: str, mentions: list[Any], least: list[float], nearest: Callable[[Any], list[tuple[int, float]]], before: float
) -> None:
    """Look up the mentions with `nearest`, and print a line with recall, times and memory."""
    right, times, processor_times = 0.0, [], []
    for vector, tenth_best in zip(mentions, least, strict=True):
        clock, cpu = time.perf_counter(), time.thread_time()
        found = nearest(vector)
        times.append(1000 * (time.perf_counter() - clock))
        processor_times.append(1000 * (time.thread_time() - cpu))
        right += sum(cosine >= tenth_best - 1e-4 for _, cosine in found) / 10
    print(
        f"{name:12} recall@10 {100 * right / len(mentions):.1f} %; processor median {np.median(processor_times):.2f} ms, "
        f"p99 {np.percentile(processor_times, 99):.2f}; clock median {np.median(times):.2f} ms; "
        f"{resident_mb() - before:.0f} MB resident added; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
