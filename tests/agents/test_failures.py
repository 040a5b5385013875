"""Ways in which a model, its endpoint or an agent fails: every run ends and says why.

A loop without end, and a model that writes only prose, are in test_tool_agent.py and test_multi_agent_loop.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from graphground.agents.conversation import Outcome, Question
from graphground.agents.model_settings import ModelFailure, ModelSettings
from graphground.agents.models import Model
from graphground.agents.multi_agent_loop import MultiAgentLoop
from graphground.agents.runs import Agent, ask
from graphground.agents.server_connection import connect
from graphground.agents.session import Bounds, Session
from graphground.agents.zero_shot import ZeroShot
from tests.agents.conftest import KEY
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, fail, say

QUERY = "MATCH (t:Team) RETURN count(t) AS teams"
QUESTIONS = [Question("q1", "nba", "How many teams are there?"), Question("q2", "nba", "How many players are there?")]
BOUNDS = Bounds(model_calls=12, tool_calls=6, seconds=60)
RETRIES = 2


def right(request: Asked) -> Answer:
    """Reply correctly in every role."""
    return say("GRADE: accept" if request.text.startswith("Judge") else QUERY)


class Run:
    """An agent, two questions and their predictions; each call runs the agent over the questions."""

    def __init__(self, agent: Agent, server: str) -> None:
        self.agent, self.server = agent, server
        self.waits: list[str] = []
        self.records: list[dict[str, Any]] = []

    def __call__(self, script: Callable[[Asked], Answer]) -> int:
        """Run with a model that follows the script; return the number of its requests."""

        async def going() -> None:
            settings = ModelSettings("scripted", endpoint=endpoint.openai, retries=RETRIES)
            with anyio.fail_after(100):
                async with connect(self.server) as server, Model(settings, on_wait=self.waits.append) as model:
                    for question in QUESTIONS:
                        self.records.append(await ask(self.agent, question, server, {"": model}, BOUNDS))

        self.records = []
        with ScriptedEndpoint(script) as endpoint:
            anyio.run(going)
            return len(endpoint.requests)


@pytest.fixture
def running(agent: Agent, nba_server: str) -> Run:
    return Run(agent, nba_server)


def ended(running: Run, script: Callable[[Asked], Answer]) -> ModelFailure:
    """Run until a failure of the model ends the run, after the first question; return the failure."""
    with pytest.raises(ModelFailure) as caught:
        running(script)
    assert [record["cypher"] for record in running.records] == [QUERY]
    return caught.value


def after_the_first_question(failing: Answer) -> Callable[[Asked], Answer]:
    """Return a script that replies correctly to the first question, and fails in every role for the second."""
    return lambda request: failing if QUESTIONS[1].text in request.text else right(request)


@pytest.mark.parametrize("agent", [MultiAgentLoop()])
def test_a_refused_key_ends_the_run_at_once(agent: Agent, running: Run) -> None:
    refused = fail(401, "invalid_api_key", f"Incorrect API key provided: {KEY}")
    failure = ended(running, after_the_first_question(refused))
    assert failure.kind == "key_refused"
    assert "OPENAI_API_KEY" in str(failure)
    assert KEY not in str(failure)
    assert not running.waits


@pytest.mark.parametrize("agent", [MultiAgentLoop()])
def test_a_cut_reply_is_requested_again_and_if_it_stays_cut_the_question_has_an_error(
    agent: Agent, running: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphground.agents.models.FIRST_WAIT_SECONDS", 0.01)
    running(after_the_first_question(Answer("MATCH", cut=True)))
    assert [record["qid"] for record in running.records] == ["q1", "q2"]
    assert f"gave up after {RETRIES + 1} attempts" in running.records[1]["error"]
    cut = [True]  # the first reply is cut, and the repeated request is answered

    def once(request: Asked) -> Answer:
        return Answer("MATCH", cut=cut.pop()) if cut else right(request)

    running(once)
    assert not cut
    assert [record["cypher"] for record in running.records] == [QUERY, QUERY]


CHOICELESS = Answer(raw=b'{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}')
FAILED_WITH_200 = Answer(raw=b'{"error": {"message": "the provider is asleep", "code": "asleep"}}')


@pytest.mark.parametrize("agent", [ZeroShot("exact")])
@pytest.mark.parametrize(
    ("reply", "words"), [(CHOICELESS, ""), (FAILED_WITH_200, "asleep"), (Answer(raw=b"<html>"), "")]
)
def test_a_reply_in_any_other_form_is_an_error_of_its_question_only(
    agent: Agent, running: Run, reply: Answer, words: str
) -> None:
    running(lambda request: reply if QUESTIONS[0].text in request.text else right(request))
    first, second = running.records
    assert (first["qid"], second["cypher"]) == ("q1", QUERY)
    assert words in first["error"]
    assert "Traceback" not in first["error"]


class Broken(ZeroShot):
    """An agent with a defect."""

    async def answer(self, session: Session) -> Outcome:
        raise KeyError("nobody foresaw this")


@pytest.mark.parametrize("agent", [Broken()])
def test_a_defect_of_the_agent_is_an_error_of_its_question(agent: Agent, running: Run) -> None:
    running(right)
    assert [record["stopped"] for record in running.records] == ["agent", "agent"]
    assert "KeyError: 'nobody foresaw this'" in running.records[0]["error"]
