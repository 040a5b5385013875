"""A bench of several models: kills, the budget, what it refuses, and the figures of its report."""

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphground.evals.reports.page import COLUMNS, summarize_bench
from graphground.evals.reports.summary import NoComparison, bootstrap, sign_flips
from graphground.evals.runs.bench import BLOCK, Bench, Entry, entries_of
from graphground.evals.runs.runner import RunError
from graphground.evals.tasks.task import Task
from graphground.graphs.storage.home import Home
from tests.support.scripted_bench import SHARES, Scenario


@pytest.mark.timeout(300)
def test_a_bench_that_is_killed_ends_with_the_same_report_and_within_its_budget(
    eval_home: Home, tmp_path: Path
) -> None:
    with Scenario(tmp_path, eval_home, tasks=12, budget=3.0, agents=["zero-shot"]) as scenario:
        ran = scenario.run("killed", "whole", kills=(11,))
        assert ran.returncode == 0, ran.stderr
        figures, lines = scenario.results("whole")
        assert scenario.results("killed") == (figures, lines)
    asked = len(lines)
    assert 0 <= len(scenario.endpoint.requests) - 2 * asked <= 2  # the questions in flight at the kill
    assert (figures["asked"], figures["of"], figures["stopped_at_budget"]) == (2 * BLOCK, 12, True)
    assert figures["spent_usd"] == pytest.approx(len(SHARES) * 2 * BLOCK * 0.12)
    assert ran.stdout.count("8 of 12 tasks, $2.8800; the next questions might exceed the budget of $3") == 2
    assert len({line["qid"] for line in lines}) * len(SHARES) == asked
    assert list(lines[0]) == [name for name in COLUMNS if name != "seconds"]
    assert r"zero-shot & good & 1 & " in (tmp_path / "whole" / "bench.tex").read_text("utf-8")
    page = (tmp_path / "whole" / "bench.html").read_text("utf-8")
    assert page.count("<circle") == 3
    assert figures["fingerprints"]["tasks"] in page
    with (tmp_path / "killed" / "bench.csv").open(encoding="utf-8", newline="") as file:
        assert all(float(line["seconds"]) > 0 for line in csv.DictReader(file))


def bench(folder: Path, count: int = 12, models: tuple[str, ...] = ("a",)) -> Bench:
    tasks = [Task(f"t{number}", "films", "Which?", "MATCH (m:Movie) RETURN m.name") for number in range(count)]
    return Bench(folder, tasks, {entry: {} for entry in entries_of(["tools"], models, 1)})


def ask(made: Bench, reply: dict[str, Any], budget: float | None = None) -> Any:
    async def answer(entry: Entry, task: Task) -> dict[str, Any]:
        return {"qid": task.qid, **reply}

    return anyio.run(partial(made.ask, answer, budget=budget))


def test_a_model_is_added_later_and_only_its_questions_are_asked(tmp_path: Path) -> None:
    reply = {"cypher": "RETURN 1", "usage": {"price_usd": 0.5}}
    assert ask(bench(tmp_path), reply).asked == 12
    again = ask(bench(tmp_path, models=("a", "b")), reply)
    assert (again.asked, again.spent, len(again.tasks)) == (12, 12.0, 12)


def test_a_budget_without_a_known_price_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no price is known for a, so the budget cannot be kept; give --price a=IN,OUT"):
        ask(bench(tmp_path), {"cypher": "RETURN 1"}, budget=1.0)


def test_three_questions_without_a_reply_stop_a_bench(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="3 questions in a row received no reply: the endpoint is away"):
        ask(bench(tmp_path), {"error": "the endpoint is away", "temporary": True})


def test_the_price_of_a_failed_answer_counts(tmp_path: Path) -> None:
    failed = {"error": "the model wrote no query", "usage": {"price_usd": 0.5, "input_tokens": 7}}
    asked = ask(bench(tmp_path), failed, budget=4.0)
    assert (asked.spent, asked.over, len(asked.tasks)) == (4.0, True, 8)
    kept = json.loads((tmp_path / "tools-a-1" / "predictions.jsonl").read_text().splitlines()[0])
    assert (kept["error"], kept["tokens_in"]) == ("the model wrote no query", 7)


def record(qid: str, right: float, **fields: Any) -> dict[str, Any]:
    spent = {"seconds": 1.0, "tokens_in": 1, "tokens_out": 1, "cost": 0.1, "model_calls": 1, "trace": [], "error": ""}
    return {
        "qid": qid,
        "execution_accuracy": right,
        "psjs": right,
        "executable": 1.0,
        "expected": "answer",
        "behaviour": "right" if right else "wrong",
        "gold_digest": "one",
        "agent": spent,
        **fields,
    }


def test_repetitions_are_averaged_by_task_and_no_interval_is_empty() -> None:
    runs = {
        Entry("tools", model, repeat): [record(f"t{number}", float(number < right)) for number in range(10)]
        for model, right in (("a", 10), ("b", 4))
        for repeat in (1, 2)
    }
    runs[Entry("tools", "b", 2)] = [record(f"t{number}", float(number < 5)) for number in range(10)]
    found = summarize_bench(runs)
    first, second = found["rows"]
    assert (first["execution_accuracy"]["mean"], first["execution_accuracy"]["count"]) == (1.0, 10)
    assert first["execution_accuracy"]["low"] < 0.8
    assert second["execution_accuracy"]["mean"] == 0.45
    (pair,) = found["pairs"]
    assert (pair["difference"]["mean"], pair["won"], pair["lost"]) == (-0.55, 0, 6)
    assert 0.02 < pair["p"] < 0.05
    assert pair["p_holm"] == pair["p"]


def test_runs_over_different_data_are_not_put_into_one_table() -> None:
    with pytest.raises(NoComparison, match="have different gold answers"):
        summarize_bench(
            {Entry("tools", "a"): [record("t1", 1.0)], Entry("tools", "b"): [record("t1", 1.0, gold_digest="two")]}
        )


def test_the_interval_of_equal_values_has_a_width_and_the_mean_lies_in_it() -> None:
    for values in ([0.0] * 5, [1.0] * 200, [0.5] * 20):
        found = bootstrap(values)
        assert found.low <= found.mean <= found.high
        assert found.high - found.low > 0.01
    assert sign_flips([0.5] * 8) == pytest.approx(2 / 2**8, abs=0.003)
