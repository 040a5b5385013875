"""Reads and writes task files: CypherBench's JSON (a list of records), or one record per line, optionally gzipped.

A record has `graph`, `nl_question` and `gold_cypher`; the other fields are optional: `qid`, `nl_question_raw`,
`gold_match_cypher`, `answer_json`, and `from_template` with `match_category` and `return_pattern_id`. If these two are
missing, scoring derives them from the gold query (`classify`). Two fields are our own: `expected` is the right reaction
of an agent (`answer`, `not_in_graph` or `ask`), and `variant` says how the task was made harder.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

Expected = Literal["answer", "not_in_graph", "ask"]


class TaskError(ValueError):
    """The error for an invalid file of tasks or predictions; the message names the file and the problem."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question with its gold query: `Task("nba-1", "nba", "Who plays for Chicago?", "MATCH …")`."""

    qid: str
    graph: str
    question: str
    gold: str
    raw_question: str = ""
    pattern: str = ""
    template: str = ""
    answer: list[dict[str, Any]] | None = None
    expected: Expected = "answer"
    variant: str = ""
    match_cypher: str = ""
    return_cypher: str = ""

    def as_record(self) -> dict[str, Any]:
        """Return the task as a CypherBench record, with our own fields if they are set."""
        record: dict[str, Any] = {
            "qid": self.qid,
            "graph": self.graph,
            "gold_cypher": self.gold,
            "gold_match_cypher": self.match_cypher or None,
            "nl_question": self.question,
            "nl_question_raw": self.raw_question or None,
            "answer_json": json.dumps(self.answer, ensure_ascii=False) if self.answer is not None else None,
            "from_template": {
                "match_category": self.pattern,
                "match_cypher": self.match_cypher,
                "return_pattern_id": self.template,
                "return_cypher": self.return_cypher,
            },
        }
        if self.expected != "answer":
            record["expected"] = self.expected
        if self.variant:
            record["variant"] = self.variant
        return record


def read_tasks(path: Path) -> list[Task]:
    """Return all tasks of a file, in order.

    Raises:
        TaskError: the file cannot be read or has no tasks, a record is not a task, or two tasks have the same `qid`.
    """
    tasks = [_task(record, number, path) for number, record in enumerate(read_records(path), start=1)]
    if not tasks:
        raise TaskError(f"{path} holds no tasks")
    known: dict[str, int] = {}
    for number, task in enumerate(tasks, start=1):
        if task.qid in known:
            raise TaskError(f"{path}: records {known[task.qid]} and {number} have the same qid {task.qid!r}")
        known[task.qid] = number
    return tasks


def write_tasks(tasks: Iterable[Task], path: Path) -> int:
    """Write tasks to a CypherBench file (a JSON list, gzipped for `.gz`), and return the number of tasks."""
    records = [task.as_record() for task in tasks]
    text = json.dumps(records, ensure_ascii=False, indent=1) + "\n"
    path.write_bytes(gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode())
    return len(records)


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file: a JSON list, an object that contains one list, or JSON Lines.

    A single object with a `qid` or a question is itself the only record, even if the object contains a list.

    Raises:
        TaskError: the file cannot be read or has none of these forms.
    """
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    except OSError as error:
        raise TaskError(f"{path} cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error) as error:
        raise TaskError(f"{path} cannot be decompressed: {error}") from None
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not UTF-8 text: {error}") from None
    try:
        document = json.loads(text)
    except ValueError:
        document = list(_lines(text, path))
    if isinstance(document, dict):
        if document.keys() & {"qid", "question", "nl_question", "ranked"}:
            yield document
            return
        lists = [value for value in document.values() if isinstance(value, list)]
        document = lists[0] if len(lists) == 1 else [document]
    if not isinstance(document, list):
        raise TaskError(f"{path} must hold a list of records, not {json.dumps(document)[:60]}")
    for number, record in enumerate(document, start=1):
        if not isinstance(record, dict):
            raise TaskError(f"{path}, record {number}: expected a JSON object, not {json.dumps(record)[:60]}")
        yield record


def _lines(text: str, path: Path) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except ValueError as error:
            raise TaskError(f"{path}, line {number}: not JSON ({error})") from None


def _task(record: dict[str, Any], number: int, path: Path) -> Task:
    where = f"{path}, record {number}"
    question = record.get("nl_question") or record.get("nl_question_raw") or record.get("question")
    for field, value in (
        ("graph", record.get("graph")),
        ("nl_question", question),
        ("gold_cypher", record.get("gold_cypher")),
    ):
        if not isinstance(value, str) or not value.strip():
            fields = ", ".join(map(str, record)) or "nothing"
            raise TaskError(f"{where}: `{field}` is missing or not text; the record has {fields}")
    expected = record.get("expected", "answer")
    if expected not in get_args(Expected):
        raise TaskError(f"{where}: `expected` must be one of {', '.join(get_args(Expected))}, not {expected!r}")
    template = record.get("from_template") or {}
    if not isinstance(template, dict):
        raise TaskError(f"{where}: `from_template` is not a JSON object")
    graph, gold = str(record["graph"]), str(record["gold_cypher"])
    qid = record.get("qid")
    if qid in (None, ""):  # the same id in every file
        text = "\n".join((graph, str(question), gold))
        qid = f"{graph}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return Task(
        str(qid),
        graph,
        str(question),
        gold,
        raw_question=str(record.get("nl_question_raw") or ""),
        pattern=str(template.get("match_category") or ""),
        template=str(template.get("return_pattern_id") or ""),
        answer=_answer(record.get("answer_json"), where),
        expected=cast("Expected", expected),
        variant=str(record.get("variant") or ""),
        match_cypher=str(template.get("match_cypher") or record.get("gold_match_cypher") or ""),
        return_cypher=str(template.get("return_cypher") or ""),
    )


def _answer(value: Any, where: str) -> list[dict[str, Any]] | None:
    if value is None or value == "":
        return None
    try:
        answer = json.loads(value) if isinstance(value, str) else value
    except ValueError as error:
        raise TaskError(f"{where}: `answer_json` is not JSON ({error})") from None
    return answer if isinstance(answer, list) else None
