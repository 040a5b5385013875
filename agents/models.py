"""Calls a language model at any OpenAI-compatible endpoint or at Anthropic's.

    async with Model(ModelSettings("gpt-5-mini")) as model:
        reply = await model.ask([Message("user", "Write a Cypher query …")])

Requests, replies and prices are handled by pydantic-ai (its slim package, which installs 16 packages and no MCP client;
the agents reach the server through the MCP SDK). Retries are our own code, so that they are bounded and reported.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio

from graphground import install_command
from graphground.agents.conversation import Message, Reply, ToolOffer, ToolUse
from graphground.agents.model_settings import PASSING, ModelFailure, ModelSettings

if TYPE_CHECKING:
    from graphground.agents.endpoint import Endpoint

FIRST_WAIT_SECONDS = 1.0
TIMEOUT_RETRIES = 1
"""The maximum number of retries after a time-out; each retry adds load, since the endpoint still works on the abandoned
request."""
CHARACTERS_PER_TOKEN = 4


class Model:
    """A language model; `async with Model(settings)` closes its connections at the end.

    Before each wait for a retry, `on_wait` is called with a sentence that says why and how long.
    """

    def __init__(
        self,
        settings: ModelSettings,
        cache: ReplyCache | None = None,
        on_wait: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.settings = settings
        self._cache, self._on_wait = cache, on_wait
        self._endpoint: Endpoint | None = None
        self._locks: dict[str, anyio.Lock] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._endpoint is not None:
            await self._endpoint.close()
            self._endpoint = None

    async def ask(self, messages: Sequence[Message], tools: Sequence[ToolOffer] = (), grammar: str = "") -> Reply:
        """Return the model's reply, or the stored reply if the cache contains one to the same request.

        `grammar` is a grammar in GBNF that the reply must match; only llama.cpp's server accepts one.

        Raises:
            ModelFailure: the request failed. After a temporary failure, it was retried within the settings' limits.
        """
        reply = await self._read_or_ask(messages, tools, grammar)
        if self.settings.price is None:
            return reply
        input_price, output_price = self.settings.price
        return replace(reply, cost_usd=(reply.tokens_in * input_price + reply.tokens_out * output_price) / 1e6)

    async def _read_or_ask(self, messages: Sequence[Message], tools: Sequence[ToolOffer], grammar: str) -> Reply:
        if self._cache is None:
            return await self._ask(messages, tools, grammar)
        name = digest(
            {
                **self.settings.as_record(),
                "messages": [asdict(message) for message in messages],
                "tools": [asdict(tool) for tool in tools],
                **({"grammar": grammar} if grammar else {}),
            }
        )
        async with self._locks.setdefault(name, anyio.Lock()):
            reply = self._cache.get(name)
            if reply is None:
                reply = await self._ask(messages, tools, grammar)
                self._cache.put(name, reply)
        self._locks.pop(name, None)
        return reply

    async def _ask(self, messages: Sequence[Message], tools: Sequence[ToolOffer], grammar: str) -> Reply:
        if self._endpoint is None:
            try:
                from graphground.agents.endpoint import Endpoint  # its libraries take about a second to load
            except ModuleNotFoundError as error:
                message = f"agents need the extra `agents` ({error.name} is missing): {install_command('agents')}"
                raise ModelFailure("not_installed", message) from None
            self._endpoint = Endpoint(self.settings)
        started, attempt, timeouts = time.monotonic(), 1, 0
        while True:
            try:
                reply = await self._endpoint.request(messages, tools, grammar)
                return _measured(reply, messages, tools, time.monotonic() - started, attempt)
            except ModelFailure as failure:
                if failure.kind not in PASSING:
                    raise
                timeouts += failure.kind == "timeout"
                wait, longest = failure.retry_after, self.settings.longest_wait
                if wait is None:
                    wait = min(longest, FIRST_WAIT_SECONDS * 2 ** (attempt - 1) * random.uniform(0.5, 1))
                if wait > longest:
                    asked = f"the endpoint asks for a wait of {wait:.0f} s, but the limit is {longest:.0f} s"
                    raise ModelFailure(failure.kind, f"{failure}; {asked}; try again later") from None
                if attempt > self.settings.retries or timeouts > TIMEOUT_RETRIES:
                    tried = f"gave up after {attempt} attempt{'' if attempt == 1 else 's'}"
                    raise ModelFailure(failure.kind, f"{failure}; {tried}") from None
                self._on_wait(f"{failure}; trying again in {wait:.1f} s")
            await anyio.sleep(wait)
            attempt += 1


def _measured(
    reply: Reply, messages: Sequence[Message], tools: Sequence[ToolOffer], seconds: float, attempts: int
) -> Reply:
    asked = sum(len(message.text) for message in messages) + sum(len(json.dumps(asdict(tool))) for tool in tools)
    written = len(reply.text) + sum(len(use.arguments) for use in reply.uses)
    return replace(
        reply,
        seconds=round(seconds, 4),
        attempts=attempts,
        tokens_estimated=not (reply.tokens_in and reply.tokens_out),
        tokens_in=reply.tokens_in or asked // CHARACTERS_PER_TOKEN,
        tokens_out=reply.tokens_out or written // CHARACTERS_PER_TOKEN,
    )


def digest(request: Mapping[str, Any]) -> str:
    """Return the name under which the reply to a request is stored: the SHA-256 of its JSON."""
    text = json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ReplyCache:
    """Replies in a folder that several processes may share: `ReplyCache(folder).get(digest(request))`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> Reply | None:
        """Return the stored reply, marked `cached`; None if no reply is stored or the file is damaged."""
        try:
            record = json.loads(self._path(name).read_text(encoding="utf-8"))
            return Reply(**{**record, "uses": tuple(ToolUse(**use) for use in record.get("uses", ())), "cached": True})
        except (OSError, ValueError, TypeError):
            return None

    def put(self, name: str, reply: Reply) -> None:
        """Store a reply atomically, so that no other process reads a part of a reply."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="backslashreplace", dir=path.parent, suffix=".part", delete=False
        ) as file:
            json.dump(asdict(reply), file, ensure_ascii=False)
        os.replace(file.name, path)

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / f"{name}.json"
