"""How often the right name comes first, and among the first five: the entity index beside brute force.

    python benchmarks/entity_quality.py            # 400 mentions of each kind of error
    python benchmarks/entity_quality.py --count 100

Names: all real ones in `../shared/data`. Brute force compares the mention with every name, by each of six
rapidfuzz scorers, with rapidfuzz's own processing (case, punctuation); the best single one overall counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from mention_errors import KINDS, mentions
from rapidfuzz import fuzz, process, utils
from rapidfuzz.distance import JaroWinkler
from synthetic_names import real_entities

from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.index import EntityIndex, open_index
from graphground.graphs.entities.record import Record

SCORERS = {"WRatio": fuzz.WRatio, "ratio": fuzz.ratio, "token_sort": fuzz.token_sort_ratio,
           "token_set": fuzz.token_set_ratio, "QRatio": fuzz.QRatio, "JaroWinkler": JaroWinkler.similarity}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--count", type=int, default=400)
    arguments.add_argument("--no-brute", action="store_true")
    options = arguments.parse_args()
    entities = real_entities()
    names = sorted({name for _, _, name, _, _ in entities})
    with tempfile.TemporaryDirectory() as folder:
        build_index(Path(folder) / "names", [Record(key, label, name) for key, label, name, _, _ in entities])
        index = open_index(Path(folder) / "names")
        print(f"{len(names):,} distinct real names, {options.count} mentions of each kind; recall@1 / recall@5 in %\n")
        asked = {kind: mentions(names, kind, options.count) for kind in KINDS}
        methods = {"graphground": ours(index, asked)}
        if not options.no_brute:
            methods |= {name: brute_force(names, scorer, asked) for name, scorer in SCORERS.items()}
        print_table(methods, asked)
        build_index(Path(folder) / "aliases", [Record(key, label, name, aliases)
                                               for key, label, name, aliases, _ in entities])
        aliases(open_index(Path(folder) / "aliases"))


Found = dict[str, tuple[float, float, float]]


def ours(index: EntityIndex, asked: dict[str, list[tuple[str, str]]]) -> Found:
    found: Found = {}
    for kind, pairs in asked.items():
        started = time.perf_counter()
        answers = [[one.name for one in index.find(mention, mode="fuzzy", limit=8)] for mention, _ in pairs]
        found[kind] = recall(answers, pairs, started)
    return found


def brute_force(names: list[str], scorer: object, asked: dict[str, list[tuple[str, str]]]) -> Found:
    processed = [utils.default_process(name) or name for name in names]
    found: Found = {}
    for kind, pairs in asked.items():
        started = time.perf_counter()
        queries = [utils.default_process(mention) or mention for mention, _ in pairs]
        scores = process.cdist(queries, processed, scorer=scorer, dtype=np.float32, workers=2)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :8]
        found[kind] = recall([[names[place] for place in row] for row in best.tolist()], pairs, started)
    return found


def recall(answers: list[list[str]], pairs: list[tuple[str, str]], started: float) -> tuple[float, float, float]:
    seconds = (time.perf_counter() - started) / max(len(pairs), 1)
    first = five = 0
    for answer, (_, name) in zip(answers, pairs, strict=True):
        distinct = list(dict.fromkeys(answer))
        first += name in distinct[:1]
        five += name in distinct[:5]
    return 100 * first / max(len(pairs), 1), 100 * five / max(len(pairs), 1), 1000 * seconds


def print_table(methods: dict[str, Found], asked: dict[str, list[tuple[str, str]]]) -> None:
    print(f"{'':18}" + "".join(f"{method:>16}" for method in methods))
    for kind, pairs in asked.items():
        cells = [f"{one:.1f} / {five:.1f}" for one, five, _ in (found[kind] for found in methods.values())]
        print(f"{kind:18}" + "".join(f"{cell:>16}" for cell in cells) + f"   ({len(pairs)})")
    means = [np.mean([found[kind] for kind in asked], axis=0) for found in methods.values()]
    print(f"{'mean of kinds':18}" + "".join(f"{f'{one:.1f} / {five:.1f}':>16}" for one, five, _ in means))
    print(f"{'ms a mention':18}" + "".join(f"{ms:>16.2f}" for _, _, ms in means))


def aliases(index: EntityIndex) -> None:
    """Every true alias as a mention: is its entity among the first five?"""
    pairs = [(alias, key) for key, _, _, its, _ in real_entities() for alias in its]
    first = five = 0
    for alias, key in pairs:
        keys = [one.key for one in index.find(alias, mode="fuzzy", limit=5)]
        first += key in keys[:1]
        five += key in keys
    print(f"\ntrue aliases, indexed ({len(pairs):,}): recall@1 {100 * first / len(pairs):.1f} %, "
          f"recall@5 {100 * five / len(pairs):.1f} %")


if __name__ == "__main__":
    main()
