"""The values of one property, added in blocks: counted exactly, stored as eight bytes each.

Distinct and repeated values are counted by the hashes of all values. The most frequent values are found in two steps:
those of the 1st, 2nd, 4th, 8th, … block are candidates, and the candidates are then counted exactly by their hashes.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from heapq import nlargest
from operator import itemgetter
from typing import Any

from graphground.graphs.schemas.statistics.model import PropertyStatistics

MOST_COMMON = 5
LEADERS = 20
"""The number of most frequent values of a block that become candidates for the most frequent values of all blocks."""
MOST_LEADERS = 2_000
MOSTLY_DISTINCT, LARGE_BLOCK = 0.9, 5_000
LONGEST_VALUE = 80
LEFT_OUT = frozenset({"provenance", "eid", "aliases", "description"})
"""Properties that loading adds to every node, for which no statistics are computed."""


class Values:
    """A counter of the values of one property: `values = Values("str"); values.add(["Heat", "Ronin"])`.

    `values.statistics(of=3)` returns the statistics for three nodes.
    """

    def __init__(self, type_: str) -> None:
        self._hashes = array("q")
        self._leaders: dict[int, Any] = {}
        self._least: Any = None
        self._greatest: Any = None
        self._listed = type_.startswith("list[")
        self._ordered = not self._listed
        self._dates = type_ in ("date", "datetime")
        self._blank = 0
        self._leads, self._blocks = True, 0

    def add(self, values: Sequence[Any]) -> None:
        """Count a block of values, which contains no nulls."""
        if not values:
            return
        if self._listed:
            values = [tuple(value) if type(value) is list else value for value in values]
        before = len(self._hashes)
        try:
            self._hashes.extend(map(hash, values))
        except TypeError:  # a map, or a list where none was declared
            del self._hashes[before:]
            values = [value if _is_hashable(value) else repr(value) for value in values]
            self._hashes.extend(map(hash, values))
            self._ordered = False
        self._blocks += 1
        # Only the 1st, 2nd, 4th, 8th, … block, because this counting takes the most time.
        if self._leads and self._blocks & (self._blocks - 1) == 0 and len(self._leaders) < MOST_LEADERS:
            self._look_for_leaders(values)
        self._blank += values.count(()) + values.count("")
        if self._ordered:
            self._extremes(values)

    def statistics(self, of: int) -> PropertyStatistics:
        """Return the statistics; `of` is the number of all nodes or relationships, with or without a value."""
        import numpy  # loaded on first use: a loader has loaded NumPy already, and a server computes statistics in the background

        hashes = numpy.frombuffer(self._hashes, dtype=numpy.int64) if self._hashes else numpy.empty(0, numpy.int64)
        found, counts = numpy.unique(hashes, return_counts=True)
        common = []
        for leader, value in self._leaders.items():
            place = int(numpy.searchsorted(found, leader))
            common.append((value, int(counts[place])))
        common.sort(key=lambda entry: -entry[1])
        return PropertyStatistics(
            count=len(hashes),
            of=of,
            blank=self._blank,
            distinct=len(found),
            repeated=int(counts[counts > 1].sum()),
            least=shown(self._least) if self._ordered else None,
            greatest=shown(self._greatest) if self._ordered else None,
            common=tuple((shown(value), count) for value, count in common[:MOST_COMMON] if count > 1),
        )

    def _look_for_leaders(self, values: Sequence[Any]) -> None:
        """Keep the most frequent values of a block as candidates for the most frequent values of all blocks."""
        counted = Counter(values)
        # Names and descriptions: a large block without repetition shows
        # that counting further blocks would find nothing.
        self._leads = len(counted) <= MOSTLY_DISTINCT * len(values) or len(values) < LARGE_BLOCK
        single = len(values) < LEADERS  # in such a small block any value may be one of the most frequent of all
        repeated = [(times, value) for value, times in counted.items() if times > 1 or single]
        for _, value in nlargest(LEADERS, repeated, key=itemgetter(0)):
            self._leaders[hash(value)] = value

    def _extremes(self, values: Sequence[Any]) -> None:
        try:
            if self._dates and min(values)[0] == "-":  # years before the common era sort backwards as texts
                least, greatest = min(values, key=in_order), max(values, key=in_order)
            else:
                least, greatest = min(values), max(values)
            if self._least is None:
                self._least, self._greatest = least, greatest
                return
            key = in_order if self._dates else None
            self._least, self._greatest = min(self._least, least, key=key), max(self._greatest, greatest, key=key)
        except TypeError:
            self._ordered = False


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def in_order(date: str) -> tuple[int, str]:
    """Return a sort key for an ISO date, which may be before the common era."""
    year, _, rest = date[1:].partition("-")
    return (-int(year), rest) if date[0] == "-" else (int(date[0] + year), rest)


def shown(value: Any) -> Any:
    """Return a value in the stored form: long text and long lists shortened, a tuple as a list."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
    if isinstance(value, list | tuple):
        return [shown(item) for item in value[:MOST_COMMON]]
    return value
