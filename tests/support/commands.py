"""Runs commands in the test process, because a separate process would need most of a second to import the modules.

def test_x(run_command: RunCommand, data_folder: Path) -> None:
    assert run_command("query", "nba", "RETURN 1", home=data_folder).returncode == 0
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from graphground.server import cli


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended: its exit status and its output."""

    returncode: int
    stdout: str
    stderr: str


class RunCommand(Protocol):
    """A function that runs `graphground` with the given words, and returns its exit status and output.

    `home` is the data folder and `folder` the working folder; each is the test's temporary folder if None. `text` is
    the standard input, and `more` are further environment variables.
    """

    def __call__(
        self,
        *words: str,
        home: Path | None = None,
        text: str = "",
        more: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Ended: ...


@pytest.fixture
def run_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[RunCommand]:
    """Yield a function that runs commands in this process; an exception
    that a command does not handle fails the test."""
    handlers, level = list(logging.root.handlers), logging.root.level

    def run(
        *words: str,
        home: Path | None = None,
        text: str = "",
        more: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Ended:
        with monkeypatch.context() as patch:
            for variable in list(os.environ):
                if variable.startswith(("NEO4J_", "GRAPHGROUND_")) and not variable.endswith("_JVM_ARGS"):
                    patch.delenv(variable)
            for variable, value in {
                "GRAPHGROUND_HOME": str(home or tmp_path),
                "COLUMNS": "100",
                **(more or {}),
            }.items():
                patch.setenv(variable, value)
            patch.chdir(folder or tmp_path)
            patch.setattr(sys, "argv", ["graphground", *words])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
            capfd.readouterr()
            with pytest.raises(SystemExit) as end:
                cli.main()
            out, err = capfd.readouterr()
        return Ended(int(end.value.code or 0), out, err)

    yield run
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
