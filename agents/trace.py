"""The trace of a run: one line of JSON for every model call, tool call, state of the loop and prediction.

    {"kind": "model", "time": "2026-11-22T11:01:47.120Z", "session": "nba-1", "name": "generator", "input": [...],
     "output": "MATCH …", "tokens": 876, "tokens_in": 812, "tokens_out": 64, "seconds": 1.2035, …}
    {"kind": "tool", …, "name": "execute_cypher", "arguments": {…}, "answer": "…", "failed": false}
    {"kind": "state", …, "name": "evaluate", "input": "round 1", "output": "incorrect"}
    {"kind": "prediction", …, "name": "loop", "input": {"question": …}, "output": {"cypher": …}}

A session is one question. Keys of models never reach a trace.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SHOWN = 12_000
"""The maximum number of characters of a message to the model or of a tool's answer in a trace."""
Line = dict[str, Any]


class Trace:
    """A trace in memory and, with a path, in a file: `Trace(path).write("tool", "nba-1", "get_schema", answer="…")`."""

    def __init__(self, path: Path | None = None) -> None:
        self.lines: list[Line] = []
        self._path, self._lock = path, threading.Lock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, kind: str, session: str, name: str, seconds: float = 0.0, **fields: Any) -> None:
        """Append a line to the trace, and to the trace's file if a path was given."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"kind": kind, "time": now, "session": session, "name": name, **fields}
        line["seconds"] = round(seconds, 4)
        with self._lock:
            self.lines.append(line)
            if self._path is not None:
                with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")


def read_trace(path: Path) -> Iterator[Line]:
    """Yield the lines of a trace file that are JSON objects; a line cut off by an interruption is skipped."""
    with path.open(encoding="utf-8") as file:
        for text in file:
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if isinstance(line, dict):
                yield line


def shortened(text: str, limit: int = SHOWN) -> str:
    """Return the text, cut after `limit` characters with a note on its full length."""
    return text if len(text) <= limit else f"{text[:limit]}… (of {len(text):,} characters)"


def figures(lines: Iterator[Line] | list[Line]) -> dict[str, Any]:
    """Return the figures of a run, computed from its trace: questions, calls, tokens, cost, rounds, grades, seconds.

        >>> figures([{"kind": "tool", "session": "1", "name": "get_schema", "seconds": 0.004}])["tools"]
        {'get_schema': {'calls': 1, 'failed': 0, 'seconds': 0.004}}

    Only the last prediction of a question counts, because a resumed run asks again after an error.
    """
    last: dict[str, Line] = {}
    models: dict[str, dict[str, Any]] = {}
    tools: dict[str, dict[str, Any]] = {}
    for line in lines:
        spent = {"calls": 1, "failed": bool(line.get("failed")), "seconds": float(line.get("seconds") or 0)}
        if line["kind"] == "prediction":
            last[line["session"]] = line
        elif line["kind"] == "tool":
            _add(tools.setdefault(line["name"], {}), spent)
        elif line["kind"] == "model":
            cost = 0.0 if line.get("cached") else line.get("cost_usd") or 0.0
            spent |= {"cached": bool(line.get("cached")), "cost_usd": cost}
            spent |= {"input_tokens": line.get("tokens_in", 0), "output_tokens": line.get("tokens_out", 0)}
            _add(models.setdefault(line["name"], {}), spent)
    outcomes = [line["output"] for line in last.values()]
    return {
        "questions": len(outcomes),
        "with_query": sum(bool(outcome.get("cypher")) for outcome in outcomes),
        "errors": sum(bool(outcome.get("error")) for outcome in outcomes),
        "accepted": sum(outcome.get("grade") == "accept" for outcome in outcomes),
        **{
            name: dict(sorted(Counter(str(outcome[name]) for outcome in outcomes if outcome.get(name)).items()))
            for name in ("rounds", "stopped")
        },
        "input_tokens": sum(role["input_tokens"] for role in models.values()),
        "output_tokens": sum(role["output_tokens"] for role in models.values()),
        "tokens_estimated": any(line.get("tokens_estimated") for line in last.values()),
        "cost_usd": round(sum(role["cost_usd"] for role in models.values()), 6),
        "models": models,
        "tools": tools,
    }


def _add(sums: dict[str, Any], more: dict[str, Any]) -> None:
    for name, value in more.items():
        sums[name] = round(sums.get(name, 0) + value, 6)
