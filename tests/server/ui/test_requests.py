"""Requests to the page's addresses, without a browser: headers, hosts, other sites, tokens, missing files,
arguments."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import Application, hiding_paths
from graphground.server.commands.command_line import open_graphs
from graphground.server.protocol import Protocol
from graphground.server.settings import Settings
from graphground.server.threads import WorkerThreads
from graphground.server.transports.http import http_app
from graphground.server.ui.routes import FOLDER, HEADERS, MOST_BYTES, Page
from tests.support.films import films_alone

ADDRESS, TOKEN = "http://127.0.0.1:8300", "a-token-that-nobody-guesses"


def client(application: Application | None = None, page: bool = True, **settings: Any) -> TestClient:
    """Return a client of the HTTP application of `application`, by default over one graph without data."""
    application, workers = application or Application(films_alone), WorkerThreads()
    server = Protocol(application, workers=workers).server
    app = http_app(server, Settings(**settings), f"{ADDRESS}/mcp", Page(application, workers) if page else None)
    return TestClient(app, base_url=ADDRESS, follow_redirects=False)


def test_every_response_has_the_strict_headers() -> None:
    page = client()
    for path in ("/ui/", "/ui/main.js", "/ui/api/health", "/ui/nothing", "/ui/api/nothing"):
        answer = page.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS, path
    policy = HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}],
    ids=str,
)
def test_other_sites_receive_no_data(headers: dict[str, str]) -> None:
    assert client().get("/ui/api/health", headers=headers).status_code == 403
    assert client().post("/ui/api/call/list_graphs", json={}, headers=headers).status_code == 403


def test_a_form_of_another_site_cannot_post() -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        answer = client().post("/ui/api/call/list_graphs", content=b"{}", headers={"Content-Type": kind})
        assert answer.status_code == 400


def test_if_a_token_is_set_the_data_require_it_but_the_page_itself_does_not() -> None:
    page = client(token=TOKEN)
    assert page.get("/ui/").status_code == 200
    for headers in ({}, {"Authorization": "Bearer another-token-altogether"}):
        assert page.get("/ui/api/health", headers=headers).status_code == 401
        assert page.post("/ui/api/call/list_graphs", json={}, headers=headers).status_code == 401
        assert page.post("/ui/api/schema", json={}, headers=headers).status_code == 401
    assert page.get("/ui/api/health", headers={"Authorization": f"Bearer {TOKEN}"}).json()["ok"] is True


def test_files_are_sent_compressed_to_browsers_that_accept_it() -> None:
    page = client()
    plain = page.get("/ui/main.js", headers={"Accept-Encoding": "identity"})
    compressed = page.get("/ui/main.js", headers={"Accept-Encoding": "br, gzip"})
    assert "content-encoding" not in plain.headers
    assert compressed.headers["content-encoding"] == "gzip"
    assert compressed.content == plain.content
    assert int(compressed.headers["content-length"]) < int(plain.headers["content-length"]) / 2


def test_the_page_receives_the_answers_and_failures_of_the_tools() -> None:
    page = client()
    answer = page.post("/ui/api/call/validate_cypher", json={"query": "MATCH (m:Movi) RETURN m.name"}).json()
    assert answer["ok"] is True
    assert answer["answer"]["diagnostics"][0]["code"] == "unknown_label"
    failure = page.post("/ui/api/call/get_schema", json={"graph": "film"}).json()
    assert failure["ok"] is False
    assert (failure["failure"]["error"], failure["failure"]["nearest"]) == ("unknown_graph", ["films"])
    assert page.post("/ui/api/call/get_schema", json={"grph": "films"}).json()["failure"]["error"] == "unknown_argument"
    assert page.post("/ui/api/call/drop", json={}).json()["failure"]["error"] == "unknown_tool"


def test_wrong_arguments_of_the_pages_own_requests_are_reported_as_failures() -> None:
    page = client()
    assert page.post("/ui/api/schema", json={"graph": "film"}).json()["failure"]["error"] == "unknown_graph"
    assert page.post("/ui/api/schema", json={"graph": 7}).json()["failure"]["error"] == "wrong_argument"
    assert page.post("/ui/api/drawn", json={}).json()["failure"]["error"] == "wrong_argument"
    assert (
        page.post("/ui/api/schema", content=b"[1", headers={"Content-Type": "application/json"}).json()["ok"] is False
    )
    long = {"query": "x" * (MOST_BYTES + 1)}
    assert page.post("/ui/api/drawn", json=long).json()["failure"]["error"] == "request_too_long"


def test_if_the_catalog_is_broken_the_pages_own_requests_report_it_without_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text("{", encoding="utf-8")
    hide = hiding_paths(tmp_path)
    page = client(Application(partial(open_graphs, Settings(home=str(tmp_path)), hide=hide), hide=hide))
    for answer in (
        page.get("/ui/api/health"),
        page.post("/ui/api/schema", json={"graph": "nba"}),
        page.post("/ui/api/drawn", json={"query": "MATCH (t:Team) RETURN t"}),
        page.post("/ui/api/call/list_graphs", json={}),
    ):
        failure = answer.json()["failure"]
        assert failure["message"].startswith("<data folder>/catalog.json cannot be read")
        assert failure["nearest"] == []
        assert "Choose" not in failure["next"]


@pytest.mark.parametrize(("graph", "others"), [({}, []), ({"graph": "films"}, []), ({"graph": "x"}, ["films"])])
def test_the_page_offers_only_other_graphs_in_place_of_one_that_cannot_be_opened(
    graph: dict[str, str], others: list[str]
) -> None:
    def fail() -> Graph:
        raise EngineUnavailable("it is gone")

    sources = [GraphSource("films", "", "none", fail)]
    if "x" in graph.values():
        sources = [GraphSource("x", "", "none", fail), GraphSource("films", "", "none", fail)]
    page = client(Application(lambda: OpenGraphs(sources)))
    failure = page.post("/ui/api/schema", json=graph).json()["failure"]
    assert (failure["error"], failure["nearest"]) == ("graph_unavailable", others)
    assert failure["next"] == ("Choose another graph." if others else "")


def test_a_request_to_draw_a_writing_query_is_refused() -> None:
    failure = client().post("/ui/api/drawn", json={"query": "CREATE (m:Movie) RETURN m"}).json()["failure"]
    assert failure["error"] == "not_read_only"


def test_a_schema_without_data_can_be_shown() -> None:
    answer = client().post("/ui/api/schema", json={}).json()["answer"]
    assert [label["name"] for label in answer["labels"]] == ["Movie", "Person"]


def test_without_the_setting_the_page_does_not_exist() -> None:
    page = client(page=False)
    for path in ("/", "/ui/", "/ui/api/health"):
        assert page.get(path).status_code == 404


def test_the_front_end_has_no_external_references() -> None:
    for path in FOLDER.rglob("*"):
        if path.suffix in (".js", ".css", ".html"):
            text = re.sub(r"http://www\.w3\.org/(2000/svg|1999/xlink)", "", path.read_text(encoding="utf-8"))
            assert "http:" not in text, path
            assert "https:" not in text, path
            for sink in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
                assert sink not in text, (path, sink)
