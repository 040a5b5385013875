"""Counts the calls of Python and built-in functions: a measure of work that no busy machine changes."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_steps(work: Callable[[], object]) -> int:
    """Return how many functions `work()` calls: `count_steps(lambda: validate(text))`."""
    steps = 0

    def count(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return steps
