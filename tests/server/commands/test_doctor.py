import subprocess
from pathlib import Path

from tests.support.serving import COMMAND, environment


def doctor(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "doctor", *options], capture_output=True, text=True, timeout=100, env=environment(home)
    )


def test_a_working_installation_is_reported(data_folder: Path) -> None:
    done = doctor(data_folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "graph nba: answers in" in done.stdout
    assert done.stdout.endswith("Everything works.\n")


def test_an_unreachable_database_is_named_with_the_fix(tmp_path: Path) -> None:
    done = doctor(tmp_path, "--uri", "bolt://127.0.0.1:1")
    assert done.returncode == 1
    assert "BAD  graph neo4j: does not answer" in done.stdout
    assert "Check the address" in done.stdout
    assert done.stdout.endswith("1 problem.\n")


def test_a_data_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = doctor(tmp_path / "file" / "home", "--uri", "bolt://127.0.0.1:1")
    assert done.returncode == 1
    assert "BAD  data folder:" in done.stdout
    assert "Set GRAPHGROUND_HOME" in done.stdout
