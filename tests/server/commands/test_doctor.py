from pathlib import Path
from typing import Any, cast

import pytest

from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.graph import Graph
from graphground.graphs.opening import connected as memory_limit
from graphground.graphs.opening import stored as reading
from graphground.server.commands import doctor as checks
from graphground.server.commands.doctor import attempt, memory, packages, whole
from tests.support.commands import RunCommand
from tests.support.films import FILMS


def test_a_working_installation_is_reported(run_command: RunCommand, data_folder: Path) -> None:
    result = run_command("doctor", home=data_folder)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "graph nba: answers in" in result.stdout
    assert result.stdout.endswith("Everything works.\n")


def test_an_unreachable_database_is_named_with_the_fix(run_command: RunCommand) -> None:
    result = run_command("doctor", "--uri", "bolt://127.0.0.1:1")
    assert result.returncode == 1
    assert "BAD  graph neo4j: does not answer" in result.stdout
    assert "Check the address" in result.stdout
    assert result.stdout.endswith("1 problem.\n")


def test_a_data_folder_that_cannot_be_created_is_named(run_command: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run_command("doctor", "--uri", "bolt://127.0.0.1:1", home=tmp_path / "file" / "home")
    assert result.returncode == 1
    assert "BAD  data folder:" in result.stdout
    assert "Set GRAPHGROUND_HOME" in result.stdout


@pytest.mark.parametrize(
    ("engine_needed", "good", "found", "fix"),
    [
        (True, False, "there may be no build for ", "Serve your own database: "),
        (False, True, "is not installed; only your own databases can be served", ""),
    ],
)
def test_a_missing_engine_is_a_problem_only_if_no_database_is_served(
    monkeypatch: pytest.MonkeyPatch, engine_needed: bool, good: bool, found: str, fix: str
) -> None:
    monkeypatch.setattr(checks, "find_spec", lambda name: None if name == "arcadedb_embedded" else object())
    (finding,) = (each for each in packages(engine_needed) if each.what == "embedded engine")
    assert finding.good is good
    assert found in finding.found
    assert finding.fix.startswith(fix)
    assert bool(finding.fix) is bool(fix), "a fix makes the finding a warning"


def test_a_limit_of_memory_is_reported_as_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limit, "memory_limit", lambda engine: "256.00MiB")
    assert memory(cast("Any", None)) == ("the memory of a single query is limited to 256.00MiB", "")


@pytest.mark.parametrize(
    ("error", "what", "advised"),
    [
        (reading.Incomplete("399 nodes can be read, but the graph was loaded with 400."), "is damaged", True),
        (EngineUnavailable("The engine ended."), "could not be read completely", False),
    ],
)
def test_only_a_graph_with_missing_elements_is_called_damaged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, what: str, advised: bool
) -> None:
    def fail(*_: object) -> str:
        raise error

    monkeypatch.setattr(reading, "read_whole", fail)
    found = attempt("films", "could not be read completely", lambda: whole(Graph("films", FILMS), tmp_path))
    assert (found.good, found.found) == (False, what)
    assert ("Load the graph again" in found.fix) is advised
