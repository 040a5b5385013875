"""The page of figures is what its generator writes, and every command on it exists."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.results import Figure, read, read_all, record

ROOT = Path(__file__).resolve().parents[2]
FIGURE = Figure("false errors", "31,280 queries", 0, "", "<= 0", "benchmarks.cypher.language")


def test_the_page_is_written_from_the_result_files() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "figures.py", "--check"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, f"{done.stderr}: run python docs/figures.py"


def test_every_command_of_the_page_is_a_program_of_the_repository() -> None:
    for figures in read_all().values():
        for figure in figures:
            assert importlib.util.find_spec(figure.command.split()[0]) is not None, figure.command


def test_a_recorded_figure_replaces_the_older_one_with_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(results, "_commit", lambda: "0123abcd")
    record("language", FIGURE, Figure("time", "8,534 queries", 0.5, "ms", "<= 0.4", "benchmarks.cypher.language"))
    record("language", Figure("time", "8,534 queries", 0.3, "ms", "<= 0.4", "benchmarks.cypher.language"))
    first, second = read("language")
    assert (first.value, second.value, second.commit) == (0, 0.3, "0123abcd")
    assert not second.missed
    with pytest.raises(ValueError, match=r"the bar of 'time' is '0\.4'"):
        record("language", Figure("time", "", 0.3, "ms", "0.4", "benchmarks.cypher.language"))
