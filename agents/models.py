"""Calls a language model at any OpenAI-compatible endpoint or at Anthropic's.

    async with Model(ModelSettings("gpt-5-mini")) as model:
        reply = await model.ask([Message("user", "Write a Cypher query …")])

Requests, replies and prices are handled by pydantic-ai (its slim package, which installs 16 packages and no MCP client;
the agents reach the server through the MCP SDK). Retries are our own code, so that they are bounded and reported.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio

from graphground.agents.conversation import Message, Reply, ToolOffer
from graphground.agents.failures import ModelFailure
from graphground.agents.reply_cache import ReplyCache, digest

if TYPE_CHECKING:
    from graphground.agents.endpoint import Endpoint

PROVIDERS = ("openai", "anthropic")
KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
ENDPOINT_VARIABLES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}
FIRST_WAIT_SECONDS = 1.0
TIMEOUT_RETRIES = 1
"""The maximum number of retries after a time-out; each retry adds load, since the endpoint still works on the abandoned
request."""
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The settings of a model: `ModelSettings("smollm2", endpoint="http://127.0.0.1:8080/v1")`."""

    name: str
    """The model's name, with a prefix for the provider: `openai:` (the default, also for compatible endpoints) or
    `anthropic:`."""
    endpoint: str = ""
    """The base URL; if empty, the value of OPENAI_BASE_URL or ANTHROPIC_BASE_URL, or else the provider's own URL."""
    key_variable: str = ""
    """The environment variable with the key (default: OPENAI_API_KEY or ANTHROPIC_API_KEY)."""
    temperature: float | None = 0.0
    """The sampling temperature; None omits the temperature from requests, for models that refuse the parameter."""
    seed: int | None = None
    max_tokens: int = 1024
    """The maximum number of tokens of one reply."""
    timeout: float = 120.0
    """The time limit of one request, in seconds."""
    retries: int = 5
    """The maximum number of retries after a rate limit, an overload or a lost connection (`TIMEOUT_RETRIES` after a
    time-out)."""
    longest_wait: float = 60.0
    """The longest wait for a retry, in seconds. If an endpoint asks for a longer wait, the run stops."""

    @property
    def provider(self) -> str:
        """The provider: `openai` or `anthropic`."""
        prefix, colon, _ = self.name.partition(":")
        return prefix if colon and prefix in PROVIDERS else "openai"

    @property
    def model(self) -> str:
        """The name of the model as the endpoint knows it, without the provider's prefix."""
        return self.name.removeprefix(f"{self.provider}:")

    @property
    def address(self) -> str:
        """The base URL from the settings or the environment; empty for the provider's own URL."""
        return self.endpoint or os.environ.get(ENDPOINT_VARIABLES[self.provider], "")

    @property
    def key_from(self) -> str:
        """The name of the environment variable that holds the key."""
        return self.key_variable or KEY_VARIABLES[self.provider]

    def key(self) -> str:
        """Return the key from the environment; the text `none` if no key is set and the endpoint is your own.

        Raises:
            ModelFailure: no key is set, although the provider's own endpoint is used or `key_variable` is given.
        """
        found = os.environ.get(self.key_from, "").strip()
        if not found and (self.key_variable or not self.address):
            raise ModelFailure(
                "key_missing",
                f"no key for {self.name}: set the environment variable {self.key_from}"
                f"{'' if self.key_variable else ', or give your own endpoint'}",
            )
        return found or "none"

    def as_record(self) -> dict[str, Any]:
        """Return the settings that influence a reply: all but the key, the retries and the time limits."""
        names = ("temperature", "seed", "max_tokens")
        return {
            "provider": self.provider,
            "endpoint": self.address,
            "model": self.model,
            **{name: getattr(self, name) for name in names},
        }


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
            self._endpoint = _open(self.settings)
        started, timeouts = time.monotonic(), 0
        for attempt in range(1, self.settings.retries + 2):
            result = await self._endpoint.request(messages, tools, grammar)
            if isinstance(result, Reply):
                return _measured(result, messages, tools, time.monotonic() - started, attempt)
            if not result.passing:
                raise result.failure
            timeouts += result.failure.kind == "timeout"
            wait = result.retry_after
            if wait is None:
                wait = min(self.settings.longest_wait, FIRST_WAIT_SECONDS * 2 ** (attempt - 1) * random.uniform(0.5, 1))
            if wait > self.settings.longest_wait:
                raise ModelFailure(
                    result.failure.kind,
                    f"{result.failure}; the endpoint asks for a wait of {wait:.0f} s, but the limit is "
                    f"{self.settings.longest_wait:.0f} s; try again later",
                )
            if attempt > self.settings.retries or timeouts > TIMEOUT_RETRIES:
                raise ModelFailure(
                    result.failure.kind,
                    f"{result.failure}; gave up after {attempt} attempt{'' if attempt == 1 else 's'}",
                )
            self._on_wait(f"{result.failure}; trying again in {wait:.1f} s")
            await anyio.sleep(wait)
        raise AssertionError("the last attempt either returns or raises")


def _open(settings: ModelSettings) -> Endpoint:
    try:
        from graphground.agents.endpoint import Endpoint  # imports heavy libraries, which an extra installs
    except ModuleNotFoundError as error:
        raise ModelFailure(
            "not_installed",
            f"agents need the extra `agents` ({error.name} is missing): pip install 'graphground[agents]'",
        ) from None
    return Endpoint(settings)


def _measured(
    reply: Reply, messages: Sequence[Message], tools: Sequence[ToolOffer], seconds: float, attempts: int
) -> Reply:
    """Return the reply with its duration, its number of attempts, and estimates of token counts that are missing."""
    record = reply.as_record() | {"seconds": round(seconds, 4), "attempts": attempts}
    record["tokens_estimated"] = not (reply.tokens_in and reply.tokens_out)
    if not reply.tokens_in:
        characters = sum(len(message.text) for message in messages) + sum(
            len(json.dumps(asdict(tool))) for tool in tools
        )
        record["tokens_in"] = characters // CHARACTERS_PER_TOKEN
    if not reply.tokens_out:
        written = len(reply.text) + sum(len(use.arguments) for use in reply.uses)
        record["tokens_out"] = written // CHARACTERS_PER_TOKEN
    return Reply.of_record(record)
