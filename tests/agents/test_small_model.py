"""The three agents with a real model of 135 million parameters, over stdio and HTTP.

The model is too weak to write a query by itself, so the test checks how a run ends, not what the model writes.
If the model may only choose among suggested queries, it chooses one that runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphground.agents.conversation import Question
from graphground.agents.model_settings import ModelSettings
from graphground.agents.models import Model
from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.runs import Agent, ask
from graphground.agents.server_connection import SERVE, connect
from graphground.agents.session import Bounds
from graphground.agents.tool_agent import ToolAgent
from graphground.agents.zero_shot import ZeroShot
from tests.support import small_model
from tests.support.serving import environment

pytestmark = [pytest.mark.long, pytest.mark.timeout(small_model.BUILD_SECONDS + 900)]
QUESTION = Question("q1", "nba", "Which team drafted Stephen Curry?")
BOUNDS = Bounds(model_calls=8, tool_calls=8, tokens=40_000, seconds=600)
SUGGESTED = 5
AGENTS: tuple[tuple[Agent, Agent], ...] = (
    (ZeroShot("exact"), ZeroShot("exact", suggested=SUGGESTED)),
    (ToolAgent(turns=3, shown=1_000), ToolAgent(turns=1, shown=1_000, suggested=SUGGESTED)),
    (
        MultiAgentLoop(LoopSettings(form="exact", rounds=2)),
        MultiAgentLoop(LoopSettings(form="exact", rounds=1, suggested=SUGGESTED)),
    ),
)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """Yield the address of the model's endpoint; build the endpoint if it is missing."""
    try:
        small_model.install()
    except small_model.NotInstalled as error:
        pytest.skip(str(error))
    with small_model.small_endpoint() as address:
        yield address


def answered(
    endpoint: str, server: str | tuple[str, ...], agent: Agent, folder: Path, max_tokens: int
) -> tuple[dict[str, Any], bool | None]:
    """Return the prediction, and whether its query can be executed (None if there is no query)."""

    async def asking() -> tuple[dict[str, Any], bool | None]:
        settings = ModelSettings(small_model.NAME, endpoint=endpoint, timeout=500, max_tokens=max_tokens, retries=0)
        with anyio.fail_after(BOUNDS.seconds + 120):
            async with connect(server, environment=environment(folder)) as connection, Model(settings) as model:
                record = await ask(agent, QUESTION, connection, {"": model}, BOUNDS)
                if "cypher" not in record:
                    return record, None
                executed = await connection.call("execute_cypher", {"graph": "nba", "query": record["cypher"]})
                return record, not executed.failed

    return anyio.run(asking)


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize(("free", "restricted"), AGENTS, ids=[free.name for free, _ in AGENTS])
def test_every_run_ends_with_a_reason_and_a_suggested_query_is_chosen_and_runs(
    endpoint: str, nba_server: str, data_folder: Path, free: Agent, restricted: Agent, transport: str
) -> None:
    server = SERVE if transport == "stdio" else nba_server
    record, _ = answered(endpoint, server, free, data_folder, 48)
    assert record["stopped"] in ("answered", "accepted", "rounds", "calls", "tokens", "time")
    assert record.get("cypher") or record["error"]
    record, executable = answered(endpoint, server, restricted, data_folder, 200)
    assert "error" not in record
    assert "Stephen Curry" in record["cypher"]
    assert executable
