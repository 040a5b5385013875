import subprocess
from pathlib import Path

from tests.support.commands import RunCommand
from tests.support.serving import COMMAND, environment


def doctor(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "doctor", *options], capture_output=True, text=True, timeout=100, env=environment(home)
    )


def test_a_working_installation_is_reported(data_folder: Path) -> None:
    result = doctor(data_folder)
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
