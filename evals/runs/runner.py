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
import os
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import anyio
from filelock import FileLock, Timeout

from graphground.evals.metrics.executable import Attempt, attempt
from graphground.evals.metrics.execution_accuracy import Rule
from graphground.evals.metrics.provenance_similarity import provenance_nodes
from graphground.evals.metrics.registry import Gold
from graphground.evals.runs.agents import AgentError, Predictor
from graphground.evals.runs.prediction import Prediction
from graphground.evals.runs.scoring import score
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import EngineError, EngineUnavailable, Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import UnknownGraph
from graphground.tools.tool import Graphs

AVAILABLE_SECONDS = 120.0
"""The longest wait for a graph whose database has just ended and is started again."""


ItemT = TypeVar("ItemT")


async def for_each(items: Iterable[ItemT], work: Callable[[ItemT], Awaitable[None]], workers: int) -> None:
    """Call `work` for each item, at most `workers` at once; the first exception stops the others, and is raised."""
    limiter, stops = anyio.CapacityLimiter(max(1, workers)), list[Exception]()

    async def one(item: ItemT, scope: anyio.CancelScope) -> None:
        async with limiter:
            try:
                await work(item)
            except Exception as error:
                stops.append(error)
                scope.cancel()

    async with anyio.create_task_group() as group:
        for item in items:
            group.start_soon(one, item, group.cancel_scope)
    if stops:
        raise stops[0]


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
    def open(
        cls,
        folder: Path,
        tasks: Sequence[Task],
        predictor: str,
        *,
        note: str = "",
        options: Mapping[str, Any] | None = None,
    ) -> Run:
        """Start a run for these tasks in `folder`, or resume the run that the folder holds.

        `note` is a sentence that the report shows, for example that the graph is a stand-in. `options` are the further
        settings on which scores depend, such as `{"timeout": 30.0, "data nba": "nba-96fa86e2"}`.

        Raises:
            RunError: the folder holds a run over other tasks, of another predictor or with other options.
        """
        folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256(
            json.dumps([[task.qid, task.graph, task.question, task.gold] for task in tasks]).encode()
        ).hexdigest()
        path = folder / "run.json"
        if path.exists():
            settings = json.loads(path.read_text("utf-8"))
            if settings.get("tasks") != digest:
                raise RunError(f"{folder} holds a run over other tasks; give another folder")
            if settings.get("predictor") != predictor:
                raise RunError(
                    f"{folder} holds a run of another predictor ({settings['predictor']}); give another folder"
                )
            # Half of the scores would come from each setting, and no report could say which.
            for key, before in settings.get("options", {}).items():
                if (now := (options or {}).get(key)) != before:
                    raise RunError(
                        f"{folder} holds a run with {key} {json.dumps(before)}, not {json.dumps(now)}; "
                        "resume it with the setting that it began with, or give another folder"
                    )
        else:
            settings = {
                "predictor": predictor,
                "tasks": digest,
                "count": len(tasks),
                "note": note,
                "options": dict(options or {}),
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
        gold: Path | None = None,
        rule: Rule = "paper",
        progress: Callable[[int, int], None] | None = None,
    ) -> Outcome:
        """Predict and score the remaining tasks; `timeout` is the time limit of each predicted query, in seconds.

        `version` maps the name of a graph to an identifier of its data; gold answers are computed again when the
        identifier changes. `gold` is the file with the gold answers, which several runs may share.
        `rule` says by which definitions the metrics score.

        Raises:
            RunError: another process is using the folder.
            AgentError: the agent cannot be started.
        """
        try:
            self._lock.acquire()
        except Timeout:
            raise RunError(f"another process is working on the run in {self.folder}") from None
        predictions, scores = Journal(self.folder / "predictions.jsonl"), Journal(self.folder / "scores.jsonl")
        answers = GoldAnswers(gold or self.folder / "gold.sqlite", timeout=max(timeout, 120.0))
        try:
            work = _Work(predictor, _Opened(graphs), answers, predictions, scores, timeout, version, rule)
            return work.all(self.tasks, workers, progress)
        finally:
            predictions.close()
            scores.close()
            answers.close()
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
        rule: Rule,
    ) -> None:
        self._rule: Rule = rule
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
            graph = self._graphs.get(task.graph)  # before the model is asked a question that cannot be scored
            prediction = self._known.get(task.qid)
            if prediction is None:
                prediction = self._predict(task)
                self._predictions.append(prediction.as_record())
            started = time.monotonic()
            gold = self._gold.get(f"{task.graph}@{self._version(task.graph)}", graph, task.gold)
            record = self._score(task, prediction, graph, gold)
        except AgentError as error:
            with self._lock:
                self._fatal = error
            return
        except Exception as error:  # the next tasks are not to suffer from this one
            with self._lock:
                self._unscored[_describe(error)] = self._unscored.get(_describe(error), 0) + 1
            return
        self._scores.append(
            {
                **record,
                "scoring_seconds": round(time.monotonic() - started, 3),
                "agent": {
                    key: value
                    for key, value in prediction.as_record().items()
                    if key in ("seconds", "tokens_in", "tokens_out", "cost", "model_calls", "trace", "error")
                },
            }
        )

    def _predict(self, task: Task) -> Prediction:
        try:
            return self._predictor.predict(task)
        except (AgentError, EngineUnavailable):
            raise
        except Exception as error:
            return Prediction(task.qid, error=f"the predictor failed: {_describe(error)}")

    def _score(self, task: Task, prediction: Prediction, graph: Graph, gold: Gold) -> dict[str, Any]:
        try:
            return score(task, prediction, graph, gold, timeout=self._timeout, rule=self._rule)
        except Exception as error:
            # Either the graph is away, and the task can be scored later, or this prediction ends the database or our
            # own code: then it would do so again in each resumed run, and is scored as a failure now.
            if isinstance(error, EngineUnavailable) and not _is_available(graph):
                raise
            failed = replace(prediction, query="", error=f"the query could not be scored: {_describe(error)}")
            record = score(task, failed, graph, gold, timeout=self._timeout, rule=self._rule)
            return record | {"prediction": prediction.query}


def _describe(error: Exception) -> str:
    known = isinstance(error, EngineError | UnknownGraph)
    return str(error) if known else f"{type(error).__name__}: {error}"


def _is_available(graph: Graph) -> bool:
    """Whether a graph answers a query that cannot fail."""
    try:
        graph.run("RETURN 1", timeout=AVAILABLE_SECONDS)
    except EngineError:
        return False
    return True


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


class GoldAnswers:
    """The gold answers of one run, stored by graph version and query. The methods may be called from any thread."""

    def __init__(self, path: Path, timeout: float = 120.0) -> None:
        self._timeout = timeout
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._lock = threading.Lock()
        self._asking: dict[tuple[str, str], threading.Lock] = {}
        with self._lock:
            # A commit need not wait for the disk: an answer that is lost in a power failure is computed again.
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS gold (graph TEXT, query TEXT, answer TEXT, PRIMARY KEY (graph, query))"
            )
            self._connection.commit()

    def get(self, version: str, graph: Graph, query: str) -> Gold:
        """Return the gold answer of a query, computed now if it is not stored for this `version` of the graph's data.

        Raises:
            EngineUnavailable: the graph cannot be queried.
        """
        with self._lock:
            asking = self._asking.setdefault((version, query), threading.Lock())
        with asking:  # two tasks with the same gold query run it once
            return self._known(version, query, lambda: self._ask(graph, query))

    def close(self) -> None:
        """Close the file; a second call has no effect."""
        with self._lock:
            self._connection.close()

    def _known(self, version: str, query: str, ask: Callable[[], dict[str, Any]]) -> Gold:
        with self._lock:
            row = self._connection.execute(
                "SELECT answer FROM gold WHERE graph = ? AND query = ?", (version, query)
            ).fetchone()
        answer = json.loads(row[0]) if row else ask()
        if not row:
            with self._lock:
                self._connection.execute(
                    "INSERT OR REPLACE INTO gold VALUES (?, ?, ?)",
                    (version, query, json.dumps(answer, ensure_ascii=False)),
                )
                self._connection.commit()
        return Gold(
            Table(answer["columns"], answer["rows"], False, answer["ms"]), frozenset(answer["nodes"]), answer["failure"]
        )

    def _ask(self, graph: Graph, query: str) -> dict[str, Any]:
        try:
            outcome = attempt(graph, query, timeout=self._timeout)
        except EngineUnavailable as error:
            if not _is_available(graph):
                raise
            outcome = Attempt(None, "refused", str(error))
        if outcome.table is None:
            return {"columns": [], "rows": [], "ms": 0.0, "nodes": [], "failure": outcome.message}
        try:
            nodes = sorted(provenance_nodes(query, graph, timeout=self._timeout))
        except EngineUnavailable:
            raise
        except EngineError:
            nodes = []
        return {
            "columns": outcome.table.columns,
            "rows": outcome.table.rows,
            "ms": outcome.table.elapsed_ms,
            "nodes": nodes,
            "failure": "",
        }


class Journal:
    """An open journal: `Journal(Path("scores.jsonl")).append({"qid": "nba-1"})`; opening drops a truncated last
    line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.records = self._read()
        self._file = path.open("ab")

    def append(self, record: dict[str, Any]) -> None:
        """Append a record and wait until it is on disk; may be called from any thread."""
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            self._file.write(line)
            self._file.flush()
            self.records.append(record)
        os.fsync(self._file.fileno())  # outside the lock: the records of several threads reach the disk together

    def close(self) -> None:
        """Close the file; a second call has no effect."""
        self._file.close()

    def _read(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        data = self._path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with self._path.open("r+b") as file:
                file.truncate(whole)
        return [json.loads(line) for line in data[:whole].split(b"\n") if line]
