"""Asks a reference agent one question, with a scripted model over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anyio

from graphground.agents.conversation import Question
from graphground.agents.model_settings import ModelSettings
from graphground.agents.models import Model
from graphground.agents.runs import Agent, ask
from graphground.agents.server_connection import SERVE, connect
from graphground.agents.session import Bounds, Trace
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint
from tests.support.scripted_roles import role_of

TEAMS = Question("q1", "nba", "How many teams are there?")


@dataclass(frozen=True)
class Run:
    """What an agent did with a question: its record, its trace, and the requests to the model."""

    record: dict[str, Any]
    trace: Trace
    requests: list[Asked]

    @property
    def states(self) -> list[str]:
        """The states of the loop, each as `name → output`."""
        return [f"{line['name']} → {line['output']}" for line in self.trace.lines if line["kind"] == "state"]

    @property
    def roles(self) -> list[str]:
        """The roles that sent requests."""
        return [role_of(request) for request in self.requests]

    def prompts(self, role: str) -> list[str]:
        """Return the texts of a role's requests."""
        return [request.text for request in self.requests if role_of(request) == role]


def run_agent(
    server: str | Sequence[str] | Mapping[str, str],
    agent: Agent,
    script: Callable[[Asked], Answer],
    question: Question = TEAMS,
    *,
    provider: str = "openai",
    bounds: Bounds | None = None,
) -> Run:
    """Let an agent answer a question; `server` is an address, or the environment of a server to be started."""
    trace = Trace()
    environment = server if isinstance(server, Mapping) else None

    async def asking() -> dict[str, Any]:
        address = endpoint.openai if provider == "openai" else endpoint.anthropic
        settings = ModelSettings(f"{provider}:scripted", endpoint=address, retries=0)
        where = SERVE if isinstance(server, Mapping) else server
        with anyio.fail_after(110):
            async with connect(where, environment=environment) as connection, Model(settings) as model:
                return await ask(agent, question, connection, {"": model}, bounds, trace)

    with ScriptedEndpoint(script) as endpoint:
        return Run(anyio.run(asking), trace, endpoint.requests)
