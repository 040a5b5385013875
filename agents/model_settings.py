"""The settings of a language model, and the failures of models, servers and files of questions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Literal

PROVIDERS = ("openai", "anthropic")
KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
ENDPOINT_VARIABLES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}
Kind = Literal[
    "key_missing",
    "key_refused",
    "quota",
    "rate_limit",
    "timeout",
    "unreachable",
    "model_not_found",
    "too_long",
    "refused",
    "bad_reply",
    "not_installed",
]
"""The kinds of model failures. After a failure whose kind is in `PASSING`, the same command resumes the run."""
PASSING: frozenset[Kind] = frozenset({"rate_limit", "timeout", "unreachable"})
HOPELESS: frozenset[Kind] = frozenset({"key_missing", "key_refused", "quota", "model_not_found", "not_installed"})
"""The kinds of failures that would also affect every further question, so that a run stops immediately."""


class AgentFailure(Exception):
    """A failure after which the agent cannot continue; the message says why."""


class ModelFailure(AgentFailure):
    """No reply from the model: `ModelFailure("key_refused", "the endpoint refused the key in OPENAI_API_KEY …")`.

    `retry_after` is the wait that the endpoint requests, in seconds, if any.
    """

    def __init__(self, kind: Kind, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.retry_after = retry_after


class ServerFailure(AgentFailure):
    """An MCP server that cannot be started or reached, does not answer, or fails to run a tool."""


class QuestionsError(AgentFailure):
    """A file of questions, or a line of it, that cannot be read; the message says where."""


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
    reasoning_effort: str = ""
    """How long a reasoning model thinks: `low`, `medium`, `high` or what the endpoint knows; empty omits it."""
    stream: bool = False
    """Whether replies are streamed, for endpoints or proxies that end a connection on which nothing is sent."""
    timeout: float = 120.0
    """The time limit of one request, in seconds."""
    retries: int = 5
    """The maximum number of retries after a rate limit, an overload or a lost connection (`TIMEOUT_RETRIES` after a
    time-out)."""
    longest_wait: float = 60.0
    """The longest wait for a retry, in seconds. If an endpoint asks for a longer wait, the run stops."""
    price: tuple[float, float] | None = None
    """US dollars for a million tokens of input and of output; None for the price that the provider publishes."""

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
        """Return the settings that influence a reply: all but the key, the price, the retries and the time limits."""
        names = ("temperature", "seed", "max_tokens")
        return {
            "provider": self.provider,
            "endpoint": self.address,
            "model": self.model,
            **{name: getattr(self, name) for name in names},
            **({"reasoning_effort": self.reasoning_effort} if self.reasoning_effort else {}),
        }
