"""The events of a trace: each a tool call of a client, or a step of an agent, as one line of JSON.

    {"kind": "tool_call", "time": "2026-11-22T11:03:47.120Z", "session": "5f1c02aa", "client": "claude-ai 1.0",
     "name": "execute_cypher", "arguments": {"query": "…"}, "answer": {"columns": […], "rows": […]}, "failed": false,
     "seconds": 0.0031, "tokens_in": 24, "tokens_out": 118}

Steps of an agent have `input` and `output` for `arguments` and `answer`. Other fields are allowed, and no line is
refused. A trace is a file of such lines, which can be read while it grows.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from graphground.server.settings import SettingsError

TOOL_CALL, UNREADABLE = "tool_call", "unreadable"
RUNNING, END = "running", "end"
"""The kinds of two special events: a call that is still running, never written to a file;
and the end of a full file."""
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("kind", "time", "session", "client", "name"), str),
    **dict.fromkeys(("arguments", "answer"), object),
    "failed": bool,
    **dict.fromkeys(("seconds", "tokens_in", "tokens_out"), (int, float)),
}
"""The fields of an event with their types."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event: `Event("tool_call", name="list_graphs", seconds=0.002)`; `more` holds the other fields of its line."""

    kind: str = TOOL_CALL
    time: str = ""
    """The time at which the call was answered, or at which a running call began, as ISO 8601 text in UTC."""
    session: str = ""
    client: str = ""
    name: str = ""
    arguments: Any = None
    answer: Any = None
    failed: bool = False
    seconds: float | None = None
    tokens_in: int | None = None
    """The estimated number of tokens of the arguments."""
    tokens_out: int | None = None
    """The estimated number of tokens of the answer's text."""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def diagnostics(self) -> list[Mapping[str, Any]]:
        """The diagnostics in the answer."""
        found = self.answer.get("diagnostics") if isinstance(self.answer, Mapping) else None
        return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []

    @property
    def query(self) -> str:
        """The Cypher query in the arguments, or an empty string if there is none."""
        found = self.arguments.get("query") if isinstance(self.arguments, Mapping) else None
        return found if isinstance(found, str) else ""

    def as_dict(self) -> dict[str, Any]:
        """Return the event as the fields of its line, without empty fields."""
        values = {name: getattr(self, name) for name in _TYPES}
        fields = {
            name: value for name, value in values.items() if value is not None and value != "" and value is not False
        }
        return {**fields, **self.more}

    def as_line(self) -> bytes:
        """Return the event as a line of JSON, with the line break."""
        return orjson.dumps(self.as_dict(), default=str, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE)


def event_in(line: bytes | str) -> Event:
    """Parse a line of a trace; a line that is not a JSON object becomes an event with the line's text.

    >>> event_in('{"kind": "model", "name": "generator", "input": "Who directed Heat?"}').arguments
    'Who directed Heat?'
    """
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        record = None
    if not isinstance(record, dict):
        text = line.decode(errors="replace") if isinstance(line, bytes) else line
        return Event(UNREADABLE, answer=text.strip())
    return event_of(record)


def event_of(record: Mapping[str, Any]) -> Event:
    """Convert a record of any program to an event; fields with an unexpected type are kept in `more`."""
    renamed = {{"input": "arguments", "output": "answer"}.get(key, key): value for key, value in record.items()}
    fields: dict[str, Any] = {"kind": "unknown"} | {
        key: value
        for key, value in renamed.items()
        if key in _TYPES and isinstance(value, _TYPES[key]) and (value is not True or _TYPES[key] in (bool, object))
    }
    return Event(**fields, more={key: value for key, value in renamed.items() if key not in fields})


LONGEST_LINE = 16_000_000
MOST_FILE_BYTES = 1_000_000_000
"""The largest size of a recorded file in bytes, including the final line, which states the limit."""
LONGEST_MARK = 400
"""The number of bytes kept free for the final line of a full file."""
POLL_SECONDS = 0.2


class TraceFile:
    """A trace file that only its owner can read: `TraceFile(Path("calls.jsonl")).append(event.as_line())`.

    Each line is one write to a file opened for appending, so several processes can share it.
    """

    def __init__(self, path: Path, most_bytes: int = MOST_FILE_BYTES) -> None:
        """Open or create the file, which may grow to `most_bytes`.

        Raises:
            SettingsError: the file cannot be written or made private, is not a regular file, or is full.
        """
        self._most_bytes = most_bytes
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            self._descriptor = os.open(path, flags, 0o600)
        except OSError as error:
            raise SettingsError(f"--record {path}: {error.strerror or error}") from None
        found, problem = os.fstat(self._descriptor), ""
        if not stat.S_ISREG(found.st_mode) or _is_stdout(found):
            problem = "it is not a regular file"
        elif _has_ended(path, found.st_size):
            problem = "it is full; move it, or name another file"
        elif hasattr(os, "fchmod") and stat.S_IMODE(found.st_mode) & 0o077:
            try:
                os.fchmod(self._descriptor, 0o600)
            except OSError as error:
                problem = f"other users can read it, and its mode cannot be changed: {error.strerror or error}"
        if problem:
            os.close(self._descriptor)
            raise SettingsError(f"--record {path}: {problem}")

    def append(self, line: bytes) -> None:
        """Write one line.

        Raises:
            OSError: the line cannot be written, for example because the disk is full, or the file has reached its
                limit.
        """
        if os.fstat(self._descriptor).st_size + len(line) > self._most_bytes - LONGEST_MARK:
            sentence = f"the file has reached its limit of {self._most_bytes:,} bytes; further calls are not recorded"
            now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self._write(Event(END, now, name="end of the recording", answer=sentence).as_line())
            raise OSError(errno.EFBIG, sentence)
        self._write(line)

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _has_ended(path: Path, size: int) -> bool:
    with path.open("rb") as file:
        file.seek(max(0, size - LONGEST_MARK))
        *_, last = file.read(LONGEST_MARK).splitlines() or [b""]
    return event_in(last).kind == END


def _is_stdout(found: os.stat_result) -> bool:
    """Whether a file is this process's stdout, which belongs to the protocol."""
    try:
        return os.path.samestat(found, os.fstat(1))
    except OSError:
        return False


def read_events(path: Path) -> Iterator[Event]:
    """Yield the events of a file in order, without empty lines; an overlong line becomes an event that reports it."""
    with path.open("rb") as file:
        while line := file.readline(LONGEST_LINE):
            if not line.endswith(b"\n") and len(line) >= LONGEST_LINE:
                while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    pass
                yield Event(UNREADABLE, answer=f"a line of more than {LONGEST_LINE:,} bytes")
            elif line.strip():
                yield event_in(line)


def follow_events(path: Path, stopped: Callable[[], bool], poll: float = POLL_SECONDS) -> Iterator[Event]:
    """Yield the events of a file, then new events, until `stopped()`; the file may be created or replaced meanwhile.

    `poll` is the pause between reads, in seconds.
    """
    position, rest, identity = 0, b"", None
    while not stopped():
        try:
            with path.open("rb") as file:
                found = os.fstat(file.fileno())
                if (found.st_dev, found.st_ino) != identity or found.st_size < position:
                    position, rest, identity = 0, b"", (found.st_dev, found.st_ino)
                file.seek(position)
                data = file.read(LONGEST_LINE)
        except FileNotFoundError:
            data = b""
        position += len(data)
        *lines, rest = (rest + data).split(b"\n")
        if len(rest) > LONGEST_LINE:
            rest = b""
        for line in lines:
            if line.strip():
                yield event_in(line)
        if not data:
            time.sleep(poll)
