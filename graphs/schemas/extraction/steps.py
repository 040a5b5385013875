"""Runs the queries of an extraction, several at once, each with a time limit.

`Steps.rows` collects failures, and `Steps.must` raises them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

from graphground.cypher.matching import nodes
from graphground.graphs.engines.engine import Engine, EngineError, QueryTimeout
from graphground.graphs.schemas.extraction.findings import Findings

Progress = Callable[[str, int, int], None]
"""A function called with the step (`properties of Movie`), the number of finished steps, and the number of all steps
so far."""

MOST_ROWS = 1_000_000


@dataclass
class Steps:
    """A runner for the queries of one extraction; time limits are in seconds.

    `Steps(engine, findings, step_timeout=10).rows("labels", "CALL db.labels()")` returns the labels.
    """

    engine: Engine
    findings: Findings
    step_timeout: float = 10.0
    total_timeout: float = 120.0
    at_once: int = 2
    progress: Progress | None = None
    started: float = field(default_factory=time.monotonic)
    done: int = 0
    planned: int = 0

    def rows(self, step: str, query: str, parameters: dict[str, Any] | None = None) -> list[list[Any]] | None:
        """Return the rows of a query; if it fails or runs out of time, add a problem and return None."""
        left = self.time_left()
        if left <= 0:
            self.findings.add_problem(f"{step}: not read; the extraction was limited to {self.total_timeout:g} s")
            return None
        limit = min(self.step_timeout, left)
        try:
            return self.must(query, parameters, limit)
        except QueryTimeout:
            self.findings.add_problem(f"{step}: not complete within {limit:.3g} s")
        except EngineError as error:
            self.findings.add_problem(f"{step}: {error}")
        return None

    def must(
        self, query: str, parameters: dict[str, Any] | None = None, timeout: float | None = None
    ) -> list[list[Any]]:
        """Return the rows of a query; raise the engine's error if it fails. The default timeout is `step_timeout`."""
        return self.engine.run(query, parameters, limit=MOST_ROWS, timeout=timeout or self.step_timeout).rows

    def time_left(self) -> float:
        """Return the seconds until the whole extraction must end; negative after that."""
        return self.started + self.total_timeout - time.monotonic()

    def each(self, tasks: Iterable[tuple[str, Callable[[], None]]]) -> None:
        """Run named tasks concurrently; cancelling the caller's queries also cancels the queries of the tasks."""
        listed = list(tasks)
        self.planned += len(listed)
        with ThreadPoolExecutor(self.at_once, "schema") as pool:
            for future in [pool.submit(copy_context().run, self._run_task, name, task) for name, task in listed]:
                future.result()

    def _run_task(self, name: str, task: Callable[[], None]) -> None:
        task()
        self.done += 1
        if self.progress is not None:
            self.progress(name, self.done, self.planned)


def counting(name: str) -> str:
    """Return the query that counts the nodes of a label.

    If backticks can quote the name, the count store provides the number; otherwise all nodes are read.
    """
    return f"{nodes(name).match()} RETURN count(n) AS c"
