"""Finds, starts and ends the engine process of a data folder.

The process publishes its address in a state file, which only its owner can read.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graphground.graphs.engines.client_context import report_stage
from graphground.graphs.engines.embedded.jvm import EmbeddedSettings, remove_archive
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.storage.catalog import SCRATCH
from graphground.graphs.storage.home import Home, replacing

_starting = threading.Lock()
START_SECONDS = 90.0
STOP_SECONDS = 10.0


def ensure_engine(home: Home) -> EngineState:
    """Return the state of a data folder's running engine process, started if necessary; safe to call concurrently.

    Raises:
        EngineUnavailable: the process cannot start on this machine; the message gives the reason.
    """
    if (state := running_engine(home)) is not None:
        return state
    require_arcadedb()
    home.make()
    try:
        # A `FileLock` is polled twenty times a second; threads of this process wait for each other instead.
        with _starting, start_lock(home, START_SECONDS):
            return running_engine(home) or _start(home)
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


def running_engine(home: Home) -> EngineState | None:
    """Return the state of a data folder's engine process; None if none runs that accepts connections."""
    state = EngineState.read(home)
    return state if state is not None and is_alive(home) and listens(state.port) else None


def listens(port: int) -> bool:
    """Whether a process accepts connections at this port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


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
        if state is not None and listens(state.port):
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
        time.sleep(0.005)
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


if sys.platform != "win32":
    import fcntl

EXPORTER = "exporter"
"""The user whose queries may take any time; the password is that of `reader`."""
SCRATCH_DATABASE = f"{SCRATCH}engine"
"""The name of the engine process's own empty database."""
ALREADY_RUNNING = 3
"""The exit status of an engine process that found another engine process running."""


@dataclass(frozen=True, slots=True)
class EngineState:
    """The contents of the state file: `EngineState(pid=4711, port=40123, instance="6f…", reader="…", root="…")`.

    `reader` and `root` are the passwords of the users with these names.
    """

    pid: int
    port: int
    instance: str
    reader: str
    root: str

    @classmethod
    def read(cls, home: Home) -> EngineState | None:
        """Read the state file; None if it does not exist or is invalid."""
        try:
            return cls(**json.loads(state_file(home).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, home: Home) -> None:
        """Replace the state file atomically; only its owner can read it."""
        with replacing(state_file(home), private=True) as file:
            file.write(json.dumps(asdict(self)).encode())


def state_file(home: Home) -> Path:
    return home.engine / "state.json"


def lifetime(home: Home) -> float:
    """Return the seconds since the engine process wrote its state file; 0 without a state file."""
    try:
        return max(0.0, time.time() - state_file(home).stat().st_mtime)
    except OSError:
        return 0.0


def used_file(home: Home) -> Path:
    """Return the file whose modification time is the time at which the engine was last used."""
    return home.engine / "used"


def alive_lock(home: Home, timeout: float = 0) -> FileLock:
    """Return the lock that a running engine process holds; the operating system releases it when the process dies."""
    return FileLock(home.engine / "alive.lock", timeout=timeout)


def start_lock(home: Home, timeout: float) -> FileLock:
    """Return the lock that is held while the engine is started, stopped or killed."""
    return FileLock(home.engine / "start.lock", timeout=timeout)


def still_runs(home: Home, instance: str) -> bool:
    """Whether the engine process `instance` is still running, and the port in the state file is therefore its own."""
    state = EngineState.read(home)
    return state is not None and state.instance == instance and is_alive(home)


def is_alive(home: Home) -> bool:
    """Whether an engine process is running, that is, whether its lock is held.

    On Unix the test takes a shared lock, so that any number of processes may test at once. On Windows the test holds
    the engine's lock for a moment, so that a simultaneous test by another process also returns True.
    """
    if sys.platform == "win32":
        try:
            with alive_lock(home):
                return False
        except Timeout:
            return True
    try:
        number = os.open(home.engine / "alive.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(number)
    return False
