from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphground.agents.conversation import Question
from graphground.agents.model_settings import ModelSettings
from graphground.agents.models import Model, ReplyCache
from graphground.agents.multi_agent_loop import MultiAgentLoop
from graphground.agents.runs import Agent, ask
from graphground.agents.server_connection import connect
from graphground.agents.session import Trace
from graphground.evals.runs.agents import CommandAgent
from graphground.evals.tasks.task import read_tasks
from graphground.server.commands.command_line import run as run_words
from graphground.server.traces.event import read_events
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, say
from tests.support.scripted_roles import role_of, script_of

QUERY = "MATCH (t:Team) RETURN count(t) AS teams"


def questions(count: int) -> list[Question]:
    return [
        Question(f"q{number}", "nba", f"How many teams are there, asked as number {number}?") for number in range(count)
    ]


def go(
    address: str, endpoint: ScriptedEndpoint, agent: Agent, questions: Sequence[Question], folder: Path
) -> dict[str, dict[str, Any]]:
    """Ask all questions at once; return the predictions by question."""
    found: dict[str, dict[str, Any]] = {}
    trace = Trace(folder / "trace.jsonl")

    async def going() -> None:
        settings = ModelSettings("scripted", endpoint=endpoint.openai, retries=0)
        async with connect(address) as server, Model(settings, ReplyCache(folder / "cache")) as model:

            async def one(question: Question) -> None:
                found[question.qid] = await ask(agent, question, server, {"": model}, trace=trace)

            with anyio.fail_after(110):
                async with anyio.create_task_group() as tasks:
                    for question in questions:
                        tasks.start_soon(one, question)

    anyio.run(going)
    return found


def test_the_trace_of_several_questions_has_every_call_and_every_token_of_their_predictions(
    nba_server: str, tmp_path: Path
) -> None:
    def grade(request: Asked) -> Answer:
        again = "asked as number 1" in request.text and "players" in request.text
        return say("GRADE: incorrect\nREASON: it counts players" if again else "GRADE: accept")

    def write(request: Asked) -> Answer:
        if "asked as number 5?" in request.text:
            return say("I would rather not.")
        wrong = "asked as number 1" in request.text and "Feedback on" not in request.text
        return say("MATCH (p:Player) RETURN count(p) AS players" if wrong else QUERY)

    with ScriptedEndpoint(script_of({"generator": write, "evaluator": grade})) as endpoint:
        written = go(nba_server, endpoint, MultiAgentLoop(), questions(6), tmp_path)
    traced = list(read_events(tmp_path / "trace.jsonl"))
    assert [record["rounds"] for _, record in sorted(written.items())] == [1, 2, 1, 1, 1, 4]
    assert [qid for qid, record in written.items() if "error" in record] == ["q5"]
    for qid, record in written.items():
        mine = [event for event in traced if event.session == qid]
        models = [event for event in mine if event.kind == "model"]
        assert sum(event.tokens_in or 0 for event in models) == record["usage"]["input_tokens"]
        assert sum(event.tokens_out or 0 for event in models) == record["usage"]["output_tokens"]
        assert [event.name for event in mine if event.kind == "tool"] == [call["tool"] for call in record["trace"]]
    asked = [event for event in traced if event.kind == "model" and not event.more["cached"]]
    assert len(asked) == len(endpoint.requests)


def test_the_command_answers_a_question_and_writes_a_trace(
    nba_server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedEndpoint(
        script_of({"zero_shot": [QUERY], "generator": [QUERY], "evaluator": ["GRADE: accept"]})
    ) as endpoint:
        common = ["--model", "scripted", "--endpoint", endpoint.openai, "--server", nba_server, "--no-cache"]
        assert run_words("agent", ["zero-shot", "--graph", "nba", *common, "How many teams are there?"]) == 0
        assert capsys.readouterr().out == f"{QUERY}\n"
        trace = tmp_path / "trace.jsonl"
        words = ["loop", "--graph", "nba", *common, "--trace", str(trace), "How many teams are there?"]
        assert run_words("agent", words) == 0
        assert capsys.readouterr().out.startswith(QUERY)
    assert run_words("trace", ["show", str(trace), "--form", "markdown"]) == 0
    text = capsys.readouterr().out
    assert "`evaluate`: `round 1` leads to `accept`" in text
    assert "Message of `user`:\n\n```text\nQuestion: How many teams are there?" in text
    assert f"```cypher\n{QUERY}" in text
    assert [role_of(request) for request in endpoint.requests] == ["zero_shot", "generator", "evaluator", "interpreter"]


def test_evaluations_run_the_command_through_their_protocol(nba_server: str, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.json"
    record = {"graph": "nba", "nl_question": "How many teams are there?", "gold_cypher": QUERY}
    tasks.write_text(json.dumps([{"qid": f"t{n}", **record} for n in range(2)]), encoding="utf-8")
    with ScriptedEndpoint(script_of({"zero_shot": [QUERY]})) as endpoint:
        command = (
            f"{sys.executable} -m graphground agent zero-shot --model m --endpoint {endpoint.openai} "
            f"--server {nba_server} --no-cache"
        )
        with closing(CommandAgent(command, timeout=100)) as agent:
            predictions = [agent.predict(task) for task in read_tasks(tasks)]
    assert [(prediction.query, prediction.error) for prediction in predictions] == [(QUERY, "")] * 2
    assert predictions[0].tokens_in == 100
    assert predictions[0].trace[0].tool == "get_schema"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["loop", "--role", "judge=gpt-5"], "one of the roles generator"),
        (["tools", "--temperature", "warm"], "--temperature must be a number or none"),
        (["loop", "--rounds", "0"], "at least 1"),
    ],
)
def test_wrong_options_are_reported_with_exit_status_2(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_words("agent", [*options, "--model", "m", "--endpoint", "http://127.0.0.1:9/v1", "Q?"])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
