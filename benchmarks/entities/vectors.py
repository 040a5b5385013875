"""Measures how much search by meaning adds to search by spelling, on descriptions and on aliases that are not indexed.

    python -m benchmarks.entities.vectors
    python -m benchmarks.entities.vectors --model all-MiniLM-L6-v2    # with the extra `vectors`

The index holds all real names in `../shared/data`, without their aliases. The figure is the share of mentions with the
right entity among the first ten, by mode and kind of mention. Descriptions have vectors, so a whole description finds
itself; a random half of its words serves as a paraphrase. With `--names-only`, descriptions have no vectors.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path

from rapidfuzz import fuzz, process, utils

from benchmarks.entities.synthetic_names import real_entities
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Mode
from graphground.graphs.entities.folding import fold
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.record import Record
from graphground.graphs.entities.vectors.building import build_vectors, estimate
from graphground.graphs.entities.vectors.encoders import STATIC, loaded_encoder

MODES: tuple[Mode, ...] = ("fuzzy", "vector", "auto")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--model", default=STATIC)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--names-only", action="store_true")
    options = parser.parse_args()
    entities = real_entities()
    with tempfile.TemporaryDirectory() as folder:
        build_index(
            Path(folder) / "i",
            [Record(key, label, name, (), description) for key, label, name, _, description in entities],
        )
        index, model = open_index(Path(folder) / "i"), loaded_encoder(options.model)
        cost = estimate(index._files, model, descriptions=not options.names_only)
        start = time.perf_counter()
        build_vectors(index._files, model, descriptions=not options.names_only)
        print(
            f"vectors of {cost.names:,} names and {cost.descriptions:,} descriptions with {options.model}: "
            f"{time.perf_counter() - start:.1f} s (estimated: {cost.seconds:.1f} s), {cost.bytes / 1e6:.1f} MB\n"
        )
        names = [utils.default_process(name) for _, _, name, _, _ in entities]
        print(f"{'recall@10, %':34}{'mentions':>9}" + "".join(f"{mode:>9}" for mode in MODES) + "   WRatio over all")
        for kind, pairs in by_kind(options.count).items():
            cells = [
                100
                * sum(
                    key in [mention.key for mention in index.find(mention, mode=mode, limit=10)]
                    for mention, key in pairs
                )
                / len(pairs)
                for mode in MODES
            ]
            few = pairs[:200]
            brute = (
                100
                / len(few)
                * sum(
                    key
                    in [
                        entities[place][0]
                        for _, _, place in process.extract(
                            utils.default_process(mention), names, scorer=fuzz.WRatio, limit=10
                        )
                    ]
                    for mention, key in few
                )
            )
            cells.append(brute)
            print(f"{kind:34}{len(pairs):>9}" + "".join(f"{cell:>9.1f}" for cell in cells), flush=True)


def by_kind(count: int) -> dict[str, list[tuple[str, str]]]:
    """Return at most `count` pairs (mention, key) by kind: three kinds of aliases, descriptions and halves of them."""
    kinds: dict[str, list[tuple[str, str]]] = {
        "alias that shares a word": [],
        "abbreviation": [],
        "alias without a common word": [],
        "description": [],
    }
    for key, _, name, aliases, description in real_entities():
        words = set(fold(name).split())
        for alias in aliases:
            alias_words = fold(alias).split()
            if fold(alias) == fold(name):
                continue
            if words & set(alias_words):
                kinds["alias that shares a word"].append((alias, key))
            elif len(alias) <= 5 and alias.isupper():
                kinds["abbreviation"].append((alias, key))
            else:
                kinds["alias without a common word"].append((alias, key))
        if description:
            kinds["description"].append((description, key))
    rng = random.Random(4)
    drawn = {kind: rng.sample(pairs, min(count, len(pairs))) for kind, pairs in kinds.items()}
    drawn["half the words of a description"] = [(half(text, rng), key) for text, key in drawn["description"]]
    return drawn


def half(text: str, rng: random.Random) -> str:
    """Return a random half of the words of a text, in the text's order."""
    words = text.split()
    return " ".join(words[place] for place in sorted(rng.sample(range(len(words)), max(1, len(words) // 2))))


if __name__ == "__main__":
    main()
