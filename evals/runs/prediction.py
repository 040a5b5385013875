"""An agent's prediction for one question: a query, a refusal or a clarifying question, with its trace and cost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from graphground.cypher.diagnostics import cut
from graphground.evals.tasks.task import Expected, Task, TaskError, read_records

_FENCE = re.compile(r"```[a-z]*\s*\n?(.*?)```", re.DOTALL | re.IGNORECASE)
_ENDS = ("<end_of_turn>", "<|im_end|>", "<|eot_id|>", "</s>")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call in a prediction's trace: `ToolCall("find_entities", seconds=0.02, tokens_in=40, tokens_out=120)`."""

    tool: str
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Prediction:
    """A prediction: `Prediction("nba-1", "MATCH …", seconds=2.1)`; `error` says why there is no query."""

    qid: str
    query: str = ""
    stance: Expected = "answer"
    text: str = ""
    """The agent's answer in words."""
    error: str = ""
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """The cost of the prediction in US dollars."""
    model_calls: int = 0
    trace: Sequence[ToolCall] = field(default_factory=tuple)

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Prediction:
        """Return the prediction that a journal's record holds."""
        trace = tuple(ToolCall(**call) for call in record.get("trace", ()))
        return cls(**{**record, "trace": trace})


Number = Annotated[float, BeforeValidator(lambda value: value or 0), Field(allow_inf_nan=False)]


class _Usage(BaseModel):
    input_tokens: Number = 0
    output_tokens: Number = 0
    cost_usd: Number = 0
    model_calls: Number = 0


class _Call(_Usage):
    tool: str
    seconds: Number = 0


class _Reply(BaseModel):
    cypher: str = ""
    text: str = ""
    stance: Expected = "answer"
    seconds: Number = 0
    usage: _Usage = _Usage()
    trace: list[_Call] = []


def read_reply(qid: str, reply: Mapping[str, Any], seconds: float = 0.0) -> Prediction:
    """Return the prediction in an agent's reply or in a record of a predictions file.

        >>> read_reply("1", {"cypher": "```cypher\\nMATCH (n) RETURN n\\n```"}).query
        'MATCH (n) RETURN n'

    Raises:
        ValueError: a field has a wrong type or value.
    """
    query = next((reply[name] for name in ("cypher", "pred_cypher", "prediction", "query") if reply.get(name)), "")
    given = {name: reply[name] for name in _Reply.model_fields if reply.get(name) is not None}
    try:
        read = _Reply.model_validate({**given, "cypher": query, "text": reply.get("text") or reply.get("answer") or ""})
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field, found = ".".join(map(str, problem["loc"])), cut(json.dumps(problem["input"], default=str), 60)
        raise ValueError(f"`{field}`: {problem['msg']}, not {found}") from None
    calls = [ToolCall(use.tool, use.seconds, int(use.input_tokens), int(use.output_tokens)) for use in read.trace]
    failed = str(reply["error"]) if reply.get("error") else ""
    return Prediction(
        qid,
        "" if failed else clean_query(read.cypher),
        read.stance,
        read.text,
        failed,
        seconds=read.seconds or seconds,
        tokens_in=int(read.usage.input_tokens) or sum(call.tokens_in for call in calls),
        tokens_out=int(read.usage.output_tokens) or sum(call.tokens_out for call in calls),
        cost=read.usage.cost_usd,
        model_calls=int(read.usage.model_calls),
        trace=tuple(calls),
    )


def clean_query(text: str) -> str:
    """Return the query in a model's text, without code fences and end-of-turn marks."""
    fenced = _FENCE.search(text)
    text = fenced.group(1) if fenced else text
    for mark in _ENDS:
        text = text.strip().removesuffix(mark)
    return text.strip()


def read_predictions(path: Path, tasks: Sequence[Task]) -> dict[str, Prediction]:
    """Return the predictions in a file, keyed by the task's `qid`; tasks without a prediction have no entry.

    A record names its task by `qid`, or by `graph` and `question` (or `nl_question`) exactly as in the task.
    CypherBench's `result.json` has this form too.

    Raises:
        TaskError: the file cannot be read, a record is not a prediction, or no record belongs to a task.
    """
    by_question: dict[tuple[str, str], list[Task]] = {}
    for task in tasks:
        by_question.setdefault((task.graph, task.question), []).append(task)
    known = {task.qid for task in tasks}
    found: dict[str, Prediction] = {}
    strangers = 0
    for number, record in enumerate(read_records(path), start=1):
        matched = _tasks_of(record, known, by_question)
        strangers += not matched
        for qid in matched:
            try:
                found[qid] = read_reply(qid, record)
            except ValueError as error:
                raise TaskError(f"{path}, record {number}: {error}") from None
    if not found:
        raise TaskError(
            f"{path}: no record belongs to a task (records: {strangers}); a record needs either "
            "the task's `qid` or the task's `graph` and `nl_question`"
        )
    return found


def _tasks_of(
    record: Mapping[str, Any], known: Iterable[str], by_question: Mapping[tuple[str, str], Sequence[Task]]
) -> list[str]:
    if str(record.get("qid")) in known:
        return [str(record["qid"])]
    question = str(record.get("nl_question") or record.get("question") or "")
    tasks = by_question.get((str(record.get("graph")), question), ())
    gold = record.get("gold_cypher")
    return [task.qid for task in tasks if not gold or task.gold == gold]
