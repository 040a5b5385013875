"""Failures of a running server whose data folder is damaged: what clients receive, and what the server's log keeps."""

import json
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import Application
from graphground.server.call import hiding_paths
from graphground.server.commands.command_line import open_graphs
from graphground.server.settings import Settings
from graphground.tools.failure import ToolFailure
from tests.support.films import films_alone

ARGUMENTS: dict[str, dict[str, Any]] = {
    "list_graphs": {},
    "get_schema": {},
    "get_filtered_schema": {"question": "Who plays?"},
    "find_entities": {"mentions": ["Heat"]},
    "ground_question": {"question": "Who plays?"},
    "validate_cypher": {"query": "RETURN 1"},
    "execute_cypher": {"query": "RETURN 1"},
}


@pytest.fixture
def application(tmp_path: Path) -> Application:
    """Return the application of a running server whose catalog has just been broken."""
    hide = hiding_paths(tmp_path)
    application = Application(partial(open_graphs, Settings(home=str(tmp_path)), hide=hide), hide=hide)
    assert not application.call("list_graphs", {}).is_error
    (tmp_path / "catalog.json").write_text('{"graphs": [', encoding="utf-8")
    return application


def failing(error: Exception, **more: Any) -> Application:
    def fail() -> Graph:
        raise error

    hide = hiding_paths(Path("/srv/ada/graphs"))
    return Application(lambda: OpenGraphs([GraphSource("films", "", "none", fail, **more)], hide=hide), hide=hide)


@pytest.mark.parametrize("graph", [{}, {"graph": "nba"}])
@pytest.mark.parametrize("tool", ARGUMENTS)
def test_if_the_catalog_breaks_under_a_running_server_every_tool_reports_it(
    application: Application, tmp_path: Path, tool: str, graph: dict[str, str]
) -> None:
    assert set(application.tools) == set(ARGUMENTS)
    outcome = application.call(tool, ARGUMENTS[tool] | (graph if tool != "list_graphs" else {}))
    assert outcome.is_error
    failure = json.loads(outcome.payload)
    assert failure["error"] == "graph_unavailable"
    assert failure["message"].startswith("<data folder>/catalog.json cannot be read (Expecting value: line 1")
    assert "Repair it, or move it away and load the graphs again." in failure["message"]
    assert failure["next"] == "Report this problem to the user; no other graph is available."
    assert str(tmp_path) not in outcome.text
    (tmp_path / "catalog.json").unlink()
    assert not application.call("list_graphs", {}).is_error


def test_a_catalog_that_is_a_folder_is_reported_too(application: Application, tmp_path: Path) -> None:
    (tmp_path / "catalog.json").unlink()
    (tmp_path / "catalog.json").mkdir()
    failure = json.loads(application.call("list_graphs", {}).payload)
    assert failure["message"].startswith("<data folder>/catalog.json cannot be read (Is a directory).")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (EngineUnavailable("The full log is /srv/ada/graphs/engine/log."), "The full log is <data folder>/engine/log."),
        (ToolFailure("no_vectors", "no file /srv/ada/graphs/x."), "no file <data folder>/x."),
        (
            FileNotFoundError(2, "No such file", "/srv/ada/graphs/x"),
            "The graph 'films' cannot be opened: [Errno 2] No such file: '<data folder>/x'",
        ),
    ],
)
def test_a_failure_hides_the_data_folder_and_the_log_of_the_server_keeps_it(
    caplog: pytest.LogCaptureFixture, error: Exception, message: str
) -> None:
    with caplog.at_level(logging.WARNING):
        failure = json.loads(failing(error).call("get_schema", {}).payload)
    assert failure["message"].endswith(message)
    assert "/srv/ada" not in json.dumps(failure)
    assert "/srv/ada/graphs" in caplog.text


def test_an_internal_error_hides_the_data_folder() -> None:
    def broken() -> Any:
        raise RuntimeError("bad file /srv/ada/graphs/x")

    outcome = Application(broken, hide=hiding_paths(Path("/srv/ada/graphs"))).call("list_graphs", {})
    assert json.loads(outcome.payload)["message"] == "The tool failed: RuntimeError: bad file <data folder>/x"


def test_without_a_server_failures_keep_their_paths() -> None:
    def broken() -> Any:
        raise RuntimeError("bad file /srv/ada/graphs/x")

    assert "/srv/ada/graphs/x" in Application(broken).call("list_graphs", {}).text


@pytest.mark.parametrize(
    "source",
    [{"problem": lambda: "no file /srv/ada/graphs/x"}, {"counts": partial(Path("/srv/ada/graphs/x").read_bytes)}],
)
def test_the_list_of_graphs_hides_the_data_folder(source: dict[str, Callable[[], Any]]) -> None:
    [films] = json.loads(failing(EngineUnavailable("x"), **source).call("list_graphs", {}).payload)["graphs"]
    assert "<data folder>/x" in films["description"]
    assert "/srv/ada" not in films["description"]


def test_the_only_graph_is_not_suggested_in_place_of_itself() -> None:
    failure = json.loads(failing(EngineUnavailable("it is gone")).call("get_schema", {}).payload)
    assert (failure["nearest"], failure["next"]) == (
        [],
        "Report this problem to the user; no other graph is available.",
    )
    assert json.loads(Application(films_alone).call("get_schema", {"graph": "x"}).payload)["nearest"] == ["films"]
