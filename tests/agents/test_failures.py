"""Five ways in which a model fails, for each of the three agents: every run ends, says why, and can be resumed.

| | zero-shot, tools, loop |
|---|---|
| a refused key | `test_a_refused_key_ends_the_run_at_once_and_the_run_resumes_with_a_valid_key` |
| a rate limit | `test_after_a_rate_limit_a_request_is_repeated_a_limited_number_of_times_and_the_run_resumes` |
| a cut stream | `test_a_cut_reply_is_requested_again_and_if_it_stays_cut_the_run_ends_and_resumes` |
| prose | `test_a_model_that_writes_prose_ends_in_an_error_that_says_so` |
| an endless tool loop | `test_a_model_that_only_calls_tools_ends_within_the_limits` |
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from graphground.agents.conversation import Outcome, Question
from graphground.agents.model_settings import ModelFailure, ModelSettings, QuestionsError
from graphground.agents.models import Model
from graphground.agents.multi_agent_loop import MultiAgentLoop
from graphground.agents.runs import Agent, Ask, ask, predicted, run
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
    """An agent, two questions and a file of predictions; each call runs the agent over the questions."""

    def __init__(self, agent: Agent, server: str, folder: Path) -> None:
        self.agent, self.server, self.path = agent, server, folder / "predictions.jsonl"
        self.waits: list[str] = []

    def __call__(self, script: Callable[[Asked], Answer]) -> int:
        """Run with a model that follows the script; return the number of its requests."""

        async def going() -> None:
            settings = ModelSettings("scripted", endpoint=endpoint.openai, retries=RETRIES)
            with anyio.fail_after(100):
                async with connect(self.server) as server, Model(settings, on_wait=self.waits.append) as model:
                    asking = partial(ask, self.agent, server=server, models={"": model}, bounds=BOUNDS)
                    await run(asking, QUESTIONS, self.path, workers=1)

        with ScriptedEndpoint(script) as endpoint:
            try:
                anyio.run(going)
            finally:
                requests = len(endpoint.requests)
        return requests

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def running(agent: Agent, nba_server: str, tmp_path: Path) -> Run:
    return Run(agent, nba_server, tmp_path)


def ended(running: Run, script: Callable[[Asked], Answer]) -> tuple[ModelFailure, int]:
    """Run until a failure of the model ends the run; return the failure and the number of requests to the model."""
    requests: list[Asked] = []

    def counted(request: Asked) -> Answer:
        requests.append(request)
        return script(request)

    with pytest.raises(ModelFailure) as caught:
        running(counted)
    return caught.value, len(requests)


def after_the_first_question(failing: Answer) -> Callable[[Asked], Answer]:
    """Return a script that replies correctly to the first question, and fails in every role for the second."""
    return lambda request: failing if QUESTIONS[1].text in request.text else right(request)


def resumes(running: Run) -> None:
    """Check that the first question has a prediction, and that a run with a working model answers the second."""
    assert predicted(running.path) == {"q1"}
    seen: list[str] = []

    def recorded(request: Asked) -> Answer:
        seen.append(request.text)
        return right(request)

    running(recorded)
    assert not [text for text in seen if QUESTIONS[0].text in text]
    assert predicted(running.path) == {"q1", "q2"}
    assert all(record["cypher"] == QUERY for record in running.records())


@each_agent
def test_a_refused_key_ends_the_run_at_once_and_the_run_resumes_with_a_valid_key(agent: Agent, running: Run) -> None:
    refused = fail(401, "invalid_api_key", f"Incorrect API key provided: {KEY}")
    failure, _ = ended(running, after_the_first_question(refused))
    assert failure.kind == "key_refused"
    assert "OPENAI_API_KEY" in str(failure)
    assert "Questions processed: 1 of 2 (their predictions are in" in str(failure)
    assert KEY not in str(failure) + running.path.read_text(encoding="utf-8")
    assert not running.waits
    resumes(running)


@each_agent
def test_after_a_rate_limit_a_request_is_repeated_a_limited_number_of_times_and_the_run_resumes(
    agent: Agent, running: Run
) -> None:
    limited = fail(429, "rate_limit_exceeded", "slow down", retry_after="0.01")
    failure, _ = ended(running, after_the_first_question(limited))
    assert failure.kind == "rate_limit"
    assert f"gave up after {RETRIES + 1} attempts" in str(failure)
    assert len(running.waits) == RETRIES
    resumes(running)


@each_agent
def test_a_cut_reply_is_requested_again_and_if_it_stays_cut_the_question_has_an_error_and_is_asked_again_later(
    agent: Agent, running: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphground.agents.models.FIRST_WAIT_SECONDS", 0.01)
    running(after_the_first_question(Answer("MATCH", cut=True)))
    assert [record["qid"] for record in running.records()] == ["q1", "q2"]
    assert f"gave up after {RETRIES + 1} attempts" in running.records()[1]["error"]
    cut = [True]  # the first reply is cut, and the repeated request is answered

    def once(request: Asked) -> Answer:
        return Answer("MATCH", cut=cut.pop()) if cut else right(request)

    assert predicted(running.path) == {"q1"}
    running(once)
    assert not cut
    assert [record.get("cypher") for record in running.records()] == [QUERY, None, QUERY]


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
    first, second = running.records()
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
    assert [record["stopped"] for record in running.records()] == ["agent", "agent"]
    assert "KeyError: 'nobody foresaw this'" in running.records()[0]["error"]


@pytest.mark.parametrize("agent", [ZeroShot("exact")])
def test_an_endpoint_that_fails_several_questions_in_a_row_stops_the_run(
    agent: Agent, running: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphground.agents.models.FIRST_WAIT_SECONDS", 0.01)
    monkeypatch.setattr("graphground.agents.runs.MAX_FAILURES", 2)
    failure, _ = ended(running, lambda request: fail(503, "overloaded"))
    assert "2 questions in a row failed" in str(failure)
    assert [record["temporary"] for record in running.records()] == [True, True]


def test_a_run_is_not_resumed_with_other_settings(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    asking = cast("Ask", None)  # there are no questions
    assert anyio.run(partial(run, asking, [], path, settings={"form": "base"})) == 0
    path.write_text('{"qid": "q1"}\n')
    anyio.run(partial(run, asking, [], path, settings={"form": "base"}))
    with pytest.raises(
        QuestionsError, match='was written with form "base", not "exact"; resume with the same settings'
    ):
        anyio.run(partial(run, asking, [], path, settings={"form": "exact"}))


@each_agent
def test_a_model_that_writes_prose_ends_in_an_error_that_says_so(agent: Agent, running: Run) -> None:
    requests = running(lambda request: say("There are thirty teams, as everybody knows."))
    assert requests <= len(QUESTIONS) * BOUNDS.model_calls
    for record in running.records():
        assert "cypher" not in record
        assert "quer" in record["error"]
        assert record["stopped"] in ("answered", "rounds")
    assert predicted(running.path) == set()  # no question has a prediction, so both are asked again
    running(right)
    assert predicted(running.path) == {"q1", "q2"}


@each_agent
def test_a_model_that_only_calls_tools_ends_within_the_limits(agent: Agent, running: Run) -> None:
    numbers = iter(range(1_000))
    requests = running(lambda _: use("execute_cypher", graph="nba", query=f"RETURN {next(numbers)} AS n"))
    assert requests <= len(QUESTIONS) * BOUNDS.model_calls
    for record in running.records():
        assert len(record["trace"]) <= BOUNDS.tool_calls
        assert record["stopped"] in ("answered", "rounds", "calls")
        assert record.get("error") or record["cypher"].startswith("RETURN")
