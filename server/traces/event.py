"""An event of a trace: a tool call of a client, or a step of an agent, as one line of JSON.

    {"kind": "tool_call", "time": "2026-11-22T11:03:47.120Z", "session": "5f1c02aa", "client": "claude-ai 1.0",
     "name": "execute_cypher", "arguments": {"query": "…"}, "answer": {"columns": […], "rows": […]}, "failed": false,
     "seconds": 0.0031, "tokens_in": 24, "tokens_out": 118}

Lines of agents may have `role`, `input` and `output` instead of `name`, `arguments` and `answer`. Other fields are
allowed, and no line is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

TOOL_CALL, AGENT_STEP, UNREADABLE = "tool_call", "agent_step", "unreadable"
RUNNING, END = "running", "end"
"""The kinds of two special events: a call that is still running, never written to a file;
and the end of a full file."""
_FIELDS = {
    "kind": ("kind",),
    "time": ("time", "timestamp"),
    "session": ("session",),
    "client": ("client", "agent"),
    "name": ("name", "tool", "role"),
    "arguments": ("arguments", "input"),
    "answer": ("answer", "output", "text"),
    "failed": ("failed",),
    "seconds": ("seconds",),
    "tokens_in": ("tokens_in",),
    "tokens_out": ("tokens_out",),
}
"""The keys of a line that may hold each field of an event; the first key that fits is used."""


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
        values = {name: getattr(self, name) for name in _FIELDS}
        fields = {
            name: value for name, value in values.items() if value is not None and value != "" and value is not False
        }
        return {**fields, **self.more}

    def as_line(self) -> bytes:
        """Return the event as a line of JSON, with the line break."""
        return orjson.dumps(self.as_dict(), default=str, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE)


def event_in(line: bytes | str) -> Event:
    """Parse a line of a trace; a line that is not a JSON object becomes an event with the line's text.

    >>> event_in('{"role": "generator", "input": "Who directed Heat?", "tokens": 12}').name
    'generator'
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
    found: dict[str, Any] = {}
    used: set[str] = set()
    for name, keys in _FIELDS.items():
        for key in keys:
            if key in record and key not in used and _fits(name, record[key]):
                found[name] = str(record[key]) if name == "time" else record[key]
                used.add(key)
                break
    if "kind" not in found:
        found["kind"] = AGENT_STEP if "role" in record else TOOL_CALL if "tool" in record else "unknown"
    if isinstance(record.get("tokens"), int) and "tokens_out" not in found:
        found["tokens_out"] = record["tokens"]
        used.add("tokens")
    return Event(**found, more={key: value for key, value in record.items() if key not in used})


def _fits(name: str, value: Any) -> bool:
    if name in ("arguments", "answer"):
        return True
    if name == "failed":
        return isinstance(value, bool)
    if name in ("seconds", "tokens_in", "tokens_out"):
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, str) or (name == "time" and isinstance(value, int | float))
