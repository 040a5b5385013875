"""The commands of the example on GraphRAFT, on the bundled graph; its beam, beside an enumeration of all sequences."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from math import exp, log
from pathlib import Path

import anyio
import pytest

from examples.graphraft.__main__ import main, parse_arguments
from examples.graphraft.decoding import rank
from examples.graphraft.retrieval import hit_at, recall_at
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, say

QUESTION = "Which team drafted Stephen Curry?"
pytestmark = pytest.mark.engine


def run(words: Sequence[str], nba_server: str) -> None:
    anyio.run(main, parse_arguments([*words, "--server", nba_server, "--graph", "nba"]))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_grammar_of_the_suggested_queries_is_printed(nba_server: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["grammar", QUESTION, "--candidates", "5"], nba_server)
    printed = capsys.readouterr().out
    assert printed.startswith("root ::= ")
    assert "Stephen Curry" in printed


def test_each_model_gets_training_pairs_for_questions_whose_answers_are_found(nba_server: str, tmp_path: Path) -> None:
    questions = tmp_path / "questions.csv"
    text = f"question,answers\n{QUESTION},Golden State Warriors\nWho founded Stephen Curry?,Nobody at all\n"
    questions.write_text(text, encoding="utf-8")
    for command in ("pairs", "readers"):
        run([command, str(questions), "--out", str(tmp_path / command)], nba_server)
    [first] = lines(tmp_path / "pairs")
    assert "draftedBy" in first["messages"][2]["content"]  # type: ignore[index]
    assert (first["precision"], first["recall"]) == (1.0, 1.0)
    [second] = lines(tmp_path / "readers")
    shown, chosen = (message["content"] for message in second["messages"])  # type: ignore[attr-defined]
    [number] = json.loads(chosen)
    assert re.search(rf"^{number}\. Golden State Warriors \(Team\)", shown, re.MULTILINE)


def test_the_nodes_are_ranked_for_starks_metrics_first_those_that_the_model_chooses(
    nba_server: str, tmp_path: Path
) -> None:
    def choose(request: Asked) -> Answer:
        found = re.search(r"^(\d+)\. Golden State Warriors \(Team\)", request.text, re.MULTILINE)
        assert found is not None
        return say(f"[{found[1]}]")

    questions, out = tmp_path / "q.jsonl", tmp_path / "rankings.jsonl"
    questions.write_text(json.dumps({"id": 7, "question": QUESTION}) + "\n")
    with ScriptedEndpoint(choose) as endpoint:
        run(["rank", str(questions), "--out", str(out), "--model", "m", "--endpoint", endpoint.openai], nba_server)
    [ranking] = lines(out)
    names = ranking["ranked"]
    assert isinstance(names, list)
    assert (ranking["id"], hit_at(names, {"Golden State Warriors"}, 1)) == (7, 1.0)
    assert recall_at(names, {"Golden State Warriors"}, 20) == 1.0


@pytest.mark.parametrize("renormalise", [True, False])
def test_a_wide_beam_finds_the_order_of_all_sequences_and_renormalises_over_the_allowed_tokens(
    renormalise: bool,
) -> None:
    dice = random.Random(4)
    sequences = [(1, 2, 3), (1, 2, 4), (1, 5), (6, 2), (6, 2, 3)]
    table: dict[tuple[int, ...], list[float]] = {}

    def logits(written: Sequence[int]) -> list[float]:
        return table.setdefault(tuple(written), [dice.uniform(-3, 3) for _ in range(8)])

    def probability(sequence: tuple[int, ...]) -> float:
        total = 0.0
        for place, token in enumerate(sequence):
            allowed = {each[place] for each in ended if each[:place] == sequence[:place] and len(each) > place}
            values = logits(sequence[:place])
            among = [values[each] for each in allowed] if renormalise else values
            total += values[token] - log(sum(map(exp, among)))
        return total

    ended = [(*sequence, 0) for sequence in sequences]
    found = rank(sequences, logits, 5, renormalise=renormalise, end=0)
    assert found == sorted(range(5), key=lambda place: -probability(ended[place]))
    assert sum(exp(probability(each)) for each in ended) == pytest.approx(1.0) if renormalise else True
    assert rank(sequences, logits, 1, renormalise=renormalise, end=0)[0] in range(5)
