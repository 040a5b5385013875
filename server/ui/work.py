"""The data of the view of calls: recorded tool calls as server-sent events, and a session as a file to download."""

from __future__ import annotations

from collections.abc import AsyncIterator

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from graphground.server.traces.event import event_in
from graphground.server.traces.recorder import Recorder
from graphground.server.traces.transcript import transcript
from graphground.server.ui.answers import arguments_in, of_value

ALIVE_SECONDS = 15.0
"""Seconds between the comments that are sent to detect a disconnected browser."""
POLL_SECONDS = 0.1
MOST_STREAMS = 32


class Work:
    """The handlers of the view of calls: `Work(recorder).events`."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._streams = recorder, 0

    async def events(self, request: Request) -> Response:
        """Handle `GET /ui/api/work?after=N&of=RECORDER`: send the events after number N, then each new event.

        `of` is the recorder's label that the page has received before; for another label, N is ignored.
        """
        if self._streams >= MOST_STREAMS:
            return Response("too many pages are open", status_code=503)
        number = request.query_params.get("after", "0")
        known = request.query_params.get("of") == self._recorder.label
        after = int(number) if known and number.isdecimal() else 0
        return StreamingResponse(self._stream(after), media_type="text/event-stream")

    async def _stream(self, after: int) -> AsyncIterator[bytes]:
        self._streams += 1
        try:
            yield b"event: recorder\ndata: " + self._recorder.label.encode() + b"\n\n"
            quiet, running = 0.0, b"[]"
            while True:
                now_running = b"[" + b",".join(line.rstrip(b"\n") for line in self._recorder.running_lines()) + b"]"
                if now_running != running:
                    yield b"event: running\ndata: " + now_running + b"\n\n"
                    running, quiet = now_running, 0.0
                last, lines = self._recorder.lines(after)
                if lines:
                    first = last - len(lines) + 1
                    yield b"".join(b"id: %d\ndata: %s\n" % (first + place, line) for place, line in enumerate(lines))
                    after, quiet = last, 0.0
                elif quiet >= ALIVE_SECONDS:
                    yield b": alive\n\n"
                    quiet = 0.0
                await anyio.sleep(POLL_SECONDS)
                quiet += POLL_SECONDS
        finally:
            self._streams -= 1

    async def export(self, request: Request) -> Response:
        """Handle `POST /ui/api/export` with `{"session": …, "form": "jsonl"}`: return a session as the text of a file.

        `form` is `jsonl` or `markdown`. Without `session`, the file contains all sessions.
        """
        arguments = await arguments_in(request)
        session, form = arguments.get("session"), arguments.get("form")

        def work() -> str:
            events = [event_in(line) for line in self._recorder.lines()[1]]
            chosen = [event for event in events if session is None or event.session == session]
            if form == "markdown":
                return transcript(chosen)
            return b"".join(event.as_line() for event in chosen).decode()

        return of_value({"text": await anyio.to_thread.run_sync(work)})
