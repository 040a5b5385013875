"""Compares the speed of the static model with that of all-MiniLM-L6-v2, on real names.

    pip install 'graphground[vectors]'
    python -m benchmarks.entities.encoders [--count 2000]

Each model encodes the same random names from `../shared/data` in turn, three times; the best time of each counts.
"""

from __future__ import annotations

import argparse
import random
import time

from benchmarks.entities.synthetic_names import real_entities
from graphground.graphs.entities.vectors.encoders import SENTENCES, STATIC, loaded_encoder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    options = parser.parse_args()
    names = random.Random(0).sample(sorted({name for _, _, name, _, _ in real_entities()}), options.count)
    best = {name: float("inf") for name in (STATIC, SENTENCES)}
    for model in best:
        loaded_encoder(model).encode(names[:10])
    for _ in range(3):
        for model in best:
            start = time.perf_counter()
            loaded_encoder(model).encode(names)
            best[model] = min(best[model], time.perf_counter() - start)
    for model, seconds in best.items():
        print(f"{model:<20} {options.count / seconds:>10,.0f} names a second")
    print(f"ratio {best[SENTENCES] / best[STATIC]:.0f}")


if __name__ == "__main__":
    main()
