"""Failures outside an agent: of its model, or of the server that it calls."""

from __future__ import annotations

from typing import Literal

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
"""The kinds of model failures. A run that ended with a kind in `PASSING` is resumed by the same command."""
PASSING: frozenset[Kind] = frozenset({"rate_limit", "timeout", "unreachable"})
HOPELESS: frozenset[Kind] = frozenset({"key_missing", "key_refused", "quota", "model_not_found", "not_installed"})
"""The kinds of failures that every further question would meet too, so that a run stops immediately."""


class AgentFailure(Exception):
    """The agent cannot continue; the message says why and what to do."""


class ModelFailure(AgentFailure):
    """No reply from the model: `ModelFailure("key_refused", "the endpoint refused the key in OPENAI_API_KEY …")`."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind


class ServerFailure(AgentFailure):
    """The MCP server cannot be started or reached, or has exited."""


class QuestionsError(AgentFailure):
    """A file or a line of questions cannot be read; the message says where."""
