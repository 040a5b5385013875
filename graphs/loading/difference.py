"""The difference between a loaded graph and the records of a file, for a load that changes only what differs.

    difference = Difference.from_graph(folder, schema, temporary)
    difference.nodes("Movie", places, rows, digests)                       # for each block of nodes
    difference.relationships("directedBy", rows, starts, ends, digests)    # then for each block of relationships
    edits = difference.edits()

Nodes are identified by their `eid`, relationships by type, ends and content. Nothing is changed before the whole
file has been read and checked: until then, rows that differ are kept in memory (nodes) and in a temporary file
(relationships).
"""

from __future__ import annotations

import zipfile
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.loading.compare import Changes, Comparison
from graphground.graphs.loading.fingerprints import Array, Fingerprints
from graphground.graphs.loading.label_sets import LabelSets

LARGEST_SHARE = 0.1
"""The share of records that may differ; if more differ, loading the whole file is faster."""
ALWAYS, MOST = 2_000, 500_000
"""Numbers of differing records: up to `ALWAYS`, their share does not matter; above `MOST`, the whole file is loaded."""
NEW = -1
"""The value used instead of a number for a node or relationship that is not in the loaded graph."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


class TooDifferent(Exception):
    """The graph must be loaded completely; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Relationships to delete: `Removal("directedBy", True, "#1:7", {"#3:9"})`.

    If `outgoing` is True, all relationships of the type from the node `rid` to the nodes `others` are deleted;
    otherwise all relationships of the type from the nodes `others` to the node `rid`.
    """

    type: str
    outgoing: bool
    rid: str
    others: frozenset[str]


class Difference:
    """The differences between a loaded graph and the records of a file, collected block by block.

    The `place` of a node is its position in the file; the `number` of a node is its position in the loaded graph.
    """

    def __init__(self, schema: PropertyGraphSchema, old: Fingerprints, waiting: Path) -> None:
        """Start an empty difference; `waiting` is the path of a temporary file.

        In `schema`, each set of labels that occur together is a label too (`LabelSets.stored`).
        """
        if not old.eids:
            raise TooDifferent("the replaced graph was empty")
        self._old = old
        self._number_of = {eid: number for number, eid in enumerate(old.eids)}
        self._labels = {label: number for number, label in enumerate(old.labels)}
        self._stays = np.zeros(len(old.eids), bool)
        self._numbers = array("q")
        self._relabelled = 0
        self._known = {type_: _Known(old.relationships[type_]) for type_ in schema.relationship_types}
        self._waiting = waiting
        waiting.write_bytes(b"")
        self._fresh: dict[str, Counter[int]] = {type_: Counter() for type_ in schema.relationship_types}
        self._affected: dict[str, frozenset[int]] = {}
        records = len(old.eids) + sum(map(len, old.relationships.values()))
        self._limit = min(max(int(records * LARGEST_SHARE), ALWAYS), MOST)
        self.new_nodes: dict[str, tuple[list[int], list[dict[str, Any]]]] = {name: ([], []) for name in schema.labels}
        """For each label, the places and the rows of the nodes to create."""
        self.changed_nodes: list[tuple[str, bytes]] = []
        """The record id of each changed node, and its content as JSON."""
        self.changes = Comparison(False, Changes(), Changes())

    @classmethod
    def from_graph(cls, folder: Path, schema: PropertyGraphSchema, waiting: Path) -> Difference:
        """Return an empty difference from the loaded graph whose schema and fingerprints are in `folder`.

        Raises:
            TooDifferent: the graph is empty, its labels, types or properties are not those of `schema`, or `folder` has
                no fingerprints that this version can read.
        """
        try:
            old = PropertyGraphSchema.from_cypherbench((folder / "schema.json").read_bytes())
            if _stored_types(old) != _stored_types(schema):
                raise TooDifferent("the schema changed")
            return cls(LabelSets(schema).stored, Fingerprints.read(folder), waiting)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise TooDifferent(
                "the replaced graph, probably loaded by another version of graphground, cannot be compared with the file"
            ) from None

    def nodes(self, label: str, places: Sequence[int], rows: Sequence[dict[str, Any]], digests: Array) -> list[str]:
        """Compare a block of nodes; return their record ids, with an empty string for each node that must be created.

        Raises:
            TooDifferent: there are too many differences.
        """
        numbers = np.fromiter((self._number_of.get(row["eid"], NEW) for row in rows), np.int64, len(rows))
        old = self._old.nodes[numbers]  # for a new node any row, which is not used
        stays = (numbers != NEW) & (old["label"] == self._labels[label])
        changed = stays & (old["digest"] != digests)
        self._stays[numbers[stays]] = True
        self._numbers.extend([NEW] * (places[-1] + 1 - len(self._numbers)))
        rids = [f"#{bucket}:{at}" for bucket, at in zip(old["bucket"].tolist(), old["position"].tolist(), strict=True)]
        new_places, new_rows = self.new_nodes[label]
        for place, number, is_known, row, is_changed in zip(
            places, numbers.tolist(), stays.tolist(), range(len(rows)), changed.tolist(), strict=True
        ):
            if not is_known:
                rids[row] = ""
                new_places.append(place)
                new_rows.append(rows[row])
                continue
            self._numbers[place] = number
            if is_changed:
                self.changed_nodes.append((rids[row], orjson.dumps(rows[row])))
        relabelled, created = int(((numbers != NEW) & ~stays).sum()), int((~stays).sum())
        self._relabelled += relabelled
        found = self.changes.nodes
        found.kept += int((stays & ~changed).sum())
        found.counts["changed"] += int(changed.sum()) + relabelled
        found.counts["added"] += created - relabelled
        self._check_limit()
        return rids

    def relationships(
        self, type_: str, rows: Sequence[dict[str, Any]], starts: Sequence[int], ends: Sequence[int], digests: Array
    ) -> None:
        """Compare a block of relationships, whose ends are given as places; call it when all nodes have been compared.

        Raises:
            TooDifferent: there are too many differences.
        """
        numbers = np.frombuffer(self._numbers, np.int64)
        first, last = numbers[np.asarray(starts)], numbers[np.asarray(ends)]
        keys = _key(first, last)
        known = self._known[type_]
        slots = known.match(keys, digests, (first != NEW) & (last != NEW))
        fresh = slots == NEW
        waits = fresh | known.parallel[slots]
        lines = []
        for row in np.flatnonzero(waits).tolist():
            between = int(keys[row]) if first[row] != NEW and last[row] != NEW else NEW
            if fresh[row]:
                self._fresh[type_][between] += 1
            line = [type_, bool(fresh[row]), between, starts[row], ends[row], rows[row]]
            lines.append(orjson.dumps(line) + b"\n")
        with self._waiting.open("ab") as file:
            file.writelines(lines)
        found = self.changes.relationships
        found.kept += len(rows) - int(fresh.sum())
        found.counts["added"] += int(fresh.sum())
        self._check_limit()

    def edits(self) -> tuple[list[str], list[Removal]]:
        """Return the record ids of the nodes to delete, and the relationships to delete between nodes that are kept.

        Raises:
            TooDifferent: there are too many differences.
        """
        rids = [f"#{bucket}:{at}" for bucket, at in self._old.nodes[["bucket", "position"]].tolist()]
        deleted = np.flatnonzero(~self._stays).tolist()
        self.changes.nodes.counts["removed"] = len(deleted) - self._relabelled
        removals = [removal for type_ in self._known for removal in self._removals(type_, rids)]
        self._check_limit()
        return [rids[number] for number in deleted], removals

    def _removals(self, type_: str, rids: Sequence[str]) -> Iterator[Removal]:
        """Yield the relationships of a type to delete, except those of deleted nodes; count the changes.

        If one of several relationships with the same type and ends differs, all of them are deleted, because the engine
        cannot tell them apart.
        """
        known, counts = self._known[type_], self.changes.relationships.counts
        lost = ~known.found
        changed = sum((Counter(known.keys[lost].tolist()) & self._fresh[type_]).values())
        counts["changed"] += changed
        counts["added"] -= changed
        counts["removed"] += int(lost.sum()) - changed
        self._affected[type_] = frozenset(known.keys[lost & known.parallel[:-1]].tolist())
        starts, ends = known.rows["start"], known.rows["end"]
        delete = lost & self._stays[starts] & self._stays[ends]
        leaving, arriving = (np.bincount(column, minlength=len(rids)) for column in (starts, ends))
        grouped: dict[tuple[bool, int], set[str]] = {}
        for start, end in zip(starts[delete].tolist(), ends[delete].tolist(), strict=True):
            outgoing = bool(leaving[start] <= arriving[end])  # at a hub, all relationships would have to be read
            anchor, other = (start, end) if outgoing else (end, start)
            grouped.setdefault((outgoing, anchor), set()).add(rids[other])
        for (outgoing, anchor), others in grouped.items():
            yield Removal(type_, outgoing, rids[anchor], frozenset(others))

    def rows(self) -> Iterator[tuple[str, int, int, dict[str, Any]]]:
        """Yield type, start place, end place and properties of each relationship to create; call it after `edits`."""
        with self._waiting.open("rb") as lines:
            for line in lines:
                type_, fresh, between, start, end, row = orjson.loads(line)
                if fresh or between in self._affected[type_]:
                    yield type_, start, end, row

    def _check_limit(self) -> None:
        differences = sum(self.changes.nodes.counts.values()) + sum(self.changes.relationships.counts.values())
        if differences > self._limit:
            raise TooDifferent(f"more than {self._limit:,} records differ")


class _Known:
    """The relationships of one type in the loaded graph, sorted so that a whole block can be looked up quickly."""

    def __init__(self, rows: Array) -> None:
        keys = _key(rows["start"], rows["end"])
        mixed = _mixed(keys, rows["digest"])
        order = np.argsort(mixed, kind="stable")
        self.rows, self.keys, self._mixed = rows[order], keys[order], mixed[order]
        self.found = np.zeros(len(rows), bool)
        _, which, counts = np.unique(self.keys, return_inverse=True, return_counts=True)
        self.parallel = np.append(counts[which] > 1, False)
        """For each row of `rows`, whether another row has the same ends; the last entry, False, is for `NEW`."""
        self._used = array("I", bytes(4 * len(rows)))

    def match(self, keys: Array, digests: Array, known: Array) -> Array:
        """Return for each relationship the number of an equal row in `rows`, or `NEW`; no row is returned twice.

        `known` is False for each relationship with an end that is not in the loaded graph.
        """
        mixed = _mixed(keys, digests)
        used, slots = self._used, []
        for first, end in zip(
            np.searchsorted(self._mixed, mixed).tolist(),
            np.searchsorted(self._mixed, mixed, "right").tolist(),
            strict=True,
        ):
            slot = first + used[first] if first < end else end
            if slot < end:
                used[first] += 1
            slots.append(slot if slot < end else NEW)
        found = np.array(slots, np.int64)
        if len(self.rows):
            # Different relationships with the same number are not equal: they are deleted and created again.
            equal = known & (self.keys[found] == keys) & (self.rows["digest"][found] == digests)
            found[~equal] = NEW
        self.found[found[found != NEW]] = True
        return found


def _stored_types(schema: PropertyGraphSchema) -> object:
    """Return the parts of a schema that decide how records are stored; comparing them ignores the order of names."""
    labels = {label.name: (dict(label.properties), label.reserved) for label in schema.labels.values()}
    types = {type_: dict(properties) for type_, properties in schema.relationship_properties.items()}
    return labels, types, schema.label_combinations


def _key(starts: Array, ends: Array) -> Array:
    """Return the two ends of each relationship combined into one number."""
    return (starts.astype(np.uint64) << np.uint64(32)) | ends.astype(np.uint64)


def _mixed(keys: Array, digests: Array) -> Array:
    return (keys * _ODD) ^ digests
