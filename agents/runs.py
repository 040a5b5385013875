"""The agents by name, and the prediction of one: `await ask(agent_of("loop"), question, server, models)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphground.agents.conversation import Outcome, Question
from graphground.agents.model_settings import HOPELESS, PASSING, AgentFailure, ModelFailure
from graphground.agents.models import Model
from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.server_connection import ServerConnection
from graphground.agents.session import BoundReached, Bounds, Session, Trace
from graphground.agents.tool_agent import ToolAgent
from graphground.agents.zero_shot import ZeroShot
from graphground.prompts.agents import FOLDER

Agent = ZeroShot | ToolAgent | MultiAgentLoop
"""An agent: `await agent.answer(session)` raises a failure of the model or of the server."""


def agent_of(name: str, prompts: Path = FOLDER) -> Agent:
    """Return an agent with its usual settings: `agent_of("loop")`; the names are keys of the table.

    A template in the folder `prompts` replaces the default of the same role.
    """
    agents: dict[str, Callable[[], Agent]] = {
        "zero-shot": lambda: ZeroShot(prompts=prompts),
        "tools": lambda: ToolAgent(prompts=prompts),
        "loop": lambda: MultiAgentLoop(LoopSettings(prompts=prompts)),
        "cypherbench": lambda: ZeroShot(prompts=prompts, role="cypherbench"),
        "multi-agent": lambda: MultiAgentLoop(replace(LoopSettings.paper(), prompts=prompts)),
    }
    return agents[name]()


async def ask(
    agent: Agent,
    question: Question,
    server: ServerConnection,
    models: Mapping[str, Model],
    bounds: Bounds | None = None,
    trace: Trace | None = None,
) -> dict[str, Any]:
    """Return the prediction for one question; a failure that may concern only this question becomes its `error`.

    Raises:
        ModelFailure: the failure would affect other questions too.
    """
    session = Session(question, server, models, bounds or Bounds(), trace or Trace())
    try:
        outcome = await agent.answer(session)
    except BoundReached as reached:
        outcome = Outcome(error=str(reached), stopped=reached.bound)
    except ModelFailure as failure:
        record = session.prediction(agent.name, Outcome(error=str(failure), stopped="model"))
        if failure.kind in HOPELESS | {"rate_limit"}:
            raise
        return record | ({"temporary": True} if failure.kind in PASSING else {})
    except AgentFailure as failure:
        outcome = Outcome(error=str(failure), stopped="server")
    except Exception as failure:  # the other questions are not to suffer from this one
        outcome = Outcome(error=f"the agent failed: {type(failure).__name__}: {failure}", stopped="agent")
    return session.prediction(agent.name, outcome)
