"""Gold answers, computed once per query and stored in the run's folder: a table and the ids of the matched nodes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphground.cypher import CypherSyntaxError
from graphground.evals.metrics.executable import attempt
from graphground.evals.metrics.provenance_similarity import provenance_nodes
from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.engines.table import Table
from graphground.graphs.graph import Graph


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold query's table and the ids of its matched nodes; `failure` says why the gold query cannot be run."""

    table: Table
    nodes: frozenset[str]
    failure: str = ""


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
        outcome = attempt(graph, query, timeout=self._timeout)
        if outcome.table is None:
            return {"columns": [], "rows": [], "ms": 0.0, "nodes": [], "failure": outcome.message}
        try:
            nodes = sorted(provenance_nodes(query, graph, timeout=self._timeout))
        except EngineUnavailable:
            raise
        except (CypherSyntaxError, EngineError):
            nodes = []
        return {
            "columns": outcome.table.columns,
            "rows": outcome.table.rows,
            "ms": outcome.table.elapsed_ms,
            "nodes": nodes,
            "failure": "",
        }
