"""Reads STaRK's published questions (arXiv 2404.13207), and scores rankings as STaRK does.

stark_scores([([7, 3], {3}), ([], {1})])        # {'hit@1': 0.0, 'hit@5': 0.5, 'recall@20': 0.5, 'mrr': 0.25}
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.graphraft.retrieval import hit_at, mean_reciprocal_rank, recall_at

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


def score_rankings(dataset: Path, rankings: Path, split: str = "test", *, human: bool = False) -> dict[str, float]:
    """Return the means of the four metrics over the questions of a split; a question without a ranking scores 0.

    A line of `rankings` is `{"id": 7, "ranked": [15450, 3]}`, best first.

    Raises:
        StarkFileError: a file is not in its layout, or no question has a ranking.
    """
    questions = read_stark(dataset, split, human=human)
    ranked: dict[int, list[int]] = {}
    for number, line in enumerate(_text(rankings).splitlines(), start=1):
        try:
            record = json.loads(line)
            ranked[int(record["id"])] = list(record["ranked"])
        except (ValueError, KeyError, TypeError):
            raise StarkFileError(f'{rankings}, record {number}: expected {{"id": 7, "ranked": [15450, 3]}}') from None
    missing = sum(question.number not in ranked for question in questions)
    if missing == len(questions):
        raise StarkFileError(f"{rankings} ranks answers to none of the {len(questions)} questions")
    if missing:
        sys.stderr.write(f"graphraft: without a ranking: {missing} of {len(questions)} questions\n")
    return stark_scores((ranked.get(each.number, []), each.answers) for each in questions)
