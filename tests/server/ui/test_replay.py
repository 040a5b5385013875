"""A recorded call can be repeated in the view of its tool; a query opens in the editor with its parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.server.ui.conftest import ready
from tests.server.ui.test_views import rows_of, run, text_of
from tests.server.ui.test_work import called, choose, opened
from tests.support.browser import Page

QUERY = "MATCH (p:Player)-[:playsFor]->(t:Team {name: $team}) RETURN DISTINCT t.name AS replayed"
QUESTION = "Which teams did Kobe Bryant play for?"


@pytest.fixture(scope="module")
def replay_address(page_address: str) -> str:
    """Return the address of a page whose server has answered a repeatable call of each kind, and has refused a call."""
    called(
        page_address.replace("/ui/", "/mcp"),
        ("execute_cypher", {"query": QUERY, "graph": "nba", "parameters": {"team": "Chicago Bulls"}}),
        ("find_entities", {"mentions": ["kobe briant"], "graph": "nba", "label": "Player"}),
        ("ground_question", {"question": QUESTION, "graph": "nba"}),
        ("get_schema", {"graph": "hostile", "max_tokens": 4321}),
        ("get_schema", {"graph": "hostil"}),
    )
    return page_address


def unfold(page: Page, address: str, contains: str) -> str:
    """Expand the only call whose line contains a text; return the expanded text."""
    opened(page, address)
    choose(page, "input[type=search]", contains)
    page.wait("document.querySelectorAll('ol[aria-label=Calls] > li').length === 1")
    page.click(".calls summary")
    page.wait("document.querySelector('.call > *')")
    return text_of(page, ".call")


def test_a_recorded_query_runs_again_with_its_parameters(tab: Page, replay_address: str) -> None:
    shown = unfold(tab, replay_address, "AS replayed")
    assert "Chicago Bulls" in shown
    tab.click(".call button")
    ready(tab, "query")
    assert tab.evaluate("document.getElementById('parameters').value") == '{"team":"Chicago Bulls"}'
    run(tab)
    assert rows_of(tab) == [["Chicago Bulls"]]
    tab.evaluate("document.getElementById('parameters').focus()")
    tab.evaluate("document.getElementById('parameters').select()")
    tab.type('{"team": "Boston Celtics"}\n')
    tab.wait("document.querySelector('.rows [role=gridcell]')?.textContent === 'Boston Celtics'")
    assert "Boston" in tab.evaluate("location.hash")
    tab.evaluate("document.getElementById('parameters').select()")
    tab.type("[1]\n")
    tab.wait("document.querySelector('#alarm p')")
    assert "not a JSON object" in text_of(tab, "#alarm")
    assert tab.evaluate("document.activeElement.id") == "parameters"


def test_names_questions_and_schemas_open_in_their_views(tab: Page, replay_address: str) -> None:
    shown = unfold(tab, replay_address, "kobe briant")
    assert "Kobe Bryant" in shown
    assert "verdict" in tab.evaluate("document.querySelector('.call table').innerText"), "candidates are a table"
    tab.click(".call button")
    ready(tab, "search")
    tab.wait("document.querySelector('.candidates strong')?.textContent === 'Kobe Bryant'")
    assert tab.evaluate("document.getElementById('label').value") == "Player"
    unfold(tab, replay_address, QUESTION)
    tab.click(".call button")
    tab.wait("document.querySelector('.view.question .steps li')")
    unfold(tab, replay_address, '"max_tokens":4321')
    tab.click(".call button")
    tab.wait("location.hash.startsWith('#/schema/hostile')")
    ready(tab, "schema")


def test_a_failure_is_a_sentence_and_the_totals_count_the_visible_calls(tab: Page, replay_address: str) -> None:
    shown = unfold(tab, replay_address, '"graph":"hostil"')
    assert "Nearest: hostile." in shown
    assert '"message"' not in shown
    assert text_of(tab, ".totals").startswith("1 call in 1 session, 1 failure, ")
    choose(tab, "input[type=search]", "no call contains this")
    assert text_of(tab, ".totals") == "No call matches."


def test_a_saved_trace_is_exported_without_the_server(tab: Page, page_address: str, tmp_path: Path) -> None:
    tab.browser("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "saved"))
    lines = [json.dumps({"session": session, "name": f"call {session}"}) for session in ("first", "second", "first")]
    path = tmp_path / "trace.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    opened(tab, page_address)
    tab.requests.clear()
    document = tab.call("DOM.getDocument")["root"]["nodeId"]
    node = tab.call("DOM.querySelector", nodeId=document, selector="input[type=file]")["nodeId"]
    tab.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
    tab.wait("document.querySelector('.totals').textContent.startsWith('3 calls in 2 sessions, none failed')")
    choose(tab, ".controls select", "first")
    tab.click(".controls button")
    assert tab.saved(tmp_path / "saved" / "calls-first.jsonl").decode().splitlines() == [lines[0], lines[2]]
    assert tab.evaluate("document.querySelectorAll('.controls button')[1].hidden"), "a transcript is made by the server"
    assert not any(request.endswith("/export") for request in tab.requests)
