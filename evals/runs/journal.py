"""An append-only file of JSON lines that survives a kill: every record is on disk before the next step."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any


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
