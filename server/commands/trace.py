"""Show the tool calls that `serve --record FILE` has recorded, or a trace of an agent."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from graphground.server.commands.command_line import WrongUse, command

if TYPE_CHECKING:
    from graphground.server.traces.event import Event


@command("show")
def show(parsed: argparse.Namespace) -> int:
    """Print the events of a trace.

    FILE                      A trace: JSON Lines.
    --form (lines|markdown|jsonl)  Print a line per event, a transcript, or the events as JSON (default: lines).
    --session SESSION         Only the events of this session.
    --tool NAME               Only calls of this tool, or steps of this role.
    --failed                  Only calls that failed.
    --follow                  Also print events that are appended later, until interrupted.
    """
    from graphground.server.traces.event import follow_events, read_events
    from graphground.server.traces.transcript import transcript

    if parsed.follow and parsed.form == "markdown":
        raise WrongUse("--follow prints lines or jsonl, since a transcript begins with a summary")
    check(parsed.file)
    events = follow_events(parsed.file, lambda: False) if parsed.follow else read_events(parsed.file)
    selected = chosen(events, parsed)
    if parsed.form == "markdown":
        sys.stdout.write(transcript(selected))
        return 0
    for event in selected:
        sys.stdout.write(event.as_line().decode() if parsed.form == "jsonl" else f"{line_of(event)}\n")
        if parsed.follow:
            sys.stdout.flush()
    return 0


def chosen(events: Iterable[Event], parsed: argparse.Namespace) -> Iterator[Event]:
    """Yield the events of the session, the tool and the outcome that the options select."""
    for event in events:
        if (
            (parsed.session is None or event.session == parsed.session)
            and (parsed.tool is None or event.name == parsed.tool)
            and (event.failed or not parsed.failed)
        ):
            yield event


def line_of(event: Event) -> str:
    """Return an event as a line: `11:03:47.120 5f1c02aa execute_cypher ok 3.1 ms 24+118 tokens MATCH (m:Movie) …`."""
    from graphground.server.traces.transcript import visible

    time = event.time.partition("T")[2].rstrip("Z") or event.time
    spent = "" if event.seconds is None else f"{event.seconds * 1000:.1f} ms"
    tokens = "" if event.tokens_out is None else f"{event.tokens_in or 0}+{event.tokens_out} tokens"
    request = event.query or ("" if event.arguments is None else str(event.arguments))
    parts = (time, event.session, event.name or event.kind, "failed" if event.failed else "ok", spent, tokens)
    shown = [visible(part, 60) for part in parts if part]
    return " ".join([*shown, visible(" ".join(request.split()), 100)]).rstrip()


def check(file: Path) -> None:
    """Refuse a file that does not exist.

    Raises:
        WrongUse: there is no such file, or it is a folder.
    """
    if not file.is_file():
        raise WrongUse(f"there is no file {file}; `graphground serve --record {file}` creates it")
