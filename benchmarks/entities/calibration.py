"""Fits the model behind the verdicts of `find_entities`, and reports how often the verdicts are right.

    python -m benchmarks.entities.calibration --write            # fit on the training graphs, store the trees
    python -m benchmarks.entities.calibration                    # report on the test graphs
    python -m benchmarks.entities.calibration --names 1000000    # some of these graphs, among a million other names

The trees are fitted to mentions that were looked up in the training graphs (`verdict_mentions`). The graphs in `LARGE`
are used three times: alone, with 100,000 other names added, and with a million. A mention is `not_found` if the
probability of its best name is below a threshold. The threshold is chosen by cross-validation on the training graphs:
the lowest one with which the share `ABSENT_REFUSED` of the absent mentions is `not_found`. An added name may equal a
mention, or the name that the mention misspells. An absent mention is then left out; for a present mention the added
entity is right too, and the report also has the share of mentions for which an entity of the graph itself is right. The
test graphs are used only for the report. `--rows FOLDER` stores the features in files, so that a second run need not
look the mentions up again.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.entities.boosting import Boosted, fit
from benchmarks.entities.verdict_mentions import (
    ABSENT,
    ABSENT_MISSPELT,
    ARTICLE,
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
from graphground.graphs.entities.spans import fold
from graphground.graphs.entities.verdicts.judging import (
    CONSIDERED,
    FEATURES,
    SIZES,
    WEIGHTS,
    Trees,
    by_text,
    exactly,
    features_of,
    judge,
)

AROUND = (0, 100_000, 1_000_000)
"""The numbers of other names that are added to the graphs."""
ABSENT_REFUSED = (0.987, 0.96, 0.933)
"""The required share of absent mentions with the verdict `not_found`, for each number of other names."""
SHOWN = 5
"""The number of candidates that `find_entities` shows unless another number is given."""
MAX_LOSS = 0.01
"""The gate: how much smaller the share of accepted present mentions may be than with the trees that are replaced."""
WRONG = 0.3
"""The weight of a wrong name among the first three names for a present mention; the right name has the weight 1."""
WEIGHT = {"typing error": 3.0, "two typing errors": 2.0, "alias": 2.0, ABSENT: 4.0, ABSENT_MISSPELT: 4.0}
"""The weight of a mention in the fit, by kind; other kinds have the weight 1."""
LARGE = ("art", "terrorist_attack", "Wikidata 1", "Wikidata 5", "nba", "Wikidata 7")
"""The graphs that are also measured with many other names added."""


@dataclass(frozen=True, slots=True)
class Row:
    """A mention: its graph, its candidates with their features, the verdict, and which candidates are right."""

    graph: str
    asked: Asked
    candidates: list[Candidate]
    features: list[list[float]]
    """The features of each different name among the candidates."""
    right: list[bool]
    """For each different name, whether an entity with that name is right."""
    verdict: str
    meant: list[bool]
    """For each candidate shown with the verdict, whether the candidate is right."""
    own: list[bool]
    """For each candidate shown with the verdict, whether it is right and an entity of the graph, not an added one."""
    exact: bool
    """Whether the mention is written exactly like a name, so that the verdict does not depend on the trees."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="fit and store the trees")
    parser.add_argument("--names", type=int, default=0, help="number of other names added to each graph of the report")
    parser.add_argument("--count", type=int, default=150, help="number of mentions of each kind and graph")
    parser.add_argument("--rows", type=Path, help="folder in which the features are stored")
    parser.add_argument("--errors", type=int, default=0, help="number of wrong verdicts to print")
    options = parser.parse_args()
    if options.write:
        rows = [row for names in AROUND for row in rows_of("learnt", names, options.count, options.rows)]
        model, least, accepted = calibrated(rows)
        with np.load(WEIGHTS) as stored:
            before = stored["accepted"].tolist() if "accepted" in stored.files else [0.0] * len(accepted)
        if any(now < then - MAX_LOSS for now, then in zip(accepted, before, strict=True)):
            raise SystemExit(
                f"not written: {accepted} of the present mentions are accepted, with the stored trees {before}"
            )
        np.savez_compressed(
            WEIGHTS,
            names=np.array(FEATURES),
            feature=model.feature.astype(np.int16),
            threshold=model.threshold.astype(np.float32),
            leaf=model.leaf.astype(np.float32),
            base=model.base,
            least=least,
            accepted=accepted,
        )
        print(f"fitted on {len(rows):,} mentions; thresholds {least}; present mentions accepted {accepted}")
        return
    report(rows_of("tested", options.names, options.count, options.rows), options.errors)


def rows_of(side: Side, names: int, count: int, folder: Path | None) -> list[Row]:
    """Return the rows of the training or test graphs.

    If `folder` is given, the rows are kept there: the first run writes a file, and later runs read it.
    """
    file = folder / f"{side}-{names}.pickle" if folder else None
    if file and file.exists():
        stored: list[Row] = pickle.loads(file.read_bytes())
        return stored
    rows = list(looked_up(side, names, count))
    if file:
        file.write_bytes(pickle.dumps(rows))
    return rows


def looked_up(side: Side, names: int, count: int) -> Iterator[Row]:
    """Look up mentions of the training or test graphs, yield the rows, and print the times.

    If `names` is not 0, this many other names are added to each graph, and only the graphs in `LARGE` are used.
    """
    graphs = list(graphs_of(side))
    for number, (name, records) in enumerate(graphs):
        if names and name not in LARGE:
            continue
        others = [record for other, records_of_other in graphs if other != name for record in records_of_other]
        with tempfile.TemporaryDirectory() as folder:
            build_index(Path(folder) / "index", among(records, names))
            index = open_index(Path(folder) / "index")
            times: list[float] = []
            for asked in mentions_of(records, others, count, seed=number):
                if not asked.keys and any(map(index.same_name, {asked.mention, asked.name})):
                    continue  # the mention is a spelling of an added name, so it is not absent
                start = time.thread_time()
                found = list(index.find(asked.mention, mode="fuzzy", limit=CONSIDERED))
                judgement = judge(asked.mention, found, index)
                times.append(1000 * (time.thread_time() - start))
                shown = judgement.candidates[:SHOWN]
                texts = by_text(found)
                yield Row(
                    name,
                    asked,
                    found,
                    features_of(asked.mention, [namesakes[0] for namesakes in texts], index),
                    [any(is_right(candidate, asked) for candidate in namesakes) for namesakes in texts],
                    judgement.verdict,
                    [is_right(candidate, asked) for candidate in shown],
                    [is_own(candidate, asked) for candidate in shown],
                    bool(exactly(asked.mention, found)),
                )
        print(
            f"{name}: {len(records):,} nodes; processor time of look-up and verdict: median {np.median(times):.1f} ms, "
            f"p99 {np.percentile(times, 99):.1f} ms",
            flush=True,
        )


def is_own(candidate: Candidate, asked: Asked) -> bool:
    """Whether the mention means a candidate, and the candidate is an entity of the graph, not an added one."""
    return candidate.key in asked.keys or (candidate.is_value and "" in asked.keys)


def is_right(candidate: Candidate, asked: Asked) -> bool:
    """Whether the mention means a candidate: an entity of the graph, or an added entity with the same name."""
    same = fold(candidate.matched or candidate.name) in (fold(asked.mention), fold(asked.name))
    return is_own(candidate, asked) or (bool(asked.keys) and same)


def calibrated(rows: Sequence[Row]) -> tuple[Boosted, list[float], list[float]]:
    """Return trees fitted to all rows, and for each size in `AROUND` a threshold and the share of present mentions that
    are accepted with it.

    Both are determined by two-fold cross-validation.
    """
    names = sorted({row.graph for row in rows})
    chances: list[list[float]] = [[] for _ in AROUND]
    present: list[list[float]] = [[] for _ in AROUND]
    for part in (0, 1):
        out = set(names[part::2])
        trees = model_of(fitted([row for row in rows if row.graph not in out]))
        for row in rows:
            if row.graph in out:
                (present if row.asked.keys else chances)[size_of(row)].append(best_chance(trees, row))
    least = [float(np.quantile(values, share)) for values, share in zip(chances, ABSENT_REFUSED, strict=True)]
    accepted = [float(np.mean(np.array(values) >= bar)) for values, bar in zip(present, least, strict=True)]
    return fitted(rows), least, accepted


def size_of(row: Row) -> int:
    """Return the index in `AROUND` of the number of names that were added when the mention was looked up."""
    names = row.features[0][FEATURES.index("names")] if row.features else 0.0
    return sum(names > size for size in SIZES[1:])


def fitted(rows: Sequence[Row]) -> Boosted:
    """Fit trees that distinguish right names from wrong ones; the best name for an absent mention is wrong."""
    features: list[list[float]] = []
    right: list[float] = []
    weights: list[float] = []
    for row in rows:
        if not row.features or row.exact or (row.asked.keys and not any(row.right)):
            continue
        weight = WEIGHT.get(row.asked.kind, 1.0)
        first = row.right.index(True) if row.asked.keys else 0
        wrong = (
            [place for place, is_right_name in enumerate(row.right[:3]) if not is_right_name] if row.asked.keys else []
        )
        for place in (first, *wrong):
            features.append(row.features[place])
            right.append(float(row.right[place]))
            weights.append(weight * (WRONG if place in wrong else 1.0))
    truth, counted = np.array(right), np.array(weights)
    counted[truth == 0] *= counted[truth == 1].sum() / counted[truth == 0].sum()
    return fit(np.array(features), truth, counted, trees=200, depth=3)


def model_of(model: Boosted) -> Trees:
    return Trees(model.feature, model.threshold, model.leaf, model.base, (0.0,) * len(SIZES))


def best_chance(trees: Trees, row: Row) -> float:
    """Return the highest probability of a row's names: 1 for a mention written like a name, 0 without names."""
    if row.exact:
        return 1.0
    return float(trees.chances(row.features).max()) if row.features else 0.0


def report(rows: Sequence[Row], errors: int) -> None:
    """Print the verdicts by kind of mention, the two figures that have bars, and about `errors` wrong verdicts."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    wrong: list[Row] = []
    for row in rows:
        right = row.verdict == "not_found" if not row.asked.keys else any(row.meant)
        right = right and (row.verdict != "not_found" or not row.asked.keys)
        counted[row.asked.kind].update(["asked", row.verdict, "right" if right else "wrong"])
        counted[row.asked.kind]["own"] += right and any(row.own)
        if not right and row.asked.kind in (*MISSPELT, ABSENT, ABSENT_MISSPELT):
            wrong.append(row)
    print(f"{'':20}{'asked':>8}{'right %':>10}{'found':>8}{'ambiguous':>11}{'not_found':>11}")
    for kind in (*PRESENT, ARTICLE, ABSENT, ABSENT_MISSPELT):
        counts = counted[kind]
        print(
            f"{kind:20}{counts['asked']:>8,}{100 * counts['right'] / max(counts['asked'], 1):>10.1f}"
            + "".join(f"{counts[verdict]:>{width}}" for verdict, width in (("found", 8), ("ambiguous", 11)))
            + f"{counts['not_found']:>11}"
        )
    for title, kinds in (("absent", (ABSENT, ABSENT_MISSPELT)), ("present: misspelt or by alias", MISSPELT)):
        total = sum((counted[kind] for kind in kinds), Counter[str]())
        own = f"; only entities of the graph count as right: {100 * total['own'] / max(total['asked'], 1):.2f} %"
        print(
            f"{title}: {100 * total['right'] / max(total['asked'], 1):.2f} % of {total['asked']:,}"
            f"{own if kinds == MISSPELT else ''}"
        )
    for row in wrong[:: max(1, len(wrong) // errors)] if errors else ():
        best = row.candidates[0] if row.candidates else None
        shown = f"{best.name} ({best.matched}) {best.score}" if best else ""
        print(f"  {row.graph}: {row.asked.mention!r} ({row.asked.kind}) {row.verdict}: {shown}")


if __name__ == "__main__":
    main()
