"""Queries whose callers have left, and that a database may still be running."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphground.cypher.tree import Query

LOOK_SECONDS = 0.25
ANSWER_SECONDS = 5.0
"""If the database's list cannot be read for this long, the query is assumed to be running."""
FOLLOWED_SECONDS = 60.0


class Abandoned:
    """`Abandoned("session 4711", query)`: its caller, and when the caller left.

    A busy database may take seconds to end a terminated query; only waiting tells it from a query that never checks
    for termination.
    """

    def __init__(self, caller: str, query: str | Query) -> None:
        self.caller, self.query = caller, query
        self._since = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since its caller left."""
        return time.monotonic() - self._since

    def follow(
        self, still_listed: Callable[[], bool], last_resort: LastResort | None, closed: Callable[[], bool]
    ) -> None:
        """Return when the database no longer lists the query, or the last resort has ended it."""
        while self.seconds < FOLLOWED_SECONDS and not closed():
            if not _answer(still_listed) or (last_resort is not None and last_resort(self)):
                return
            time.sleep(LOOK_SECONDS)


LastResort = Callable[[Abandoned], bool]
"""Ends a query that the database does not end, or returns False to be called again in a moment."""


def _answer(still_listed: Callable[[], bool]) -> bool:
    """The database's answer; True if it fails to answer."""
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
