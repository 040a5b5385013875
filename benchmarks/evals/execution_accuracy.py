"""Measures the time of execution accuracy for 100,000 rows of six columns; the bar is one second.

python -m benchmarks.evals.execution_accuracy [--rows 100000]
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

from graphground.evals import execution_accuracy


def table(rows: int, rng: random.Random) -> list[list[Any]]:
    """Return a random table with columns of integers, texts, floats, texts with nulls, dates as texts, and lists."""
    return [
        [
            rng.randrange(50),
            f"text {rng.randrange(1_000)}",
            rng.random(),
            rng.choice(["a", "b", None]),
            f"19{rng.randrange(10, 99)}-01-01",
            [rng.choice("abc"), rng.choice("abc")],
        ]
        for _ in range(rows)
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rows", type=int, default=100_000)
    options = arguments.parse_args()
    rng = random.Random(1)
    gold = table(options.rows, rng)
    reordered = [[row[place] for place in (3, 5, 1, 0, 4, 2)] for row in gold]
    rng.shuffle(reordered)
    changed = [list(row) for row in reordered]
    changed[len(changed) // 2][3] += 1
    alike = [[rng.randrange(2) for _ in range(6)] for _ in range(options.rows)]
    for name, predicted, gold_rows, ordered in (
        ("equal, rows and columns reordered", reordered, gold, False),
        ("one value changed", changed, gold, False),
        ("equal, ordered", [row[::-1] for row in gold], gold, True),
        ("six columns that look alike", [row[::-1] for row in alike], alike, False),
    ):
        wall, cpu = time.perf_counter(), time.process_time()
        score = execution_accuracy(predicted, gold_rows, ordered=ordered)
        print(f"{name}: {score}, {time.perf_counter() - wall:.2f} s, processor time {time.process_time() - cpu:.2f} s")


if __name__ == "__main__":
    main()
