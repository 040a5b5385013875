"""Reads questions with their answers from CSV, JSON or JSON Lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Value = str | int | float | bool | list[Any] | None


class QuestionFileError(ValueError):
    """A file that is not in a supported form; the message says which line and why."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and the rows that answer it: `AnsweredQuestion("Who directed Heat?", (("Michael Mann",),))`.

    If a node is the answer, its row holds only the node's name.
    """

    question: str
    answers: tuple[tuple[Value, ...], ...]


def read_questions(path: Path) -> list[AnsweredQuestion]:
    """Return the questions of a file.

    CSV has the columns `question` and `answers`, JSON is a list of objects with these keys, JSON Lines has such an
    object in each line. `answers` is a list of names or of rows; in CSV it is written as JSON, or as names with `|`
    between them.

    Raises:
        QuestionFileError: the file is in none of these forms, or a question or its answers are missing or invalid.
        OSError: the file cannot be read.
    """
    records = _csv(path) if path.suffix.lower() == ".csv" else _json(path)
    return [_question(record, f"{path.name}, {place}") for place, record in records]


def _csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        for record in reader:
            answers = (record.get("answers") or "").strip()
            try:
                listed = json.loads(answers) if answers.startswith("[") else answers.split("|") if answers else None
            except ValueError:
                listed = None
            yield f"line {reader.line_num}", {**record, "answers": listed}


def _json(path: Path) -> Iterator[tuple[str, Any]]:
    text = path.read_text(encoding="utf-8-sig")
    if text.lstrip().startswith("["):
        try:
            yield from ((f"entry {number}", record) for number, record in enumerate(json.loads(text), 1))
        except ValueError as error:
            raise QuestionFileError(f"{path.name} is not JSON: {error}") from None
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except ValueError as error:
                raise QuestionFileError(f"{path.name}, line {number}, is not JSON: {error}") from None


def _question(record: Any, place: str) -> AnsweredQuestion:
    if not isinstance(record, Mapping) or not isinstance(record.get("question"), str) or not record["question"].strip():
        raise QuestionFileError(f"{place}: there is no `question`")
    answers = record.get("answers")
    if not isinstance(answers, Sequence) or isinstance(answers, str) or not answers:
        raise QuestionFileError(f"{place}: `answers` must be a non-empty list of names or of rows")
    rows = [tuple(row) if isinstance(row, list) else (row,) for row in answers]
    if len({len(row) for row in rows}) > 1:
        raise QuestionFileError(f"{place}: the rows of `answers` have different lengths")
    if any(isinstance(value, dict) for row in rows for value in row):
        raise QuestionFileError(f"{place}: an answer is an object, not a text, a number, true, false, null or a list")
    return AnsweredQuestion(record["question"].strip(), tuple(rows))
