"""A bound on the time that judging one text may take, looked at by the stages themselves.

    >>> with bounded(0.5):
    ...     report = validate(text)     # a stage that calls `check_work` raises `TooMuchWork` after half a second

Time is the processor time of the thread: a busy machine makes nothing too complex. Every loop of a stage whose length
a text decides, and whose body does more than a little, calls `check_work`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time

SECONDS = 0.5
"""Seconds of processor time for all that is said of one text: about five times what 100 kB of Cypher take."""
MOST_FINDINGS = 100
"""How many errors of one level are worked out; a text with more gets these."""


class TooMuchWork(Exception):
    """A text takes longer to judge than it may."""


class _Bound(threading.local):
    end: float | None = None


_BOUND = _Bound()


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Bound what runs inside, in this thread. Inside another bound the outer one counts.

    Raises:
        TooMuchWork: from `check_work`, after a limit of processor time.
    """
    if _BOUND.end is not None:
        yield
        return
    _BOUND.end = thread_time() + seconds
    try:
        yield
    finally:
        _BOUND.end = None


def check_work() -> None:
    """Raise `TooMuchWork` when the bound of this thread has passed."""
    end = _BOUND.end
    if end is not None and thread_time() > end:
        raise TooMuchWork
