"""A model judges answers in words: verdicts, a second judge, a person's labels, and what is refused."""

import csv
import json
from functools import partial
from pathlib import Path

import anyio
import pytest

from graphground.evals.reports.summary import NoComparison
from graphground.evals.runs.judging import (
    agreement,
    calibrate,
    check_one_judge,
    judge_run,
    prompt_hash,
    read_judgements,
    write_sheet,
)
from graphground.evals.runs.runner import RunError
from graphground.server.commands.command_line import run as run_words
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, say

GOLD = {"columns": ["n.name"], "rows": [["Heat"], ["Ronin"]], "row_count": 2}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return the folder of a run: the even answers of eight are right, one has no words, one expects no answer."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.json").write_text("{}")
    records = [
        {"qid": f"t{number}", "question": f"Which {number}?", "gold_answer": GOLD, "expected": "answer",
         "text": "Heat and Ronin." if number % 2 == 0 else "Only Heat."}
        for number in range(8)
    ]  # fmt: skip
    records += [{**records[0], "qid": "t8", "text": ""}, {**records[0], "qid": "t9", "expected": "ask"}]
    (folder / "scores.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def judged(folder: Path, judge: str, lenient: frozenset[str] = frozenset(), *, second: bool = False) -> list[str]:
    prompts: list[str] = []

    async def ask(prompt: str) -> str:
        prompts.append(prompt)
        right = "Heat and Ronin." in prompt or any(f"Which {name}?" in prompt for name in lenient)
        return f"VERDICT: {'right' if right else 'wrong'}\nREASON: as the rows say"

    anyio.run(partial(judge_run, folder, judge, ask, second=second))
    return prompts


def test_each_answer_in_words_is_judged_once_against_the_gold_rows(run: Path) -> None:
    prompts = judged(run, "m")
    assert len(prompts) == 8
    assert '["n.name"]\n["Heat"]\n["Ronin"]' in prompts[0]
    assert judged(run, "m") == []
    found = read_judgements(run)
    assert found is not None
    assert (found["judge"], found["prompt"], found["right"]["mean"]) == ("m", prompt_hash(), 0.5)
    assert found["right"]["high"] - found["right"]["low"] > 0.3


def test_a_second_judge_is_compared_by_kappa_and_does_not_change_the_score(run: Path) -> None:
    judged(run, "m")
    judged(run, "other", frozenset("1"), second=True)
    found = read_judgements(run)
    assert found is not None
    assert (found["second"], found["agree"], found["kappa"], found["right"]["mean"]) == ("other", 0.875, 0.75, 0.5)
    assert agreement({"a": True}, {"a": True})["kappa"] is None


def test_another_judge_or_prompt_is_not_mixed_into_the_verdicts(run: Path) -> None:
    judged(run, "m")
    with pytest.raises(RunError, match=r"was judged by m with the prompt .* not by other with"):
        judged(run, "other")
    verdicts = [{"judge": "m", "prompt": "1"}, {"judge": "m", "prompt": "2"}]
    check_one_judge({"one": verdicts[0], "two": verdicts[0], "three": None})
    with pytest.raises(
        NoComparison, match=r"different judges cannot stand in one table .one: m with the prompt 1; two"
    ):
        check_one_judge({"one": verdicts[0], "two": verdicts[1]})


def test_a_persons_labels_on_a_balanced_sheet_calibrate_the_judge(run: Path, tmp_path: Path) -> None:
    judged(run, "m")
    sheet = tmp_path / "sheet.csv"
    assert write_sheet(run, sheet, count=4) == 4
    with sheet.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert sorted(line["answer"] for line in lines) == ["Heat and Ronin."] * 2 + ["Only Heat."] * 2
    with pytest.raises(RunError, match="has no label for a judged answer"):
        calibrate(run, sheet)
    for line in lines:
        line["right"] = "yes" if line["answer"] == "Heat and Ronin." else "no"
    next(line for line in lines if line["right"] == "no")["right"] = "yes"  # the person is more lenient once
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    assert calibrate(run, sheet) == {"common": 4, "agree": 0.75, "kappa": 0.5}
    sheet.write_text("qid,right\nt1,perhaps\n")
    with pytest.raises(RunError, match="line 2: `right` must be yes or no, not 'perhaps'"):
        calibrate(run, sheet)


def test_a_judge_and_a_second_one_are_named_with_their_agreement_in_the_shell(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def verdict(request: Asked) -> Answer:
        return say(f"VERDICT: {'right' if 'Heat and Ronin.' in request.text else 'wrong'}\nREASON: so")

    monkeypatch.setenv("OPENAI_API_KEY", "sk-invented")
    with ScriptedEndpoint(verdict) as endpoint:
        words = ["--model", "m", "--endpoint", endpoint.openai, "--cache", str(tmp_path / "cache")]
        assert (
            run_words("eval", ["judge", str(run), "--second", "n", "--sheet", str(tmp_path / "sheet.csv"), *words]) == 0
        )
    printed = capsys.readouterr().out
    assert "right by m 50.0%; agreement with n: 100.0% of 8 answers, Cohen's kappa 1.0" in printed
    assert "Wrote 8 answers to" in printed


def test_a_reply_without_a_verdict_counts_as_wrong_and_is_kept(run: Path) -> None:
    async def ask(prompt: str) -> str:
        return "It depends."

    assert anyio.run(judge_run, run, "m", ask) == 8
    assert {line["reason"] for line in map(json.loads, (run / "judgements.jsonl").read_text().splitlines())} == {
        "It depends."
    }
