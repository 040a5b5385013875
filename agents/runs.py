"""Runs an agent over several questions at once, and writes each prediction to disk immediately.

    predictions.jsonl      one prediction per line, as `graphground eval run --predictions` reads them

    predictions.jsonl.settings.json      the settings of the run

A question that fails has a prediction with an `error`, and the run goes on. It stops if the failure would affect every
question: a refused key, a rate limit, or an endpoint that failed `MAX_FAILURES` questions in a row. The same command
then continues with the questions that have no prediction, or whose last prediction is an error; with other settings it
is refused.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import anyio

from graphground.agents.conversation import Outcome, Question
from graphground.agents.model_settings import HOPELESS, PASSING, AgentFailure, ModelFailure, QuestionsError
from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.server_connection import ServerConnection
from graphground.agents.session import Asks, BoundReached, Bounds, Session, Trace
from graphground.agents.tool_agent import ToolAgent
from graphground.agents.zero_shot import ZeroShot
from graphground.prompts.agents import FOLDER

Record = dict[str, Any]
Ask = Callable[[Question], Awaitable[Record]]
"""A function that returns the prediction for a question: `ask` with an agent, a server and models."""
MAX_FAILURES = 3
"""The number of questions in a row without a reply from the model after which a run stops."""


class Agent(Protocol):
    """An agent that answers questions: `ZeroShot`, `ToolAgent` or `MultiAgentLoop`."""

    name: str

    async def answer(self, session: Session) -> Outcome:
        """Answer the session's question; a failure of the model or of the server is raised."""
        ...


def agent_of(name: str, prompts: Path = FOLDER) -> Agent:
    """Return an agent with its usual settings: `agent_of("loop")`; the names are keys of the table.

    A template in the folder `prompts` replaces the default of the same role.
    """
    agents: dict[str, Callable[[], Agent]] = {
        "zero-shot": lambda: ZeroShot(prompts=prompts),
        "tools": lambda: ToolAgent(prompts=prompts),
        "loop": lambda: MultiAgentLoop(LoopSettings(prompts=prompts)),
        "cypherbench": lambda: ZeroShot(prompts=prompts, role="cypherbench"),
        "multi-agent": lambda: MultiAgentLoop(replace(LoopSettings.paper(), prompts=prompts)),
    }
    return agents[name]()


async def ask(
    agent: Agent,
    question: Question,
    server: ServerConnection,
    models: Mapping[str, Asks],
    bounds: Bounds | None = None,
    trace: Trace | None = None,
) -> Record:
    """Return the prediction for one question; a failure that may concern only this question becomes its `error`.

    Raises:
        ModelFailure: the failure would affect other questions too.
    """
    session = Session(question, server, models, bounds or Bounds(), trace or Trace())
    try:
        outcome = await agent.answer(session)
    except BoundReached as reached:
        outcome = Outcome(error=str(reached), stopped=reached.bound)
    except ModelFailure as failure:
        record = session.prediction(agent.name, Outcome(error=str(failure), stopped="model"))
        if failure.kind in HOPELESS | {"rate_limit"}:
            raise
        return record | ({"temporary": True} if failure.kind in PASSING else {})
    except AgentFailure as failure:
        outcome = Outcome(error=str(failure), stopped="server")
    except Exception as failure:  # the other questions are not to suffer from this one
        outcome = Outcome(error=f"the agent failed: {type(failure).__name__}: {failure}", stopped="agent")
    return session.prediction(agent.name, outcome)


async def run(
    ask: Ask,
    questions: Sequence[Question],
    path: Path,
    workers: int = 4,
    progress: Callable[[int, int], None] = lambda done, total: None,
    settings: Mapping[str, Any] | None = None,
) -> int:
    """Ask the questions without a successful prediction in the file, and return the number of new predictions.

    Raises:
        ModelFailure: the model cannot be used now. The predictions are kept; call again to resume the run.
        QuestionsError: the file holds predictions that were made with other `settings`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _check_settings(path, settings or {})
    done = predicted(path)
    left = [question for question in questions if question.qid not in done]
    asked_count = 0
    failures: list[ModelFailure] = []
    limiter = anyio.CapacityLimiter(max(1, workers))
    in_a_row = 0

    async def predict(question: Question, scope: anyio.CancelScope) -> None:
        nonlocal asked_count, in_a_row
        async with limiter:
            try:
                record = await ask(question)
            except ModelFailure as failure:
                failures.append(failure)
                scope.cancel()
                return
            with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")
            asked_count += 1
            progress(len(done) + asked_count, len(questions))
            in_a_row = in_a_row + 1 if record.get("temporary") else 0
            if in_a_row >= MAX_FAILURES:
                wrong = f"{record['error']}; {in_a_row} questions in a row failed"
                failures.append(ModelFailure("unreachable", wrong))
                scope.cancel()

    async with anyio.create_task_group() as tasks:
        for question in left:
            tasks.start_soon(predict, question, tasks.cancel_scope)
    if failures:
        raise ModelFailure(
            failures[0].kind,
            f"{failures[0]}. Questions processed: {asked_count} of {len(left)}"
            f"{f' (their predictions are in {path})' if asked_count else ''}; run the same command again to continue.",
        )
    return asked_count


def _check_settings(path: Path, settings: Mapping[str, Any]) -> None:
    beside = path.with_name(path.name + ".settings.json")
    now = json.loads(json.dumps(dict(settings), default=str))
    if path.exists() and beside.exists():
        before = json.loads(beside.read_text(encoding="utf-8"))
        for name in before.keys() | now.keys():
            if before.get(name) != now.get(name):
                raise QuestionsError(
                    f"{path} was written with {name} {json.dumps(before.get(name))}, not {json.dumps(now.get(name))}; "
                    "resume with the same settings, or give another --out"
                )
    beside.write_text(json.dumps(now, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def predicted(path: Path) -> set[str]:
    """Return the ids of the questions whose last prediction in the file is not an error."""
    if not path.exists():
        return set()
    ids: set[str] = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue  # a line cut off by an interruption
        (ids.discard if record.get("error") else ids.add)(str(record.get("qid")))
    return ids
