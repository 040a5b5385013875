"""Computes the figures of a run: scores, the number of wrong predictions by category, behaviours and costs.

Scores are computed overall and by graph, pattern, template and variant. They include only tasks with the expected
reaction `answer`, if there are any.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from graphground.evals.reports.statistics import Interval, mcnemar, mean, proportion
from graphground.evals.runs.categories import CATEGORIES

GROUPS = ("graph", "pattern", "template", "variant")


def summarize(settings: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures of a run: `summarize(*read_run(folder))["overall"]["execution_accuracy"]["mean"]`."""
    wrong = [record for record in records if not is_right(record)]
    scored = _answerable(records)
    return {
        "predictor": settings.get("predictor", ""),
        "note": settings.get("note", ""),
        "started": settings.get("started", ""),
        "tasks": settings.get("count", len(records)),
        "scored": len(records),
        "overall": _scores(scored),
        "by": {
            group: {name: _scores(members) for name, members in sorted(_grouped(scored, group).items())}
            for group in GROUPS
        },
        "categories": {
            name: {"count": sum(record["category"] == name for record in wrong), "meaning": meaning}
            for name, meaning in CATEGORIES.items()
        },
        "categories_by_graph": {
            name: dict(Counter(record["category"] for record in members if record["category"]))
            for name, members in sorted(_grouped(wrong, "graph").items())
        },
        "honesty": honesty(records),
        "cost": cost(records),
        "gold_failures": sum(bool(record["gold_failure"]) for record in records),
    }


def is_right(record: Mapping[str, Any]) -> bool:
    """Return whether a prediction is the right answer, refusal or clarifying question."""
    return bool(record["execution_accuracy"] == 1 or record["behaviour"] == "right")


def _answerable(records: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the records of the tasks that expect an answer, or all records if there are none."""
    return [record for record in records if record["expected"] == "answer"] or records


def _scores(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    correct = sum(record["execution_accuracy"] == 1 for record in records)
    return {
        "execution_accuracy": _shown(proportion(correct, len(records))),
        "psjs": _shown(mean([record["psjs"] for record in records])),
        "executable": _shown(proportion(sum(record["executable"] == 1 for record in records), len(records))),
    }


def _shown(interval: Interval) -> dict[str, float | int]:
    return {
        "mean": round(interval.mean, 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
        "count": interval.cases,
    }


def _grouped(records: Sequence[Mapping[str, Any]], key: str) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        groups[record[key] or "none"].append(record)
    return groups


def honesty(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how often the agent behaved in each way, and three shares, each None if it has no cases.

    `confident_wrong`: of all answers, the share with rows that are wrong or invented. `from_nothing`: of all answers,
    the share of wrong answers without rows. `refusals_right`: of all unanswerable and ambiguous questions, the share
    that the agent recognized as such.
    """
    counts = Counter(record["behaviour"] for record in records)
    answered = (
        counts["right"]
        + counts["wrong"]
        + counts["invented"]
        + counts["empty"]
        - sum(record["behaviour"] == "right" and record["expected"] != "answer" for record in records)
    )
    unanswerable = [record for record in records if record["expected"] != "answer"]
    return {
        "behaviour": dict(counts),
        "confident_wrong": _share(counts["wrong"] + counts["invented"], answered),
        "from_nothing": _share(counts["empty"], answered),
        "refusals_right": _share(sum(record["behaviour"] == "right" for record in unanswerable), len(unanswerable)),
    }


def _share(count: int, total: int) -> dict[str, Any] | None:
    return _shown(proportion(count, total)) if total else None


def cost(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the cost of the predictions: tool calls, tokens, US dollars and seconds, in total and per task.

    `by_tool` gives the totals of each tool, without US dollars. `calls_per_correct` is the number of all tool calls,
    including calls for wrong answers, divided by the number of right answers; None without a right answer.
    """
    agents = [record["agent"] for record in records]
    calls = [call for agent in agents for call in agent["trace"]]
    correct = sum(record["execution_accuracy"] == 1 for record in records)
    tools: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for call in calls:
        for key, value in (
            ("calls", 1),
            ("seconds", call["seconds"]),
            ("tokens_in", call["tokens_in"]),
            ("tokens_out", call["tokens_out"]),
        ):
            tools[call["tool"]][key] += value
    totals = {key: sum(agent[key] for agent in agents) for key in ("seconds", "tokens_in", "tokens_out", "cost")}
    seconds = sorted(agent["seconds"] for agent in agents)
    return {
        "total": {**{key: round(value, 4) for key, value in totals.items()}, "calls": len(calls)},
        "per_task": {key: round(value / len(agents), 4) for key, value in {**totals, "calls": len(calls)}.items()},
        "calls_per_correct": round(len(calls) / correct, 2) if correct else None,
        "seconds_median": round(median(seconds), 4),
        "seconds_p95": seconds[int(len(seconds) * 0.95)],
        "by_tool": {
            tool: {key: round(value, 4) for key, value in sums.items()} for tool, sums in sorted(tools.items())
        },
    }


class NoCommonTask(ValueError):
    """The error for two runs that cannot be compared, because they have no task in common."""


def compare(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the tasks that the second run won and lost against the first, among the tasks scored in both runs.

    A run is right on a task if its answer, refusal or clarifying question is right.

    Raises:
        NoCommonTask: the runs have no task in common.
    """
    before = {record["qid"]: record for record in first}
    common = [(before[record["qid"]], record) for record in second if record["qid"] in before]
    if not common:
        raise NoCommonTask("the two runs have no task in common; compare runs over the same task file")
    won = [new["qid"] for old, new in common if is_right(new) and not is_right(old)]
    lost = [new["qid"] for old, new in common if is_right(old) and not is_right(new)]
    both = sum(is_right(old) and is_right(new) for old, new in common)
    return {
        "tasks": len(common),
        "both_right": both,
        "both_wrong": len(common) - both - len(won) - len(lost),
        "won": won,
        "lost": lost,
        "p_value": round(mcnemar(len(won), len(lost)), 6),
        "first": _scores(_answerable([old for old, _ in common])),
        "second": _scores(_answerable([new for _, new in common])),
        "won_by_pattern": dict(Counter(new["pattern"] for _, new in common if new["qid"] in set(won))),
        "lost_by_pattern": dict(Counter(new["pattern"] for _, new in common if new["qid"] in set(lost))),
    }
