"""A separate ArcadeDB server in which the database user `root` may write, unlike in the embedded engine.

    start_writable(home)                  # then `ensure_engine(home)` finds the server, `end_engine(home)` ends it

The new process runs `python -m tests.support.own_arcadedb FOLDER`.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from graphground.graphs.engines.embedded.launcher import EngineState, end_engine, running_engine, used_file
from graphground.graphs.storage.home import Home

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90.0


def start_writable(home: Home) -> EngineState:
    """End the engine of a data folder, and start a server of the same databases in which root may write."""
    end_engine(home, kill=True)
    used_file(home).touch()
    with (home.engine / "writable.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.own_arcadedb", str(home.folder)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    process.returncode = 0  # it outlives this function on purpose: `end_engine` ends it
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if (state := running_engine(home)) is not None:
            return state
        time.sleep(0.05)
    raise AssertionError((home.engine / "writable.log").read_text("utf-8", "replace")[-2000:])


def main(folder: str) -> None:
    """Run the engine's process with its databases open for writing."""
    from graphground.graphs.engines.embedded import process

    settings = process.server_settings

    def writable(home: Home, state: EngineState) -> dict[str, Any]:
        return {**settings(home, state), "server.defaultDatabaseMode": "READ_WRITE"}

    process.server_settings = writable
    process.main(folder)


if __name__ == "__main__":
    main(sys.argv[1])
