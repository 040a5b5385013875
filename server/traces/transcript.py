"""Writes recorded tool calls and their answers as a Markdown transcript.

Everything from a client or a graph is put into a fenced block or a code span, where Markdown interprets no links, HTML
or headings. A fence is longer than any run of backticks inside it; characters that are invisible or reorder
text are written as codes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from graphground.cypher.diagnostics import counted
from graphground.server.traces.event import TOOL_CALL, UNREADABLE, Event

MOST_ROWS = 20
LONGEST_CELL, LONGEST_BLOCK = 120, 8_000
SHOWN_APART = ("columns", "rows", "diagnostics", "schema", "cypher")
"""The fields of an answer that have a form of their own in a transcript."""
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories without a visible form: control, format, surrogate, private use, unassigned, line separators."""


def transcript(events: Iterable[Event]) -> str:
    """Return the events as Markdown, with one section per event, session by session.

    The conversation of an agent's model is shown as text; if a role is asked again, only its changed messages.
    """
    places: dict[str, int] = {}  # several sessions may work at once, but are read one after another
    events = sorted(events, key=lambda event: places.setdefault(event.session, len(places)))
    parts = ["# Transcript", _summary(events)]
    session = None
    asked: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for number, event in enumerate(events, 1):
        if event.session != session:
            session = event.session
            client = f" of {span(event.client)}" if event.client else ""
            parts.append(f"## Session {span(session)}{client}" if session else f"## Unnamed session{client}")
        if event.kind == "state":
            parts.append(
                f"{span(event.name)}: {span(str(event.arguments or ''))} leads to {span(str(event.answer or ''))}"
            )
            continue
        parts += [f"### {number}. {_heading(event)}", _facts(event)]
        messages = _messages_of(event)
        if messages:
            before = asked.get((event.session, event.name), [])
            for place, (role, text) in enumerate(messages):
                same = place < len(before) and before[place] == (role, text)
                parts += (
                    [f"Message of {span(role)}: as before."] if same else [f"Message of {span(role)}:", fenced(text)]
                )
            asked[event.session, event.name] = messages
            event = replace(event, arguments=None)
        parts += _body(event)
    return "\n\n".join(part for part in parts if part) + "\n"


def _messages_of(event: Event) -> list[tuple[str, str]]:
    sent = event.arguments
    if not isinstance(sent, list) or not all(isinstance(message, Mapping) and "role" in message for message in sent):
        return []
    return [(str(message["role"]), str(message.get("text") or "")) for message in sent]


def fenced(text: str, language: str = "text") -> str:
    """Return a fenced block with the text made `visible`; its fence is longer than any run of backticks in the text.

    >>> print(fenced("a ``` b"))
    ````text
    a ``` b
    ````
    """
    shown = visible(text, LONGEST_BLOCK, lines=True)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def span(text: str) -> str:
    """Return a code span that shows the text on one line.

    >>> print(span("a` <b>"))
    ``a` <b>``
    """
    shown = visible(text, LONGEST_CELL).strip() or "(empty)"
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    ticks = "`" * (longest + 1)
    room = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{room}{shown}{room}{ticks}"


def visible(text: str, longest: int, *, lines: bool = False) -> str:
    r"""Return the text, cut to `longest` characters, with invisible characters written as codes.

    >>> visible("Heat\u202e1995", 20), visible("x" * 30, 10)
    ('Heat\\u202e1995', 'xxxxxxxxxx… (20 more characters)')
    """
    cut = text[:longest]
    if not cut.isascii() or not cut.isprintable():
        cut = "".join(_seen(character, lines) for character in cut)
    return cut if len(text) <= longest else f"{cut}… ({counted(len(text) - longest, 'more character')})"


def _seen(character: str, lines: bool) -> str:
    if character == "\n" and lines:
        return character
    if character in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "    "}[character]
    if unicodedata.category(character) not in _UNSEEN:
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _summary(events: Sequence[Event]) -> str:
    if not events:
        return "The trace is empty."
    failed = sum(event.failed for event in events)
    sent = sum(event.tokens_in or 0 for event in events)
    received = sum(event.tokens_out or 0 for event in events)
    sessions = len({event.session for event in events})
    return (
        f"{counted(len(events), 'event')} in {counted(sessions, 'session')}, {failed} failed; "
        f"about {sent:,} tokens in and {received:,} out."
    )


def _heading(event: Event) -> str:
    name = span(event.name) if event.name else "a line"
    kind = "" if event.kind == TOOL_CALL else f" ({span(event.kind)})"
    return f"{name}{kind}{' failed' if event.failed else ''}"


def _facts(event: Event) -> str:
    facts = [span(event.time)] if event.time else []
    if event.seconds is not None:
        facts.append(f"{event.seconds * 1000:,.1f} ms")
    if event.tokens_in is not None or event.tokens_out is not None:
        facts.append(f"{event.tokens_in or 0:,} tokens in, {event.tokens_out or 0:,} out")
    return " · ".join(facts)


def _body(event: Event) -> list[str]:
    parts = []
    arguments = event.arguments
    if isinstance(arguments, Mapping) and event.query:
        parts.append(fenced(event.query, "cypher"))
        arguments = {name: value for name, value in arguments.items() if name != "query"}
    if arguments not in (None, {}, ""):
        parts.append("With:")
        parts.append(_block(arguments))
    if event.answer is not None:
        parts.append("A line that cannot be read:" if event.kind == UNREADABLE else "Answer:")
        parts += _answer(event.answer)
    more = dict(event.more)
    for use in more.pop("tool_calls", None) or ():
        if isinstance(use, Mapping):
            parts += [f"It calls {span(str(use.get('tool')))}:", _block(_parsed(use.get("arguments")))]
    more = {name: value for name, value in more.items() if name != "tokens" and value not in (None, False, "", "stop")}
    if more:
        parts.append("Also recorded:")
        parts.append(_block(more))
    return parts


def _parsed(text: Any) -> Any:
    try:
        found = orjson.loads(text) if isinstance(text, str) and text.lstrip().startswith("{") else None
    except orjson.JSONDecodeError:
        found = None
    return text if found is None else found


def _answer(answer: Any) -> list[str]:
    answer = _parsed(answer)
    if not isinstance(answer, Mapping):
        return [_block(answer)]
    rest = {name: value for name, value in answer.items() if name not in SHOWN_APART}
    parts = []
    columns, rows = answer.get("columns"), answer.get("rows")
    if isinstance(columns, list) and isinstance(rows, list):
        parts.append(fenced(_table(columns, rows)))
    for name, language in (("schema", "text"), ("cypher", "cypher")):
        if isinstance(answer.get(name), str):
            parts.append(fenced(answer[name], language))
    if rest:
        parts.append(_block(rest))
    for diagnostic in answer.get("diagnostics") or ():
        if isinstance(diagnostic, Mapping):
            place = f"line {diagnostic.get('line')}, column {diagnostic.get('column')}"
            line = f"{diagnostic.get('severity')} {diagnostic.get('code')} ({place}): {diagnostic.get('message')}"
            parts.append(fenced(line))
    return parts


def _table(columns: Sequence[Any], rows: Sequence[Any]) -> str:
    shown = [[visible(str(column), LONGEST_CELL) for column in columns]]
    for row in rows[:MOST_ROWS]:
        cells = row if isinstance(row, list) else [row]
        shown.append([visible(cell if isinstance(cell, str) else _json(cell), LONGEST_CELL) for cell in cells])
    width = max(map(len, shown))
    widths = [max(len(row[place]) if place < len(row) else 0 for row in shown) for place in range(width)]
    lines = ["  ".join(cell.ljust(widths[place]) for place, cell in enumerate(row)).rstrip() for row in shown]
    lines.insert(1, "  ".join("-" * size for size in widths))
    if len(rows) > MOST_ROWS:
        lines.append(f"… and {counted(len(rows) - MOST_ROWS, 'more row')}")
    return "\n".join(lines)


def _block(value: Any) -> str:
    if isinstance(value, str):
        return fenced(value)
    return fenced(
        orjson.dumps(value, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode(), "json"
    )


def _json(value: Any) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
