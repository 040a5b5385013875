"""Messages to a model and its replies, as plain records that are hashed, stored and traced unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call that a model requests: `ToolUse("call_1", "get_schema", '{"graph": "nba"}')`."""

    id: str
    name: str
    arguments: str
    """JSON as the model wrote it, which may be invalid."""

    def parsed(self) -> dict[str, Any] | None:
        """The arguments as an object; None if they are not a JSON object."""
        try:
            found = json.loads(self.arguments or "{}")
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `Message("user", "Who plays for the Chicago Bulls?")`."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    uses: tuple[ToolUse, ...] = ()
    """The tool calls in an assistant's message."""
    answers: ToolUse | None = None
    """The id of the tool call that a tool's message answers."""


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool that a model may call; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's reply with its cost: `Reply(text="MATCH …", tokens_in=812, tokens_out=64)`."""

    text: str = ""
    uses: tuple[ToolUse, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_estimated: bool = False
    """Whether the endpoint counted no tokens, so that a count is a quarter of the characters."""
    cost_usd: float | None = None
    """None if the price of the model is unknown."""
    finish: str = ""
    """`stop`, `length` (cut at the token limit), `tool_call`, or the endpoint's own word."""
    seconds: float = 0.0
    attempts: int = 1
    cached: bool = False
    """Whether the reply was read from the cache, so that no call was made."""

    def as_record(self) -> dict[str, Any]:
        """The reply as JSON, for the cache."""
        return asdict(self)

    @classmethod
    def of_record(cls, record: Mapping[str, Any]) -> Reply:
        """The reply from its record in the cache."""
        return cls(**{**record, "uses": tuple(ToolUse(**use) for use in record.get("uses", ()))})

    def as_message(self) -> Message:
        """The reply as a message, with which the conversation continues."""
        return Message("assistant", self.text, self.uses)
