"""The protocol of agents: a program reads questions and writes predictions, one JSON object per line.

    → {"qid": "nba-1", "graph": "nba", "question": "Who plays for the Chicago Bulls?"}
    ← {"qid": "nba-1", "cypher": "MATCH …", "trace": [{"tool": "find_entities", "seconds": 0.02}],
       "usage": {"input_tokens": 812, "output_tokens": 64, "cost_usd": 0.0021}}

A reply has the question's `qid`, and `cypher`, or `error` for a failure, or a `stance`; other fields are optional.
Other lines on stdout are skipped, so that a log line never becomes the answer to this question or the next. `stance` is
`not_in_graph` if the agent finds no answer in the graph, or `ask` if it asks a clarifying question; `text` holds the
agent's words. The agent's stderr is not read. Each worker has its own process, which starts with the worker's first
question and is restarted after it exits or exceeds the time limit.
"""

from __future__ import annotations

import contextlib
import json
import queue
import shlex
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

from graphground.evals.metrics.executable import check
from graphground.evals.runs.prediction import Prediction, ToolCall, read_reply
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import EngineError
from graphground.tools.ground_question import GroundQuestionRequest, ground_question
from graphground.tools.tool import Graphs, ToolFailure

SHOWN = 200
"""The maximum number of characters of an invalid reply that an error quotes."""


DOUBTFUL = 0.5
"""The confidence below which a suggested query is a question, not an answer."""
ANSWERING = frozenset(("cypher", "pred_cypher", "prediction", "query", "stance", "error"))
"""The fields of which a reply has at least one."""


class AgentError(RuntimeError):
    """The error for an agent that cannot be started, so that no question can be sent."""


class Predictor(ABC):
    """A source of predictions, whose methods may be called from any thread."""

    name: str

    @abstractmethod
    def predict(self, task: Task) -> Prediction:
        """Return the prediction for a task; a failure becomes the prediction's `error`."""

    def close(self) -> None:  # noqa: B027 - most predictors have nothing to stop
        """Stop all started processes; a second call has no effect."""


class CommandAgent(Predictor):
    """An agent that is a program, with a process per worker thread: `CommandAgent("python my_agent.py", 300.0)`."""

    def __init__(self, command: str, timeout: float = 300.0) -> None:
        self.name = command
        self._words = shlex.split(command)
        self._timeout = timeout
        self._local = threading.local()
        self._processes: list[_Process] = []
        self._lock = threading.Lock()
        if not self._words:
            raise AgentError("the agent's command is empty")

    def predict(self, task: Task) -> Prediction:
        """Send the question to this thread's process; a dead or silent process is replaced for the next question.

        Raises:
            AgentError: the command cannot be started.
        """
        process: _Process | None = getattr(self._local, "process", None)
        if process is None or process.poll() is not None:
            try:
                process = self._local.process = _Process(self._words)
            except OSError as error:
                raise AgentError(f"the agent {self.name!r} cannot be started: {error.strerror or error}") from None
            with self._lock:
                self._processes.append(process)
        started = time.monotonic()
        message = {"qid": task.qid, "graph": task.graph, "question": task.question}
        skipped = ""
        try:
            process.send(json.dumps(message, ensure_ascii=False))
            while True:
                line = process.read_line(self._timeout - (time.monotonic() - started))
                reply = _parse_reply(line)
                if "qid" not in reply and ANSWERING & reply.keys():
                    # Without its id nobody can say to which question it belongs.
                    process.end()
                    reason, skipped = f"the reply has no `qid`: {line.strip()[:SHOWN]}", ""
                    break
                if reply.get("qid") == task.qid:
                    try:
                        return read_reply(task.qid, reply, time.monotonic() - started)
                    except ValueError as error:
                        reason, skipped = f"the reply cannot be read: {error}", ""
                        break
                skipped = skipped or f"; the agent printed a line that is no reply to it: {line.strip()[:SHOWN]}"
        except TimeoutError:
            process.end()
            reason = f"no reply within {self._timeout:g} s"
        except (OSError, ValueError):
            process.end()
            reason = f"the agent ended with exit status {process.returncode} before its reply"
        return Prediction(task.qid, error=reason + skipped, seconds=time.monotonic() - started)

    def close(self) -> None:
        with self._lock:
            for process in self._processes:
                process.end()


class _Process(subprocess.Popen[str]):
    """An agent's process, whose output a thread reads, so that waiting for a line can time out."""

    def __init__(self, words: list[str]) -> None:
        pipe: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 1}
        super().__init__(words, text=True, encoding="utf-8", errors="replace", **pipe)
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, line: str) -> None:
        assert self.stdin is not None
        self.stdin.write(line + "\n")
        self.stdin.flush()

    def read_line(self, timeout: float) -> str:
        """Return the next line of output.

        Raises:
            TimeoutError: there is none within `timeout` seconds.
            OSError: the process has ended.
        """
        try:
            line = self._lines.get(timeout=max(0.0, timeout))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            raise BrokenPipeError("the agent has ended")
        return line

    def end(self) -> None:
        self.kill()
        self.wait(timeout=30)
        for pipe in (self.stdin, self.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _read(self) -> None:
        assert self.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in self.stdout:
                if line.strip():
                    self._lines.put(line)
        self._lines.put(None)


def _parse_reply(line: str) -> dict[str, Any]:
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return reply if isinstance(reply, dict) else {}


class FilePredictions(Predictor):
    """A predictor that returns stored predictions: `FilePredictions({"nba-1": Prediction("nba-1", "MATCH …")})`."""

    def __init__(self, predictions: dict[str, Prediction], name: str = "file") -> None:
        self.name, self._predictions = name, predictions

    def predict(self, task: Task) -> Prediction:
        return self._predictions.get(task.qid) or Prediction(task.qid, error="the file has no prediction for this task")


class Repaired(Predictor):
    """A predictor that repairs another predictor's queries with `validate_cypher`, to measure the repair's effect."""

    def __init__(self, inner: Predictor, graphs: Graphs) -> None:
        self.name, self._inner, self._graphs = f"{inner.name}, repaired", inner, graphs

    def predict(self, task: Task) -> Prediction:
        prediction = self._inner.predict(task)
        fixed = check(self._graphs.get(task.graph), prediction.query).suggested_query if prediction.query else None
        return replace(prediction, query=fixed) if fixed else prediction

    def close(self) -> None:
        self._inner.close()


class FirstSuggestion(Predictor):
    """A predictor that returns the first query of `ground_question`, asks back if it is doubtful, or abstains."""

    name = "ground_question"

    def __init__(self, graphs: Graphs) -> None:
        self._graphs = graphs

    def predict(self, task: Task) -> Prediction:
        started = time.monotonic()
        prediction = self._ask(task)
        seconds = time.monotonic() - started
        return replace(prediction, seconds=seconds, trace=(ToolCall(self.name, seconds),))

    def _ask(self, task: Task) -> Prediction:
        request = {"question": task.question[:2_000], "graph": task.graph, "limit": 1}
        try:
            answer = ground_question(self._graphs, GroundQuestionRequest.model_validate(request))
        except (ToolFailure, EngineError) as error:
            return Prediction(task.qid, error=str(error))
        absent = [name.text for name in answer.names if name.verdict == "not_found"]
        if absent or not answer.queries:
            text = f"not in the graph: {', '.join(absent)}" if absent else "no suggested query returns rows"
            return Prediction(task.qid, stance="not_in_graph", text=text)
        first = answer.queries[0]
        if first.confidence < DOUBTFUL:
            return Prediction(task.qid, first.cypher, stance="ask", text=f"Did you mean: {first.reason}?")
        return Prediction(task.qid, first.cypher)
