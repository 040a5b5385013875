"""The question box with a language model, which a scripted endpoint imitates over real HTTP; and the server's token."""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from graphground.agents.model_settings import ModelSettings
from graphground.server.application import Application
from graphground.server.commands.serve import serve_with
from graphground.server.protocol import Protocol
from graphground.server.settings import Settings, SettingsError
from graphground.server.threads import WorkerThreads
from graphground.server.transports.http import http_app
from graphground.server.ui.model import PageModel
from graphground.server.ui.routes import Page as PageRoutes
from tests.server.ui.conftest import MODEL_KEY, TOKEN, ScriptedModel, ready
from tests.server.ui.test_views import content_of, text_of
from tests.support.browser import Page
from tests.support.films import films_alone
from tests.support.scripted_endpoint import Answer, Asked, ScriptedEndpoint, fail, say

ADDRESS = "http://127.0.0.1:8300"
QUESTION = "Which teams did LeBron James play for?"
WRITES = "```cypher\nCREATE (z:Zzqx) RETURN z\n```"
REVERSED = "MATCH (p:Player {name: 'LeBron James'})<-[:playsFor]-(t:Team) RETURN DISTINCT t.name"
WORDS = "LeBron James played for <b>three</b> teams."


def enter(tab: Page, address: str) -> None:
    """Open the page and enter the token."""
    tab.visit(address)
    tab.wait("document.querySelector('.token input')")
    tab.type(f"{TOKEN}\n")


def test_the_page_asks_for_the_token_that_the_server_requires(tab: Page, page_with_model: ScriptedModel) -> None:
    tab.visit(page_with_model.address)
    tab.wait("document.querySelector('.token input')")
    tab.type("another-token-altogether\n")
    tab.wait("document.querySelector('#alarm p')?.textContent === 'The server refused this token.'")
    tab.wait("document.activeElement === document.querySelector('.token input')")
    tab.type(f"{TOKEN}\n")
    ready(tab, "graphs")
    assert "nba" in text_of(tab, "main")
    tokens = {urlsplit(request).query for request in tab.requests}
    assert tokens == {""}, "a token never stands in an address"


def test_a_query_of_the_model_is_checked_sent_back_for_repair_run_and_explained(
    tab: Page, page_with_model: ScriptedModel
) -> None:
    def script(request: Asked) -> Answer:
        if "Result:" in request.text:
            return say(WORDS)
        return say(f"```cypher\n{REVERSED}\n```" if "its problems were" in request.text else WRITES)

    page_with_model.script = script
    page_with_model.endpoint.requests.clear()
    enter(tab, f"{page_with_model.address}#/question/nba")
    ready(tab, "question")
    assert "scripted at 127.0.0.1" in text_of(tab, ".view > p")
    tab.type(QUESTION + "\n")
    tab.wait("document.querySelector('.words')")
    steps = tab.evaluate("[...document.querySelectorAll('.steps > li')].map((step) => step.dataset.tool)")
    assert steps[:3] == ["find_entities", "get_filtered_schema", "ground_question"], "grounded as without a model"
    assert steps[3:] == ["scripted", "validate_cypher", "scripted", "validate_cypher", "scripted"]
    assert text_of(tab, ".words") == WORDS, "text, not markup"
    assert "CREATE writes" in content_of(tab, ".steps > li:nth-child(5)")
    assert "Not valid; repaired" in content_of(tab, ".steps > li:nth-child(7)")
    assert content_of(tab, ".answer .ran") == content_of(tab, ".steps > li:nth-child(7) pre") != REVERSED
    assert "Miami Heat" in text_of(tab, ".answer .rows")
    first, second, last = page_with_model.endpoint.requests
    assert "Player {name: 'LeBron James'}" in first.last
    assert "(:Player)-[:playsFor" in first.last
    assert "Zzqx" in second.last
    assert "CREATE writes" in second.last
    assert "Miami Heat" in last.last
    assert {request.headers["authorization"] for request in (first, second, last)} == {f"Bearer {MODEL_KEY}"}
    assert MODEL_KEY not in tab.evaluate("document.documentElement.innerHTML")
    assert [error for error in tab.errors if "401" not in error] == [], "only the request before the token fails"


def client(settings: ModelSettings) -> TestClient:
    """Return a client of the HTTP application over one graph without data, with a model."""
    application, workers = Application(films_alone), WorkerThreads()
    page = PageRoutes(application, workers, model=PageModel(settings, application, workers))
    app = http_app(Protocol(application, workers=workers).server, Settings(), f"{ADDRESS}/mcp", page)
    return TestClient(app, base_url=ADDRESS)


def posted(page: TestClient, path: str, body: dict[str, Any]) -> dict[str, Any]:
    return dict(page.post(f"/ui/api/{path}", json=body).json())


def test_a_failure_of_the_model_is_reported_without_the_api_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", MODEL_KEY)
    with ScriptedEndpoint(lambda request: fail(401, "invalid_api_key", f"the key {MODEL_KEY} is wrong")) as endpoint:
        page = client(ModelSettings("scripted", endpoint.openai, "OWN_KEY", retries=0))
        answer = posted(page, "model/query", {"question": "Who directed Heat?"})
        about = page.get("/ui/api/model").json()
    assert answer["failure"]["error"] == "model_failed"
    assert "refused the key in OWN_KEY" in answer["failure"]["message"]
    assert MODEL_KEY not in json.dumps([answer, about])
    assert about["answer"] == {"model": "scripted", "where": "127.0.0.1", "problem": None}


def test_a_missing_key_and_a_missing_extra_are_reported_before_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OWN_KEY", raising=False)
    about = client(ModelSettings("gpt", "", "OWN_KEY")).get("/ui/api/model").json()["answer"]
    assert "OWN_KEY" in about["problem"]

    monkeypatch.setitem(sys.modules, "graphground.agents.endpoint", None)  # importing it then fails
    about = client(ModelSettings("gpt", "http://127.0.0.1:9/v1")).get("/ui/api/model").json()["answer"]
    assert "pip install 'graphground[agents]'" in about["problem"]


def test_long_replies_of_the_model_and_many_rows_sent_to_it_are_shortened() -> None:
    with ScriptedEndpoint(lambda request: say("I do not know. " * 1_000)) as endpoint:
        page = client(ModelSettings("scripted", endpoint.openai))
        answer = posted(page, "model/query", {"question": "Who directed Heat?"})["answer"]
        rows = [[f"name {number}" * 100] for number in range(1_000)]
        body = {"question": "Who?", "query": "RETURN 1", "columns": ["name"], "rows": rows, "total": 1_000}
        words = posted(page, "model/words", body)["answer"]
        wrong = posted(page, "model/words", {"question": ""})
        posted(page, "model/words", {**body, "rows": [["Heat"]], "total": 1_000, "more": True})
    assert "More than 1,000 rows in all." in endpoint.requests[-1].last
    assert answer["query"] == ""
    assert len(answer["text"]) == 2_000
    assert len(words["text"]) <= 15_000
    assert len(endpoint.requests[-2].last) < 8_000
    assert wrong["failure"]["error"] == "wrong_argument"


def test_without_a_model_the_page_gets_no_model_and_settings_that_need_a_model_are_refused() -> None:
    application, workers = Application(films_alone), WorkerThreads()
    app = http_app(
        Protocol(application, workers=workers).server, Settings(), f"{ADDRESS}/mcp", PageRoutes(application, workers)
    )
    assert TestClient(app, base_url=ADDRESS).get("/ui/api/model").json() == {"ok": True, "answer": None}
    with pytest.raises(SettingsError, match="--ui"):
        serve_with(Settings(model="gpt"), [])
    with pytest.raises(SettingsError, match="need --model"):
        serve_with(Settings(transport="http", ui=True, model_endpoint="http://127.0.0.1:9"), [])
