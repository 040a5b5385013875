"""The page of figures is what its generator writes, and every command on it exists."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from benchmarks.results import read_all

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_written_from_the_result_files() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "figures.py", "--check"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, f"{done.stderr}: run python docs/figures.py"


def test_every_command_of_the_page_is_a_program_of_the_repository() -> None:
    for figures in read_all().values():
        for figure in figures:
            assert importlib.util.find_spec(figure.command.split()[0]) is not None, figure.command
