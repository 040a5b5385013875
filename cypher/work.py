"""Limits the time for checking one text; each stage of the check tests whether the time has passed.

    >>> with bounded(0.5):
    ...     report = validate(text)     # a stage that calls `check_work` raises `TooMuchWork` after half a second

Time is the processor time of the thread, so a busy machine does not make a text too complex. Every loop whose number of
rounds depends on the text, and whose body is not trivial, calls `check_work`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time

SECONDS = 0.5
"""Seconds of processor time for all checks of one text: about five times what 100 kB of Cypher take."""
MOST_FINDINGS = 100
"""The maximum number of errors that one stage (parsing, language check, schema check) reports for a text."""


class TooMuchWork(Exception):
    """The error for a text that takes too long to check."""


class _Bound(threading.local):
    end: float | None = None


_BOUND = _Bound()


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Limit the processor time of a `with` block, in this thread; inside another such block the outer limit applies.

    Raises:
        TooMuchWork: raised by `check_work` in the block once the time is over.
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
    """Raise `TooMuchWork` if the time limit of this thread has passed."""
    end = _BOUND.end
    if end is not None and thread_time() > end:
        raise TooMuchWork
