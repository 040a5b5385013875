"""Lets a language model judge answers in words against the gold rows, and measures how far the judge can be trusted.

    judgements.jsonl     in a run's folder: {"qid": "nba-1", "judge": "gpt-5", "prompt": "3f0a…", "right": true, …}

The prompt is fixed, and its hash is stored with each verdict. A second judge, and a person's labels on a sheet, are
compared with the first by Cohen's kappa. Verdicts of different judges or prompts are never averaged in one table.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from graphground.evals.reports.summary import NoComparison, as_figures, proportion
from graphground.evals.runs.runner import Journal, RunError, for_each, read_journal, read_run
from graphground.prompts.tasks import FOLDER, task_prompt
from graphground.prompts.template import all_templates

Ask = Callable[[str], Awaitable[str]]
SHEET = 50
"""The number of answers on a sheet for a person's labels."""
_VERDICT = re.compile(r"^\W*verdict\W*:\W*(right|wrong)\b", re.IGNORECASE | re.MULTILINE)
_REASON = re.compile(r"^\W*reason\W*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def prompt_hash() -> str:
    """Return a hash of the judge's prompt."""
    return hashlib.sha256(all_templates(FOLDER)["judge"].text.encode()).hexdigest()[:12]


async def judge_run(folder: Path, judge: str, ask: Ask, *, second: bool = False, workers: int = 4) -> int:
    """Judge the answers in words of a run that have no verdict yet, and return the number of new verdicts.

    `ask` sends a prompt to the model `judge`. With `second`, the verdicts are only compared with those of the first
    judge. A reply without a verdict counts as `wrong`, with the reply as its reason.

    Raises:
        RunError: the folder holds no run, no answer in words, or the verdicts of another judge or prompt.
        Exception: what `ask` raises; the verdicts until then are kept.
    """
    records = [record for record in read_run(folder)[1] if record["text"] and record["expected"] == "answer"]
    if not records:
        raise RunError(f"the run in {folder} has no answers in words to judge")
    with closing(Journal(folder / "judgements.jsonl")) as journal:
        mine = [verdict for verdict in journal.records if verdict["second"] == second]
        for verdict in mine:
            if (verdict["judge"], verdict["prompt"]) != (judge, prompt_hash()):
                raise RunError(
                    f"{folder} was judged by {verdict['judge']} with the prompt {verdict['prompt']}, not by {judge} with "
                    f"{prompt_hash()}; to judge it anew, move {folder / 'judgements.jsonl'} away"
                )
        known = {verdict["qid"] for verdict in mine}

        async def judge_one(record: Mapping[str, Any]) -> None:
            gold = record["gold_answer"]
            rows = [gold["columns"], *gold["rows"]]
            text = "\n".join(json.dumps(row, ensure_ascii=False, default=str) for row in rows)
            reply = await ask(
                task_prompt(
                    "judge", question=record["question"], count=str(gold["row_count"]), rows=text, answer=record["text"]
                )
            )
            found, reason = _VERDICT.search(reply), _REASON.search(reply)
            right = found is not None and found[1].lower() == "right"
            why = reason[1].strip() if found and reason else reply.strip()
            journal.append(
                {"qid": record["qid"], "judge": judge, "prompt": prompt_hash(), "second": second, "right": right, "reason": why[:500]}
            )  # fmt: skip

        left = [record for record in records if record["qid"] not in known]
        await for_each(left, judge_one, workers)
    return len(left)


def read_judgements(folder: Path) -> dict[str, Any] | None:
    """Return the share of right answers, the judge, and its agreement with a second judge; None without verdicts."""
    (first, judge), (second, other) = _verdicts(folder, False), _verdicts(folder, True)
    if not first:
        return None
    found = {**judge, "right": as_figures(proportion(sum(first.values()), len(first)))}
    return found | ({"second": other["judge"], **agreement(first, second)} if second else {})


def _verdicts(folder: Path, second: bool) -> tuple[dict[str, bool], dict[str, str]]:
    """Return the verdicts of the first or second judge by task, and the judge's name and prompt; empty if none."""
    records = read_journal(folder / "judgements.jsonl")
    verdicts = [verdict for verdict in records if verdict["second"] == second]
    judge = {name: verdicts[-1][name] for name in ("judge", "prompt")} if verdicts else {}
    return {verdict["qid"]: verdict["right"] for verdict in verdicts}, judge


def check_one_judge(judged: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Refuse to put the verdicts of different judges, or with different prompts, into one table.

    Raises:
        NoComparison: the runs, given by name, were judged by different judges or with different prompts.
    """
    judges = {(found["judge"], found["prompt"]): name for name, found in judged.items() if found is not None}
    if len(judges) > 1:
        named = "; ".join(f"{name}: {judge} with the prompt {prompt}" for (judge, prompt), name in judges.items())
        raise NoComparison(f"verdicts of different judges cannot stand in one table ({named})")


def agreement(first: Mapping[str, bool], second: Mapping[str, bool]) -> dict[str, Any]:
    """Return the share of common answers on which two judges agree, and Cohen's kappa: agreement beyond chance.

    >>> agreement({"1": True, "2": True, "3": False, "4": False}, {"1": True, "2": False, "3": False, "4": False})
    {'common': 4, 'agree': 0.75, 'kappa': 0.5}

    Kappa is None if chance alone would make the two agree on everything.
    """
    common = [qid for qid in first if qid in second]
    if not common:
        return {"common": 0, "agree": None, "kappa": None}
    agree = sum(first[qid] == second[qid] for qid in common) / len(common)
    yes, also = (sum(judged[qid] for qid in common) / len(common) for judged in (first, second))
    chance = yes * also + (1 - yes) * (1 - also)
    kappa = None if chance == 1 else round((agree - chance) / (1 - chance), 4)
    return {"common": len(common), "agree": round(agree, 4), "kappa": kappa}


def write_sheet(folder: Path, path: Path, count: int = SHEET, seed: int = 0) -> int:
    """Write a sheet (CSV) of judged answers for a person, half of each verdict if possible; return their number.

    The judge's verdicts are not on it. The person writes `yes` or `no` into the column `right`.
    """
    records = {record["qid"]: record for record in read_run(folder)[1]}
    first = _first_verdicts(folder)
    order = sorted(first)
    random.Random(seed).shuffle(order)
    right, wrong = ([qid for qid in order if first[qid] == verdict] for verdict in (True, False))
    half = max(count // 2, count - len(wrong))
    chosen = sorted((right[:half] + wrong)[:count])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("qid", "question", "gold rows", "answer", "right"))
        for qid in chosen:
            record = records[qid]
            writer.writerow((qid, record["question"], json.dumps(record["gold_answer"]["rows"]), record["text"], ""))
    return len(chosen)


def calibrate(folder: Path, path: Path) -> dict[str, Any]:
    """Return the agreement of the judge with a person's labels on a sheet.

    Raises:
        RunError: the sheet has no label, or one that is neither `yes` nor `no`.
    """
    labels: dict[str, bool] = {}
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, line in enumerate(csv.DictReader(file), start=2):
            label = (line.get("right") or "").strip().lower()
            if label not in ("", "yes", "no"):
                raise RunError(f"{path}, line {number}: `right` must be yes or no, not {label!r}")
            if label:
                labels[str(line.get("qid"))] = label == "yes"
    found = agreement(_first_verdicts(folder), labels)
    if not found["common"]:
        raise RunError(f"{path} has no label for a judged answer: write yes or no into its column `right`")
    return found


def _first_verdicts(folder: Path) -> dict[str, bool]:
    verdicts, _ = _verdicts(folder, False)
    if not verdicts:
        raise RunError(f"the run in {folder} is not judged yet")
    return verdicts
