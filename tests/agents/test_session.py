"""The limits of a session hold even during a call, and failed calls of a model are in the trace."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from typing import Any

import anyio
import pytest

from graphground.agents.conversation import Message, Question
from graphground.agents.model_settings import ModelFailure, ModelSettings
from graphground.agents.models import Model
from graphground.agents.server_connection import ServerConnection, ToolAnswer
from graphground.agents.session import BoundReached, Bounds, Session, Trace
from tests.support.scripted_endpoint import Answer, ScriptedEndpoint, fail

PROMPT = [Message("user", "How many teams are there?")]


class Silent(ServerConnection):
    """A server that never answers."""

    def __init__(self) -> None:
        """Create the connection without a client."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        await anyio.sleep_forever()
        raise AssertionError("it sleeps forever")


def session(models: dict[str, Model], trace: Trace, seconds: float = 600.0) -> Session:
    return Session(Question("q", "nba", "?"), Silent(), models, Bounds(seconds=seconds), trace)


@pytest.mark.anyio
async def test_a_model_and_a_tool_that_do_not_answer_are_cancelled_when_the_time_runs_out() -> None:
    ended, trace = Event(), Trace()
    with ScriptedEndpoint(lambda request: Answer("late", cut=True, waits=ended)) as endpoint, anyio.fail_after(30):
        async with Model(ModelSettings("m", endpoint=endpoint.openai)) as model:
            try:
                with pytest.raises(BoundReached, match=r"the limit is 0\.3 s") as caught:
                    await session({"": model}, trace, 0.3).ask("generator", PROMPT)
            finally:
                ended.set()
            with pytest.raises(BoundReached):
                await session({"": model}, trace, 0.1).call("get_schema", {})
    assert caught.value.bound == "time"
    [line] = trace.lines
    assert (line["kind"], line["failed"]) == ("model", True)


@pytest.mark.anyio
async def test_a_failed_call_of_a_model_is_in_the_trace() -> None:
    trace = Trace()
    with ScriptedEndpoint(lambda request: fail(401, "authentication_error")) as endpoint, anyio.fail_after(30):
        async with Model(ModelSettings("m", endpoint=endpoint.openai)) as model:
            with pytest.raises(ModelFailure):
                await session({"": model}, trace).ask("zero_shot", PROMPT)
    [line] = trace.lines
    assert "refused the key" in line["output"]
    assert line["input"] == [{"role": "user", "text": PROMPT[0].text}]
