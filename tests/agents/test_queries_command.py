"""The commands `graphground agent decode`, `pairs` and `reason`, on the bundled graph."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from graphground.server.commands.agent import main
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, say

QUESTION = "Which team drafted Stephen Curry?"
pytestmark = pytest.mark.engine


@pytest.fixture
def on(nba_server: str) -> list[str]:
    return ["--server", nba_server, "--graph", "nba"]


def test_the_grammar_of_the_suggested_queries_is_printed(on: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", QUESTION, "--grammar", "--candidates", "5", *on]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("root ::= ")
    assert "Stephen Curry" in printed
    assert main(["decode", "How are you?", "--grammar", *on]) == 1
    assert "nothing was suggested" in capsys.readouterr().err


def test_pairs_are_written_for_questions_whose_answers_a_query_finds(
    on: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions, out = tmp_path / "questions.csv", tmp_path / "pairs.jsonl"
    questions.write_text(
        f"question,answers\n{QUESTION},Golden State Warriors\nWho founded Stephen Curry?,Nobody at all\n",
        encoding="utf-8",
    )
    assert main(["pairs", str(questions), "--out", str(out), *on]) == 0
    assert "Wrote 1 pair for 2 questions" in capsys.readouterr().out
    [pair] = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [message["role"] for message in pair["messages"]] == ["system", "user", "assistant"]
    assert pair["messages"][1]["content"] == QUESTION
    assert "draftedBy" in pair["messages"][2]["content"]
    assert (pair["precision"], pair["recall"]) == (1.0, 1.0)


def test_the_nodes_that_a_model_chooses_are_printed(on: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    def choose(request: Asked) -> Answer:
        found = re.search(r"^(\d+)\. Golden State Warriors \(Team\)", request.text, re.MULTILINE)
        assert found is not None
        return say(f"[{found[1]}]")

    with ScriptedEndpoint(choose) as endpoint:
        words = ["--model", "m", "--endpoint", endpoint.openai]
        assert main(["reason", QUESTION, *words, *on]) == 0
    assert capsys.readouterr().out == "Golden State Warriors (Team)\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [(["decode", "Q?"], "--gguf FILE or --grammar"), (["reason", "Q?", "--model", "m", "--budget", "0"], "at least 1")],
)
def test_wrong_options_are_reported_before_a_server_is_started(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--server", "http://127.0.0.1:9/mcp"])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_model_file_that_cannot_be_opened_is_reported(
    on: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["decode", QUESTION, "--gguf", str(tmp_path / "none.gguf"), *on]) == 1
    error = capsys.readouterr().err
    assert "pip install llama-cpp-python" in error or "cannot be opened as a model" in error
