"""Limits how many queries are sent to an endpoint at the same time.

traffic = Traffic(queries_at_once("https://query.wikidata.org/sparql"))  # 2
with traffic.turn():
    …  # send a query, and wait for its answer
    traffic.answered()
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

AT_ONCE, AT_ONCE_IN_PUBLIC = 4, 2
"""The maximum number of queries at the same time: by default, and for Wikimedia's endpoints.

Wikimedia allows each client 60 seconds of processing per minute, and each IP address five queries at a time.
"""
PUBLIC = (".wikidata.org", ".wikimedia.org")
RECOVERY = 50
"""The number of answers in a row, without a refusal, after which the limit rises by one query."""


def queries_at_once(url: str) -> int:
    """Return how many queries to send to an endpoint at the same time: 2 for `https://query.wikidata.org/sparql`."""
    return AT_ONCE_IN_PUBLIC if f".{urlsplit(url).hostname or ''}".endswith(PUBLIC) else AT_ONCE


class Traffic:
    """A limit on the number of queries in progress: `limit` starts at `most`, and varies between 1 and `most`."""

    def __init__(self, most: int) -> None:
        self.limit = self.most = most
        self._busy = self._answered = 0
        self._changed = threading.Condition()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until a query may be sent, and count it as in progress inside the block."""
        with self._changed:
            while self._busy >= self.limit:
                self._changed.wait()
            self._busy += 1
        try:
            yield
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def refused(self) -> None:
        """Lower the limit to one query, because the endpoint has asked for fewer."""
        with self._changed:
            self.limit, self._answered = 1, 0

    def answered(self) -> None:
        """Count an answer; after every `RECOVERY` answers the limit rises by one, up to `most`."""
        with self._changed:
            self._answered += 1
            if self.limit < self.most and self._answered % RECOVERY == 0:
                self.limit += 1
                self._changed.notify_all()
