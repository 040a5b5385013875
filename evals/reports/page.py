"""Writes the report of a run and of a bench: one HTML file without a network, and the figures as JSON.

In a bench's table a row is an agent with a model. Repetitions of a task are averaged first, so that an interval says
how much the mean would vary with other tasks, not with more repetitions of the same ones.
"""

from __future__ import annotations

import csv
import hashlib
import html
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import Any

from graphground.evals.metrics.registry import METRICS
from graphground.evals.reports.summary import (
    DIFFERENCE_ENDS,
    NoComparison,
    as_figures,
    bootstrap,
    check_same_tasks,
    compare,
    cost,
    interval,
    is_counted,
    is_right,
    sign_flips,
    summarize,
)
from graphground.evals.runs.bench import Asked, Bench, Entry
from graphground.evals.runs.judging import check_one_judge, read_judgements
from graphground.evals.runs.runner import read_run

MAX_TASKS_SHOWN = 5_000
"""The maximum number of tasks on a page. Of more tasks, the page shows the wrong predictions first."""


def write_report(
    settings: Mapping[str, Any],
    records: Sequence[Mapping[str, Any]],
    path: Path,
    *,
    judged: Mapping[str, Any] | None = None,
    other: tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]] | None = None,
) -> dict[str, Any]:
    """Write the report to `path` (HTML) and its figures to a `.json` file beside it; return the figures.

    `judged` holds a judge's verdicts on the answers in words. `other` holds the settings and records of another run;
    the page then shows the tasks won and lost against that run.
    """
    summary = summarize(settings, records)
    if judged is not None:
        summary["judged"] = judged
    if other is not None:
        summary["comparison"] = {"with": other[0].get("predictor", ""), **compare(other[1], records)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").write_text(json.dumps(summary, ensure_ascii=False, indent=1) + "\n", "utf-8")
    chosen = sorted(records, key=is_right)[:MAX_TASKS_SHOWN] if len(records) > MAX_TASKS_SHOWN else list(records)
    path.write_text(page({"summary": summary, "tasks": chosen}), "utf-8")
    return summary


def page(data: Mapping[str, Any]) -> str:
    """Return the whole page as HTML that refers to no other file or host."""
    parts = files("graphground.evals.reports")
    # Inside a script element, `</script>` would end the element, and `<!--` would begin a comment.
    embedded = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = parts.joinpath("page.html").read_text("utf-8")
    for mark, content in (
        ("/* style */", parts.joinpath("page.css").read_text("utf-8")),
        ("/* script */", parts.joinpath("page.js").read_text("utf-8")),
        ("/* data */", embedded),
    ):
        text = text.replace(mark, content, 1)
    return text


Records = Sequence[Mapping[str, Any]]
Row = tuple[str, str]
"""An agent and a model."""
METRIC = "execution_accuracy"
"""The metric of the paired tests and of the plot."""
COLUMNS = ("agent", "model", "repeat", "qid", "graph", "pattern", "template", "variant", "expected", "behaviour",
           *METRICS, "category", "failure", "seconds", "cost_usd", "tokens_in", "tokens_out", "tool_calls",
           "model_calls", "prediction")  # fmt: skip


def write_bench(bench: Bench, asked: Asked, budget: float | None = None) -> dict[str, Any]:
    """Write the report and the exports into the bench's folder, and return the figures.

    Raises:
        NoComparison: two runs are over different data, or no task has a gold answer by which it can be scored.
    """
    runs = {entry: read_run(run.folder) for entry, run in bench.runs.items()}
    figures = summarize_bench({entry: records for entry, (_, records) in runs.items()})
    judged = {entry.name: read_judgements(run.folder) for entry, run in bench.runs.items()}
    check_one_judge(judged)
    figures |= {
        "judged": {name: found for name, found in judged.items() if found is not None},
        "note": bench.note,
        "asked": len(asked.tasks),
        "of": len(bench.tasks),
        "spent_usd": round(asked.spent, 6),
        "budget_usd": budget,
        "stopped_at_budget": asked.over,
        "fingerprints": _fingerprints(runs),
        "settings": {entry.name: settings.get("options", {}) for entry, (settings, _) in runs.items()},
    }
    folder = bench.folder
    (folder / "bench.json").write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (folder / "bench.html").write_text(_bench_page(figures), "utf-8")
    (folder / "bench.tex").write_text(_latex(figures), "utf-8")
    lines = [line for entry, (_, records) in runs.items() for line in _lines(entry, records)]
    with (folder / "bench.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(lines)
    return figures


def summarize_bench(runs: Mapping[Entry, Records]) -> dict[str, Any]:
    """Return the rows of the table and the comparisons of each two rows, from the score records of all runs.

    Tasks that are left out of one run's scores, or that expect no answer, are left out of all; refusals and clarifying
    questions have a column of their own.

    Raises:
        NoComparison: the runs are over different data, or no task is left.
    """
    first, *others = runs.values()
    for records in others:
        check_same_tasks(first, records)
    counted = [{record["qid"] for record in records if is_counted(record)} for records in runs.values()]
    kept = set.intersection(*counted)
    rows: dict[Row, list[Mapping[str, Any]]] = defaultdict(list)
    for entry, records in runs.items():
        rows[entry.agent, entry.model] += [record for record in records if record["qid"] in kept]
    scores = {row: _by_task(records, METRIC) for row, records in rows.items()}
    if not all(scores.values()):
        raise NoComparison("no task has a gold answer that is not empty, so nothing can be compared")
    return {
        "metrics": {name: metric.title for name, metric in METRICS.items()},
        "rows": [
            {
                "agent": agent,
                "model": model,
                "repeats": sum((entry.agent, entry.model) == (agent, model) for entry in runs),
            }
            | {name: interval(list(_by_task(records, name).values())) for name in METRICS}
            | {"refusals": _refusals(records), "errors": sum(bool(record["agent"]["error"]) for record in records)}
            | {"cost": cost(records)}
            for (agent, model), records in rows.items()
        ],
        "pairs": _compare_pairs(scores),
        "left_out": len({record["qid"] for record in first} - kept),
    }


def _by_task(records: Records, metric: str) -> dict[str, float]:
    return _means((record["qid"], record[metric]) for record in records if record["expected"] == "answer")


def _means(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    by_task: dict[str, list[float]] = defaultdict(list)
    for qid, value in values:
        by_task[qid].append(value)
    return {qid: sum(found) / len(found) for qid, found in sorted(by_task.items())}


def _refusals(records: Records) -> dict[str, float | int] | None:
    others = (record for record in records if record["expected"] != "answer")
    return interval(list(_means((record["qid"], float(record["behaviour"] == "right")) for record in others).values()))


def _compare_pairs(scores: Mapping[Row, Mapping[str, float]]) -> list[dict[str, Any]]:
    """Compare each two rows task by task; the p-values are corrected for their number (Holm)."""
    pairs: list[dict[str, Any]] = []
    for one, two in combinations(scores, 2):
        differences = [scores[two][qid] - scores[one][qid] for qid in scores[one]]
        pairs.append(
            {
                "first": list(one),
                "second": list(two),
                "difference": as_figures(bootstrap(differences, DIFFERENCE_ENDS)),
                "won": sum(value > 0 for value in differences),
                "lost": sum(value < 0 for value in differences),
                "p": sign_flips(differences),
            }
        )
    largest = 0.0
    for place, pair in enumerate(sorted(pairs, key=lambda pair: pair["p"])):
        largest = max(largest, min(1.0, pair["p"] * (len(pairs) - place)))
        pair["p_holm"] = largest
    return pairs


def _fingerprints(runs: Mapping[Entry, tuple[dict[str, Any], Records]]) -> dict[str, str]:
    """Return what identifies the tasks and the data: hashes of the tasks, the gold answers and the loaded graphs."""
    settings, records = next(iter(runs.values()))
    gold = sorted((record["qid"], record["gold_digest"]) for record in records)
    data = {name: value for name, value in settings.get("options", {}).items() if name.startswith("data of ")}
    return {
        "tasks": str(settings["tasks"])[:16],
        "gold answers": hashlib.sha256(json.dumps(gold).encode()).hexdigest()[:16],
        **{name: str(value) for name, value in data.items()},
    }


def _lines(entry: Entry, records: Records) -> list[list[Any]]:
    named = {"agent": entry.agent, "model": entry.model, "repeat": entry.repeat}
    lines = []
    for record in sorted(records, key=lambda record: record["qid"]):
        agent = record["agent"]
        spent = {
            **{name: agent[name] for name in ("seconds", "tokens_in", "tokens_out", "model_calls")},
            "cost_usd": agent["cost"],
            "tool_calls": len(agent["trace"]),
        }
        found = {**record, **spent, **named}
        lines.append([found[name] for name in COLUMNS])
    return lines


def _percent(score: Mapping[str, float] | None) -> str:
    return f"{100 * score['mean']:.1f} ({100 * score['low']:.1f} to {100 * score['high']:.1f})" if score else "–"


def _cells(row: Mapping[str, Any], metrics: Mapping[str, str]) -> list[str]:
    spent = row["cost"]
    return [
        row["agent"],
        row["model"],
        str(row["repeats"]),
        *(_percent(row[name]) for name in metrics),
        _percent(row["refusals"]),
        str(row["errors"]),
        f"{spent['per_task']['cost']:.5f}",
        f"{spent['total']['cost']:.4f}",
        f"{spent['seconds_median']:.2f}",
        f"{spent['seconds_p95']:.2f}",
        f"{spent['per_task']['tokens_in']:.0f} + {spent['per_task']['tokens_out']:.0f}",
        f"{spent['per_task']['calls']:.1f} + {spent['per_task']['model_calls']:.1f}",
    ]


def _heads(metrics: Mapping[str, str]) -> list[str]:
    return ["agent", "model", "runs", *(f"{title}, %" for title in metrics.values()), "right refusals, %", "errors",
            "US$ an answer", "US$ in all", "seconds (median)", "seconds (95 %)", "tokens in + out",
            "tool + model calls"]  # fmt: skip


def _latex(figures: Mapping[str, Any]) -> str:
    marks = {"&": r"\&", "%": r"\%", "$": r"\$", "_": r"\_", "#": r"\#", "–": "--", "{": r"\{", "}": r"\}", "\\": "/"}

    def line(cells: Sequence[str]) -> str:
        return " & ".join("".join(marks.get(letter, letter) for letter in cell) for cell in cells) + r" \\"

    heads = _heads(figures["metrics"])
    rows = [line(_cells(row, figures["metrics"])) for row in figures["rows"]]
    shape = "ll" + "r" * (len(heads) - 2)
    parts = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", line(heads), r"\midrule", *rows, r"\bottomrule"]
    return "\n".join([*parts, r"\end{tabular}", ""])


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _plot(rows: Sequence[Mapping[str, Any]]) -> str:
    left, top, width, height = 60, 14, 640, 300
    dearest = max(row["cost"]["per_task"]["cost"] for row in rows) or 1.0
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = left + share * width, top + (1 - share) * height
        parts.append(
            f'<path d="M{left} {y:.0f}h{width}" stroke="#d9dfe7"/><text class="quiet" x="{left - 8}" y="{y + 4:.0f}" '
            f'text-anchor="end">{share:.0%}</text><text class="quiet" x="{x:.0f}" y="{top + height + 18}" '
            f'text-anchor="middle">${share * dearest:.4f}</text>'
        )
    colours = ("#2b5fa8", "#2f7d5b", "#b7791f", "#6b5ca5", "#b3402f", "#3a8f98", "#7a6a4f", "#a3487c")
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    placed: list[tuple[float, float]] = []
    for row in sorted(rows, key=lambda row: -row[METRIC]["mean"]):
        score, colour = row[METRIC], colours[agents.index(row["agent"]) % len(colours)]
        x = left + row["cost"]["per_task"]["cost"] / dearest * width
        y, low, high = (top + (1 - score[name]) * height for name in ("mean", "low", "high"))
        while any(abs(x - other) < 5 for other, _ in placed):  # intervals of the same cost stand side by side
            x -= 7
        label = y + 4
        while any(abs(label - other) < 15 and abs(x - beside) < width / 3 for beside, other in placed):
            label += 15
        placed.append((x, label))
        anchor, shift = ("end", -9) if x > left + width / 2 else ("start", 9)
        parts.append(
            f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{colour}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="5" '
            f'fill="{colour}"/><text x="{x + shift:.1f}" y="{label:.1f}" text-anchor="{anchor}">'
            f"{html.escape(row['agent'])}, {html.escape(row['model'])}</text>"
        )
    box = f"0 0 {left + width + 50} {top + height + 30}"
    return f'<svg role="img" viewBox="{box}"><title>Accuracy against cost</title>{"".join(parts)}</svg>'


def _bench_page(figures: Mapping[str, Any]) -> str:
    rows, metrics = figures["rows"], figures["metrics"]
    pairs = [
        [
            ", ".join(pair["first"]),
            ", ".join(pair["second"]),
            f"{100 * pair['difference']['mean']:+.1f} ({100 * pair['difference']['low']:+.1f} to "
            f"{100 * pair['difference']['high']:+.1f})",
            f"{pair['won']}, {pair['lost']}",
            f"{pair['p']:.4g}",
            f"{pair['p_holm']:.4g}",
        ]
        for pair in figures["pairs"]
    ]
    budget = f" of a budget of ${figures['budget_usd']:g}" if figures["budget_usd"] is not None else ""
    facts = [
        f"{figures['asked']} of {figures['of']} tasks; left out of the scores, because their gold answers are empty or "
        f"fail: {figures['left_out']}.",
        f"Spent: ${figures['spent_usd']:.4f}{budget}"
        + ("; the budget ended the bench." if figures["stopped_at_budget"] else "."),
        "; ".join(f"{name}: {value}" for name, value in figures["fingerprints"].items()) + ".",
    ]
    style = files("graphground.evals.reports").joinpath("page.css").read_text("utf-8")
    note = f'<section class="note">{html.escape(figures["note"])}</section>' if figures["note"] else ""
    differences = _table(["first", "second", "second minus first, points", "tasks won, lost", "p", "p (Holm)"], pairs)
    table = _table(_heads(metrics), [_cells(row, metrics) for row in rows])
    means = (
        "Means with 95 % intervals: Wilson's for shares of tasks, else by bootstrap over tasks; repetitions of a task are "
        "averaged first."
    )
    tests = "Paired by task: McNemar's exact test, or with repetitions a permutation test."
    judged = [
        [name, _percent(found["right"]), found["judge"], found.get("second", "–"), str(found.get("kappa", "–"))]
        for name, found in figures["judged"].items()
    ]
    verdicts = _table(["run", "right by the judge, %", "judge", "second judge", "Cohen's kappa"], judged)
    settings = html.escape(json.dumps(figures["settings"], ensure_ascii=False, indent=1))
    sections = [
        note,
        f'<section><h2>All runs</h2>{table}<p class="quiet">{means}</p></section>',
        f"<section><h2>Execution accuracy against the cost of an answer</h2>{_plot(rows)}</section>",
        f'<section><h2>Differences in execution accuracy</h2>{differences}<p class="quiet">{tests}</p></section>',
        f"<section><h2>Answers in words</h2>{verdicts}</section>" if judged else "",
        f"<section><h2>Tasks, data and budget</h2>{''.join(f'<p>{html.escape(fact)}</p>' for fact in facts)}</section>",
        f"<section><h2>Settings</h2><pre>{settings}</pre></section>",
    ]
    policy = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{policy}<title>graphground bench</title>'
        f"<style>{style}</style></head><body><header><h1>graphground <span>bench</span></h1></header>"
        f"<main>{''.join(sections)}</main></body></html>\n"
    )
