"""Measures how fast mentions are found among millions of names, compared with brute force.

    python -m benchmarks.entities.lookup                    # 460,000 and 7,800,000 names
    python -m benchmarks.entities.lookup --names 460000

For each size it prints the time and the peak memory of the build. A new process then opens the index and looks up 1,000
mentions (unmodified and with six kinds of error), first without and then with the label of the entity. The output is
the recall, the wall time, the processor time and the memory that the look-ups added. Other load hardly changes the
processor time. For a few mentions the time of brute force is measured: rapidfuzz's WRatio with every name. The names
are those of synthetic_names.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz import fuzz, process, utils

from benchmarks.entities.mention_errors import KINDS, with_error
from benchmarks.entities.synthetic_names import ALL, synthetic_records
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.index import EntityIndex, open_index

SIZES = (460_000, ALL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--names", type=int, action="append")
    parser.add_argument("--mentions", type=int, default=1_000)
    parser.add_argument("--brute", type=int, default=10, help="number of mentions for which brute force is timed")
    parser.add_argument(
        "--folder", type=Path, help="folder in which the indexes are stored; existing ones are used again"
    )
    parser.add_argument("--step", choices=("build", "ask", "brute"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        step = {"build": build, "ask": ask, "brute": brute}[options.step]
        sys.stdout.write(json.dumps(step(options.folder, options.names[0], options.mentions, options.brute)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for names in options.names or SIZES:
            report(folder, names, options)


def report(folder: Path, names: int, options: argparse.Namespace) -> None:
    print(f"\n{names:,} names, {os.cpu_count()} cores", flush=True)
    if not (folder / str(names) / "meta.json").exists():
        built = in_process("build", folder, names, options)
        print(
            f"  built in {built['seconds']:.0f} s, at most {built['peak_mb']:,} MB; "
            f"{built['bytes'] / 1e6:,.0f} MB on disk; {built['words']:,} distinct words",
            flush=True,
        )
    figures_of = in_process("ask", folder, names, options)
    print(
        f"  opened in {figures_of['open_ms']:.1f} ms; "
        f"{figures_of['added_mb']:,.0f} MB resident added by {options.mentions:,} mentions"
    )
    for name in ("no label", "label"):
        figures = figures_of[name]
        print(
            f"  {name:9} median {figures['median']:.2f} ms, p90 {figures['p90']:.2f}, p99 {figures['p99']:.2f}, "
            f"max {figures['max']:.1f} (processor: median {figures['cpu']:.2f}, "
            f"p99 {figures['cpu99']:.2f}); recall@1 {figures['one']:.1f} %, @5 {figures['five']:.1f} %"
        )
    if options.brute:
        slow = in_process("brute", folder, names, options)
        print(
            f"  brute force (WRatio over all) median {slow['median']:.0f} ms: "
            f"{slow['median'] / figures_of['no label']['median']:,.0f} times slower",
            flush=True,
        )


def in_process(step: str, folder: Path, names: int, options: argparse.Namespace) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.entities.lookup",
        "--step",
        step,
        "--folder",
        str(folder),
        "--names",
        str(names),
        "--mentions",
        str(options.mentions),
        "--brute",
        str(options.brute),
    ]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def build(folder: Path, names: int, *_: int) -> dict[str, Any]:
    import resource

    info = build_index(folder / str(names), synthetic_records(names))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"seconds": info.seconds, "peak_mb": peak, "bytes": info.bytes, "words": info.words}


def ask(folder: Path, names: int, count: int, _: int) -> dict[str, Any]:
    start = time.perf_counter()
    index = open_index(folder / str(names))
    answer: dict[str, Any] = {"open_ms": 1000 * (time.perf_counter() - start)}
    before = resident_mb()
    mentions = sample(index, count)
    for name, labelled in (("no label", False), ("label", True)):
        times, processor_times, first, five = [], [], 0, 0
        for mention, right, label in mentions:
            start, processor_start = time.perf_counter(), time.thread_time()
            found = index.find(mention, label=label if labelled else None, mode="fuzzy", limit=5)
            times.append(1000 * (time.perf_counter() - start))
            processor_times.append(1000 * (time.thread_time() - processor_start))
            first += bool(found) and found[0].name == right
            five += any(candidate.name == right for candidate in found)
        if name == "no label":
            answer["added_mb"] = resident_mb() - before
        answer[name] = {
            "median": float(np.median(times)),
            "p90": float(np.percentile(times, 90)),
            "p99": float(np.percentile(times, 99)),
            "max": max(times),
            "cpu": float(np.median(processor_times)),
            "cpu99": float(np.percentile(processor_times, 99)),
            "one": 100 * first / len(mentions),
            "five": 100 * five / len(mentions),
        }
    return answer


def brute(folder: Path, names: int, _: int, count: int) -> dict[str, Any]:
    index = open_index(folder / str(names))
    texts = [utils.default_process(text) for text in index._files.text.many(np.arange(index._files.rows))]
    times = []
    for mention, _right, _label in sample(index, count):
        start = time.perf_counter()
        process.extract(utils.default_process(mention), texts, scorer=fuzz.WRatio, limit=5)
        times.append(1000 * (time.perf_counter() - start))
    return {"median": float(np.median(times))}


def sample(index: EntityIndex, count: int, seed: int = 5) -> list[tuple[str, str, str]]:
    """Return triples (mention, right name, label) for random rows of the index.

    A mention is the name, unmodified or with one of six kinds of error.
    """
    rng = random.Random(seed)
    mentions: list[tuple[str, str, str]] = []
    while len(mentions) < count:
        row = rng.randrange(index._files.rows)
        name = index._files.text[row]
        mention = with_error(name, rng.choice(KINDS[:7]), rng)
        if mention is not None:
            label = index._files.partitions[int(index._partition(np.array([row]))[0])][0]
            mentions.append((mention, name, label))
    return mentions


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
