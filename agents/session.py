"""Makes the model calls and tool calls for one question, records them in the trace, and enforces limits."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio

from graphground.agents.conversation import Message, Outcome, Question, Reply, ToolOffer
from graphground.agents.model_settings import AgentFailure, ModelFailure
from graphground.agents.models import Model
from graphground.agents.server_connection import ServerConnection, ToolAnswer

Given = TypeVar("Given")

SHOWN = 12_000
"""The maximum number of characters of a message to the model or of a tool's answer in a trace."""


class Trace:
    """A trace in memory and, with a path, in a file: `Trace(path).write("nba-1", "tool", "get_schema", answer="…")`.

    It has one line of JSON for every model call, tool call, state of the loop and prediction:

        {"kind": "model", "time": "2026-11-22T11:01:47.120Z", "session": "nba-1", "name": "generator", "input": [...],
         "output": "MATCH …", "tokens": 876, "tokens_in": 812, "tokens_out": 64, "seconds": 1.2035, …}
        {"kind": "tool", …, "name": "execute_cypher", "arguments": {…}, "answer": "…", "failed": false}
        {"kind": "state", …, "name": "evaluate", "input": "round 1", "output": "incorrect"}
        {"kind": "prediction", …, "name": "loop", "input": {"question": …}, "output": {"cypher": …}}

    A session is one question. Keys of models never reach a trace. `graphground trace show` prints a trace.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.lines: list[dict[str, Any]] = []
        self._path, self._lock = path, threading.Lock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, session: str, kind: str, name: str, seconds: float = 0.0, **fields: Any) -> None:
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


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits for one question: `Bounds(tool_calls=20)`."""

    model_calls: int = 40
    tool_calls: int = 30
    tokens: int = 200_000
    """The number of tokens, input and output together, after which no further call is made."""
    seconds: float = 600.0
    """The time limit for the question, in seconds; a call that is running at that time is cancelled."""


class BoundReached(AgentFailure):
    """A limit of the session that has been reached; `bound` is `calls`, `tokens` or `time`."""

    def __init__(self, bound: str, message: str) -> None:
        super().__init__(message)
        self.bound = bound


class Session:
    """The model calls and tool calls for one question: `await session.call("get_schema", question.on())`."""

    def __init__(
        self, question: Question, server: ServerConnection, models: Mapping[str, Model], bounds: Bounds, trace: Trace
    ) -> None:
        self.question = question
        self._server, self._models, self._bounds = server, models, bounds
        self._write = partial(trace.write, question.qid)
        self._started = time.monotonic()
        self.model_calls = self.tool_calls = self.tokens_in = self.tokens_out = 0
        self.cost_usd = 0.0
        self.price_usd: float | None = 0.0
        self._saved_seconds = 0.0
        self.tokens_estimated = False
        self.tools_used: list[dict[str, Any]] = []

    async def tools(self) -> list[ToolOffer]:
        """Return the server's tools."""
        return await self._server.tools()

    async def ask(
        self, role: str, messages: Sequence[Message], tools: Sequence[ToolOffer] = (), grammar: str = ""
    ) -> Reply:
        """Call the model assigned to a role, or the default model if the role has none, and return its reply.

        Raises:
            BoundReached: no call or no token is left, or the time ran out.
            ModelFailure: there is no reply.
        """
        self._within(self.model_calls, self._bounds.model_calls, "model calls")
        self.model_calls += 1
        conversation = [{"role": message.role, "text": shortened(message.text)} for message in messages]
        started = time.monotonic()
        try:
            reply = await self._await_in_time(self._models.get(role, self._models[""]).ask(messages, tools, grammar))
        except (ModelFailure, BoundReached) as failure:
            elapsed = time.monotonic() - started
            self._write("model", role, elapsed, input=conversation, failed=True, output=str(failure))
            raise
        self.tokens_estimated = self.tokens_estimated or reply.tokens_estimated
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        self.cost_usd += 0.0 if reply.cached else reply.cost_usd or 0.0
        # Resumed runs are compared with others: what the cache saved counts in the price and the duration.
        if self.price_usd is not None:
            self.price_usd = None if reply.cost_usd is None else self.price_usd + reply.cost_usd
        self._saved_seconds += reply.seconds if reply.cached else 0.0
        self._write(
            "model",
            role,
            reply.seconds,
            input=conversation,
            output=reply.text,
            tool_calls=[{"tool": use.name, "arguments": use.arguments} for use in reply.uses],
            tokens=reply.tokens_in + reply.tokens_out,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_estimated=reply.tokens_estimated,
            cost_usd=reply.cost_usd,
            cached=reply.cached,
            finish=reply.finish,
        )
        return reply

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool of the server and return its answer.

        Raises:
            BoundReached: no call or no token is left, or the time ran out.
            ServerFailure: there is no such tool, or the server exited or does not answer.
        """
        self._within(self.tool_calls, self._bounds.tool_calls, "tool calls")
        self.tool_calls += 1
        answer = await self._await_in_time(self._server.call(tool, arguments))
        self.tools_used.append({"tool": tool, "seconds": round(answer.seconds, 4)})
        told = {"arguments": dict(arguments), "answer": shortened(answer.text), "failed": answer.failed}
        self._write("tool", tool, answer.seconds, **told)
        return answer

    def state(self, name: str, came_with: str, leads_to: str) -> None:
        """Record that the agent passed through the state `name`: `state("evaluate", "3 rows", "accept")`.

        `came_with` describes the input of the state, and `leads_to` names the result or the next state.
        """
        self._write("state", name, input=came_with, output=leads_to)

    def prediction(self, agent: str, outcome: Outcome) -> dict[str, Any]:
        """Record the outcome, and return it as the record that `graphground eval` reads."""
        seconds = time.monotonic() - self._started
        self._write(
            "prediction",
            agent,
            seconds,
            input={"graph": self.question.graph, "question": self.question.text},
            output=outcome.as_record(),
            tokens=self.tokens_in + self.tokens_out,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            tokens_estimated=self.tokens_estimated,
        )
        return {
            "qid": self.question.qid,
            "graph": self.question.graph,
            "question": self.question.text,
            **outcome.as_record(),
            "seconds": round(seconds + self._saved_seconds, 3),
            "trace": self.tools_used,
            "usage": {
                "input_tokens": self.tokens_in,
                "output_tokens": self.tokens_out,
                "cost_usd": round(self.cost_usd, 6),
                **({} if self.price_usd is None else {"price_usd": round(self.price_usd, 9)}),
                "model_calls": self.model_calls,
                **({"estimated": True} if self.tokens_estimated else {}),
            },
        }

    def _within(self, count: int, most: int, kind: str) -> None:
        spent, seconds = self.tokens_in + self.tokens_out, time.monotonic() - self._started
        if count >= most:
            raise BoundReached("calls", f"stopped at the limit of {kind} for one question: {most}")
        if spent >= self._bounds.tokens:
            raise BoundReached("tokens", f"stopped after {spent:,} tokens; the limit is {self._bounds.tokens:,}")
        if seconds >= self._bounds.seconds:
            raise self._out_of_time()

    async def _await_in_time(self, call: Coroutine[Any, Any, Given]) -> Given:
        """Return the result of a call, or cancel the call and raise `BoundReached` when the session's time runs out."""
        left = self._bounds.seconds - (time.monotonic() - self._started)
        with anyio.move_on_after(left):
            return await call
        raise self._out_of_time()

    def _out_of_time(self) -> BoundReached:
        seconds = time.monotonic() - self._started
        return BoundReached("time", f"stopped after {seconds:.0f} s; the limit is {self._bounds.seconds:g} s")
