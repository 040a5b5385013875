"""Measures how often the right name comes first, and among the first five: the entity index compared with brute force.

    python -m benchmarks.entities.quality --seed 211 --seed 223 --seed 227    # 200 mentions of each kind and seed
    python -m benchmarks.entities.quality --half tuning --no-brute            # for tuning the scores

The names are all real names in `../shared/data`. Scores are tuned on mentions of one half of the names (chosen by a
hash) and reported on the other half; all names are candidates in both cases. Brute force compares the mention with
every name by each of six rapidfuzz scorers, after rapidfuzz's own normalisation of case and punctuation.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz, process, utils
from rapidfuzz.distance import JaroWinkler

from benchmarks.entities.mention_errors import KINDS, mentions
from benchmarks.entities.synthetic_names import real_entities
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import EntityIndex, open_index
from graphground.graphs.entities.spans import fold

SCORERS = {
    "WRatio": fuzz.WRatio,
    "ratio": fuzz.ratio,
    "token_sort": fuzz.token_sort_ratio,
    "token_set": fuzz.token_set_ratio,
    "QRatio": fuzz.QRatio,
    "JaroWinkler": JaroWinkler.similarity,
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, action="append", help="seed of the errors; may be given several times")
    arguments.add_argument("--half", choices=("held-out", "tuning", "both"), default="held-out")
    arguments.add_argument("--no-brute", action="store_true")
    options = arguments.parse_args()
    seeds = options.seed or [7]
    entities = real_entities()
    names = sorted({name for _, _, name, _, _ in entities})
    drawn = [name for name in names if options.half in ("both", half(name))]
    with tempfile.TemporaryDirectory() as folder:
        build_index(Path(folder) / "names", [Record(key, label, name) for key, label, name, _, _ in entities])
        index = open_index(Path(folder) / "names")
        print(
            f"{len(names):,} distinct real names; {options.count} mentions of each kind of {len(drawn):,} of them "
            f"({options.half}), seeds {seeds}; recall@1 / recall@5 in %, over seeds the mean ± half the range\n"
        )
        rounds: list[tuple[dict[str, Found], Asked]] = []
        for seed in seeds:
            asked = {kind: mentions(drawn, kind, options.count, seed) for kind in KINDS}
            methods = {"graphground": ours(index, asked)}
            if not options.no_brute:
                methods |= {name: brute_force(names, scorer, asked) for name, scorer in SCORERS.items()}
            rounds.append((methods, asked))
        print_table(rounds)
        lottery(names, [asked["word missing"] for _, asked in rounds])
        real_aliases(index, entities, options.half)
        build_index(
            Path(folder) / "aliases", [Record(key, label, name, aliases) for key, label, name, aliases, _ in entities]
        )
        aliases(open_index(Path(folder) / "aliases"))


def half(name: str) -> str:
    """Return the half to which a name belongs: `tuning` for tuning scores, or `held-out` for reporting."""
    return "held-out" if hashlib.sha256(name.encode()).digest()[0] % 2 else "tuning"


Found = dict[str, tuple[float, float, float]]
Asked = dict[str, list[tuple[str, str]]]


def ours(index: EntityIndex, asked: Asked) -> Found:
    found: Found = {}
    for kind, pairs in asked.items():
        start = time.perf_counter()
        answers = [[candidate.name for candidate in index.find(mention, mode="fuzzy", limit=8)] for mention, _ in pairs]
        found[kind] = recall(answers, pairs, start)
    return found


def brute_force(names: list[str], scorer: object, asked: Asked) -> Found:
    processed = [utils.default_process(name) or name for name in names]
    found: Found = {}
    for kind, pairs in asked.items():
        start = time.perf_counter()
        queries = [utils.default_process(mention) or mention for mention, _ in pairs]
        scores = process.cdist(queries, processed, scorer=scorer, dtype=np.float32, workers=2)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :8]
        found[kind] = recall([[names[place] for place in row] for row in best.tolist()], pairs, start)
    return found


def recall(answers: list[list[str]], pairs: list[tuple[str, str]], start: float) -> tuple[float, float, float]:
    seconds = (time.perf_counter() - start) / max(len(pairs), 1)
    first = five = 0
    for answer, (_, name) in zip(answers, pairs, strict=True):
        distinct = list(dict.fromkeys(answer))
        first += name in distinct[:1]
        five += name in distinct[:5]
    return 100 * first / max(len(pairs), 1), 100 * five / max(len(pairs), 1), 1000 * seconds


def print_table(rounds: list[tuple[dict[str, Found], Asked]]) -> None:
    methods, asked = rounds[0]
    print(f"{'':18}" + "".join(f"{method:>24}" for method in methods))
    for kind, pairs in asked.items():
        cells = [spread([found[method][kind][:2] for found, _ in rounds]) for method in methods]
        print(f"{kind:18}" + "".join(f"{cell:>24}" for cell in cells) + f"   ({len(pairs)})")
    means = {
        method: [np.mean([found[method][kind] for kind in asked], axis=0) for found, _ in rounds] for method in methods
    }
    print(
        f"{'mean of kinds':18}"
        + "".join(f"{spread([mean[:2] for mean in means_of_method]):>24}" for means_of_method in means.values())
    )
    print(
        f"{'ms a mention':18}"
        + "".join(f"{np.mean([mean[2] for mean in means_of_method]):>24.2f}" for means_of_method in means.values())
    )


def spread(recalls: Sequence[Sequence[float]]) -> str:
    """Format mean recalls with half their range over the rounds: `91.5 ±0.7 / 97.2 ±0.2`; one round has no range."""
    cells = []
    for values in zip(*recalls, strict=True):
        around = f" ±{(max(values) - min(values)) / 2:.1f}" if len(values) > 1 else ""
        cells.append(f"{np.mean(values):.1f}{around}")
    return " / ".join(cells)


def lottery(names: list[str], rounds: list[list[tuple[str, str]]]) -> None:
    """Print the best result that any ranking by text can reach for the error "word missing".

    Several names may become the same mention. A name that equals the mention rightly comes first, and names with one
    more word follow in an order that only chance can decide.
    """
    same: dict[str, set[str]] = defaultdict(set)
    longer: dict[str, set[str]] = defaultdict(set)
    for name in names:
        words = fold(name).split()
        same[" ".join(words)].add(name)
        for place in range(len(words)):
            longer[" ".join(words[:place] + words[place + 1 :])].add(name)
    first, five, several, named, total = 0.0, 0.0, 0, 0, 0
    for mention, name in (pair for pairs in rounds for pair in pairs):
        before, equal = len(same[fold(mention)] - {name}), max(1, len(longer[fold(mention)]))
        first += 0 if before else 1 / equal
        five += min(1.0, max(0, 5 - before) / equal)
        several += equal > 1
        named += before > 0
        total += 1
    print(
        f"\nword missing: {100 * several / total:.1f} % of the mentions belong to several names, "
        f"{100 * named / total:.1f} % equal another name; the best possible result: {100 * first / total:.1f} / "
        f"{100 * five / total:.1f}"
    )


def real_aliases(
    index: EntityIndex, entities: Sequence[tuple[str, str, str, tuple[str, ...], str]], chosen: str
) -> None:
    """Measure how often a real alias finds its entity if only the entity's name is indexed.

    Only two kinds of aliases are measured: those that are the name without some words, and the name with further words.
    """
    known = {fold(name) for _, _, name, _, _ in entities}
    names = sorted({name for _, _, name, _, _ in entities})
    asked: Asked = {"alias with words left out": [], "alias with words added": []}
    for _, _, name, entity_aliases, _ in entities:
        words = set(fold(name).split())
        for alias in entity_aliases if chosen in ("both", half(name)) else ():
            typed = set(fold(alias).split())
            if typed and fold(alias) not in known and (typed < words or words < typed):
                asked[f"alias with words {'left out' if typed < words else 'added'}"].append((alias, name))
    methods = {"graphground": ours(index, asked)}
    methods |= {name: brute_force(names, SCORERS[name], asked) for name in ("token_sort", "token_set", "WRatio")}
    print()
    for kind, pairs in asked.items():
        print(
            f"{kind:26} ({len(pairs):,}) "
            + ", ".join(f"{method} {found[kind][0]:.1f} / {found[kind][1]:.1f}" for method, found in methods.items())
        )


def aliases(index: EntityIndex) -> None:
    """Measure how often an indexed real alias finds its entity first, and among the first five."""
    pairs = [(alias, key) for key, _, _, entity_aliases, _ in real_entities() for alias in entity_aliases]
    first = five = 0
    for alias, key in pairs:
        keys = [candidate.key for candidate in index.find(alias, mode="fuzzy", limit=5)]
        first += key in keys[:1]
        five += key in keys
    print(
        f"\nreal aliases, indexed ({len(pairs):,}): recall@1 {100 * first / len(pairs):.1f} %, "
        f"recall@5 {100 * five / len(pairs):.1f} %"
    )


if __name__ == "__main__":
    main()
