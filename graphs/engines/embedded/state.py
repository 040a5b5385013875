"""Where the running engine process listens, as it says itself in a file that only its user can read."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from graphground.graphs.storage.atomic import replacing
from graphground.graphs.storage.catalog import SCRATCH
from graphground.graphs.storage.home import Home

if sys.platform != "win32":
    import fcntl

ALREADY_RUNNING = 3
"""The exit code of an engine process that found another one alive."""


@dataclass(frozen=True, slots=True)
class EngineState:
    """`EngineState(pid=4711, port=40123, instance="6f…", reader="…", root="…")`; the last two are passwords."""

    pid: int
    port: int
    instance: str
    reader: str
    root: str

    @classmethod
    def read(cls, home: Home) -> EngineState | None:
        """What the file says, or None where there is none or it is no such file."""
        try:
            return cls(**json.loads(state_file(home).read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def write(self, home: Home) -> None:
        """Replace the file in one step; only its owner can read it."""
        with replacing(state_file(home), private=True) as file:
            file.write(json.dumps(asdict(self)).encode())


def state_file(home: Home) -> Path:
    return home.engine / "state.json"


def lifetime(home: Home) -> float:
    """Seconds since the engine process wrote its state; 0 where there is none."""
    try:
        return max(0.0, time.time() - state_file(home).stat().st_mtime)
    except OSError:
        return 0.0


def scratch_database(home: Home) -> str:
    """The name of the engine process's own empty database."""
    return SCRATCH + home.engine_folder


def used_file(home: Home) -> Path:
    """Its time of modification is when the engine was last used."""
    return home.engine / "used"


def alive_lock(home: Home, timeout: float = 0) -> FileLock:
    """Held by the engine process as long as it lives: the operating system lets go of it however it dies."""
    return FileLock(home.engine / "alive.lock", timeout=timeout)


def start_lock(home: Home, timeout: float) -> FileLock:
    """Held while the engine is started, stopped or killed."""
    return FileLock(home.engine / "start.lock", timeout=timeout)


def still_runs(home: Home, instance: str) -> bool:
    """Whether that very engine process lives, so that the port that it named is its own."""
    state = EngineState.read(home)
    return state is not None and state.instance == instance and is_alive(home)


def is_alive(home: Home) -> bool:
    """Whether an engine process lives: whether the lock is held for good.

    On Unix any number may ask at one moment, since they ask for a shared lock; elsewhere it is asked under the start
    lock.
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
