"""Waits for what another thread or process does: `until(lambda: not file.exists())`."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(condition: Callable[[], object], seconds: float = 90.0, pause: float = 0.02) -> None:
    """Wait until a condition holds; the test fails if it does not hold within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s"
        time.sleep(pause)
