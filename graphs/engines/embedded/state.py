"""The state file, in which the running engine process publishes its address. Only its owner can read it."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from graphground.graphs.storage.catalog import SCRATCH
from graphground.graphs.storage.home import Home, replacing

if sys.platform != "win32":
    import fcntl

EXPORTER = "exporter"
"""The user whose queries may take any time; the password is that of `reader`."""
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


def scratch_database(home: Home) -> str:
    """Return the name of the engine process's own empty database."""
    return f"{SCRATCH}engine"


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
