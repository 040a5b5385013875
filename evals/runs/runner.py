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
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
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
from graphground.graphs.engines.engine import EngineError, EngineUnavailable, QueryUnanswered, Table
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


@contextmanager
def lock_folder(folder: Path, kind: str) -> Iterator[None]:
    """Hold the lock of a folder inside the block.

    Raises:
        RunError: another process holds it.
    """
    try:
        held = FileLock(folder / ".lock", timeout=0).acquire()
    except Timeout:
        raise RunError(f"another process is working on the {kind} in {folder}") from None
    with held:
        yield


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

    def __init__(self, folder: Path, tasks: Sequence[Task]) -> None:
        self.folder, self.tasks = folder, list(tasks)

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
        return cls(folder, tasks)

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
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Outcome:
        """Predict and score the remaining tasks; `timeout` is the time limit of each predicted query, in seconds.

        `version` maps the name of a graph to an identifier of its data; gold answers are computed again when the
        identifier changes. `gold` is the file with the gold answers, which several runs may share.
        `rule` says by which definitions the metrics score.

        Raises:
            RunError: another process is using the folder.
            AgentError: the agent cannot be started.
        """
        with (
            lock_folder(self.folder, "run"),
            closing(Journal(self.folder / "predictions.jsonl")) as predictions,
            closing(Journal(self.folder / "scores.jsonl")) as scores,
            closing(GoldAnswers(gold or self.folder / "gold.sqlite", timeout=max(timeout, 120.0))) as answers,
        ):
            work = _Work(predictor, graphs, answers, predictions, scores, timeout, version, rule)
            return work.all(self.tasks, workers, progress)


@dataclass
class _Work:
    predictor: Predictor
    graphs: Graphs
    gold: GoldAnswers
    predictions: Journal
    scores: Journal
    timeout: float
    version: Callable[[str], str]
    rule: Rule

    def all(self, tasks: Sequence[Task], workers: int, progress: Callable[[int, int], None]) -> Outcome:
        self._known = {record["qid"]: Prediction.of_record(record) for record in self.predictions.records}
        self._unscored, self._lock = Counter[str](), threading.Lock()
        self._unavailable: dict[str, EngineError | UnknownGraph] = {}
        self._fatal: AgentError | None = None
        before = {record["qid"] for record in self.scores.records}
        left = [task for task in tasks if task.qid not in before]
        with ThreadPoolExecutor(max(1, workers)) as pool:
            for done, future in enumerate(as_completed([pool.submit(self._task, task) for task in left]), start=1):
                future.result()
                progress(len(before) + done, len(tasks))
        if self._fatal is not None:
            raise self._fatal
        return Outcome(len(left) - self._unscored.total(), len(before), dict(self._unscored))

    def _task(self, task: Task) -> None:
        if self._fatal is not None:
            return
        try:
            graph = self._graph(task.graph)  # before the model is asked a question that cannot be scored
            prediction = self._known.get(task.qid)
            if prediction is None:
                prediction = self._predict(task)
                self.predictions.append(asdict(prediction))
            started = time.monotonic()
            gold = self.gold.get(f"{task.graph}@{self.version(task.graph)}", graph, task.gold)
            record = self._score(task, prediction, graph, gold)
        except AgentError as error:
            self._fatal = error
            return
        except Exception as error:  # the next tasks are not to suffer from this one
            with self._lock:
                self._unscored[_describe(error)] += 1
            return
        self.scores.append(
            {
                **record,
                "scoring_seconds": round(time.monotonic() - started, 3),
                "agent": {
                    key: value
                    for key, value in asdict(prediction).items()
                    if key in ("seconds", "tokens_in", "tokens_out", "cost", "model_calls", "trace", "error")
                },
            }
        )

    def _graph(self, name: str) -> Graph:
        """Return a graph; one that cannot be opened is tried only once, and its error is raised each time."""
        if name in self._unavailable:
            raise self._unavailable[name]
        try:
            return self.graphs.get(name)
        except (EngineError, UnknownGraph) as error:
            self._unavailable[name] = error
            raise

    def _predict(self, task: Task) -> Prediction:
        try:
            return self.predictor.predict(task)
        except (AgentError, EngineUnavailable):
            raise
        except Exception as error:
            return Prediction(task.qid, error=f"the predictor failed: {_describe(error)}")

    def _score(self, task: Task, prediction: Prediction, graph: Graph, gold: Gold) -> dict[str, Any]:
        try:
            return score(task, prediction, graph, gold, timeout=self.timeout, rule=self.rule)
        except Exception as error:
            # Either the graph is away, and the task can be scored later, or this prediction ends the database or our
            # own code: then it would do so again in each resumed run, and is scored as a failure now.
            if isinstance(error, EngineUnavailable) and not _is_available(graph):
                raise
            failed = replace(prediction, query="", error=f"the query could not be scored: {_describe(error)}")
            record = score(task, failed, graph, gold, timeout=self.timeout, rule=self.rule)
            return record | {"prediction": prediction.query}


def _describe(error: Exception) -> str:
    known = isinstance(error, EngineError | UnknownGraph)
    return str(error) if known else f"{type(error).__name__}: {error}"


def _is_available(graph: Graph) -> bool:
    try:
        graph.run("RETURN 1", timeout=AVAILABLE_SECONDS)
    except EngineError:
        return False
    return True


def read_run(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the settings of a run and the last score record of each scored task.

    Raises:
        RunError: there is no run in the folder, or nothing has been scored yet.
    """
    path = folder / "run.json"
    if not path.exists():
        raise RunError(f"there is no run in {folder}: run.json is missing")
    records = read_journal(folder / "scores.jsonl")
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
        # A commit need not wait for the disk: an answer that is lost in a power failure is computed again.
        self._connection.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS gold "
            "(graph TEXT, query TEXT, answer TEXT, PRIMARY KEY (graph, query))"
        )

    def get(self, version: str, graph: Graph, query: str) -> Gold:
        """Return the gold answer of a query, computed now if it is not stored for this `version` of the graph's data.

        Raises:
            EngineUnavailable: the graph cannot be queried.
        """
        with self._lock:
            asking = self._asking.setdefault((version, query), threading.Lock())
        key = (version, query)
        with asking:  # two tasks with the same gold query run it once
            with self._lock:
                row = self._connection.execute("SELECT answer FROM gold WHERE graph = ? AND query = ?", key).fetchone()
            answer = json.loads(row[0]) if row else self._ask(graph, query)
            if not row:
                with self._lock, self._connection:
                    values = (*key, json.dumps(answer, ensure_ascii=False))
                    self._connection.execute("INSERT OR REPLACE INTO gold VALUES (?, ?, ?)", values)
        table = Table(answer["columns"], answer["rows"], False, answer["ms"])
        return Gold(table, frozenset(answer["nodes"]), answer["failure"])

    def close(self) -> None:
        """Close the file; a second call has no effect."""
        with self._lock:
            self._connection.close()

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
        except QueryUnanswered:
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
        self._lock = threading.Lock()
        self.records = read_journal(path)
        self._file = path.open("ab")
        self._file.truncate(path.read_bytes().rfind(b"\n") + 1)

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


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return the records of a journal, which may be missing, without a truncated last line."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines if line]
