"""Rephrasing with a scripted model over HTTP: good questions are accepted once verified, bad questions are detected."""

import json
import re
from pathlib import Path

import anyio
import pytest

from graphground.evals.generation.rephrasing import Rephrased, literals_of, problem_of, question_in, rephrase_task
from graphground.evals.tasks.task import Task, read_tasks, write_tasks
from graphground.server.commands.command_line import run
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, fail, say

GOLD = "MATCH (n:Movie)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) WITH DISTINCT n WHERE n.runtime_minute > 90"
RAW = 'What are the names of movies with "directed by" the person Michael Mann whose runtime minute is greater than 90?'
GOOD = "Which movies longer than 90 minutes did Michael Mann direct?"
TASK = Task("films-1", "films", RAW, f"{GOLD} RETURN n.name", RAW, "basic_(n)-(m0*)", "n_where")


def rephrased(*replies: str, task: Task = TASK) -> tuple[Rephrased, list[str]]:
    """Rephrase with a model that gives these replies in turn; return the result and the prompts."""
    prompts: list[str] = []

    async def ask(prompt: str) -> str:
        prompts.append(prompt)
        return replies[len(prompts) - 1]

    return anyio.run(rephrase_task, task, ask), prompts


def test_a_question_is_accepted_once_the_model_confirms_it() -> None:
    result, prompts = rephrased(f"QUESTION: {GOOD}", "VERDICT: same")
    assert (result.task.question, result.task.raw_question, result.problem, result.rounds) == (GOOD, RAW, "", 1)
    assert (result.task.gold, result.task.qid) == (TASK.gold, TASK.qid)
    assert all(TASK.gold in prompt and '"Michael Mann", "90"' in prompt for prompt in prompts)
    assert GOOD in prompts[1]


def test_a_corrected_question_is_verified_again_and_at_most_three_rounds_are_made() -> None:
    wrong = "Which movies shorter than 90 minutes did Michael Mann direct?"
    result, prompts = rephrased(f"QUESTION: {wrong}", f"VERDICT: different\nQUESTION: {GOOD}", "**VERDICT:** same\n")
    assert (result.task.question, result.rounds, len(prompts)) == (GOOD, 2, 3)
    turns = [f"VERDICT: different\nQUESTION: {text}" for text in (wrong, GOOD, wrong)]
    result, prompts = rephrased(f"QUESTION: {GOOD}", *turns)
    assert (result.task.question, result.kind, result.rounds, len(prompts)) == (RAW, "not verified", 3, 4)
    assert result.last == wrong


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Which movies longer than 90 minutes did Mann direct?", "a name or value is missing"),
        ("Which movies with directedBy Michael Mann run over 90 minutes?", "code in the question"),
        ("Michael Mann 90", "not a sentence"),
        (f"{GOOD} {'Really, all of them? ' * 30}", "too long"),
    ],
)
def test_a_bad_question_is_rejected_even_if_the_model_approves_it(written: str, kind: str) -> None:
    result, prompts = rephrased(f"QUESTION: {written}", "VERDICT: same")
    assert (result.task.question, result.kind) == (RAW, kind)
    assert f"An automatic check found a problem with the question. {kind[0].upper()}{kind[1:]}" in prompts[1]
    result, _ = rephrased(f"QUESTION: {written}", f"VERDICT: different\nQUESTION: {GOOD}", "VERDICT: same")
    assert (result.task.question, result.rounds) == (GOOD, 2)


def test_after_a_reply_without_the_agreed_lines_the_raw_question_is_kept() -> None:
    result, prompts = rephrased("Sure! Michael Mann is a great director.", "Yes, that is what it means.")
    assert (result.task.question, result.kind, len(prompts)) == (RAW, "no question", 2)
    result, _ = rephrased(f"QUESTION: {GOOD}", "Yes, that is what it means.")
    assert (result.task.question, result.kind) == (RAW, "no verdict")


def test_a_question_must_contain_the_values_but_may_spell_them_naturally() -> None:
    gold = "MATCH (n:Person {name: \"Miles O'Brien\"}) WHERE n.born > date('1987-01-01') AND n.worth > 19000 RETURN n LIMIT 1"
    raw = "persons Miles O'Brien whose born is after 1987-01-01 and whose worth is greater than 19000?"
    literals = list(literals_of(gold, raw))
    assert literals == ["Miles O'Brien", "1987-01-01", "19000"]
    assert problem_of("Was MILES O’BRIEN, born after January 1, 1987, worth over 19,000?", raw, literals) == ""
    assert problem_of("Was Miles O'Brien, born after 1988, worth over 190000?", raw, literals).endswith(
        '"1987-01-01", "19000"'
    )
    code_like = list(literals_of("MATCH (n {name: 'eBay->x_y'}) RETURN n", "the company eBay->x_y"))
    assert problem_of("Who founded eBay->x_y?", "the company eBay->x_y", code_like) == ""


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Question: Who is it?", "Who is it?"),
        ('**QUESTION:** "Who is it?"', "Who is it?"),
        ("QUESTION: First?\nno, better:\nQUESTION: Who is  it?", "Who is it?"),
        ("Who is it?", ""),
        ("", ""),
    ],
)
def test_the_question_in_a_reply_is_the_last_line_marked_as_question(reply: str, question: str) -> None:
    assert question_in(reply) == question


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Write a file of three tasks, about the films Heat, Ronin and Alien; return its path."""
    path = tmp_path / "tasks.json"
    write_tasks(
        [
            Task(
                f"films-{name}",
                "films",
                f'What are the names of persons that are "directed by" of the movie {name}?',
                f"MATCH (n:Person)<-[r0:directedBy]-(m0:Movie {{name: '{name}'}}) RETURN n.name",
            )
            for name in ("Heat", "Ronin", "Alien")
        ],
        path,
    )
    return path


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set an invented key, and remove the endpoint from the environment."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-4711-do-not-print")


def film_in(request: Asked) -> str:
    found = re.search(r"name: '(\w+)'", request.text)
    assert found is not None
    return found[1]


def good_but_for_ronin(request: Asked) -> Answer:
    """Answer as a model that writes good questions, except for the film Ronin."""
    if film_in(request) == "Ronin":
        return say("As a language model, I love movies.")
    return say("VERDICT: same" if "VERDICT" in request.text else f"QUESTION: Who directed {film_in(request)}?")


def command(tasks: Path, endpoint: ScriptedEndpoint, *more: str) -> list[str]:
    folder = tasks.parent
    options = ["--model", "scripted", "--endpoint", endpoint.openai, "--cache", str(folder / "cache"), "--retries", "0"]
    return ["rephrase", str(tasks), str(folder / "new.json"), "--report", str(folder / "report.jsonl"), *options, *more]


def test_the_command_reports_raw_questions_and_never_sends_a_request_twice(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pydantic_ai.models.openai", reason="needs the extra `agents`")
    with ScriptedEndpoint(good_but_for_ronin) as endpoint:
        assert run("eval", command(tasks, endpoint, "--seed", "7")) == 0
        first, count = (tasks.parent / "new.json").read_bytes(), len(endpoint.requests)
        assert all(request.body["seed"] == 7 and request.body["temperature"] == 0 for request in endpoint.requests)
        assert run("eval", command(tasks, endpoint, "--seed", "7")) == 0
        assert (tasks.parent / "new.json").read_bytes() == first
        assert len(endpoint.requests) == count == 6
    assert [task.question for task in read_tasks(tasks.parent / "new.json")] == [
        "Who directed Heat?",
        'What are the names of persons that are "directed by" of the movie Ronin?',
        "Who directed Alien?",
    ]
    report = [json.loads(line) for line in (tasks.parent / "report.jsonl").read_text("utf-8").splitlines()]
    assert [line["rephrased"] for line in report] == [True, False, True]
    out, err = capsys.readouterr()
    assert "2 questions rephrased, 1 kept raw. The model received 6 requests." in out
    assert "received 0 requests" in out
    assert "questions kept raw (no question): 1, for example films-Ronin" in err


def test_a_refusing_endpoint_stops_the_command_which_resumes_at_the_same_task(
    tasks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pydantic_ai.models.openai", reason="needs the extra `agents`")

    def stop_at_ronin(request: Asked) -> Answer:
        return fail(401, "invalid_api_key") if film_in(request) == "Ronin" else good_but_for_ronin(request)

    with ScriptedEndpoint(stop_at_ronin) as endpoint:
        assert run("eval", command(tasks, endpoint, "--workers", "1")) == 1
        assert "refused the key in OPENAI_API_KEY" in (errors := capsys.readouterr().err)
        assert "Questions processed: 1 of 3; run the same command again to continue" in errors
        assert not (tasks.parent / "new.json").exists()
        before = len(endpoint.requests)
        endpoint.script = lambda request: say(f"QUESTION: Who directed {film_in(request)}?\nVERDICT: same")
        assert run("eval", command(tasks, endpoint, "--workers", "1")) == 0
        assert [film_in(request) for request in endpoint.requests[before:]].count("Heat") == 0
    assert "3 questions rephrased, 0 kept raw" in capsys.readouterr().out
