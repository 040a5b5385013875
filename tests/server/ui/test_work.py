"""The calls of connected clients on the page, live: by session, filtered, opened in the editor, exported;
and saved traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from graphground.evals.reports.page import page as report_page
from graphground.server.commands.serve import recorder_for
from graphground.server.settings import Settings, SettingsError
from tests.server.ui.conftest import ready, show_every_call
from tests.server.ui.hostile_graph import HOSTILE_NAMES
from tests.server.ui.test_views import text_of
from tests.support.browser import Page
from tests.support.serving import LEGACY, connected

QUERY = "MATCH (t:Team) RETURN t.name ORDER BY t.name LIMIT 2"


def called(address: str, *calls: tuple[str, dict[str, Any]]) -> None:
    """Call tools as an MCP client of the server."""

    async def work() -> None:
        async with connected(address, LEGACY) as client:
            for name, arguments in calls:
                await client.call_tool(name, arguments)

    anyio.run(work)


@pytest.fixture(scope="module")
def work_address(page_address: str) -> str:
    """Return the address of a page whose server has answered two calls and watches a trace."""
    query = {"query": QUERY, "graph": "nba", "parameters": {"apiKey": "battery-staple"}}
    called(page_address.replace("/ui/", "/mcp"), ("execute_cypher", query), ("get_schema", {"graph": "nab"}))
    return page_address


def calls(page: Page) -> list[str]:
    return list(page.evaluate("[...document.querySelectorAll('.calls summary')].map((each) => each.innerText)"))


def opened(page: Page, address: str, *requests: str) -> None:
    """Open the view and wait for all recorded calls, and for calls whose lines contain these texts."""
    page.visit(f"{address}#/work")
    ready(page, "work")
    show_every_call(page)
    for text in requests:
        page.wait(f"document.querySelector('ol[aria-label=Calls]').textContent.includes({json.dumps(text)})")


def choose(page: Page, selector: str, value: str) -> None:
    page.evaluate(
        f"{{ const chosen = document.querySelector({json.dumps(selector)}); chosen.value = {json.dumps(value)};"
        " chosen.dispatchEvent(new Event(chosen.localName === 'select' ? 'change' : 'input')); }"
    )


def test_calls_are_shown_as_they_arrive_and_filtered_by_session_text_and_failure(tab: Page, work_address: str) -> None:
    opened(tab, work_address, QUERY, "nab")
    called(work_address.replace("/ui/", "/mcp"), ("validate_cypher", {"query": "RETURN 'just now'", "graph": "nba"}))
    tab.wait("document.querySelector('.calls summary').innerText.includes('just now')")
    assert calls(tab)[0].startswith("validate_cypher")
    choose(tab, "input[type=search]", "ORDER BY")
    [only] = calls(tab)
    assert only.startswith("execute_cypher")
    choose(tab, "input[type=search]", "")
    tab.click("input[type=checkbox]")
    assert {line.split()[0] for line in calls(tab)} == {"get_schema", "login"}
    tab.click("input[type=checkbox]")
    choose(tab, ".controls select", "other")
    assert len(calls(tab)) == len(HOSTILE_NAMES) + 1


def test_a_call_shows_arguments_and_answer_without_secrets_and_opens_in_the_editor(
    tab: Page, work_address: str
) -> None:
    opened(tab, work_address, QUERY)
    choose(tab, "input[type=search]", "ORDER BY")
    tab.click(".calls summary")
    tab.wait("document.querySelector('.call pre')")
    text = tab.evaluate("document.querySelector('.call').innerText")
    assert QUERY in text
    assert "[left out]" in text
    assert "Atlanta Hawks" in tab.evaluate("document.querySelector('.call table').innerText")
    assert "battery-staple" not in tab.evaluate("document.documentElement.innerHTML")
    assert "correct-horse" not in tab.evaluate("document.documentElement.innerHTML")
    tab.click(".call button")
    tab.wait("location.hash.startsWith('#/query/nba?q=MATCH')")


def test_hostile_names_of_a_trace_are_text(tab: Page, work_address: str) -> None:
    opened(tab, work_address)
    choose(tab, ".controls select", "other")
    tab.evaluate("document.querySelectorAll('.calls details').forEach((each) => { each.open = true; })")
    tab.wait("document.querySelectorAll('.call pre').length > 20")
    assert "attacked" not in tab.evaluate("document.title")
    assert tab.evaluate("document.querySelectorAll('main script, main img, main a').length") == 0
    assert "\u202e" not in tab.evaluate("document.querySelector('main').innerText")


def test_a_saved_trace_of_an_agent_is_opened_in_the_page(tab: Page, work_address: str, tmp_path: Path) -> None:
    path = tmp_path / "agent.jsonl"
    path.write_text(
        '{"role": "generator", "input": "Who?", "output": "MATCH (n)", "tokens": 12}\nno json\n{"kind": "vote"}\n'
    )
    opened(tab, work_address)
    document = tab.call("DOM.getDocument")["root"]["nodeId"]
    node = tab.call("DOM.querySelector", nodeId=document, selector="input[type=file]")["nodeId"]
    tab.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
    tab.wait("document.querySelectorAll('.calls > li').length === 3")
    shown = calls(tab)
    assert shown[2].startswith("generator ok · 12 tokens")
    assert shown[0].startswith("vote")
    tab.click(".controls button:not([hidden]):last-of-type")
    tab.wait("document.querySelectorAll('.calls > li').length > 3")


def test_a_report_of_an_evaluation_is_opened_in_the_page(tab: Page, work_address: str, tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=\"document.title='attacked'\">"
    task = {
        "qid": "q1",
        "graph": "nba",
        "question": hostile,
        "prediction": QUERY,
        "gold": "RETURN 1",
        "execution_accuracy": 0.0,
        "category": "empty_answer",
        "predicted_answer": {"columns": ["t.name"], "rows": [["Heat"]], "row_count": 1},
    }
    summary = {"predictor": "zero-shot", "overall": {"execution_accuracy": {"mean": 0.5}}}
    path = tmp_path / "report.html"
    wide = {**task, "predicted_answer": {"columns": ["t.name"], "rows": [["Heat"]] * 22, "row_count": 22}}
    path.write_text(report_page({"summary": summary, "tasks": [wide, {**task, "execution_accuracy": 1.0}]}), "utf-8")
    opened(tab, work_address)
    document = tab.call("DOM.getDocument")["root"]["nodeId"]
    node = tab.call("DOM.querySelector", nodeId=document, selector="input[type=file]")["nodeId"]
    tab.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
    tab.wait("document.querySelectorAll('.calls > li').length === 2")
    assert "Report of zero-shot, 2 tasks; execution accuracy 50.0 %" in tab.evaluate(
        "document.querySelector('main').innerText"
    )
    tab.click("input[type=checkbox]")
    [wrong] = calls(tab)
    assert wrong.startswith("wrong: empty_answer")
    tab.click(".calls summary")
    tab.wait("document.querySelector('.call pre')")
    assert hostile in tab.evaluate("document.querySelector('.call').innerText").replace('\\"', '"')
    assert "attacked" not in tab.evaluate("document.title")
    assert text_of(tab, ".call .small-table p") == "and 2 more rows; open the query in the editor for all."
    tab.click(".call button")
    tab.wait("location.hash.startsWith('#/query/nba?q=MATCH')")


def test_watching_a_trace_without_the_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--ui"):
        recorder_for(Settings(watch=str(tmp_path / "x.jsonl")))
