"""The recorder: keeps the latest tool calls of clients in memory and, if requested, appends them to a file.

A call only puts its data into a queue. A separate thread removes secrets, estimates tokens and writes JSON.
"""

from __future__ import annotations

import logging
import queue
import secrets as secrets_module
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from graphground.graphs.schemas.token_count import estimate_tokens
from graphground.server.traces.event import RUNNING, Event
from graphground.server.traces.file import TraceFile, follow_events
from graphground.server.traces.redaction import Redactor

MOST_EVENTS, MOST_BYTES = 2_000, 32_000_000
"""The maximum number of events and bytes kept in memory; the oldest events are dropped first."""
MOST_WAITING, MOST_WAITING_BYTES = 1_000, 64_000_000
"""The maximum number of calls that wait for the recorder's thread, and of bytes in their answers; more are dropped."""
MOST_ANSWER_BYTES = 200_000
"""The maximum number of bytes of an answer recorded whole; a larger one is cut to some rows or characters."""
COUNTED_CHARACTERS = 20_000
"""The maximum number of characters from which tokens are estimated; for a longer text, the estimate is extrapolated."""
CLOSING_SECONDS = 5.0
SHOWN_AFTER_SECONDS, MOST_RUNNING = 0.3, 200
"""The seconds after which a call is shown as running, and the maximum number of running calls that are shown."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """The client of a call: `Caller("5f1c02aa", "claude-ai 1.0")`; `session` is a label, not the session's id."""

    session: str
    client: str = ""


@dataclass(frozen=True, slots=True)
class _Recorded:
    """The data of one call, before redaction and token estimates."""

    time: datetime
    caller: Caller
    name: str
    arguments: bytes
    text: str
    answer: Any
    size: int
    failed: bool
    seconds: float


class Recorder:
    """A recorder of tool calls: `recorder.record(caller, "list_graphs", {}, text, answer, seconds=0.002)`."""

    def __init__(
        self,
        file: TraceFile | None = None,
        secrets: Sequence[str] = (),
        most_events: int = MOST_EVENTS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Record to memory and to `file`, if given; the `secrets` of the settings are left out wherever they occur."""
        self._file, self._secrets = file, tuple(secrets)
        self._most_events, self._most_bytes = most_events, most_bytes
        self._lines: deque[bytes] = deque()
        self._running: dict[object, tuple[datetime, Caller, str, Mapping[str, Any]]] = {}
        self._bytes = self._last = self._waiting_bytes = self.dropped = 0
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []
        self._waiting: queue.Queue[_Recorded | None] = queue.Queue(MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self.label = secrets_module.token_hex(4)
        """A random name, which distinguishes this recorder's event numbers from those of other processes."""

    @contextmanager
    def running(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> Iterator[None]:
        """Show a call as running during the block, if the block takes longer than `SHOWN_AFTER_SECONDS`."""
        start, key = datetime.now(UTC), object()
        with self._lock:
            self._running[key] = start, caller, name, arguments
        try:
            yield
        finally:
            with self._lock:
                del self._running[key]

    def running_lines(self) -> list[bytes]:
        """Return the calls that are shown as running, oldest first, as lines of events without answers and secrets."""
        now = datetime.now(UTC)
        with self._lock:
            running = list(self._running.values())
        lines = []
        for start, caller, name, arguments in running[:MOST_RUNNING]:
            if (now - start).total_seconds() < SHOWN_AFTER_SECONDS:
                continue
            redactor = Redactor(self._secrets)
            values = orjson.loads(orjson.dumps(arguments, default=str, option=orjson.OPT_NON_STR_KEYS))
            event = Event(
                RUNNING,
                start.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                caller.session,
                redactor.text(caller.client),
                redactor.text(name),
                redactor.arguments(values),
            )
            lines.append(event.as_line())
        return lines

    def record(
        self,
        caller: Caller,
        name: str,
        arguments: Mapping[str, Any],
        text: str,
        answer: Any,
        *,
        seconds: float,
        failed: bool = False,
        size: int | None = None,
    ) -> None:
        """Queue a finished call for recording, or drop it if too many calls wait; never raise and never wait.

        `size` is the number of bytes of the answer as JSON; by default, the length of `text`.
        """
        now, length = datetime.now(UTC), len(text) if size is None else size
        with self._lock:
            if self._waiting_bytes + length > MOST_WAITING_BYTES:
                self.dropped += 1
                return
            self._waiting_bytes += length
        try:
            encoded = orjson.dumps(arguments, default=str, option=orjson.OPT_NON_STR_KEYS)
            self._waiting.put_nowait(_Recorded(now, caller, name, encoded, text, answer, length, failed, seconds))
        except (queue.Full, TypeError):  # a TypeError: text that is not valid Unicode
            with self._lock:
                self.dropped += 1
                self._waiting_bytes -= length
            return
        if self._thread is None:
            self._start()

    def lines(self, after: int = 0) -> tuple[int, list[bytes]]:
        """Return the number of the last event, counted from 1, and the lines of the kept events after event `after`."""
        with self._lock:
            count = min(len(self._lines), max(0, self._last - after))
            return self._last, list(self._lines)[len(self._lines) - count :]

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each event, in the thread that adds it; return a function that removes the listener."""
        with self._lock:
            self._listeners.append(listener)

        def end() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return end

    def watch(self, path: Path) -> None:
        """Add the events of a trace file, including events appended to the file later, until the recorder is closed."""

        def work() -> None:
            try:
                for event in follow_events(path, self._closed.is_set):
                    self._keep(without_secrets(event, self._secrets).as_line(), to_file=False)
            except OSError as error:
                logger.warning("the trace %s cannot be read: %s", path, error.strerror or error)

        threading.Thread(target=work, name="graphground-watcher", daemon=True).start()

    def settle(self) -> None:
        """Wait until every call queued so far is recorded."""
        if self._thread is not None:
            self._waiting.join()

    def close(self) -> None:
        """Record the calls in the queue, for at most `CLOSING_SECONDS`, and close the file."""
        self._closed.set()
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None and thread.is_alive():
            self._waiting.put(None)
            thread.join(CLOSING_SECONDS)
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="graphground-recorder", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            call = self._waiting.get()
            try:
                if call is None:
                    return
                self._keep(event_of_call(call, self._secrets).as_line())
            except Exception:
                logger.warning("a call could not be recorded", exc_info=True)
            finally:
                if call is not None:
                    with self._lock:
                        self._waiting_bytes -= call.size
                self._waiting.task_done()

    def _keep(self, line: bytes, to_file: bool = True) -> None:
        with self._lock:
            self._lines.append(line)
            self._last += 1
            self._bytes += len(line)
            while len(self._lines) > self._most_events or (self._bytes > self._most_bytes and len(self._lines) > 1):
                self._bytes -= len(self._lines.popleft())
            listeners = list(self._listeners)
        if self._file is not None and to_file:
            try:
                self._file.append(line)
            except OSError as error:
                logger.warning("recording has stopped: the trace cannot be written: %s", error.strerror or error)
                self._file = None
        for listener in listeners:
            listener()


def event_of_call(call: _Recorded, secrets: Sequence[str] = ()) -> Event:
    """Convert a recorded call to an event without secrets."""
    redactor = Redactor(secrets)
    values = orjson.loads(call.arguments)
    arguments = redactor.arguments(values)
    query = values.get("query") if isinstance(values, dict) else None
    answer, cut = shortened(call.answer, call.text, call.size)
    return Event(
        time=call.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        session=call.caller.session,
        client=redactor.text(call.caller.client),
        name=redactor.text(call.name),
        arguments=arguments,
        answer=redactor.answer(answer, query if isinstance(query, str) else ""),
        failed=call.failed,
        seconds=round(call.seconds, 6),
        tokens_in=counted_tokens(call.arguments[: COUNTED_CHARACTERS + 1].decode(errors="ignore"), len(call.arguments)),
        tokens_out=counted_tokens(call.text, len(call.text)),
        more={"bytes": call.size, "cut": True} if cut else {},
    )


def without_secrets(event: Event, secrets: Sequence[str] = ()) -> Event:
    """Return a copy, without secrets, of an event from another program's trace."""
    redactor = Redactor(secrets)
    arguments = redactor.arguments(event.arguments)
    return replace(
        event,
        client=redactor.text(event.client),
        name=redactor.text(event.name),
        arguments=arguments,
        answer=redactor.answer(event.answer, event.query),
        more=redactor.answer(event.more),
    )


def counted_tokens(text: str, length: int) -> int:
    """Estimate the tokens of a text of `length` characters, of which `text` may be only the beginning."""
    if length <= COUNTED_CHARACTERS:
        return estimate_tokens(text)
    return round(estimate_tokens(text[:COUNTED_CHARACTERS]) * length / COUNTED_CHARACTERS)


def shortened(answer: Any, text: str, size: int) -> tuple[Any, bool]:
    """Return the answer, shortened if it is larger than `MOST_ANSWER_BYTES`, and whether it was shortened."""
    if size <= MOST_ANSWER_BYTES:
        return answer, False
    if isinstance(answer, Mapping) and isinstance(answer.get("rows"), list) and len(answer["rows"]) > 1:
        rows = answer["rows"]
        while len(rows) > 1 and size > MOST_ANSWER_BYTES:
            rows = rows[: max(1, int(len(rows) * 0.9 * MOST_ANSWER_BYTES / size))]
            size = len(orjson.dumps(rows, default=str, option=orjson.OPT_NON_STR_KEYS))
        if size <= MOST_ANSWER_BYTES:
            return {**answer, "rows": rows}, True
    return text[:MOST_ANSWER_BYTES], True
