"""The report, opened from disk in a real browser: its contents, and that the page makes no requests."""

import json
from pathlib import Path
from typing import Any

from graphground.evals.reports.page import page, write_report
from graphground.evals.reports.summary import bootstrap, compare, mcnemar, proportion, summarize
from tests.support.browser import browser_page, needs_chromium

ANSWER = {"columns": ["m.name"], "rows": [["Heat"], ["</script><b>Ronin"]], "row_count": 2}
SUBGRAPH = {
    "nodes": [{"id": "1", "label": "Movie", "name": "Heat"}, {"id": "2", "label": "Person", "name": "Mann"}],
    "links": [{"start": "1", "end": "2", "type": "directedBy"}],
}


def record(number: int, correct: bool, **fields: Any) -> dict[str, Any]:
    return {
        "qid": f"t{number}",
        "graph": "films",
        "question": f"Question {number} <img src=x onerror=fail()>?",
        "gold": "MATCH (m:Movie) RETURN m.name",
        "prediction": "MATCH (m:Movi) RETURN m.name",
        "pattern": "basic_(n)",
        "template": "n_name",
        "variant": "",
        "expected": "answer",
        "stance": "answer",
        "text": "",
        "execution_accuracy": float(correct),
        "psjs": 0.5,
        "executable": 1.0,
        "category": "" if correct else "schema_violation",
        "failure": "",
        "message": "",
        "gold_failure": "",
        "behaviour": "right" if correct else "empty",
        "gold_answer": ANSWER,
        "predicted_answer": ANSWER,
        "query_ms": 1.0,
        "gold_subgraph": SUBGRAPH,
        "predicted_subgraph": SUBGRAPH,
        "scoring_seconds": 0.1,
        "diagnostics": [
            {
                "code": "unknown_label",
                "severity": "error",
                "message": "no label Movi",
                "line": 1,
                "column": 10,
                "end_line": 1,
                "end_column": 14,
                "found": "Movi",
                "suggestions": ["Movie"],
            }
        ],
        "agent": {
            "seconds": 1.5,
            "tokens_in": 10,
            "tokens_out": 5,
            "cost": 0.1,
            "error": "",
            "trace": [{"tool": "get_schema", "seconds": 0.1, "tokens_in": 1, "tokens_out": 2}],
        },
        **fields,
    }


SETTINGS = {"predictor": "an agent", "note": "Stand-in graphs: an estimate.", "count": 4}
RECORDS = [record(number, number % 2 == 0) for number in range(4)]


@needs_chromium
def test_the_report_opens_from_disk_and_links_figures_to_each_task(tmp_path: Path) -> None:
    path = tmp_path / "with spaces" / "report.html"
    other = [record(number, number == 1) for number in range(4)]
    write_report(SETTINGS, RECORDS, path, other=({"predictor": "before"}, other))
    with browser_page(path) as opened:
        assert opened.evaluate("document.querySelector('#scores b').textContent") == "50.0 %"
        assert "an estimate" in opened.evaluate("document.querySelector('#note').textContent")
        assert opened.evaluate("document.querySelectorAll('svg rect').length") >= 3
        assert "schema_violation" in opened.evaluate("document.querySelector('#categories').textContent")
        assert "1 tool call," in opened.evaluate("document.querySelector('#cost').textContent")
        opened.click("#tab-tasks")
        opened.wait("document.querySelectorAll('tr.task').length === 4")
        opened.evaluate(
            "(() => { const box = document.querySelector('#search'); box.value = 'question 3'; "
            "box.dispatchEvent(new Event('input')); })()"
        )
        opened.wait("document.querySelectorAll('tr.task').length === 1")
        opened.click("tr.task")
        opened.wait("document.querySelector('#question') !== null")
        assert opened.evaluate("document.querySelector('#question').textContent") == RECORDS[3]["question"]
        assert "unknown_label" in opened.evaluate("document.querySelector('#main').textContent")
        assert "</script><b>Ronin" in opened.evaluate("document.querySelector('#main').textContent")
        assert opened.evaluate("document.querySelectorAll('svg.subgraph circle title').length") == 4
        opened.click("#back")
        opened.wait("document.querySelector('#tasks') !== null")
        opened.click("#tab-comparison")
        opened.wait("document.querySelector('#verdict') !== null")
        assert "2 won, 1 lost" in opened.evaluate("document.querySelector('#verdict').textContent")
        assert opened.errors == []
        assert {url.partition(":")[0] for url in opened.requests} == {"file"}
        assert len(opened.requests) == 1, "the page alone"


def test_a_right_refusal_is_not_a_wrong_prediction() -> None:
    refusal = record(1, False, expected="not_in_graph", behaviour="right", category="no_answer")
    declined = record(1, False, expected="answer", behaviour="declined", category="no_answer")
    summary = summarize(SETTINGS, [record(0, True), refusal])
    assert {category["count"] for category in summary["categories"].values()} == {0}
    found = compare([record(0, True), refusal], [record(0, True), refusal])
    assert (found["both_right"], found["both_wrong"], found["won"], found["lost"]) == (2, 0, [], [])
    assert found["second"]["execution_accuracy"]["mean"] == 1.0, "as in the summary of the run"
    assert compare([declined], [refusal])["won"] == ["t1"]


def test_the_page_has_no_external_references_and_its_data_cannot_end_the_script(tmp_path: Path) -> None:
    text = page({"summary": {}, "tasks": RECORDS})
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert text.count("</script>") == 2
    data = text.partition('id="data">')[2].partition("</script>")[0]
    assert json.loads(data)["tasks"] == RECORDS


def test_the_figures_in_the_file_next_to_the_page_equal_the_returned_summary(tmp_path: Path) -> None:
    summary = write_report(SETTINGS, RECORDS, tmp_path / "report.html")
    assert json.loads((tmp_path / "report.json").read_text("utf-8")) == summary
    assert summary["overall"]["execution_accuracy"] == {"mean": 0.5, "low": 0.15, "high": 0.85, "count": 4}
    assert summary["categories"]["schema_violation"]["count"] == 2
    assert summary["honesty"]["from_nothing"]["mean"] == 0.5
    assert summary["cost"]["calls_per_correct"] == 2.0


def test_intervals_and_significance_match_the_textbooks() -> None:
    assert [round(value, 4) for value in proportion(81, 263)] == [0.308, 0.2553, 0.3662, 263]  # Newcombe 1998
    assert proportion(0, 20).low == 0.0
    assert round(mcnemar(121, 59), 6) == round(mcnemar(59, 121), 6) < 0.0001
    assert abs(mcnemar(5, 0) - 0.0625) < 1e-12
    assert abs(mcnemar(600, 500) - mcnemar(500, 600)) < 1e-12
    assert bootstrap([1.0]).low < 1.0
