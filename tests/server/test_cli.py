import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphground import __version__


def graphground(*words: str, home: Path | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("NEO4J_", "GRAPHGROUND_"))
    } | {"COLUMNS": "120"}
    if home is not None:
        environment["GRAPHGROUND_HOME"] = str(home)
    return subprocess.run(
        [sys.executable, "-m", "graphground", *words],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        input=text,
    )


def test_version_is_printed_on_stdout() -> None:
    assert graphground("--version").stdout == f"graphground {__version__}\n"


def test_a_misspelled_command_is_reported_with_the_nearest() -> None:
    done = graphground("serv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean 'serve'?" in done.stderr


def test_a_wrong_setting_stops_serve_with_a_message_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("prot = 1")
    done = graphground("serve", home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'port'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_http_for_other_machines_needs_the_allowed_host_names(tmp_path: Path) -> None:
    done = graphground("serve", "--transport", "http", "--host", "0.0.0.0", "--port", "0", home=tmp_path)
    assert done.returncode == 2
    assert "--allowed-host" in done.stderr


def test_call_reports_arguments_that_are_not_json(tmp_path: Path) -> None:
    done = graphground("call", "list_graphs", "{graph", home=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not JSON" in done.stderr


def test_call_prints_a_failure_on_stderr_and_exits_with_one(tmp_path: Path) -> None:
    done = graphground("call", "get_schema", '{"graf": "nba"}', home=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "nearest: graph" in done.stderr


def test_call_with_json_prints_the_common_error_shape_on_stdout(tmp_path: Path) -> None:
    done = graphground("call", "nothing", "--json", home=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"] == "unknown_tool"


def test_a_server_answers_tools_list_without_loading_drivers_or_numpy() -> None:
    heavy = ["neo4j", "numpy", "rapidfuzz", "typer", "rich", "arcadedb_embedded", "jpype", "pydantic_settings"]
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            (
                "import sys\n"
                "from types import SimpleNamespace\n"
                "from graphground.server.application import Application\n"
                "from graphground.server.protocol import Protocol\n"
                "import graphground.server.commands.serve, graphground.server.transports.stdio, asyncio\n"
                "context = SimpleNamespace(session=SimpleNamespace(client_capabilities=None))\n"
                "asyncio.run(Protocol(Application(lambda: None)).list_tools(context, None))\n"
                f"print([name for name in {heavy} if name in sys.modules])"
            ),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.engine
def test_the_bundled_graph_has_counts_before_it_is_loaded_and_stays_dropped_until_it_is_loaded_again(
    tmp_path: Path,
) -> None:
    def listed() -> list[tuple[str, int]]:
        done = graphground("call", "list_graphs", "--json", home=tmp_path)
        return [(load["name"], load["nodes"]) for load in json.loads(done.stdout)["graphs"]]

    assert listed() == [("nba", 541)]
    assert not (tmp_path / "catalog.json").exists()
    dropped = graphground("graphs", "drop", "nba", home=tmp_path)
    brings_back = "It is bundled with graphground: `graphground graphs load nba` brings it back."
    assert dropped.stdout == f"Dropped 'nba'. {brings_back}\n"
    assert listed() == []
    assert graphground("graphs", "load", "nba", home=tmp_path).stdout.startswith("Loaded 'nba': 541 nodes, 2,823")
    assert listed() == [("nba", 541)]
    assert "brings it back" in graphground("graphs", "drop", "nba", home=tmp_path).stdout
    assert (listed(), graphground("graphs", "drop", "nba", home=tmp_path).returncode) == ([], 0)
    assert graphground("graphs", "drop", "nothing", home=tmp_path).returncode == 1
