"""The configuration of the tests itself."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONFTEST = "from tests.conftest import pytest_addoption, pytest_cmdline_main\n"
DIES = """
import os
import pytest

@pytest.mark.xdist_group("one")
@pytest.mark.parametrize("number", range(20))
def test_the_fourth_ends_its_process(number):
    if number == 3:
        os._exit(1)
"""


def test_a_run_in_which_a_test_process_dies_fails_instead_of_waiting_forever(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, "utf-8")
    (tmp_path / "test_dies.py").write_text(DIES, "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "1", "--dist", "loadgroup", "test_dies.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "crashed while running" in run.stdout
