"""Failures of a running server whose data folder is damaged: what clients receive without the paths of the machine, and
what the server's log keeps.
"""

import json
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import LoggingMessageNotification

from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import DATA_FOLDER, HOME_FOLDER, Application, hiding, hiding_paths
from graphground.server.commands.command_line import open_graphs
from graphground.server.settings import Settings
from graphground.tools.tool import ToolFailure
from tests.support.films import films_alone
from tests.support.serving import LEGACY, call, failure_in, stdio

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


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_if_the_catalog_breaks_under_a_running_server_every_tool_reports_it(
    application: Application, tmp_path: Path, tool: str
) -> None:
    assert set(application.tools) == set(ARGUMENTS)
    outcome = application.call(tool, ARGUMENTS[tool])
    assert outcome.is_error
    failure = json.loads(outcome.payload)
    assert failure["error"] == "graph_unavailable"
    assert failure["message"].startswith("<data folder>/catalog.json cannot be read (Expecting value: line 1")
    assert "Repair it, or move it away and load the graphs again." in failure["message"]
    assert failure["next"] == "Report this problem to the user; no other graph is available."
    assert str(tmp_path) not in outcome.text
    (tmp_path / "catalog.json").unlink()
    assert not application.call("list_graphs", {}).is_error


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
    expected = ([], "Report this problem to the user; no other graph is available.")
    assert (failure["nearest"], failure["next"]) == expected
    assert json.loads(Application(films_alone).call("get_schema", {"graph": "x"}).payload)["nearest"] == ["films"]


HIDE = hiding({Path("/home/ada"): HOME_FOLDER, Path("/home/ada/graphs"): DATA_FOLDER})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ada/graphs/catalog.json", "<data folder>/catalog.json"),
        ("in /home/ada/graphs.", "in <data folder>."),
        ("'/home/ada/films.csv'", "'<home folder>/films.csv'"),
        ("file:///home/ada/graphs/x", "file://<data folder>/x"),
        ("/home/adam/x, /home/ada-2/x, /mnt/home/ada/x", "/home/adam/x, /home/ada-2/x, /mnt/home/ada/x"),
        ("no path", "no path"),
    ],
)
def test_the_data_folder_and_the_home_folder_are_replaced_by_names(text: str, shown: str) -> None:
    assert HIDE(text) == shown


def test_a_link_to_the_data_folder_is_replaced_like_its_target(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    hide = hiding_paths(tmp_path / "link")
    assert hide(f"{tmp_path}/link/x, {tmp_path}/target/x") == "<data folder>/x, <data folder>/x"


@pytest.mark.anyio
async def test_a_server_hides_the_data_folder_from_clients_and_the_command_line_shows_it(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").write_text("{", encoding="utf-8")
    heard: list[Any] = []

    async def note(message: Any) -> None:
        if isinstance(message, LoggingMessageNotification):
            heard.append(message.params)

    with anyio.fail_after(90):
        async with Client(stdio(tmp_path), mode=LEGACY, message_handler=note) as client:
            failure = failure_in(await client.call_tool("list_graphs", {}))
            with pytest.raises(MCPError, match=r"<data folder>/catalog\.json cannot be read"):
                await client.list_resources()
    assert failure["message"].startswith("<data folder>/catalog.json cannot be read")
    assert any("<data folder>/catalog.json" in str(params.data) for params in heard)
    assert str(tmp_path) not in str(heard)
    assert f"{tmp_path}/catalog.json" in call(tmp_path, "list_graphs").stderr
