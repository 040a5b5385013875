"""Runs a predictor over tasks in parallel and scores its predictions; a run can be resumed, and a failure affects only
its task.

    run = Run.open(Path("runs/mine"), tasks, "my agent")
    run.go(predictor, graphs, workers=8, timeout=30.0)

A prediction is on disk before it is scored, so a resumed run repeats no stored prediction. If a graph cannot be opened,
its tasks stay unscored and the outcome gives the reason; the same command scores the tasks later.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graphground.evals.runs.agents import AgentError, Predictor
from graphground.evals.runs.gold import GoldAnswers
from graphground.evals.runs.journal import Journal
from graphground.evals.runs.prediction import Prediction
from graphground.evals.runs.scoring import score
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import UnknownGraph
from graphground.tools.tool import Graphs


class RunError(RuntimeError):
    """The error for a run that cannot continue or be read, for example because its folder belongs to other tasks."""


@dataclass
class Outcome:
    """The numbers of tasks scored now and before; `unscored` maps each reason to the number of tasks left unscored."""

    scored: int = 0
    before: int = 0
    unscored: dict[str, int] = field(default_factory=dict)


class Run:
    """A run in its folder. `Run.open` creates the folder or resumes the run in it."""

    def __init__(self, folder: Path, tasks: Sequence[Task], settings: dict[str, Any]) -> None:
        self.folder, self.tasks, self.settings = folder, list(tasks), settings
        self._lock = FileLock(folder / ".lock", timeout=0)

    @classmethod
    def open(cls, folder: Path, tasks: Sequence[Task], predictor: str, *, note: str = "") -> Run:
        """Start a run for these tasks in `folder`, or resume the run that the folder holds.

        `note` is a sentence that the report shows, for example that the graph is a stand-in.

        Raises:
            RunError: the folder holds a run over other tasks or of another predictor.
        """
        folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(
            json.dumps([[task.qid, task.graph, task.question, task.gold] for task in tasks]).encode()
        ).hexdigest()
        path = folder / "run.json"
        if path.exists():
            settings = json.loads(path.read_text("utf-8"))
            for key, value, difference in (
                ("tasks", digest, "over other tasks"),
                ("predictor", predictor, "of another predictor"),
            ):
                if settings.get(key) != value:
                    raise RunError(
                        f"{folder} holds a run {difference}"
                        + (f" ({settings['predictor']})" if key == "predictor" else "")
                        + "; give another folder"
                    )
        else:
            settings = {
                "predictor": predictor,
                "tasks": digest,
                "count": len(tasks),
                "note": note,
                "started": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
            path.write_text(json.dumps(settings, ensure_ascii=False, indent=1) + "\n", "utf-8")
        return cls(folder, tasks, settings)

    def go(
        self,
        predictor: Predictor,
        graphs: Graphs,
        *,
        workers: int = 8,
        timeout: float = 30.0,
        version: Callable[[str], str] = str,
        progress: Callable[[int, int], None] | None = None,
    ) -> Outcome:
        """Predict and score the remaining tasks; `timeout` is the time limit of each predicted query, in seconds.

        `version` maps the name of a graph to an identifier of its data; gold answers are computed again when the
        identifier changes.

        Raises:
            RunError: another process is using the folder.
            AgentError: the agent cannot be started.
        """
        try:
            self._lock.acquire()
        except Timeout:
            raise RunError(f"another process is working on the run in {self.folder}") from None
        predictions, scores = Journal(self.folder / "predictions.jsonl"), Journal(self.folder / "scores.jsonl")
        gold = GoldAnswers(self.folder / "gold.sqlite", timeout=max(timeout, 120.0))
        try:
            work = _Work(predictor, _Opened(graphs), gold, predictions, scores, timeout, version)
            return work.all(self.tasks, workers, progress)
        finally:
            predictions.close()
            scores.close()
            gold.close()
            self._lock.release()


class _Work:
    def __init__(
        self,
        predictor: Predictor,
        graphs: _Opened,
        gold: GoldAnswers,
        predictions: Journal,
        scores: Journal,
        timeout: float,
        version: Callable[[str], str],
    ) -> None:
        self._predictor, self._graphs, self._gold = predictor, graphs, gold
        self._predictions, self._scores, self._timeout, self._version = predictions, scores, timeout, version
        self._known = {record["qid"]: Prediction.of_record(record) for record in predictions.records}
        self._unscored: dict[str, int] = {}
        self._done = 0
        self._lock = threading.Lock()
        self._fatal: AgentError | None = None

    def all(self, tasks: Sequence[Task], workers: int, progress: Callable[[int, int], None] | None) -> Outcome:
        before = {record["qid"] for record in self._scores.records}
        left = [task for task in tasks if task.qid not in before]

        def predict_and_score(task: Task) -> None:
            self._task(task)
            with self._lock:
                self._done += 1
                if progress is not None:
                    progress(len(before) + self._done, len(tasks))

        with ThreadPoolExecutor(max(1, workers)) as pool:
            for future in [pool.submit(predict_and_score, task) for task in left]:
                future.result()
        if self._fatal is not None:
            raise self._fatal
        failed = sum(self._unscored.values())
        return Outcome(len(left) - failed, len(before), self._unscored)

    def _task(self, task: Task) -> None:
        if self._fatal is not None:
            return
        try:
            prediction = self._known.get(task.qid)
            if prediction is None:
                graph = self._graphs.get(task.graph)  # before the model is asked a question that cannot be scored
                prediction = self._predictor.predict(task)
                self._predictions.append(prediction.as_record())
            else:
                graph = self._graphs.get(task.graph)
            started = time.monotonic()
            gold = self._gold.get(f"{task.graph}@{self._version(task.graph)}", graph, task.gold)
            record = score(task, prediction, graph, gold, timeout=self._timeout)
        except AgentError as error:
            with self._lock:
                self._fatal = error
            return
        except (EngineError, UnknownGraph) as error:
            with self._lock:
                self._unscored[str(error)] = self._unscored.get(str(error), 0) + 1
            return
        self._scores.append(
            {
                **record,
                "scoring_seconds": round(time.monotonic() - started, 3),
                "agent": {
                    key: value
                    for key, value in prediction.as_record().items()
                    if key in ("seconds", "tokens_in", "tokens_out", "cost", "trace", "error")
                },
            }
        )


class _Opened:
    """The opened graphs by name; a graph that cannot be opened is tried only once,
    and its error is raised each time."""

    def __init__(self, graphs: Graphs) -> None:
        self._graphs = graphs
        self._failures: dict[str, EngineError | UnknownGraph] = {}
        self._lock = threading.Lock()

    def get(self, name: str) -> Graph:
        with self._lock:
            failure = self._failures.get(name)
        if failure is not None:
            raise failure
        try:
            return self._graphs.get(name)
        except (EngineError, UnknownGraph) as error:
            with self._lock:
                self._failures[name] = error
            raise


def read_run(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the settings of a run and the last score record of each scored task.

    Raises:
        RunError: there is no run in the folder, or nothing has been scored yet.
    """
    path = folder / "run.json"
    if not path.exists():
        raise RunError(f"there is no run in {folder}: run.json is missing")
    scores = folder / "scores.jsonl"
    text = scores.read_text("utf-8") if scores.exists() else ""
    records = [json.loads(line) for line in text.split("\n")[:-1] if line]
    if not records:
        raise RunError(f"the run in {folder} has no scores yet; resume it with the command that started it")
    return json.loads(path.read_text("utf-8")), list({record["qid"]: record for record in records}.values())
