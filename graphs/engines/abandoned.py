"""Queries whose callers have stopped waiting, while the database may still be running them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

LOOK_SECONDS = 0.25
ANSWER_SECONDS = 5.0
"""Seconds to wait for the database's list of queries; if it does not arrive, the query counts as still running."""
FOLLOWED_SECONDS = 60.0


class Abandoned:
    """A query that continues after its caller has left: `Abandoned("session 4711", query)`.

    A busy database may take seconds to end a terminated query, and some queries never check for termination; only
    time shows which of the two is the case.
    """

    def __init__(self, caller: str, query: str | Query) -> None:
        self.caller, self.query = caller, query
        self.recorded = False
        """Whether the caller was recorded as the caller of a query that could not be terminated."""
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the caller left."""
        return time.monotonic() - self._since

    def follow(
        self, still_listed: Callable[[], bool], last_resort: LastResort | None, closed: Callable[[], bool]
    ) -> None:
        """Wait until the database no longer lists the query, or `last_resort` or `closed` returns True.

        The last check begins at most `FOLLOWED_SECONDS` after the caller left.
        """
        while self.seconds < FOLLOWED_SECONDS and not closed():
            if not _answer(still_listed) or (last_resort is not None and last_resort(self)):
                return
            time.sleep(LOOK_SECONDS)


LastResort = Callable[[Abandoned], bool]
"""A function that forcibly ends a query; it is called again while it returns False."""


def _answer(still_listed: Callable[[], bool]) -> bool:
    """Return whether the database still lists the query; True if the list cannot be read in time."""
    answers = [True]

    def ask() -> None:
        try:
            answers[0] = still_listed()
        except Exception:  # any failure: the state of the query is unknown
            answers[0] = True

    asking = threading.Thread(target=ask, name="graphground-abandoned", daemon=True)
    asking.start()
    asking.join(ANSWER_SECONDS)
    return answers[0]
