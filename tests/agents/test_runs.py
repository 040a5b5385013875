from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphground.agents.conversation import Question
from graphground.agents.model_settings import ModelFailure, ModelSettings
from graphground.agents.models import Model, ReplyCache
from graphground.agents.multi_agent_loop import MultiAgentLoop
from graphground.agents.runs import Agent, ask, predicted, run
from graphground.agents.server_connection import connect
from graphground.agents.session import Trace
from graphground.agents.zero_shot import ZeroShot
from graphground.evals.runs.agents import CommandAgent
from graphground.evals.runs.prediction import read_predictions
from graphground.evals.tasks.task import read_tasks
from graphground.server.commands.command_line import run as run_words
from graphground.server.traces.event import read_events
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, fail, say
from tests.support.scripted_roles import role_of, script_of

QUERY = "MATCH (t:Team) RETURN count(t) AS teams"


def questions(count: int) -> list[Question]:
    return [
        Question(f"q{number}", "nba", f"How many teams are there, asked as number {number}?") for number in range(count)
    ]


def go(
    address: str,
    endpoint: ScriptedEndpoint,
    agent: Agent,
    questions: Sequence[Question],
    folder: Path,
    workers: int = 1,
) -> int:
    async def going() -> int:
        with anyio.fail_after(110):
            settings = ModelSettings("scripted", endpoint=endpoint.openai, retries=0)
            async with connect(address) as server, Model(settings, ReplyCache(folder / "cache")) as model:
                asking = partial(ask, agent, server=server, models={"": model}, trace=Trace(folder / "trace.jsonl"))
                return await run(asking, questions, folder / "predictions.jsonl", workers)

    return anyio.run(going)


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]


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
        assert go(nba_server, endpoint, MultiAgentLoop(), questions(6), tmp_path, workers=3) == 6
    traced, written = (
        list(read_events(tmp_path / "trace.jsonl")),
        {record["qid"]: record for record in records(tmp_path)},
    )
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


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limit"), (401, "key_refused")])
def test_a_run_that_the_endpoint_stops_keeps_its_predictions_and_resumes(
    nba_server: str, tmp_path: Path, status: int, kind: str
) -> None:
    refusing = True

    def script(request: Asked) -> Answer:
        if refusing and "number 3" in request.text:
            return fail(status, "rate_limit_error" if status == 429 else "authentication_error", retry_after="900")
        return say(QUERY)

    with ScriptedEndpoint(script) as endpoint:
        with pytest.raises(ModelFailure, match="Questions processed: 3 of 6") as caught:
            go(nba_server, endpoint, ZeroShot(), questions(6), tmp_path)
        assert caught.value.kind == kind
        assert len(endpoint.requests) == 4
        refusing = False
        assert go(nba_server, endpoint, ZeroShot(), questions(6), tmp_path) == 3
    assert len(endpoint.requests) == 7
    assert predicted(tmp_path / "predictions.jsonl") == {f"q{number}" for number in range(6)}


def test_interrupted_and_failed_predictions_are_requested_again(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(
        '{"qid": "a", "cypher": "RETURN 1"}\n{"qid": "b", "error": "x"}\n{"qid": "c", "cy', encoding="utf-8"
    )
    assert predicted(path) == {"a"}


def test_the_command_answers_one_question_or_a_task_file(
    nba_server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = tmp_path / "tasks.json"
    tasks.write_text(
        json.dumps([{"qid": "t1", "graph": "nba", "nl_question": "How many teams are there?", "gold_cypher": QUERY}]),
        encoding="utf-8",
    )
    with ScriptedEndpoint(
        script_of({"zero_shot": [QUERY], "generator": [QUERY], "evaluator": ["GRADE: accept"]})
    ) as endpoint:
        common = ["--model", "scripted", "--endpoint", endpoint.openai, "--server", nba_server, "--no-cache"]
        assert run_words("agent", ["zero-shot", "--graph", "nba", *common, "How many teams are there?"]) == 0
        assert capsys.readouterr().out == f"{QUERY}\n"
        out, trace = tmp_path / "out.jsonl", tmp_path / "trace.jsonl"
        assert (
            run_words("agent", ["loop", *common, "--tasks", str(tasks), "--out", str(out), "--trace", str(trace)]) == 0
        )
        assert "Asked 1 of 1" in capsys.readouterr().out
        assert run_words("agent", ["loop", *common, "--tasks", str(tasks), "--out", str(out)]) == 0
        assert "Asked 0 of 1" in capsys.readouterr().out
    assert read_predictions(out, read_tasks(tasks))["t1"].query == QUERY
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
        agent = CommandAgent(command, timeout=100)
        try:
            predictions = [agent.predict(task) for task in read_tasks(tasks)]
        finally:
            agent.close()
    assert [(prediction.query, prediction.error) for prediction in predictions] == [(QUERY, "")] * 2
    assert predictions[0].tokens_in == 100
    assert predictions[0].trace[0].tool == "get_schema"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["loop", "--role", "judge=gpt-5"], "one of the roles generator"),
        (["zero-shot", "--tasks", "x.json"], "--tasks needs --out"),
        (["tools", "--temperature", "warm"], "--temperature must be a number or none"),
        (["loop", "--rounds", "0"], "at least 1"),
    ],
)
def test_wrong_options_are_reported_with_exit_status_2(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_words(
            "agent",
            [
                *options,
                "--model",
                "m",
                "--endpoint",
                "http://127.0.0.1:9/v1",
                *([] if "--tasks" in options else ["Q?"]),
            ],
        )
    assert ended.value.code == 2
    assert words in capsys.readouterr().err
