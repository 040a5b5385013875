"""Questions, messages to a model and outcomes, as plain records that are hashed, stored and traced unchanged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from graphground.agents.model_settings import QuestionsError


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call that a model requests: `ToolUse("call_1", "get_schema", '{"graph": "nba"}')`."""

    id: str
    name: str
    arguments: str
    """The arguments as JSON text, exactly as the model wrote them; possibly invalid."""

    def parsed(self) -> dict[str, Any] | None:
        """Return the arguments as a dictionary, empty if `arguments` is empty; None if it is not a JSON object."""
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
    """In a message with the role `tool`: the tool call that the message answers."""


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
    """Whether a token count is an estimate (a quarter of the characters) because the endpoint reported none."""
    cost_usd: float | None = None
    """The cost in US dollars; None if the model's price is unknown."""
    finish: str = ""
    """Why the reply ended: `stop`, `length` (cut at the token limit), `tool_call`, `content_filter` or `error`.

    Empty if the endpoint gave no reason."""
    seconds: float = 0.0
    attempts: int = 1
    cached: bool = False
    """Whether the reply was read from the cache, without a request to the model."""

    @property
    def is_cut(self) -> bool:
        """Whether the token limit cut the reply before the end of its block of code, so that a query may be cut too."""
        return self.finish == "length" and self.text.count("```") % 2 == (1 if "```" in self.text else 0)

    def as_message(self) -> Message:
        """Return the reply as an assistant's message, to be appended to the conversation."""
        return Message("assistant", self.text, self.uses)


Stance = Literal["answer", "not_in_graph", "ask"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question: `Question("nba-1", "nba", "Who plays for Chicago?")`; an empty graph means the server's only
    graph."""

    qid: str
    graph: str
    text: str

    @classmethod
    def of_record(cls, record: Mapping[str, Any], graph: str = "") -> Question:
        """Return the question in a record: a line of the `graphground eval` protocol, or an entry of a task file.

        `graph` replaces a missing graph.

        Raises:
            QuestionsError: the record has no question.
        """
        text = record.get("question") or record.get("nl_question")
        if not isinstance(text, str) or not text.strip():
            raise QuestionsError("the record has no `question` (or `nl_question`)")
        return cls(str(record.get("qid") or 1), str(record.get("graph") or graph), text)

    def on(self, **arguments: Any) -> dict[str, Any]:
        """Return arguments for a tool, among them `graph` if the question names a graph: `question.on(query="…")`."""
        return {**({"graph": self.graph} if self.graph else {}), **arguments}


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The result of an agent's work on a question: a query and an answer in words, or an error."""

    cypher: str = ""
    text: str = ""
    """The answer in words."""
    stance: Stance = "answer"
    error: str = ""
    """Why there is no query."""
    grade: str = ""
    """The grade that the multi-agent loop gave to the query: `accept`, `incorrect` or `error`."""
    rounds: int = 0
    stopped: str = ""
    """Why the agent stopped: `answered`, `accepted`, `cut`, `rounds`, `calls`, `tokens`, `time`, or a failure of the
    `model`, the `server` or the `agent`."""

    def as_record(self) -> dict[str, Any]:
        """Return the outcome as a dictionary, without empty fields."""
        return {name: value for name, value in asdict(self).items() if value}
