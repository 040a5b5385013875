"""Failures outside an agent: of its model, of the server that it calls, or of a file of questions."""

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
"""The kinds of model failures. After a failure whose kind is in `PASSING`, the same command resumes the run."""
PASSING: frozenset[Kind] = frozenset({"rate_limit", "timeout", "unreachable"})
HOPELESS: frozenset[Kind] = frozenset({"key_missing", "key_refused", "quota", "model_not_found", "not_installed"})
"""The kinds of failures that would also affect every further question, so that a run stops immediately."""


class AgentFailure(Exception):
    """A failure after which the agent cannot continue; the message says why."""


class ModelFailure(AgentFailure):
    """No reply from the model: `ModelFailure("key_refused", "the endpoint refused the key in OPENAI_API_KEY …")`."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind: Kind = kind


class ServerFailure(AgentFailure):
    """An MCP server that cannot be started or reached, does not answer, or fails to run a tool."""


class QuestionsError(AgentFailure):
    """A file of questions, or a line of it, that cannot be read; the message says where."""
