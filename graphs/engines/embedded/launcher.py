"""Finds, starts and ends the engine process of a data folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from filelock import Timeout

from graphground.graphs.engines.client_context import report_stage
from graphground.graphs.engines.embedded.jvm import remove_archive
from graphground.graphs.engines.embedded.settings import EmbeddedSettings
from graphground.graphs.engines.embedded.state import (
    ALREADY_RUNNING,
    EngineState,
    is_alive,
    start_lock,
    state_file,
    used_file,
)
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.storage.home import Home

START_SECONDS = 90.0
STOP_SECONDS = 10.0


def ensure_engine(home: Home) -> EngineState:
    """Return the state of a data folder's running engine process, started if necessary; safe to call concurrently.

    Raises:
        EngineUnavailable: the process cannot start on this machine; the message gives the reason.
    """
    state = EngineState.read(home)
    if state is not None and is_alive(home) and answers(state):
        return state
    require_arcadedb()
    home.make()
    try:
        with start_lock(home, START_SECONDS):
            state = EngineState.read(home)
            if state is not None and is_alive(home) and answers(state):
                return state
            return _start(home)
    except Timeout:
        raise EngineUnavailable(
            f"The engine of {home.folder} did not start within {START_SECONDS:g} s; see {home.engine / 'engine.log'}."
        ) from None


def end_engine(home: Home, *, kill: bool = False) -> bool:
    """Stop the engine process and wait until it has ended; return False if it was not running.

    With `kill` the process does not close its databases, which is safe because they are open read-only.
    """
    with start_lock(home, START_SECONDS):
        state = EngineState.read(home)
        if state is None or not is_alive(home):
            return False
        _signal(state, kill=kill)
        if not _gone(home, STOP_SECONDS):
            _signal(state, kill=True)
            _gone(home, STOP_SECONDS)
        state_file(home).unlink(missing_ok=True)
        return True


def kill_engine(home: Home, instance: str) -> None:
    """Kill the engine process `instance`; does nothing if another process has replaced it.

    When this returns, none of the process's queries is running; its memory may take longer to become free.
    """
    with start_lock(home, START_SECONDS):
        state = EngineState.read(home)
        if state is not None and state.instance == instance:
            state_file(home).unlink(missing_ok=True)
            if is_alive(home):
                _signal(state, kill=True)


def _signal(state: EngineState, *, kill: bool) -> None:
    with suppress(ProcessLookupError):
        os.kill(state.pid, getattr(signal, "SIGKILL", signal.SIGTERM) if kill else signal.SIGTERM)


def answers(state: EngineState) -> bool:
    """Whether a process listens at the address in the state file."""
    try:
        with socket.create_connection(("127.0.0.1", state.port), timeout=1.0):
            return True
    except OSError:
        return False


def require_arcadedb() -> None:
    """Raise an error if the embedded engine is not installed.

    Raises:
        EngineUnavailable: the engine is not installed; the message names an alternative.
    """
    if find_spec("arcadedb_embedded") is None:
        raise EngineUnavailable(
            "The embedded engine is not installed (it runs on Linux x86-64 and arm64 with glibc 2.34 or newer, macOS on "
            "arm64, and Windows). Use your own database: serve it with --uri or NEO4J_URI; "
            "`graphground graphs load FILE --into URI` loads a file into it."
        )


def _start(home: Home) -> EngineState:
    report_stage("starting the embedded engine")
    EmbeddedSettings.from_environment()  # reports a wrong setting clearly
    state_file(home).unlink(missing_ok=True)
    _gone(home, STOP_SECONDS)  # wait for a process that was killed a moment ago
    used_file(home).touch()
    log = home.engine / "engine.log"
    if log.exists():
        os.replace(log, home.engine / "engine.before.log")
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "graphground.graphs.engines.embedded.process", str(home.folder)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=home.engine,
            **options,
        )
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        state = EngineState.read(home)
        if state is not None and answers(state):
            # The child may outlive this process. If it ends earlier, its exit status is collected: no zombie remains.
            threading.Thread(target=process.wait, name="graphground-engine", daemon=True).start()
            return state
        code = process.poll()
        if code is not None and remove_archive(log):
            return _start(home)
        if code is not None and (code != ALREADY_RUNNING or not is_alive(home)):
            raise EngineUnavailable(
                f"The engine could not start (exit status {code}): {_reason(home)}. The full log is {log}."
            )
        time.sleep(0.02)
    process.kill()
    process.wait()
    raise EngineUnavailable(f"The engine did not start within {START_SECONDS:g} s; see {log}.")


def _gone(home: Home, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_alive(home):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _reason(home: Home) -> str:
    lines = (home.engine / "engine.log").read_text("utf-8", "replace").strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else "it printed nothing"
