import json
import subprocess
from pathlib import Path

import pytest

from graphground import __version__
from tests.support.commands import RunCommand
from tests.support.serving import COMMAND, environment


def process(*words: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=60, env=environment(home))


def test_the_version_is_printed_on_stdout(tmp_path: Path) -> None:
    assert process("--version", home=tmp_path).stdout == f"graphground {__version__}\n"


def test_python_without_docstrings_is_refused_with_the_remedy(tmp_path: Path) -> None:
    place = environment(tmp_path, {"PYTHONOPTIMIZE": "2"})
    result = subprocess.run([*COMMAND, "graphs", "list"], capture_output=True, text=True, timeout=60, env=place)
    assert (result.returncode, result.stdout) == (1, "")
    assert "Run it without, or with -O." in result.stderr


def test_the_command_call_with_json_prints_the_common_error_shape_on_stdout(run_command: RunCommand) -> None:
    result = run_command("call", "nothing", "--json")
    assert result.returncode == 1
    assert json.loads(result.stdout)["error"] == "unknown_tool"


@pytest.mark.engine
def test_the_bundled_graph_has_counts_before_it_is_loaded_and_stays_dropped_until_it_is_loaded_again(
    run_command: RunCommand, tmp_path: Path
) -> None:
    def listed() -> list[tuple[str, int]]:
        result = run_command("call", "list_graphs", "--json")
        return [(load["name"], load["nodes"]) for load in json.loads(result.stdout)["graphs"]]

    assert listed() == [("nba", 541)]
    assert not (tmp_path / "catalog.json").exists()
    dropped = run_command("graphs", "drop", "nba")
    brings_back = "It is bundled with graphground: `graphground graphs load nba` brings it back."
    assert dropped.stdout == f"Dropped 'nba'. {brings_back}\n"
    assert listed() == []
    assert run_command("graphs", "load", "nba").stdout.startswith("Loaded 'nba': 541 nodes, 2,823")
    assert listed() == [("nba", 541)]
    assert "brings it back" in run_command("graphs", "drop", "nba").stdout
    assert (listed(), run_command("graphs", "drop", "nba").returncode) == ([], 0)
    assert run_command("graphs", "drop", "nothing").returncode == 1
