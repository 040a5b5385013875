"""Computes the figures of a run: scores, the number of wrong predictions by category, behaviours and costs.

Scores are computed overall and by graph, pattern, template and variant. They include only tasks with the expected
reaction `answer`, if there are any, and whose gold query has an answer: where it is empty or fails, a query about
nothing at all would be right, or no query could be. `all_tasks` holds the scores with these tasks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import comb, erfc, sqrt
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from graphground.evals.metrics.registry import METRICS
from graphground.evals.runs.scoring import CATEGORIES

GROUPS = ("graph", "pattern", "template", "variant")


def summarize(settings: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures of a run: `summarize(*read_run(folder))["overall"]["execution_accuracy"]["mean"]`."""
    left_out = Counter(
        "gold_failures" if record["gold_failure"] else "gold_empty" for record in records if not is_counted(record)
    )
    counted = [record for record in records if is_counted(record)]
    wrong = [record for record in counted if not is_right(record)]
    scored = _answerable(counted)
    return {
        "predictor": settings.get("predictor", ""),
        "note": settings.get("note", ""),
        "started": settings.get("started", ""),
        "tasks": settings.get("count", len(records)),
        "scored": len(records),
        "metrics": [{"name": metric.name, "title": metric.title} for metric in METRICS.values()],
        "overall": _scores(scored),
        "all_tasks": _scores(_answerable(records)),
        "by": {group: _scores_by(group, scored) for group in GROUPS},
        "categories": {
            name: {
                "count": sum(record["category"] == name for record in wrong),
                "several": sum(name in record.get("categories", [record["category"]]) for record in wrong),
                "meaning": meaning,
            }
            for name, meaning in CATEGORIES.items()
        },
        "honesty": honesty(counted),
        "cost": cost(records),
        "gold_failures": left_out["gold_failures"],
        "gold_empty": left_out["gold_empty"],
        "left_out": describe_left_out(left_out, len(records)),
    }


def is_counted(record: Mapping[str, Any]) -> bool:
    """Return whether a task's scores mean anything: its gold query has an answer, or another reaction is expected.

    The published implementation counts all tasks.
    """
    if record.get("rule") == "published":
        return True
    return record["expected"] != "answer" or not (record.get("gold_failure") or record.get("gold_empty"))


def describe_left_out(left_out: Mapping[str, int], tasks: int) -> str:
    """Return a sentence on the tasks that the headline figures leave out, by reason; empty if there are none.

    >>> describe_left_out({"gold_empty": 90}, 270)[:54]
    'Left out of the scores: 90 of 270 tasks (gold answers '
    """
    reasons = [
        f"{reason}: {left_out[key]}"
        for key, reason in (("gold_empty", "gold answers that are empty"), ("gold_failures", "gold queries that fail"))
        if left_out.get(key)
    ]
    if not reasons:
        return ""
    return (
        f"Left out of the scores: {sum(left_out.values())} of {tasks} tasks ({'; '.join(reasons)}). On these, a query "
        "about nothing at all can be right, or no query can be; is this the graph that the tasks were made for?"
    )


def is_right(record: Mapping[str, Any]) -> bool:
    """Return whether a prediction is the right answer, refusal or clarifying question."""
    return bool(record["execution_accuracy"] == 1 or record["behaviour"] == "right")


def _answerable(records: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    return [record for record in records if record["expected"] == "answer"] or records


def _scores(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: interval([record[name] for record in records]) for name in METRICS}


def interval(values: Sequence[float]) -> dict[str, float | int] | None:
    """Return a mean over tasks with its interval, Wilson's for shares, otherwise by bootstrap; None without values."""
    if not values:
        return None
    if set(values) <= {0.0, 1.0}:
        return as_figures(proportion(int(sum(values)), len(values)))
    return as_figures(bootstrap(values))


def as_figures(interval: Interval) -> dict[str, float | int]:
    return {
        "mean": round(interval.mean, 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
        "count": interval.cases,
    }


def _scores_by(key: str, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        groups[record[key] or "none"].append(record)
    return {name: _scores(members) for name, members in sorted(groups.items())}


def honesty(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how often the agent behaved in each way, and three shares, each None if it has no cases.

    `confident_wrong`: of all answers, the share with rows that are wrong or invented. `from_nothing`: of all answers,
    the share of wrong answers without rows. `refusals_right`: of all unanswerable and ambiguous questions, the share
    that the agent recognized as such.
    """
    counts = Counter(record["behaviour"] for record in records)
    right = sum(record["behaviour"] == "right" and record["expected"] == "answer" for record in records)
    answered = right + counts["wrong"] + counts["invented"] + counts["empty"]
    unanswerable = [record for record in records if record["expected"] != "answer"]
    return {
        "behaviour": dict(counts),
        "confident_wrong": _share(counts["wrong"] + counts["invented"], answered),
        "from_nothing": _share(counts["empty"], answered),
        "refusals_right": _share(sum(record["behaviour"] == "right" for record in unanswerable), len(unanswerable)),
    }


def _share(count: int, total: int) -> dict[str, Any] | None:
    return as_figures(proportion(count, total)) if total else None


def cost(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the cost of the predictions: tool calls, tokens, US dollars and seconds, in total and per task.

    `by_tool` gives the totals of each tool, without US dollars. `calls_per_correct` is the number of all tool calls,
    including calls for wrong answers, divided by the number of right answers; None without a right answer.
    """
    agents = [record["agent"] for record in records]
    calls = [call for agent in agents for call in agent["trace"]]
    correct = sum(record["execution_accuracy"] == 1 for record in records)
    tools: dict[str, Counter[str]] = defaultdict(Counter)
    for call in calls:
        tools[call["tool"]].update({"calls": 1, **{key: call[key] for key in ("seconds", "tokens_in", "tokens_out")}})
    totals = {key: sum(agent[key] for agent in agents) for key in ("seconds", "tokens_in", "tokens_out", "cost")}
    totals["model_calls"] = sum(agent.get("model_calls", 0) for agent in agents)
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


class NoComparison(ValueError):
    """The error for two runs that cannot be compared: they have no task in common, or ran over different data."""


def compare(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the tasks that the second run won and lost against the first, among the tasks scored in both runs.

    A run is right on a task if its answer, refusal or clarifying question is right.

    Tasks whose gold query fails or has an empty answer are left out, as in `summarize`.

    Raises:
        NoComparison: the runs have no task in common, or a task has another question, query or gold answer in each.
    """
    pairs = check_same_tasks(first, second)
    common = [(old, new) for old, new in pairs if is_counted(old) and is_counted(new)]
    won = [new["qid"] for old, new in common if is_right(new) and not is_right(old)]
    lost = [new["qid"] for old, new in common if is_right(old) and not is_right(new)]
    both = sum(is_right(old) and is_right(new) for old, new in common)
    return {
        "tasks": len(common),
        "left_out": len(pairs) - len(common),
        "both_right": both,
        "both_wrong": len(common) - both - len(won) - len(lost),
        "won": won,
        "lost": lost,
        "p_value": round(mcnemar(len(won), len(lost)), 6),
        "first": _scores(_answerable([old for old, _ in common])),
        "second": _scores(_answerable([new for _, new in common])),
    }


def check_same_tasks(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Return the records of the tasks that two runs have in common, in pairs.

    Raises:
        NoComparison: the runs have no task in common, or a task has another question, query or gold answer in each.
    """
    before = {record["qid"]: record for record in first}
    pairs = [(before[record["qid"]], record) for record in second if record["qid"] in before]
    if not pairs:
        raise NoComparison("the two runs have no task in common; compare runs over the same task file")
    for field, difference in (
        ("graph", "name different graphs"),
        ("question", "ask different questions"),
        ("gold", "have different gold queries"),
        ("gold_digest", "have different gold answers: the runs are over different data"),
    ):
        unlike = [new["qid"] for old, new in pairs if field in old and field in new and old[field] != new[field]]
        if unlike:
            raise NoComparison(
                f"{len(unlike)} of the {len(pairs)} common tasks {difference} (first: {unlike[0]}); "
                "run both over the same tasks and the same data"
            )
    return pairs


Z = 1.959963984540054
"""The quantile of the normal distribution for a 95 % interval."""


class Interval(NamedTuple):
    """A mean with its 95 % confidence interval: `Interval(0.8, 0.49, 0.94, 10)`; `cases` is the sample size."""

    mean: float
    low: float
    high: float
    cases: int


def proportion(successes: int, count: int) -> Interval:
    """Return the share of successes with Wilson's interval, which stays within 0 and 1 even for few cases.

    >>> [round(value, 3) for value in proportion(8, 10)]
    [0.8, 0.49, 0.943, 10]
    """
    share = successes / count
    centre = (share + Z * Z / (2 * count)) / (1 + Z * Z / count)
    half = Z / (1 + Z * Z / count) * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half), count)


RESAMPLES = 2_000
ENDS, DIFFERENCE_ENDS = (0.0, 0.0, 1.0, 1.0), (-1.0, 1.0)


def bootstrap(values: Sequence[float], ends: Sequence[float] = ENDS) -> Interval:
    """Return the mean of one value for each task with its bootstrap interval: the tasks are drawn with replacement.

        >>> [round(value, 2) for value in bootstrap([1.0] * 20)]
        [1.0, 0.71, 1.0, 20]

    Plain resampling has no width if all values are equal, and is far too narrow near the ends of the scale. So `ends`
    are drawn along with the values: two tasks at each end, as Agresti and Coull add to a share, or for differences
    from -1 to 1 one at each end, as Bonett and Price add to paired shares. The same values give the same interval.
    """
    random, drawn = np.random.default_rng(0), np.array([*values, *ends])
    means = [drawn[random.integers(0, len(drawn), len(drawn))].mean() for _ in range(RESAMPLES)]
    low, high = np.quantile(means, (0.025, 0.975))
    middle = sum(values) / len(values)
    return Interval(middle, float(min(low, middle)), float(max(high, middle)), len(values))


def sign_flips(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of the paired permutation test for the differences between two runs, task by task.

        >>> sign_flips([1.0, -1.0, 0.0]), round(sign_flips([1.0] * 10 + [-1.0] * 2), 4)
        (1.0, 0.0386)

    If every difference is -1, 0 or 1, that is McNemar's exact test; otherwise 10,000 random changes of the signs.
    """
    if all(value in (-1.0, 0.0, 1.0) for value in differences):
        return mcnemar(sum(value > 0 for value in differences), sum(value < 0 for value in differences))
    values = np.array([value for value in differences if value])
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (10_000, len(values)))
    as_far = (np.abs(signs @ values) >= abs(values.sum()) - 1e-9).sum()
    return float((as_far + 1) / 10_001)


def mcnemar(won: int, lost: int) -> float:
    """Return the two-sided p-value of the exact McNemar test for tasks won and lost between two runs.

        >>> round(mcnemar(10, 2), 4), mcnemar(0, 0)
        (0.0386, 1.0)

    The p-value is the probability that chance splits the differing tasks at least as unevenly. Tasks on which both runs
    are right, or both are wrong, do not count. Above 1,000 differing tasks the normal approximation is used.
    """
    count, fewer = won + lost, min(won, lost)
    # The exact sum needs long integers; the corrected normal approximation differs only in the fifth digit.
    if count > 1_000:
        return erfc(max(0.0, abs(won - lost) - 1) / sqrt(count) / sqrt(2))
    return min(1.0, 2 * sum(comb(count, wins) for wins in range(fewer + 1)) / (1 << count))
