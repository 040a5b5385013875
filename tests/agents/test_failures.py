"""Five ways in which a model fails, for each of the three agents: every run ends and says why.

| | zero-shot, tools, loop |
|---|---|
| a refused key | `test_a_refused_key_ends_the_run_at_once` |
| a rate limit | `test_after_a_rate_limit_a_request_is_repeated_a_limited_number_of_times` |
| a cut stream | `test_a_cut_reply_is_requested_again_and_if_it_stays_cut_the_question_has_an_error` |
| prose | `test_a_model_that_writes_prose_ends_in_an_error_that_says_so` |
| an endless tool loop | `test_a_model_that_only_calls_tools_ends_within_the_limits` |
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
from graphground.agents.tool_agent import ToolAgent
from graphground.agents.zero_shot import ZeroShot
from tests.agents.conftest import KEY
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, fail, say, use

QUERY = "MATCH (t:Team) RETURN count(t) AS teams"
QUESTIONS = [Question("q1", "nba", "How many teams are there?"), Question("q2", "nba", "How many players are there?")]
AGENTS: tuple[Agent, ...] = (ZeroShot("exact"), ToolAgent(), MultiAgentLoop())
BOUNDS = Bounds(model_calls=12, tool_calls=6, seconds=60)
RETRIES = 2

each_agent = pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)


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


@each_agent
def test_a_refused_key_ends_the_run_at_once(agent: Agent, running: Run) -> None:
    refused = fail(401, "invalid_api_key", f"Incorrect API key provided: {KEY}")
    failure = ended(running, after_the_first_question(refused))
    assert failure.kind == "key_refused"
    assert "OPENAI_API_KEY" in str(failure)
    assert KEY not in str(failure)
    assert not running.waits


@each_agent
def test_after_a_rate_limit_a_request_is_repeated_a_limited_number_of_times(agent: Agent, running: Run) -> None:
    limited = fail(429, "rate_limit_exceeded", "slow down", retry_after="0.01")
    failure = ended(running, after_the_first_question(limited))
    assert failure.kind == "rate_limit"
    assert f"gave up after {RETRIES + 1} attempts" in str(failure)
    assert len(running.waits) == RETRIES


@each_agent
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
LISTED = Answer(raw=b"[1, 2]")
MESSAGELESS = Answer(
    raw=b'{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, '
    b'"finish_reason": "stop", "message": null}]}'
)


@pytest.mark.parametrize("agent", [ZeroShot("exact")])
@pytest.mark.parametrize(
    ("reply", "words"),
    [(CHOICELESS, ""), (FAILED_WITH_200, "asleep"), (LISTED, ""), (MESSAGELESS, ""), (Answer(raw=b"<html>"), "")],
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


@each_agent
def test_a_model_that_writes_prose_ends_in_an_error_that_says_so(agent: Agent, running: Run) -> None:
    requests = running(lambda request: say("There are thirty teams, as everybody knows."))
    assert requests <= len(QUESTIONS) * BOUNDS.model_calls
    for record in running.records:
        assert "cypher" not in record
        assert "quer" in record["error"]
        assert record["stopped"] in ("answered", "rounds")


@each_agent
def test_a_model_that_only_calls_tools_ends_within_the_limits(agent: Agent, running: Run) -> None:
    numbers = iter(range(1_000))
    requests = running(lambda _: use("execute_cypher", graph="nba", query=f"RETURN {next(numbers)} AS n"))
    assert requests <= len(QUESTIONS) * BOUNDS.model_calls
    for record in running.records:
        assert len(record["trace"]) <= BOUNDS.tool_calls
        assert record["stopped"] in ("answered", "rounds", "calls")
        assert record.get("error") or record["cypher"].startswith("RETURN")
