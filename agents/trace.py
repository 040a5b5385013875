"""The trace of a run: one line of JSON for every model call, tool call, state of the loop and prediction.

    {"kind": "model", "time": "2026-11-22T11:01:47.120Z", "session": "nba-1", "name": "generator", "input": [...],
     "output": "MATCH …", "tokens": 876, "tokens_in": 812, "tokens_out": 64, "seconds": 1.2035, …}
    {"kind": "tool", …, "name": "execute_cypher", "arguments": {…}, "answer": "…", "failed": false}
    {"kind": "state", …, "name": "evaluate", "input": "round 1", "output": "incorrect"}
    {"kind": "prediction", …, "name": "loop", "input": {"question": …}, "output": {"cypher": …}}

A session is one question. Keys of models never reach a trace. `graphground trace show` prints a trace.
"""

from __future__ import annotations

import json
import threading
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


def shortened(text: str, limit: int = SHOWN) -> str:
    """Return the text, cut after `limit` characters with a note on its full length."""
    return text if len(text) <= limit else f"{text[:limit]}… (of {len(text):,} characters)"
