"""The recorder: keeps the latest tool calls of clients in memory and, if requested, appends them to a file.

A call only puts its data, cut to a bounded size, into a queue. A separate thread removes secrets, estimates tokens and
writes JSON.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import secrets as secrets_module
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from graphground.graphs.schemas.forms import estimate_tokens
from graphground.server.threads import caller_of, token_client
from graphground.server.traces.event import RUNNING, TOOL_CALL, Event, TraceFile, follow_events
from graphground.server.traces.redaction import Redactor

if TYPE_CHECKING:
    from graphground.server.application import Outcome

MAX_EVENTS, MAX_BYTES = 2_000, 32_000_000
"""The maximum number of events and bytes kept in memory; the oldest events are dropped first."""
MAX_WAITING_CALLS, MAX_WAITING_BYTES = 1_000, 64_000_000
"""The maximum number of calls that wait for the recorder's thread, and of bytes in them; more are dropped."""
MAX_ANSWER_BYTES = 200_000
"""The maximum number of bytes of an answer recorded whole; a larger one is cut to some rows or characters."""
MAX_ARGUMENT_BYTES = 100_000
"""The maximum size of recorded arguments; the rest is cut."""
COUNTED_CHARACTERS = 20_000
"""The maximum number of characters from which tokens are estimated; for a longer text, the estimate is extrapolated."""
CLOSING_SECONDS = 5.0
SHOWN_AFTER_SECONDS, MAX_RUNNING = 0.3, 200
"""The seconds after which a call is shown as running, and the maximum number of running calls that are shown."""
MAX_NAME_CHARACTERS = 100
CUT = "… (cut)"
_SALT = secrets_module.token_bytes(16)
"""A random key, new in each process, that turns session ids into labels; an id would give access to a session."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Caller:
    """The client of a call: `Caller("5f1c02aa", "claude-ai 1.0")`; `session` is a label, not the session's id."""

    session: str
    client: str = ""
    owner: str = ""
    """The client that the call's token names; only this client and an operator see the call on the page."""


def read_caller(context: Any) -> Caller:
    """Return the caller of an MCP request; `client` is the client's own statement."""
    request = context.request
    session = "" if request is None else request.headers.get("mcp-session-id", "")
    label = hashlib.blake2b(f"{session} {caller_of(request)}".encode(), key=_SALT, digest_size=4).hexdigest()
    owner = "" if request is None else token_client(request)
    parameters = context.session.client_params
    if parameters is None:
        return Caller(label, owner=owner)
    client = parameters.client_info
    return Caller(label, f"{client.name} {client.version}".strip()[:MAX_NAME_CHARACTERS], owner)


@dataclass(slots=True)
class _Call:
    """A call before redaction and token estimates; `outcome` is None while it runs.

    `line` is written by the recorder's thread once a running call is to be shown.
    """

    time: datetime
    caller: Caller
    name: str
    arguments: bytes
    outcome: Outcome | None = None
    seconds: float = 0.0
    line: bytes = b""
    queued: bool = False

    @property
    def waiting_bytes(self) -> int:
        return 0 if self.outcome is None else len(self.outcome.payload) + len(self.arguments)


class Recorder:
    """A recorder of tool calls: `recorder.record(caller, "list_graphs", {}, outcome, 0.002)`."""

    def __init__(
        self,
        file: TraceFile | None = None,
        secrets: Sequence[str] = (),
        max_events: int = MAX_EVENTS,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """Record to memory and to `file`, if given; the `secrets` of the settings are left out wherever they occur."""
        self._file, self._secrets = file, tuple(secrets)
        self._max_events, self._max_bytes = max_events, max_bytes
        self._lines: deque[tuple[int, str, bytes]] = deque()
        self._running: dict[int, _Call] = {}
        self._bytes = self._last = self._waiting_bytes = self.dropped = 0
        self._lock = threading.Lock()
        self._waiting: queue.Queue[_Call | None] = queue.Queue(MAX_WAITING_CALLS)
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self.label = secrets_module.token_hex(4)
        """A random name, which distinguishes this recorder's event numbers from those of other processes."""

    @contextmanager
    def running(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> Iterator[None]:
        """Show a call as running during the block, if the block takes longer than `SHOWN_AFTER_SECONDS`."""
        call = _Call(datetime.now(UTC), caller, name, encode_arguments(arguments))
        with self._lock:
            self._running[id(call)] = call
        try:
            yield
        finally:
            with self._lock:
                del self._running[id(call)]

    def running_lines(self, owner: str | None = None) -> list[bytes]:
        """Return the calls that are shown as running, oldest first, as lines of events without answers and secrets.

        Each line is written once, by the recorder's thread; until then its call is not in the list.
        """
        now, lines = datetime.now(UTC), []
        with self._lock:
            shown = [call for call in self._running.values() if owner is None or call.caller.owner == owner]
        for call in shown[:MAX_RUNNING]:
            if call.line:
                lines.append(call.line)
            elif not call.queued and (now - call.time).total_seconds() >= SHOWN_AFTER_SECONDS:
                call.queued = self._queue(call)
        return lines

    def record(self, caller: Caller, name: str, arguments: Mapping[str, Any], outcome: Outcome, seconds: float) -> None:
        """Queue a finished call for recording, or drop it if too many calls wait; never raise and never wait."""
        if not self._queue(_Call(datetime.now(UTC), caller, name, encode_arguments(arguments), outcome, seconds)):
            with self._lock:
                self.dropped += 1

    def lines(
        self, after: int = 0, owner: str | None = None, max_bytes: int = MAX_BYTES
    ) -> tuple[int, list[tuple[int, bytes]]]:
        """Return the number up to which events were looked at, and the lines of those after `after` with their numbers.

        Numbers count from 1. With `owner`, only the lines of that client's calls are returned. After about `max_bytes`,
        the next call, with the returned number, continues.
        """
        with self._lock:
            count = min(len(self._lines), max(0, self._last - after))
            kept = list(self._lines)[len(self._lines) - count :] if count else []
        found: list[tuple[int, bytes]] = []
        for number, caller, line in kept:
            after = number
            if owner is None or caller == owner:
                found.append((number, line))
                max_bytes -= len(line)
                if max_bytes <= 0:
                    break
        return (after if kept else self._last), found

    def watch(self, path: Path) -> None:
        """Add the events of a trace file, including events appended to the file later, until the recorder is closed."""

        def work() -> None:
            try:
                for event in follow_events(path, self._closed.is_set):
                    self._keep(remove_secrets(event, self._secrets).as_line(), to_file=False)
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

    def _queue(self, call: _Call) -> bool:
        """Put a call into the queue and start the thread if necessary; return False if too many calls wait."""
        with self._lock:
            if self._waiting_bytes + call.waiting_bytes > MAX_WAITING_BYTES:
                return False
            try:
                self._waiting.put_nowait(call)
            except queue.Full:
                return False
            self._waiting_bytes += call.waiting_bytes
            if self._thread is None and not self._closed.is_set():
                self._thread = threading.Thread(target=self._work, name="graphground-recorder", daemon=True)
                self._thread.start()
        return True

    def _work(self) -> None:
        while True:
            call = self._waiting.get()
            try:
                if call is None:
                    return
                line = make_event(call, self._secrets).as_line()
                if call.outcome is None:
                    call.line = line
                else:
                    self._keep(line, call.caller.owner)
            except Exception:
                with self._lock:
                    self.dropped += 1
                logger.warning("a call could not be recorded", exc_info=True)
            finally:
                if call is not None:
                    with self._lock:
                        self._waiting_bytes -= call.waiting_bytes
                self._waiting.task_done()

    def _keep(self, line: bytes, owner: str = "", to_file: bool = True) -> None:
        with self._lock:
            self._last += 1
            self._lines.append((self._last, owner, line))
            self._bytes += len(line)
            while len(self._lines) > self._max_events or (self._bytes > self._max_bytes and len(self._lines) > 1):
                self._bytes -= len(self._lines.popleft()[2])
        if self._file is not None and to_file:
            try:
                self._file.append(line)
            except OSError as error:
                logger.warning("recording has stopped: the trace cannot be written: %s", error.strerror or error)
                self._file = None


def make_event(call: _Call, secrets: Sequence[str] = ()) -> Event:
    """Convert a call to an event without secrets."""
    redactor = Redactor(secrets)
    values = orjson.loads(call.arguments)
    arguments = redactor.redact(values)
    event = Event(
        RUNNING,
        call.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        call.caller.session,
        redactor.redact(call.caller.client),
        redactor.redact(call.name[:MAX_NAME_CHARACTERS]),
        arguments,
    )
    outcome = call.outcome
    if outcome is None:
        return event
    query = values.get("query") or values.get(CUT) if isinstance(values, Mapping) else None
    answer, cut = cut_answer(orjson.loads(outcome.payload), outcome.text, len(outcome.payload))
    given = call.arguments
    return replace(
        event,
        kind=TOOL_CALL,
        answer=redactor.redact_answer(answer, query if isinstance(query, str) else ""),
        failed=outcome.is_error,
        seconds=round(call.seconds, 6),
        tokens_in=count_tokens(given[: COUNTED_CHARACTERS + 1].decode(errors="ignore"), len(given)),
        tokens_out=count_tokens(outcome.text, len(outcome.text)),
        more={"bytes": len(outcome.payload), "cut": True} if cut else {},
    )


def remove_secrets(event: Event, secrets: Sequence[str] = ()) -> Event:
    """Return a copy, without secrets, of an event from another program's trace."""
    redactor = Redactor(secrets)
    arguments = redactor.redact(orjson.loads(encode_arguments(event.arguments)))
    return replace(
        event,
        client=redactor.redact(event.client),
        name=redactor.redact(event.name),
        arguments=arguments,
        answer=redactor.redact_answer(event.answer, event.query),
        more=redactor.redact_answer(event.more),
    )


def count_tokens(text: str, length: int) -> int:
    """Estimate the tokens of a text of `length` characters, of which `text` may be only the beginning."""
    if length <= COUNTED_CHARACTERS:
        return estimate_tokens(text)
    return round(estimate_tokens(text[:COUNTED_CHARACTERS]) * length / COUNTED_CHARACTERS)


def encode_arguments(arguments: Any) -> bytes:
    """Return the arguments as JSON; of long arguments, the beginning of their JSON as a text.

    >>> encode_arguments({"query": "RETURN 1"})
    b'{"query":"RETURN 1"}'
    """
    try:
        encoded = orjson.dumps(arguments, default=str, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # text that is not valid Unicode, or too deep
        return orjson.dumps({CUT: "not recorded: nested too deeply, or text that is not Unicode"})
    if len(encoded) <= MAX_ARGUMENT_BYTES:
        return encoded
    return orjson.dumps({CUT: encoded[:MAX_ARGUMENT_BYTES].decode(errors="ignore")})


def cut_answer(answer: Any, text: str, size: int) -> tuple[Any, bool]:
    """Return the answer, cut if it is larger than `MAX_ANSWER_BYTES`, and whether it was cut."""
    if size <= MAX_ANSWER_BYTES:
        return answer, False
    if isinstance(answer, Mapping) and isinstance(answer.get("rows"), list) and len(answer["rows"]) > 1:
        rows = answer["rows"]
        while len(rows) > 1 and size > MAX_ANSWER_BYTES:
            rows = rows[: max(1, int(len(rows) * 0.9 * MAX_ANSWER_BYTES / size))]
            size = len(orjson.dumps(rows, default=str, option=orjson.OPT_NON_STR_KEYS))
        if size <= MAX_ANSWER_BYTES:
            return {**answer, "rows": rows}, True
    return text[:MAX_ANSWER_BYTES], True
