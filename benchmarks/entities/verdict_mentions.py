"""Training and test data for the verdicts: graphs of real names, and mentions of present and absent entities.

The Wikidata entities in `../shared/data` are split into ten graphs, mostly by class. The training graphs are six of
these ten, and the names of the four CypherBench train graphs. The test graphs are the other four of the ten, the
bundled graph, and those entities of the movie slice that are in none of the six.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import IO, Literal

from benchmarks.engines.graphs_for_queries import TRAIN
from benchmarks.entities.mention_errors import KINDS, with_error
from benchmarks.entities.synthetic_names import SHARED, real_entities, synthetic_records
from graphground.graphs.bundled import bundled_graph
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.spans import fold

Side = Literal["learnt", "tested"]
ALIAS, ARTICLE, ABSENT, ABSENT_MISSPELT = "alias", "article added", "absent", "absent, misspelt"
PRESENT = (*KINDS, ALIAS)
LEARNT = 6
"""The number of the ten parts of the Wikidata entities that are training graphs."""
MISSPELT = ("typing error", "two typing errors", ALIAS)
"""The kinds of present mentions that have a bar: misspelt names and aliases."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A mention, its kind, and the keys of the entities that the mention means; an absent mention has no keys.

    `name` is the name that the mention spells, correctly or with an error.
    """

    mention: str
    kind: str
    keys: frozenset[str]
    name: str = ""


def graphs_of(side: Side) -> Iterator[tuple[str, list[Record]]]:
    """Yield the name and the records of each training or test graph."""
    if side == "learnt":
        for graph in TRAIN:
            yield graph, list(train_records(graph))
    else:
        yield "nba", list(records_of(bundled_graph("nba").open()))
        learnt = {key for key, label, *_ in real_entities() if piece_of(key, label) < LEARNT}
        yield (
            "movie slice",
            [record for record in records_of(movie_slice()) if record.key.partition("#")[2] not in learnt],
        )
    pieces: dict[int, list[Record]] = {}
    for key, label, name, aliases, description in real_entities():
        piece = piece_of(key, label)
        if key.startswith("Q") and key[1:].isdecimal() and (piece < LEARNT) == (side == "learnt"):
            pieces.setdefault(piece, []).append(Record(key, label, name, aliases, description))
    for piece, records in sorted(pieces.items()):
        yield f"Wikidata {piece}", records[: 300 if piece == 0 else None]


def piece_of(key: str, label: str) -> int:
    """Return the number (0 to 9) of the part of the data to which an entity belongs.

    All entities of a class are in the same part, except humans and entities of the class `Thing`.
    """
    text = key if label in ("human", "Thing") else label
    return hashlib.sha256(text.encode()).digest()[0] % 10


def movie_slice() -> str:
    with gzip.open(SHARED / "wikidata_slices_simplekg/movie_wd50k_simplekg.json.gz", "rt", encoding="utf-8") as file:
        return file.read()


def records_of(document: str | IO[str]) -> Iterator[Record]:
    """Yield the records that loading a SimpleKG document would index."""
    text = document if isinstance(document, str) else document.read()
    for node in json.loads(text)["entities"]:
        values = {
            key: value
            for key, value in node["properties"].items()
            if isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))
        }
        yield Record(node["eid"], node["label"], node["name"], node["aliases"], node["description"] or "", values)


def train_records(graph: str) -> Iterator[Record]:
    """Yield a record for each name that the questions over a train graph mention."""
    with gzip.open(SHARED / "cypherbench_tasks/entity_mentions.jsonl.gz", "rt", encoding="utf-8") as lines:
        for entry in map(json.loads, lines):
            if entry["graph"] == graph and entry["property"] == "name":
                yield Record(f"{entry['label']}#{entry['value']}", entry["label"], entry["value"])


def among(records: Sequence[Record], names: int) -> Iterator[Record]:
    """Yield the given records, then about `names` generated ones."""
    yield from records
    yield from islice(synthetic_records(names), names)


def mentions_of(
    records: Sequence[Record], others: Sequence[Record], count: int, seed: int, present: Sequence[str] = PRESENT
) -> Iterator[Asked]:
    """Yield at most `count` mentions of each kind in `present`, and names of the records with the article `The` added.

    Also yield at most twice as many absent mentions, which are names in `others`, and misspellings of these.
    """
    rng = random.Random(seed)
    keys: dict[str, set[str]] = {}
    for record in records:
        for text in (record.name or "", *record.aliases):
            keys.setdefault(fold(text), set()).add(record.key)
        for value in record.values.values():
            for text in (value,) if isinstance(value, str) else value:
                keys.setdefault(fold(text), set()).add("")
    named = [record for record in records if record.name]
    for kind in present:
        count_yielded = 0
        for record in rng.sample(named, len(named)):
            aliases = [alias for alias in record.aliases if len(fold(alias)) > 2]
            mention = with_error(record.name or "", kind, rng) if kind != ALIAS else rng.choice(aliases or [None])
            if mention is None or not fold(mention):
                continue
            # A name with an error may equal another name: then both entities are right.
            name = mention if kind == ALIAS else record.name or ""
            yield Asked(mention, kind, frozenset(keys[fold(record.name or "")] | keys.get(fold(mention), set())), name)
            count_yielded += 1
            if count_yielded == count:
                break
    own_keys = {record.key for record in records}
    count_yielded = 0
    for record in rng.sample(others, len(others)):
        texts = (record.name or "", *record.aliases)
        if record.key in own_keys or any(fold(text) in keys for text in texts) or len(fold(texts[0])) < 3:
            continue
        yield Asked(texts[0], ABSENT, frozenset(), texts[0])
        misspelt = with_error(texts[0], "typing error", rng)
        if misspelt and fold(misspelt) not in keys:
            yield Asked(misspelt, ABSENT_MISSPELT, frozenset(), texts[0])
        count_yielded += 1
        if count_yielded == 2 * count:
            break
    rng = random.Random(f"{ARTICLE}{seed}")
    for record in rng.sample(named, min(count, len(named))):
        mention = f"The {record.name}"
        if not fold(record.name or "").startswith("the ") and fold(mention) not in keys:
            yield Asked(mention, ARTICLE, frozenset(keys[fold(record.name or "")]), record.name or "")
