"""Retrieval metrics for ranked answers: Hit@k, Recall@k and MRR, which STaRK reports.

STaRK (arXiv 2404.13207, §4.1) uses Hit@1, Hit@5, Recall@20 and MRR; GraphRAFT (arXiv 2504.05478) reports the same four.
`ranked` is best first. A repeated item counts only at its first position, and later positions move up: repeating an
answer has no effect. Without relevant items no score is defined, so each metric raises `ValueError`.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


def hit_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return 1.0 if one of the first `k` items is relevant, else 0.0.

        >>> hit_at(["Ronin", "Heat"], {"Heat"}, 1), hit_at(["Ronin", "Heat"], {"Heat"}, 5)
        (0.0, 1.0)

    Raises:
        ValueError: nothing is relevant, or `k` is below 1.
    """
    relevant_items = _check_relevant(relevant, k)
    return float(any(item in relevant_items for item in _drop_repeats(ranked)[:k]))


def recall_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Return the share of the relevant items that are among the first `k`, from 0.0 to 1.0.

        >>> recall_at(["Ronin", "Heat", "Thief"], {"Heat", "Thief", "Ali"}, 2)
        0.3333333333333333

    With more than `k` relevant items the result is below 1.0, as in STaRK.

    Raises:
        ValueError: nothing is relevant, or `k` is below 1.
    """
    relevant_items = _check_relevant(relevant, k)
    return len(relevant_items.intersection(_drop_repeats(ranked)[:k])) / len(relevant_items)


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
    """Return 1 divided by the position of the first relevant item; 0.0 if the list has no relevant item.

        >>> reciprocal_rank(["Ronin", "Heat"], {"Heat"})
        0.5

    Raises:
        ValueError: nothing is relevant.
    """
    relevant_items = _check_relevant(relevant, 1)
    return next((1 / place for place, item in enumerate(_drop_repeats(ranked), start=1) if item in relevant_items), 0.0)


def mean_reciprocal_rank(answers: Iterable[tuple[Sequence[Hashable], Collection[Hashable]]]) -> float:
    """Return the mean of `reciprocal_rank` over pairs of a ranked list and its relevant items (MRR).

        >>> mean_reciprocal_rank([(["Heat"], {"Heat"}), (["Ronin", "Heat"], {"Heat"})])
        0.75

    Raises:
        ValueError: there are no pairs, or a pair has no relevant item.
    """
    ranks = [reciprocal_rank(ranked, relevant) for ranked, relevant in answers]
    if not ranks:
        raise ValueError("there are no answers to take the mean of")
    return sum(ranks) / len(ranks)


def _check_relevant(relevant: Collection[Hashable], k: int) -> set[Hashable]:
    if not relevant:
        raise ValueError("no item is relevant, so the metric is undefined")
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return set(relevant)


def _drop_repeats(ranked: Sequence[Hashable]) -> list[Hashable]:
    return list(dict.fromkeys(ranked))


SPLITS = ("train", "val", "test")
COLUMNS = {"id", "query", "answer_ids"}


class StarkFileError(ValueError):
    """The error for a missing split, or for a file that is missing or not in STaRK's layout; the message says which."""


@dataclass(frozen=True, slots=True)
class RetrievalQuestion:
    """A question and the numbers of its answer nodes: `RetrievalQuestion(7, "Which drug …?", frozenset({15450}))`."""

    number: int
    text: str
    answers: frozenset[int]


def read_stark(folder: Path, split: str = "test", *, human: bool = False) -> list[RetrievalQuestion]:
    """Return the questions of a split, in its order; with `human`, all questions that people wrote.

    Raises:
        StarkFileError: STaRK has no such split, or a file is missing or not in STaRK's layout.
    """
    questions = _questions(folder / "stark_qa" / f"stark_qa{'_human_generated_eval' if human else ''}.csv")
    if human:
        return list(questions.values())
    if split not in SPLITS:
        raise StarkFileError(f"STaRK has no split {split!r}, only {', '.join(SPLITS)}")
    file = folder / "split" / f"{split}.index"
    found = []
    for place, line in enumerate(_text(file).split(), 1):
        if not line.isdecimal() or int(line) not in questions:
            raise StarkFileError(f"{file}, line {place}: there is no question {line!r}")
        found.append(questions[int(line)])
    return found


def stark_scores(answers: Iterable[tuple[Sequence[Hashable], Collection[Hashable]]]) -> dict[str, float]:
    """Return the mean Hit@1, Hit@5, Recall@20 and MRR over pairs of a ranked list and its relevant items.

        >>> stark_scores([([7, 3], {3}), ([], {1})])
        {'hit@1': 0.0, 'hit@5': 0.5, 'recall@20': 0.5, 'mrr': 0.25}

    Raises:
        ValueError: there are no pairs, or a pair has no relevant item.
    """
    pairs = list(answers)
    means = {
        "hit@1": sum(hit_at(ranked, relevant, 1) for ranked, relevant in pairs),
        "hit@5": sum(hit_at(ranked, relevant, 5) for ranked, relevant in pairs),
        "recall@20": sum(recall_at(ranked, relevant, 20) for ranked, relevant in pairs),
    }
    return {name: total / len(pairs) for name, total in means.items() if pairs} | {"mrr": mean_reciprocal_rank(pairs)}


def _questions(file: Path) -> dict[int, RetrievalQuestion]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    reader = csv.DictReader(_text(file).splitlines(keepends=True))
    if not set(reader.fieldnames or ()) >= COLUMNS:
        raise StarkFileError(f"{file} must have the columns {', '.join(sorted(COLUMNS))}")
    found: dict[int, RetrievalQuestion] = {}
    for record in reader:
        try:
            number, answers = int(record["id"]), json.loads(record["answer_ids"])
            found[number] = RetrievalQuestion(number, record["query"], frozenset(map(int, answers)))
        except (TypeError, ValueError):
            raise StarkFileError(
                f"{file}, line {reader.line_num}: an id is not a number, or a list of ids is not a list of numbers"
            ) from None
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise StarkFileError(f"{file} cannot be read: {error.strerror}") from None
