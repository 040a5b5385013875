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
from math import inf
from time import perf_counter, thread_time

SECONDS = 0.5
"""Seconds of processor time for all checks of one text: about five times what 100 kB of Cypher take."""
MOST_FINDINGS = 100
"""The maximum number of errors that one stage (parsing, language check, schema check) reports for a text."""


class TooMuchWork(Exception):
    """The error for a text that takes too long to check."""


class _Bound(threading.local):
    end: float | None = None
    """The processor time of the thread at which the limit is reached; None outside a block."""
    earliest: float = inf
    """The clock time before which the limit cannot be reached:
    a thread uses at most one second of processor time per second.

    Reading the clock takes a tenth of the time that reading the processor time takes, which is a system call.
    """


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
    _BOUND.end, _BOUND.earliest = thread_time() + seconds, perf_counter() + seconds
    try:
        yield
    finally:
        _BOUND.end, _BOUND.earliest = None, inf


def check_work() -> None:
    """Raise `TooMuchWork` if the time limit of this thread has passed."""
    if perf_counter() > _BOUND.earliest:
        _check_processor_time()


def _check_processor_time() -> None:
    if _BOUND.end is None:
        return
    left = _BOUND.end - thread_time()
    if left < 0:
        raise TooMuchWork
    _BOUND.earliest = perf_counter() + left
