"""Fingerprints of a loaded graph's records, with which a later load compares the records of its file.

    graphs/ID/fingerprints.npz    for each node its eid, its place in the engine's files and a digest of its content;
                                  for each relationship the numbers of its ends and a digest of its properties

The file takes about 25 bytes per node, plus its eid, and 16 bytes per relationship.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from graphground.cypher.schema import PropertyGraphSchema

NAME = "fingerprints.npz"
VERSION = 1
NODE = np.dtype([("label", "<u2"), ("bucket", "<u4"), ("position", "<i8"), ("digest", "<u8")])
RELATIONSHIP = np.dtype([("start", "<u4"), ("end", "<u4"), ("digest", "<u8")])
Array = npt.NDArray[Any]


def digests_of(rows: Sequence[Mapping[str, Any]]) -> Array:
    """Return an array with a digest of each row, independent of the order of keys; 0 for an empty row."""
    return np.frombuffer(b"".join(map(_digest, rows)), dtype="<u8")


def _digest(row: Mapping[str, Any]) -> bytes:
    return blake2b(orjson.dumps(row, option=orjson.OPT_SORT_KEYS), digest_size=8).digest() if row else bytes(8)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """The fingerprints of one graph: `eids[7]` and `nodes[7]` describe the eighth node in the file."""

    labels: list[str]
    eids: list[str]
    nodes: Array
    relationships: Mapping[str, Array]

    @classmethod
    def read(cls, folder: Path) -> Fingerprints:
        """Read the fingerprints in the folder of a graph.

        Raises:
            OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile: there are no fingerprints that this version can
                read.
        """
        with (folder / NAME).open("rb") as opened, np.load(opened) as file:
            about = orjson.loads(file["about"].tobytes())
            if about["version"] != VERSION:
                raise ValueError(f"fingerprints of version {about['version']}")
            return cls(
                about["labels"],
                orjson.loads(file["eids"].tobytes()),
                file["nodes"],
                {type_: file[f"relationships{number}"] for number, type_ in enumerate(about["types"])},
            )


class FingerprintWriter:
    """The fingerprints of a load, collected block by block; nodes are numbered by their places in the file."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self._labels = {label: number for number, label in enumerate(schema.labels)}
        self._nodes: list[tuple[int, Sequence[int], Array]] = []
        self._relationships: dict[str, list[Array]] = {type_: [] for type_ in schema.relationship_types}

    def nodes(self, label: str, places: Sequence[int], digests: Array) -> None:
        """Add a block of nodes of one label."""
        self._nodes.append((self._labels[label], places, digests))

    def relationships(self, type_: str, starts: Sequence[int], ends: Sequence[int], digests: Array) -> None:
        """Add a block of relationships of one type, whose ends are given as the places of nodes."""
        block = np.empty(len(digests), RELATIONSHIP)
        block["start"], block["end"], block["digest"] = starts, ends, digests
        self._relationships[type_].append(block)

    def write(self, folder: Path, eids: Sequence[str], rids: Sequence[str]) -> None:
        """Write the fingerprints; `rids` are the engine's record ids, such as `#1:17`, in the order of `eids`."""
        nodes = np.empty(len(eids), NODE)
        for label, places, digests in self._nodes:
            nodes["label"][places], nodes["digest"][places] = label, digests
        for column, part in (("bucket", 0), ("position", 1)):
            nodes[column] = [int(rid[1:].split(":")[part]) for rid in rids]
        about = {"version": VERSION, "labels": list(self._labels), "types": list(self._relationships)}
        columns = {
            f"relationships{number}": np.concatenate([np.empty(0, RELATIONSHIP), *blocks])
            for number, blocks in enumerate(self._relationships.values())
        }
        with (folder / NAME).open("wb") as file:
            np.savez(file, about=_text(about), eids=_text(eids), nodes=nodes, allow_pickle=False, **columns)


def _text(document: Any) -> Array:
    return np.frombuffer(orjson.dumps(document), dtype=np.uint8)
