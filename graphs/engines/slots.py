"""Query slots: permissions to run a query, limited in number and shared fairly between callers.

`reserved` slots are kept for callers who hold no slot and have run no long queries recently. Of the other
slots, a caller may hold up to `own`, or one if it has run long queries recently; a caller may hold more only while
`spare` slots stay free. The next slot goes to the waiting call whose caller holds the fewest slots; if several callers
hold equally few, a caller without recent long queries comes first.

After `LONG` seconds a query moves to a second set of slots of the same size, so that slow queries of many callers leave
room for quick ones. If the second set is full and a caller without a slot waits, the longest query of the caller
who holds the most slots is terminated. With `moves`, a client's long query is terminated as soon as other callers are
active, and its engine runs it again in another process; the server's own lookups are not moved.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from graphground.graphs.engines.callers import CALLER, CLIENTS_QUERY
from graphground.graphs.engines.deadlines import DEADLINES

LONG = 1.0
PATIENT = 0.25
"""Seconds that a caller waits before another caller's long query is terminated to make room."""
ACTIVE = 10.0
"""Seconds after a call during which its caller counts as active."""
WORTH_MOVING = 2.0
"""The least time, in seconds, that a query must have left to be moved, because it starts again from the beginning."""
KEPT = 60.0
"""The longest time, in seconds, for which a query occupies a slot after its caller has left."""
MOST_WAITING = 32
"""The number of calls of one caller that may wait; further calls are refused immediately."""
LITTLE = 2.0
"""A caller whose recent long queries took at most this many seconds counts as a caller without long queries."""
FORGOTTEN = 60.0
MOST_CALLERS = 4_096


class Full(Exception):
    """No slot became free in time, or the caller has too many waiting calls."""


class Slot:
    """One running query: its caller, its start time, and the function that terminates it to make room."""

    __slots__ = ("caller", "ended", "long", "moved", "owner", "since", "stop", "until")

    def __init__(self, caller: str, owner: object = None) -> None:
        self.caller, self.owner, self.since = caller, owner, time.monotonic()
        self.long = self.ended = self.moved = False
        self.stop: Callable[[], None] | None = None
        self.until = math.inf
        """The monotonic time at which the query reaches its time limit."""

    def end(self) -> None:
        """Terminate the query in the background."""
        self.ended = True
        if self.stop is not None:
            threading.Thread(target=self.stop, name="graphground-make-room", daemon=True).start()


class Use:
    """The seconds that each caller's queries ran beyond `LONG`; these seconds halve every `FORGOTTEN` seconds."""

    def __init__(self) -> None:
        self._records: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """For each caller, the seconds used and the time at which they were recorded."""

    def add(self, caller: str, seconds: float) -> None:
        """Add the seconds that a query of the caller ran beyond `LONG`."""
        self._records[caller] = self.of(caller) + seconds, time.monotonic()
        self._records.move_to_end(caller)
        while len(self._records) > MOST_CALLERS:
            self._records.popitem(last=False)

    def of(self, caller: str) -> float:
        """Return what remains of the seconds recorded for the caller."""
        seconds, noted = self._records.get(caller, (0.0, 0.0))
        return seconds * math.pow(0.5, (time.monotonic() - noted) / FORGOTTEN)

    def others(self, caller: str, since: float) -> bool:
        """Whether a call of another caller ended after the time `since`."""
        for other in reversed(self._records):  # the latest record first
            if self._records[other][1] < since:
                return False
            if other != caller:
                return True
        return False


class Slots:
    """A set of query slots, which several databases may share: `with Slots(16).taken(patience=5.0) as slot: …`"""

    def __init__(
        self,
        slots: int,
        *,
        own: int | None = None,
        spare: int | None = None,
        reserved: int | None = None,
        moves: bool = False,
    ) -> None:
        self.slots = slots
        self._own = max(1, slots // 4) if own is None else own
        self._spare = slots // 2 if spare is None else spare
        self._reserved = slots // 4 if reserved is None else reserved
        self._moves = moves
        self._changed = threading.Condition()
        self._held: set[Slot] = set()
        self._kept: dict[Slot, float] = {}
        self._waiting: dict[int, tuple[str, float]] = {}
        self._numbers = count()
        self._use = Use()

    @contextmanager
    def taken(self, patience: float, owner: object = None) -> Iterator[Slot]:
        """Wait up to `patience` seconds for a slot, and hold it inside the block, for a query on the database `owner`.

        Raises:
            Full: no slot became free, or the caller has too many waiting calls.
        """
        slot = self._take(CALLER.get(), patience, owner)
        handle = DEADLINES.add(LONG, lambda: self._move(slot)) if self._moves and CLIENTS_QUERY.get() else None
        try:
            yield slot
        finally:
            if handle is not None:
                DEADLINES.drop(handle)
            self._release(slot)

    def keep(self, slot: Slot) -> None:
        """Count a query whose caller has left as running for up to `KEPT` seconds: the database still runs it."""
        with self._changed:
            self._kept[slot] = time.monotonic() + KEPT

    def forget(self, slot: Slot) -> None:
        """Stop counting a query that `keep` counts, because the database has ended it."""
        with self._changed:
            if self._kept.pop(slot, None) is not None:
                self._changed.notify_all()

    def idle(self, seconds: float, owner: object = None) -> bool:
        """Wait up to `seconds` until no call holds a slot for the database `owner`; return whether no call does."""
        with self._changed:
            return self._changed.wait_for(lambda: all(slot.owner is not owner for slot in self._held), seconds)

    def _take(self, caller: str, patience: float, owner: object) -> Slot:
        start = time.monotonic()
        with self._changed:
            if sum(other == caller for other, _ in self._waiting.values()) >= MOST_WAITING:
                raise Full
            number = next(self._numbers)
            self._waiting[number] = caller, start
            try:
                while self._next() != number:
                    now = time.monotonic()
                    if now - start > patience:
                        raise Full
                    if now - start > PATIENT:
                        self._make_room(caller)
                    self._changed.wait(min(0.1, patience - (now - start) + 0.001))
                slot = Slot(caller, owner)
                self._held.add(slot)
                return slot
            finally:
                del self._waiting[number]
                self._changed.notify_all()

    def _release(self, slot: Slot) -> None:
        with self._changed:
            self._held.discard(slot)
            self._use.add(slot.caller, max(0.0, time.monotonic() - slot.since - LONG))
            self._changed.notify_all()

    def _next(self) -> int | None:
        """Return the number of the waiting call to which the next slot goes; None if no call may take a slot now.

        Of the calls that may take a slot, the call whose caller holds the fewest slots is chosen. Before the choice,
        queries that have run for more than `LONG` seconds move to the second set of slots.
        """
        now = time.monotonic()
        long = sum(slot.long for slot in self._held)
        for slot in self._held:
            if not slot.long and long < self.slots and now - slot.since > LONG:
                slot.long = True
                long += 1
        self._kept = {slot: until for slot, until in self._kept.items() if until > now}
        quick = [slot.caller for slot in self._held if not slot.long] + [slot.caller for slot in self._kept]
        free = self.slots - len(quick)
        if free <= 0:
            return None
        holds = self._holds()
        allowed = []
        for number, (caller, _) in self._waiting.items():
            much = self._use.of(caller) > LITTLE
            first, few = caller not in holds, quick.count(caller) < self._own
            if free > self._spare or (first and not much) or (free > self._reserved and (first or (few and not much))):
                allowed.append((holds.get(caller, 0), much, number))
        return min(allowed)[2] if allowed else None

    def _holds(self) -> dict[str, int]:
        holds: dict[str, int] = {}
        for slot in (*self._held, *self._kept):
            holds[slot.caller] = holds.get(slot.caller, 0) + 1
        return holds

    def _make_room(self, caller: str) -> None:
        """Terminate the longest query of the caller who holds the most slots, to make room for callers without a slot.

        Does nothing unless the second set of slots is full and `caller` holds no slot. At most one query is terminated
        for each waiting caller without a slot.
        """
        if sum(slot.long for slot in self._held) < self.slots:
            return
        holds = self._holds()
        if holds.get(caller):
            return
        needed = len({other for other, _ in self._waiting.values() if other not in holds})
        victims = [slot for slot in self._held if slot.long and slot.stop is not None and not slot.ended]
        if not victims or sum(slot.ended for slot in self._held) >= needed:
            return
        max(victims, key=lambda slot: (holds[slot.caller], -slot.since)).end()

    def _move(self, slot: Slot) -> None:
        """Wait until other callers are active, and then terminate a long query so that another process can run it."""
        while True:
            with self._changed:
                if slot not in self._held or slot.ended:
                    return
                if slot.until - time.monotonic() < WORTH_MOVING:
                    return
                if self._others(slot.caller) and slot.stop is not None:
                    slot.moved = True
                    slot.end()
                    return
                self._changed.wait(1.0)

    def _others(self, caller: str) -> bool:
        """Whether another caller runs a query, waits for a slot, or has run a query recently."""
        return (
            any(slot.caller != caller for slot in self._held)
            or any(other != caller for other, _ in self._waiting.values())
            or self._use.others(caller, time.monotonic() - ACTIVE)
        )
