"""Fits the model behind the verdicts of `find_entities`, and reports how often the verdicts are right.

    python -m benchmarks.entities.calibration --write            # fit on the training graphs, store the trees
    python -m benchmarks.entities.calibration                    # report on the test graphs
    python -m benchmarks.entities.calibration --names 1000000    # the same graphs, each among a million other names

The trees are fitted on mentions of the training graphs (`verdict_mentions`), alone and among 100,000 other names. The
threshold for the probability of a meant candidate is chosen by cross-validation on the same graphs: the lowest at which
98.5 % of the absent mentions are `not_found` in the graphs alone, 97.5 % among 100,000 other names, and 93 % among a
million, where nearly every misspelt name is near another. A mention counts as absent only if none of the other names
is equal to the mention, or to the name that the mention misspells. The test graphs are used only for the report.
`--rows FOLDER` stores the features in files, so that a second run need not look the mentions up again."""

from __future__ import annotations

import argparse
import pickle
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.entities.boosting import Boosted, fit
from benchmarks.entities.verdict_mentions import (
    ABSENT,
    ABSENT_MISSPELT,
    MISSPELT,
    PRESENT,
    Asked,
    Side,
    among,
    graphs_of,
    mentions_of,
)
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Candidate
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.verdicts.features import FEATURES, features_of
from graphground.graphs.entities.verdicts.judging import CONSIDERED, judge
from graphground.graphs.entities.verdicts.trees import SIZES, WEIGHTS, Trees

AROUND = (0, 100_000, 1_000_000)
"""The numbers of other names that are added to the graphs; the trees are fitted without the last number."""
ABSENT_REFUSED = (0.985, 0.975, 0.93)
"""The required share of absent mentions with the verdict `not_found`, for each number of other names."""
WEIGHT = {"typing error": 3.0, "two typing errors": 2.0, "alias": 2.0, ABSENT: 4.0, ABSENT_MISSPELT: 4.0}
"""The weight of a mention in the fit, by kind; other kinds have the weight 1."""
LARGE = ("art", "terrorist_attack", "Wikidata 1", "Wikidata 5", "nba", "Wikidata 7")
"""The graphs that are also measured with many other names added."""


@dataclass(frozen=True, slots=True)
class Row:
    """One mention: its graph, its candidates with their features, and which of them are right."""

    graph: str
    asked: Asked
    candidates: list[Candidate]
    features: list[list[float]]
    right: list[bool]
    verdict: str
    meant: list[bool]
    """For each candidate that the verdict shows, whether the candidate is right."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="fit and store the trees")
    parser.add_argument("--names", type=int, default=0, help="other names around each graph of the report")
    parser.add_argument("--count", type=int, default=150, help="mentions of each kind and graph")
    parser.add_argument("--rows", type=Path, help="a folder in which features are kept")
    parser.add_argument("--errors", type=int, default=0, help="wrong verdicts to print")
    given = parser.parse_args()
    if given.write:
        rows = [row for names in AROUND for row in rows_of("learnt", names, given.count, given.rows)]
        model, least = calibrated(rows)
        np.savez_compressed(
            WEIGHTS,
            feature=model.feature.astype(np.int16),
            threshold=model.threshold.astype(np.float32),
            leaf=model.leaf.astype(np.float32),
            base=model.base,
            least=least,
        )
        print(f"fitted on {len(rows):,} mentions; least chances {least}")
        return
    report(rows_of("tested", given.names, given.count, given.rows), given.errors)


def rows_of(side: Side, names: int, count: int, folder: Path | None) -> list[Row]:
    """Return the rows of the training or test graphs, from a file if they were stored earlier."""
    file = folder / f"{side}-{names}.pickle" if folder else None
    if file and file.exists():
        return pickle.loads(file.read_bytes())  # type: ignore[no-any-return]
    rows = list(looked_up(side, names, count))
    if file:
        file.write_bytes(pickle.dumps(rows))
    return rows


def looked_up(side: Side, names: int, count: int) -> Iterator[Row]:
    """Look up mentions of every training or test graph, with `names` other names added, and yield the rows."""
    graphs = list(graphs_of(side))
    for number, (name, records) in enumerate(graphs):
        if names and name not in LARGE:
            continue
        others = [record for other, its in graphs if other != name for record in its]
        with tempfile.TemporaryDirectory() as folder:
            build_index(Path(folder) / "index", among(records, names))
            index = open_index(Path(folder) / "index")
            for asked in mentions_of(records, others, count, seed=number):
                if not asked.keys and any(map(index.same_name, {asked.mention, asked.name})):
                    continue  # the mention is a spelling of an added name, so it is not absent
                found = list(index.find(asked.mention, mode="fuzzy", limit=CONSIDERED))
                judgement = judge(asked.mention, found, index)
                yield Row(
                    name,
                    asked,
                    found,
                    [features_of(asked.mention, found, index, place) for place in range(len(found))],
                    [is_right(candidate, asked) for candidate in found],
                    judgement.verdict,
                    [is_right(candidate, asked) for candidate in judgement.candidates],
                )
        print(f"{name}: {len(records):,} nodes", flush=True)


def is_right(candidate: Candidate, asked: Asked) -> bool:
    return candidate.key in asked.keys or (candidate.is_value and "" in asked.keys)


def calibrated(rows: Sequence[Row]) -> tuple[Boosted, list[float]]:
    """Return trees fitted to all rows, and thresholds from cross-validation with trees that have not seen the graph."""
    names = sorted({row.graph for row in rows})
    chances: list[list[float]] = [[] for _ in AROUND]
    seen = [row for row in rows if size_of(row) < len(AROUND) - 1]
    for part in (0, 1):
        out = set(names[part::2])
        trees = model_of(fitted([row for row in seen if row.graph not in out]))
        for row in rows:
            if row.graph in out and not row.asked.keys:
                chances[size_of(row)].append(best_chance(trees, row))
    least = [float(np.quantile(its, share)) for its, share in zip(chances, ABSENT_REFUSED, strict=True)]
    return fitted(seen), least


def size_of(row: Row) -> int:
    """Return the index in `AROUND` of the number of names that were added when the mention was looked up."""
    names = row.features[0][FEATURES.index("names")] if row.features else 0.0
    return sum(names > size for size in SIZES[1:])


def fitted(rows: Sequence[Row]) -> Boosted:
    """Fit trees that distinguish right candidates of present mentions from the best candidates of absent ones."""
    features: list[list[float]] = []
    right: list[float] = []
    weights: list[float] = []
    for row in rows:
        if not row.features or (row.asked.keys and not any(row.right)):
            continue
        features.append(row.features[row.right.index(True) if row.asked.keys else 0])
        right.append(float(bool(row.asked.keys)))
        weights.append(WEIGHT.get(row.asked.kind, 1.0))
    truth, counted = np.array(right), np.array(weights)
    counted[truth == 0] *= counted[truth == 1].sum() / counted[truth == 0].sum()
    return fit(np.array(features), truth, counted, trees=200, depth=3)


def model_of(model: Boosted) -> Trees:
    return Trees(model.feature, model.threshold, model.leaf, model.base, (0.0,) * len(SIZES))


def best_chance(trees: Trees, row: Row) -> float:
    return float(trees.chances(row.features).max()) if row.features else 0.0


def report(rows: Sequence[Row], errors: int) -> None:
    """Print the verdicts for each kind of mention, and the results with both bars."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[Row] = []
    for row in rows:
        right = row.verdict == "not_found" if not row.asked.keys else any(row.meant)
        right = right and (row.verdict != "not_found" or not row.asked.keys)
        counted[row.asked.kind].update(["asked", row.verdict, "right" if right else "wrong"])
        if not right and row.asked.kind in (*MISSPELT, ABSENT, ABSENT_MISSPELT):
            wrong.append(row)
    print(f"{'':20}{'asked':>8}{'right %':>10}{'found':>8}{'ambiguous':>11}{'not_found':>11}")
    for kind in (*PRESENT, ABSENT, ABSENT_MISSPELT):
        its = counted[kind]
        print(
            f"{kind:20}{its['asked']:>8,}{100 * its['right'] / max(its['asked'], 1):>10.1f}"
            + "".join(f"{its[verdict]:>{width}}" for verdict, width in (("found", 8), ("ambiguous", 11)))
            + f"{its['not_found']:>11}"
        )
    for title, kinds in (("absent", (ABSENT, ABSENT_MISSPELT)), ("present: misspelt or by alias", MISSPELT)):
        total = sum((counted[kind] for kind in kinds), Counter[str]())
        print(f"{title}: {100 * total['right'] / max(total['asked'], 1):.2f} % of {total['asked']:,}")
    for row in wrong[:: max(1, len(wrong) // errors)] if errors else ():
        best = row.candidates[0] if row.candidates else None
        shown = f"{best.name} ({best.matched}) {best.score}" if best else ""
        print(f"  {row.graph}: {row.asked.mention!r} ({row.asked.kind}) {row.verdict}: {shown}")


if __name__ == "__main__":
    main()
