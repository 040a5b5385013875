"""Query slots: a limited number, shared fairly between callers.

A caller always gets `own` of the slots and more only while `spare` stay free, so one caller's slow queries leave room
for the next. A query that runs for longer than `LONG` seconds moves to a second set of as many slots, so that slow
queries of many callers leave room for quick ones. Where that set is full too and somebody waits, the longest query of
the caller who holds most is ended.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from graphground.graphs.engines.callers import CALLER

LONG = 2.0
PATIENT = 0.5
"""Seconds that a caller waits before another caller's long query is terminated for it."""
KEPT = 60.0
"""Seconds for which a query that the database does not end occupies a slot."""
MOST_WAITING = 32
"""How many calls of one caller may wait; further ones are refused at once."""


class Full(Exception):
    """No slot became free in time."""


class Slot:
    """One running query: its caller, its start time, and how to terminate it to make room."""

    __slots__ = ("caller", "ended", "long", "since", "stop")

    def __init__(self, caller: str) -> None:
        self.caller, self.since = caller, time.monotonic()
        self.long = self.ended = False
        self.stop: Callable[[], None] | None = None


class Slots:
    """`with Slots(16).taken(patience=5.0) as slot: …`"""

    def __init__(self, slots: int, *, own: int | None = None, spare: int | None = None) -> None:
        self.slots = slots
        self._own = max(1, slots // 4) if own is None else own
        self._spare = slots // 2 if spare is None else spare
        self._changed = threading.Condition()
        self._held: set[Slot] = set()
        self._kept: list[tuple[str, float]] = []
        self._waiting: dict[int, tuple[str, float]] = {}
        self._numbers = count()

    @contextmanager
    def taken(self, patience: float) -> Iterator[Slot]:
        """Hold a slot for the calling client, waiting up to `patience` seconds for one.

        Raises:
            Full: none became free, or the caller has too many calls waiting.
        """
        slot = self._take(CALLER.get(), patience)
        try:
            yield slot
        finally:
            self._release(slot)

    def keep(self, slot: Slot) -> None:
        """Count a query as running for a while after its caller has left, because the database still runs it."""
        with self._changed:
            self._kept.append((slot.caller, time.monotonic() + KEPT))

    def idle(self, seconds: float) -> bool:
        """Wait until no query runs, at most `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._held, seconds)

    def _take(self, caller: str, patience: float) -> Slot:
        begun = time.monotonic()
        with self._changed:
            if sum(other == caller for other, _ in self._waiting.values()) >= MOST_WAITING:
                raise Full
            number = next(self._numbers)
            self._waiting[number] = caller, begun
            try:
                while self._next() != number:
                    now = time.monotonic()
                    if now - begun > patience:
                        raise Full
                    if now - begun > PATIENT:
                        self._make_room(caller)
                    self._changed.wait(min(0.1, patience - (now - begun) + 0.001))
                slot = Slot(caller)
                self._held.add(slot)
                return slot
            finally:
                del self._waiting[number]
                self._changed.notify_all()

    def _release(self, slot: Slot) -> None:
        with self._changed:
            self._held.discard(slot)
            self._changed.notify_all()

    def _next(self) -> int | None:
        """The number of the call that gets the next slot: among those eligible, one whose caller holds the fewest."""
        now = time.monotonic()
        long = sum(slot.long for slot in self._held)
        for slot in self._held:
            if not slot.long and long < self.slots and now - slot.since > LONG:
                slot.long = True
                long += 1
        self._kept = [(caller, until) for caller, until in self._kept if until > now]
        quick = [slot.caller for slot in self._held if not slot.long] + [caller for caller, _ in self._kept]
        free = self.slots - len(quick)
        if free <= 0:
            return None
        allowed = [
            (sum(slot.caller == caller for slot in self._held), number)
            for number, (caller, _) in self._waiting.items()
            if quick.count(caller) < self._own or free > self._spare
        ]
        return min(allowed)[1] if allowed else None

    def _make_room(self, caller: str) -> None:
        """Terminate the longest query of the caller who holds most, if that is another caller and none is being
        terminated.
        """
        if sum(slot.long for slot in self._held) < self.slots or any(slot.ended for slot in self._held):
            return
        holds: dict[str, int] = {}
        for slot in self._held:
            holds[slot.caller] = holds.get(slot.caller, 0) + 1
        victims = [slot for slot in self._held if slot.long and slot.stop is not None and slot.caller != caller]
        if not victims:
            return
        victim = max(victims, key=lambda slot: (holds[slot.caller], -slot.since))
        victim.ended = True
        assert victim.stop is not None
        threading.Thread(target=victim.stop, name="graphground-make-room", daemon=True).start()
