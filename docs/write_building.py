"""Renews the outputs of commands in docs/tutorial.md, in a separate data folder: `python docs/write_building.py`."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from pathlib import Path

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from graphground.server.commands.command_line import run

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"```text\n(\$ graphground .*?)```", re.DOTALL)


def printed(command: str) -> str:
    """Run a command in this process, and return its output without times and progress."""
    _, word, *rest = shlex.split(command)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        run(word, rest)
    text = re.sub(r"\b\d+(?:\.\d+)? ms\b", "… ms", re.sub(r"elapsed_ms: [\d.]+", "elapsed_ms: …", out.getvalue()))
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def replayed(text: str) -> str:
    """Run the commands of the page in order, in the data folder GRAPHGROUND_HOME; return the page with new outputs."""

    def block(found: re.Match[str]) -> str:
        commands = [line for line in found[1].splitlines() if line.startswith("$ graphground ")]
        return "```text\n" + "".join(f"{line}\n{printed(line[2:])}" for line in commands) + "```"

    return BLOCK.sub(block, text)


def main() -> None:
    """Run the commands of the page in a temporary data folder, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(GRAPHGROUND_HOME=folder, COLUMNS="120", NO_COLOR="1")
        os.chdir(ROOT)
        try:
            PAGE.write_text(replayed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        finally:
            end_engine(Home(Path(folder)), kill=True)


if __name__ == "__main__":
    main()
