"""Counts the values that a build discarded, by place and reason, with the first examples of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from graphground.graphs.wikidata.values import Value

EXAMPLES = 3


@dataclass(slots=True)
class Discarded:
    """The discarded values of one place and reason: `Discarded(412, ["Q42: time 1952 0 0 9"])`."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


class Discards:
    """The numbers of discarded values by place (`Person.date_of_birth`) and reason (`date coarser than a day`)."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Discarded] = {}

    def add(self, place: str, reason: str, example: str) -> None:
        """Count a discarded value; the first `EXAMPLES` texts for a place and reason are kept as examples."""
        found = self._found.setdefault((place, reason), Discarded())
        found.count += 1
        if len(found.examples) < EXAMPLES:
            found.examples.append(example)

    def value(self, place: str, reason: str, item: int, value: Value) -> None:
        """Count a discarded value of the item with the number `item`; the item and its value are the example."""
        self.add(place, reason, f"Q{item}: {described(value)}")

    def __iter__(self) -> Iterator[tuple[str, str, Discarded]]:
        for (place, reason), found in sorted(self._found.items()):
            yield place, reason, found

    def document(self) -> list[dict[str, Any]]:
        """Return maps with the keys `place`, `reason`, `count` and `examples`, sorted by place and reason."""
        return [
            {"place": place, "reason": reason, "count": found.count, "examples": found.examples}
            for place, reason, found in self
        ]


def described(value: Value) -> str:
    """Return a value as text: `("quantity", "+170", "Q7727")` becomes `quantity +170 Q7727`."""
    return " ".join(str(part) for part in value)
