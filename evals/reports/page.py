"""Writes a report: the page with its style, script and data in one HTML file, and the figures as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphground.evals.reports.summary import compare, is_right, summarize

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
        before, _, after = text.partition(mark)
        text = before + content + after
    return text
