"""Generates graphs of any size from a schema, as streams: for tests, benchmarks and schemas without data.

First come the counts by label and pattern, then nodes and relationships in blocks. Only the counts and one block are in
memory, so the memory does not grow with the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from graphground.cypher.diagnostics import counted
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern

K = TypeVar("K")

BLOCK = 10_000
REPEATED = 0.1
"""The share of a pattern's relationships that connect the same nodes as a relationship of its twin (see `_Twin`).

In real graphs a founder is often on the board too; independent random relationships hardly ever share both nodes.
"""


def synth(schema: PropertyGraphSchema, nodes: int, relationships: int, seed: int = 0) -> SyntheticGraph:
    """Generate a graph for `schema` with these numbers of nodes and relationships; equal arguments give equal graphs.

    The graph has no relationships if the schema has no patterns.

        >>> graph = synth(schema, nodes=1_000, relationships=5_000, seed=7)
        >>> next(graph.entities())["eid"]
        'Movie#0'

    Raises:
        ValueError: the schema has no labels, there are fewer nodes than labels, or `relationships` is negative.
    """
    if not schema.labels:
        raise ValueError(f"the schema {schema.name!r} has no labels, so there is nothing to generate")
    if nodes < len(schema.labels):
        raise ValueError(
            f"the schema {schema.name!r} has {counted(len(schema.labels), 'label')}: generate at least "
            f"{counted(len(schema.labels), 'node')}, not {nodes:,}"
        )
    if relationships < 0:
        raise ValueError("the number of relationships is negative")
    return SyntheticGraph(schema, nodes, relationships if schema.patterns else 0, seed)


class _Twin(NamedTuple):
    """An earlier pattern between the same two labels as a given pattern; `is_reversed` if it points the other way."""

    place: int
    pattern: RelationshipPattern
    is_reversed: bool


@dataclass(frozen=True)
class SyntheticGraph:
    """The parameters of a generated graph; `entities()` and `relations()` yield SimpleKG records.

    A subclass may give names to the first nodes of a label, and change the values and the ends of relationships.
    """

    schema: PropertyGraphSchema
    nodes: int
    relationships: int
    seed: int

    def given_names(self, label: str) -> Sequence[str]:
        """Return names for a label's first nodes."""
        return ()

    @cached_property
    def node_counts(self) -> Mapping[str, int]:
        """The number of nodes of each label: large for a label that has many properties or starts many patterns."""
        weights = {}
        for name, label in self.schema.labels.items():
            own = len(label.properties) - len(label.reserved & label.properties.keys())
            starts = sum(pattern.start == name for pattern in self.schema.patterns)
            weights[name] = 0.3 + own * own + 2.0 * starts
        return _shares(weights, self.nodes, least={name: max(1, len(self.given_names(name))) for name in weights})

    @cached_property
    def pattern_counts(self) -> Sequence[int]:
        """The number of relationships of each pattern, in the schema's order."""
        weights = {
            number: float(self.node_counts[pattern.start]) ** 0.7 * (1 + number % 3)
            for number, pattern in enumerate(self.schema.patterns)
        }
        return list(_shares(weights, self.relationships, least=dict.fromkeys(weights, 0)).values())

    def entities(self) -> Iterator[dict[str, Any]]:
        """Yield SimpleKG entities, label by label."""
        for place, (name, label) in enumerate(self.schema.labels.items()):
            given = self.given_names(name)
            types = {key: type_ for key, type_ in label.properties.items() if key not in label.reserved}
            for start, size, rng in self._blocks(self.node_counts[name], 1, place):
                columns = {key: self.column(name, key, type_, size, rng) for key, type_ in types.items()}
                for row in range(size):
                    number = start + row
                    own = number_of_name(number)
                    text = given[number] if number < len(given) else make_name(name, own)
                    yield {
                        "eid": f"{name}#{number}",
                        "label": name,
                        "name": text,
                        "aliases": [f"{text} ({own % 97})"] if number % 4 == 0 else [],
                        "description": f"made-up {name} number {number}",
                        "properties": _present({key: values[row] for key, values in columns.items()}),
                        "provenance": [],
                    }

    def relations(self) -> Iterator[dict[str, Any]]:
        """Yield SimpleKG relations, pattern by pattern."""
        rid = 0
        for place, (pattern, count) in enumerate(zip(self.schema.patterns, self.pattern_counts, strict=True)):
            for size, starts, ends, rng in self.ends(pattern, place, count):
                columns = {
                    key: self.column(pattern.type, key, type_, size, rng) for key, type_ in pattern.properties.items()
                }
                _order_intervals(columns)
                for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
                    yield {
                        "rid": f"r{rid}",
                        "label": pattern.type,
                        "subj_id": f"{pattern.start}#{start}",
                        "obj_id": f"{pattern.end}#{end}",
                        "properties": _present({key: values[row] for key, values in columns.items()}),
                        "provenance": [],
                    }
                    rid += 1

    def column(self, owner: str, key: str, type_: str, size: int, rng: np.random.Generator) -> list[Any]:
        """Return `size` values of a property, one for each node or relationship; None for those without a value.

        `owner` is the label or relationship type. `column("Person", "date_of_birth", "date", 2, rng)` may return
        `['1931-04-07', None]`.
        """
        return with_gaps(key, make_values(key, type_, size, rng), rng)

    def _blocks(self, count: int, *key: int) -> Iterator[tuple[int, int, np.random.Generator]]:
        for start in range(0, count, BLOCK):
            yield start, min(BLOCK, count - start), np.random.default_rng([self.seed, *key, start])

    def ends(
        self, pattern: RelationshipPattern, place: int, count: int, planted: int = 0
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64], np.random.Generator]]:
        """Yield blocks of relationships of a pattern: their number, and their start and end nodes by number.

        `place` is the pattern's position in the schema, `count` the number of its relationships, of which a subclass
        has `planted` some already.
        """
        twin = self._twins.get(place)
        for at, size, rng in self._blocks(max(0, count - planted), 2, place):
            starts, ends = self._drawn(pattern, place, count, at, size, rng)
            if twin is not None:
                self._repeat(twin, at, starts, ends, rng)
            yield size, starts, ends, rng

    @cached_property
    def _twins(self) -> Mapping[int, _Twin]:
        """The twins of patterns, by position of the pattern; a pattern without a twin is left out.

        The twin is the first earlier pattern of another type that connects the same two labels.
        """
        found = {}
        for place, pattern in enumerate(self.schema.patterns):
            for other_place, other in enumerate(self.schema.patterns[:place]):
                is_reversed = (other.end, other.start) == (pattern.start, pattern.end) != (other.start, other.end)
                if other.type != pattern.type and (
                    is_reversed or (other.start, other.end) == (pattern.start, pattern.end)
                ):
                    found[place] = _Twin(other_place, other, is_reversed)
                    break
        return found

    def _repeat(
        self, twin: _Twin, at: int, starts: NDArray[np.int64], ends: NDArray[np.int64], rng: np.random.Generator
    ) -> None:
        """Let some relationships connect the same nodes as relationships of the twin, by changing `starts` and `ends`.

        Do nothing if the twin itself has a twin: its relationships may have been changed too, so their nodes are not
        known here.
        """
        count = self.pattern_counts[twin.place]
        size = min(BLOCK, count - at)
        if size <= 0 or twin.place in self._twins:
            return
        twin_ends = self._drawn(
            twin.pattern, twin.place, count, at, size, np.random.default_rng([self.seed, 2, twin.place, at])
        )
        rows = np.flatnonzero(rng.random(len(starts)) < REPEATED)
        chosen = rng.integers(0, size, len(rows))
        starts[rows], ends[rows] = (side[chosen] for side in (twin_ends[::-1] if twin.is_reversed else twin_ends))

    def _drawn(
        self, pattern: RelationshipPattern, place: int, count: int, at: int, size: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Draw the start and end nodes, by number, of `size` random relationships of a pattern.

        `place` is the pattern's position in the schema, `count` the number of its relationships, `at` the position of
        the first drawn relationship among them.
        """
        starts_of, ends_of = self.node_counts[pattern.start], self.node_counts[pattern.end]
        named_count = len(self.given_names(pattern.end))
        # Start nodes take turns; some random nodes get many more relationships, so that degrees are heavy-tailed.
        starts = (at + np.arange(size)) * starts_of // max(count, 1)
        is_busy = rng.random(size) < 0.3
        starts[is_busy] = _scatter(zipf(starts_of, int(is_busy.sum()), rng), starts_of, place + 1)
        ends = _scatter(zipf(ends_of, size, rng), ends_of, place)
        if named_count:  # Nodes with given names get more relationships, because queries about them must return rows.
            is_named = rng.random(size) < 0.2
            ends[is_named] = rng.integers(0, named_count, int(is_named.sum()))
        if pattern.start == pattern.end and ends_of > 1:
            ends = np.where(ends == starts, (ends + 1) % ends_of, ends)
        return starts, ends


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _scatter(ranks: NDArray[np.int64], count: int, place: int) -> NDArray[np.int64]:
    """Map ranks to node numbers one to one, so that different patterns have different nodes of highest degree."""
    step = next(step for step in (7_919, 7_907, 7_901, 1) if np.gcd(step, count) == 1)
    return (ranks * step + place * 104_729) % count


def _order_intervals(columns: dict[str, list[Any]]) -> None:
    """Swap `start_year` and `end_year` in the rows where the interval ends before it starts."""
    starts, ends = columns.get("start_year"), columns.get("end_year")
    if starts and ends:
        for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
            if start is not None and end is not None and end < start:
                starts[row], ends[row] = end, start


def _shares(weights: Mapping[K, float], total: int, least: Mapping[K, int]) -> dict[K, int]:
    """Split a total in proportion to weights, with a minimum for each share; the largest share takes the remainder.

    >>> _shares({"a": 3.0, "b": 1.0}, 8, {"a": 1, "b": 1})
    {'a': 6, 'b': 2}
    """
    whole = sum(weights.values())
    shares = {key: max(least[key], int(total * weight / whole)) for key, weight in weights.items()}
    largest = max(shares, key=lambda key: shares[key]) if shares else None
    if largest is not None:
        shares[largest] = max(least[largest], shares[largest] + total - sum(shares.values()))
    return shares


CATEGORIES = 40
"""The maximum number of distinct random values of a `str` property; small, as for countries or languages."""

FIRST_DAY, LAST_DAY = np.datetime64("1850-01-01"), np.datetime64("2024-12-31")


def with_gaps(key: str, values: list[Any], rng: np.random.Generator) -> list[Any]:
    """Return values of a property in which some are replaced by None, because not every node has the property."""
    for place in np.flatnonzero(rng.random(len(values)) < _missing(key)).tolist():
        values[place] = None
    return values


def _missing(key: str) -> float:
    """Return the share of missing values of a property: 0.45 for `end_…` and `…_of_death`, otherwise 0.03 to 0.27."""
    if key.startswith("end_") or key.endswith("_of_death"):
        return 0.45
    return 0.03 + (sum(map(ord, key)) % 5) * 0.06


def make_values(key: str, type_: str, size: int, rng: np.random.Generator) -> list[Any]:
    """Return `size` random values of a property: years for `…year`, male and female for `gender`, words for texts."""
    if type_.startswith("list["):
        lengths = rng.integers(1, 4, size)
        flat = make_values(key, type_[5:-1], int(lengths.sum()), rng)
        lists, start = [], 0
        for length in lengths.tolist():
            lists.append(list(dict.fromkeys(flat[start : start + length])))
            start += length
        return lists
    match type_.split("|")[0]:
        case "int":
            return list((_years(key, size, rng) if "year" in key else _amounts(size, rng).astype(np.int64)).tolist())
        case "float":
            return list(np.round(_amounts(size, rng), 2).tolist())
        case "bool":
            return list((rng.random(size) < 0.5).tolist())
        case "date":
            return list(_days(size, rng).astype(str).tolist())
        case "datetime":
            seconds = _days(size, rng).astype("datetime64[s]") + rng.integers(0, 86_400, size)
            return [f"{text}Z" for text in seconds.astype(str).tolist()]
        case _:
            if key == "gender":
                return list(rng.choice(["male", "female"], size, p=[0.7, 0.3]).tolist())
            offset = sum(map(ord, key)) * 101
            return [word((offset + rank) % 65_536) for rank in zipf(CATEGORIES, size, rng).tolist()]


def zipf(count: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `size` ranks from 0 to `count - 1`, low ranks more often than high ranks.

    If `count` is at most 10,000, the probability of a rank is about proportional to 1 / (rank + 1). Otherwise the
    probability falls more slowly.
    """
    uniform = rng.random(size)
    ranks = np.power(count + 1.0, uniform) - 1.0 if count <= 10_000 else count * np.square(uniform)
    return np.minimum(ranks.astype(np.int64), count - 1)


def _years(key: str, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    later = 8 if key.startswith("end_") else 0
    return (2024 - np.abs(rng.normal(0, 40, size)).astype(np.int64) - (8 - later)).astype(np.int64)


def _amounts(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return np.exp(rng.normal(5.0, 1.2, size))


def _days(size: int, rng: np.random.Generator) -> NDArray[np.datetime64]:
    span = int((LAST_DAY - FIRST_DAY).astype(int))
    return FIRST_DAY + (span * np.sqrt(rng.random(size))).astype(np.int64)


ONSETS = ("b", "k", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "st", "br", "kl", "dr", "sh", "tr", "z")
VOWELS = ("a", "e", "i", "o", "u")
CODAS = ("", "n", "r", "l", "s")
PEOPLE = frozenset({"Person", "Player", "Politician", "Character"})

WORDS = 2**16
"""The number of distinct words of which names consist."""


@cache
def word(number: int) -> str:
    """Return the word of one to three syllables for a number below `WORDS`; it is the same on every machine."""
    mixed = (number * 40_503 + 12_345) % WORDS
    syllables = []
    for _ in range(3):
        mixed, onset = divmod(mixed, len(ONSETS))
        mixed, vowel = divmod(mixed, len(VOWELS))
        syllables.append(ONSETS[onset] + VOWELS[vowel])
        if not mixed:
            break
    return ("".join(syllables) + CODAS[number % len(CODAS)]).capitalize()


def make_name(label: str, number: int) -> str:
    """Return the name of a label's node with the given number.

    Names for labels in `PEOPLE` have two words. Of other names, a third have two words, a third are like `The Karin of
    Sado`, and a third contain the label and the number: `Karin Museum 5`.
    """
    salt = crc32(label.encode())  # otherwise the first person and the first film would have the same name
    first, second = word((number * 2_654_435_761 + salt >> 5) % WORDS), word((number // 7 + number * 31 + salt) % WORDS)
    if label in PEOPLE:
        return f"{first} {second}"
    match number % 3:
        case 0:
            return f"{first} {second}"
        case 1:
            return f"The {first} of {second}"
        case _:
            return f"{first} {label} {number}"


def number_of_name(number: int) -> int:
    """Return the number from which a node's name is generated: usually the node's own number.

    For one node in fifty it is half the node's number, so that two nodes may have the same name.
    """
    return number // 2 if number % 50 == 49 else number
