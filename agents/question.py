"""A question to an agent, and the agent's outcome, as records that `graphground eval` reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from graphground.agents.model_settings import QuestionsError

Stance = Literal["answer", "not_in_graph", "ask"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question: `Question("nba-1", "nba", "Who plays for Chicago?")`; an empty graph means the server's only
    graph."""

    qid: str
    graph: str
    text: str

    @classmethod
    def of_record(cls, record: Mapping[str, Any], number: int = 1, graph: str = "") -> Question:
        """Return the question in a record: a line of the `graphground eval` protocol, or an entry of a task file.

        `number` replaces a missing id, and `graph` a missing graph.

        Raises:
            QuestionsError: the record has no question.
        """
        text = record.get("question") or record.get("nl_question")
        if not isinstance(text, str) or not text.strip():
            raise QuestionsError(f"record {number} has no `question` (or `nl_question`)")
        return cls(str(record.get("qid") or number), str(record.get("graph") or graph), text)

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
    extra: dict[str, Any] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Return the outcome as a dictionary, without empty fields, and with the entries of `extra`."""
        names = ("cypher", "text", "stance", "error", "grade", "rounds", "stopped")
        return {name: value for name in names if (value := getattr(self, name))} | self.extra
