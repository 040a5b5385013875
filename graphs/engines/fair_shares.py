"""A limited number of permits, shared fairly between callers: for a database's queries, and for a server's threads.

The next permit goes to the caller who holds the fewest; of several such calls, to the one that has waited longest. The
last `reserved` permits are only for callers who hold none, so no caller can take all permits.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from graphground.graphs.engines.client_context import CALLER, Waiting


class TooManyCalls(Exception):
    """No permit became free in time, or the caller has too many waiting calls."""


class Permit:
    """The permit of one call, waited for or held; `owner` is what it is used on, such as one database of several."""

    __slots__ = ("caller", "is_granted", "is_kept", "owner", "wake")

    def __init__(self, caller: str, wake: Callable[[], None] | None, owner: object) -> None:
        self.caller, self.wake, self.owner = caller, wake, owner
        self.is_granted = self.is_kept = False


class FairShares:
    """A set of permits: `with FairShares(16).hold(patience=5.0): …`. Every method may be called from any thread.

    `reserved` is a quarter of `total` by default; the only client of a program, whose name is empty, may take all.
    """

    def __init__(self, total: int, reserved: int | None = None, max_waiting: int = 32) -> None:
        self.total, self._max_waiting = total, max_waiting
        self._reserved = total // 4 if reserved is None else reserved
        self._changed = threading.Condition()
        self._held: set[Permit] = set()
        self._waiting: list[Permit] = []

    @contextmanager
    def hold(self, patience: float, owner: object = None) -> Iterator[Permit]:
        """Wait up to `patience` seconds for a permit, and hold it inside the block.

        Raises:
            TooManyCalls: no permit became free, or the caller has too many waiting calls.
        """
        permit = self.enter(CALLER.get(), owner=owner)
        try:
            if not permit.is_granted:
                with Waiting(), self._changed:
                    if not self._changed.wait_for(lambda: permit.is_granted, patience):
                        raise TooManyCalls
            yield permit
        finally:
            self.leave(permit)

    def enter(self, caller: str, wake: Callable[[], None] | None = None, owner: object = None) -> Permit:
        """Begin to wait, unless the permit is granted at once; `wake` is called if it is granted later.

        Call `leave` in the end, granted or not.

        Raises:
            TooManyCalls: the caller has too many waiting calls.
        """
        permit = Permit(caller, wake, owner)
        with self._changed:
            if not self._waiting and self.total - len(self._held) > self._reserved:
                self._held.add(permit)
                permit.is_granted = True
                return permit
            if sum(other.caller == caller for other in self._waiting) >= self._max_waiting:
                raise TooManyCalls
            self._waiting.append(permit)
            self._admit()
        return permit

    def leave(self, permit: Permit) -> None:
        """Return a permit, unless it is kept, or stop waiting for it."""
        with self._changed:
            if not permit.is_granted:
                self._waiting.remove(permit)
            if not permit.is_kept:
                self._free(permit)

    def load(self) -> tuple[int, int]:
        """Return the numbers of permits that are held and waited for."""
        return len(self._held), len(self._waiting)

    def keep(self, permit: Permit) -> None:
        """Count the permit as held even after `leave`, until `forget`: its caller has left, but the work continues."""
        permit.is_kept = True

    def forget(self, permit: Permit) -> None:
        """Return a permit that was kept, because its work has ended."""
        with self._changed:
            permit.is_kept = False
            self._free(permit)

    def wait_until_idle(self, seconds: float, owner: object = None) -> bool:
        """Wait up to `seconds` until no call holds a permit for `owner`; return whether no such call is left."""
        with self._changed:
            return self._changed.wait_for(
                lambda: all(permit.owner is not owner or permit.is_kept for permit in self._held), seconds
            )

    def _free(self, permit: Permit) -> None:
        self._held.discard(permit)
        self._admit()
        self._changed.notify_all()

    def _admit(self) -> None:
        while self._waiting and len(self._held) < self.total:
            holds = Counter(permit.caller for permit in self._held)
            free = self.total - len(self._held)
            allowed = [
                permit
                for permit in self._waiting
                if free > self._reserved or not permit.caller or not holds[permit.caller]
            ]
            if not allowed:
                return
            permit = min(allowed, key=lambda permit: holds[permit.caller])  # the first of several: the longest waiting
            self._waiting.remove(permit)
            self._held.add(permit)
            permit.is_granted = True
            if permit.wake is not None:
                permit.wake()
