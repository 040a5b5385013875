"""Callers whose queries the engine could not terminate.

For some seconds, further queries of such a caller are refused if they may not be terminable. If a query that could not
be terminated had looked harmless, all queries of its caller run in the second process for a while.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

FIRST_WAIT, LONGEST_WAIT = 5.0, 120.0
FORGIVEN_AFTER = 600.0
APART_FOR = 120.0
MOST_CALLERS = 10_000


@dataclass(slots=True)
class Record:
    """The number of times that the engine was killed for a caller's queries, and the time until which the caller waits.

    All times are monotonic.
    """

    strikes: int
    until: float
    last: float
    surprised: float
    """The last time at which the engine had to be killed for a harmless-looking query; 0 if never."""


class Quarantine:
    """The callers whose queries the engine could not terminate. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: OrderedDict[str, Record] = OrderedDict()

    def strike(self, caller: str, *, surprise: bool) -> None:
        """Record that the engine had to be killed for a query of the caller; repeated strikes double the waiting time.

        A `surprise` is a query that `may_not_end` did not flag: for `APART_FOR` seconds, all of the caller's
        queries run in the second process.
        """
        now = time.monotonic()
        with self._lock:
            record = self._records.pop(caller, None)
            strikes = record.strikes + 1 if record is not None and now - record.last < FORGIVEN_AFTER else 1
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(strikes - 1, 10))
            surprised = now if surprise else record.surprised if record is not None else 0.0
            self._records[caller] = Record(strikes, now + wait, now, surprised)
            while len(self._records) > MOST_CALLERS:
                self._records.popitem(last=False)

    def knows(self, caller: str) -> bool:
        """Whether the engine was recently killed for a harmless-looking query of the caller."""
        with self._lock:
            record = self._records.get(caller)
            return record is not None and bool(record.surprised) and time.monotonic() - record.surprised < APART_FOR

    def wait(self, caller: str) -> float:
        """Return the seconds until the caller may send another query that might not end; 0 if it may do so now."""
        with self._lock:
            record = self._records.get(caller)
            return max(0.0, record.until - time.monotonic()) if record is not None else 0.0

    def clear(self) -> None:
        """Forget all callers."""
        with self._lock:
            self._records.clear()


QUARANTINE = Quarantine()
