"""Generates millions of names that resemble real names in words, lengths, word counts and rarity.

Common words have the frequencies that they have in the real names of `../shared/data`. A larger number of real names
would contain more different words, so rare words are also invented, and drawn by Zipf's law; an invented word joins the
beginning of one real word to the end of another where the two share two letters. Each name has the shape of a real
name: the number of its words, and which of them are common. A name of one word is mostly a rare word, because a real
graph does not have ten thousand nodes named `County`.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphground.graphs.entities.candidate import Record

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
GRAPHS = {
    "art": 1_100_000,
    "biology": 3_200_000,
    "company": 581_306,
    "fictional_character": 28_915,
    "flight_accident": 1_683,
    "geography": 773_489,
    "movie": 459_393,
    "nba": 4_327,
    "politics": 885_188,
    "soccer": 275_000,
    "terrorist_attack": 1_600,
}
"""The number of nodes of each CypherBench graph."""
ALL = 7_800_000


@cache
def real_entities() -> tuple[tuple[str, str, str, tuple[str, ...], str], ...]:
    """Return all named entities of `../shared/data` as tuples (key, label, name, aliases, description)."""
    found: dict[tuple[str, str], tuple[str, str, str, tuple[str, ...], str]] = {}
    for file in ("wd50k_labelled/nodes.jsonl.gz", "codex/entity_labels_partial.jsonl.gz"):
        for node in _lines(file):
            kinds = [kind for _, kind in node.get("instance_of") or () if kind]
            found.setdefault(
                (node["id"], ""),
                (
                    node["id"],
                    kinds[0] if kinds else "Thing",
                    node["label"],
                    tuple(node["aliases"]),
                    node["description"] or "",
                ),
            )
    for line in _lines("cypherbench_tasks/entity_mentions.jsonl.gz"):
        if line["property"] == "name":
            key = f"{line['label']}#{line['value']}"
            found.setdefault((line["value"], line["label"]), (key, line["label"], line["value"], (), ""))
    with gzip.open(SHARED / "wikidata_slices_simplekg/movie_wd50k_simplekg.json.gz", "rt", encoding="utf-8") as file:
        for node in json.load(file)["entities"]:
            if (node["eid"].split("#")[-1], "") not in found:
                found[node["eid"], ""] = (
                    node["eid"],
                    node["label"],
                    node["name"],
                    tuple(node["aliases"]),
                    node["description"] or "",
                )
    return tuple(entity for entity in found.values() if entity[2])


def _lines(file: str) -> Iterator[Any]:
    with gzip.open(SHARED / file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def labels() -> dict[str, int]:
    """Return an invented number of nodes for each label of the 11 graphs; a key is a name such as `movie.Person`.

    The first label of each graph has the most nodes.
    """
    shares: dict[str, int] = {}
    for graph, nodes in GRAPHS.items():
        document = json.loads((SHARED / "schemas" / f"{graph}.json").read_text(encoding="utf-8"))
        names = [entity["label"] for entity in document["entities"]]
        weights = 1 / np.arange(1, len(names) + 1) ** 1.5
        for name, share in zip(names, weights / weights.sum(), strict=True):
            shares[f"{graph}.{name}"] = int(nodes * share) + 1
    return shares


def synthetic_records(count: int, seed: int = 1) -> Iterator[Record]:
    """Yield about `count` records with the labels of the 11 graphs, in the graphs' proportions."""
    rng = np.random.default_rng(seed)
    shapes, words, weights, first_rare = _vocabulary(count, rng)
    common, rare = np.cumsum(weights[:first_rare]), np.cumsum(weights[first_rare:])
    shares = labels()
    total = sum(shares.values())
    key = 0
    for label, share in shares.items():
        records_of_label = max(1, round(share * count / total))
        for low in range(0, records_of_label, 100_000):
            chosen = rng.choice(len(shapes), size=min(100_000, records_of_label - low))
            picked = [shapes[number] for number in chosen]
            is_rare = np.concatenate(picked)
            draws = rng.random(len(is_rare))
            numbers = np.where(
                is_rare,
                first_rare + np.searchsorted(rare, draws * rare[-1]),
                np.searchsorted(common, draws * common[-1]),
            )
            numbers = np.minimum(numbers, len(words) - 1).tolist()
            at = 0
            for shape in picked:
                name = " ".join([words[number] for number in numbers[at : at + len(shape)]])
                at += len(shape)
                key += 1
                yield Record(f"Q{key}", label, name, (), f"{words[numbers[at - 1]]}, one of the {label}")


def _vocabulary(count: int, rng: np.random.Generator) -> tuple[list[np.ndarray], list[str], np.ndarray, int]:
    """Return the shapes of names, all words, the words' weights, and the index of the first rare word.

    A shape holds, for each word of a name, whether the word is rare.
    """
    names = [real_entity[2] for real_entity in real_entities()]
    frequency = Counter(word for name in names for word in name.split())
    shapes = [
        np.array([frequency[word] == 1 or not number % 8 for word in name.split()])
        if " " in name
        else np.array([bool(number % 8)])
        for number, name in enumerate(names)
    ]
    frequent = [word for word, seen in frequency.most_common() if seen > 1]
    single = [word for word, seen in frequency.items() if seen == 1]
    invented = _made_up([word for word in frequency if len(word) > 4 and word.isalpha()], count // 3, rng)
    tail = list(dict.fromkeys(single + invented))
    weights = np.concatenate(
        [np.array([frequency[word] for word in frequent], dtype=float), 1 / np.arange(20, 20 + len(tail)) ** 0.75]
    )
    return shapes, frequent + tail, weights, len(frequent)


def _made_up(words: list[str], count: int, rng: np.random.Generator) -> list[str]:
    """Invent `count` words by joining beginnings and ends of real words where they share two letters."""
    ends: dict[str, list[str]] = {}
    for word in words:
        for place in range(1, len(word) - 2):
            ends.setdefault(word[place : place + 2], []).append(word[place + 2 :])
    heads = rng.integers(0, len(words), size=count).tolist()
    draws = rng.random((2, count)).tolist()
    invented: list[str] = []
    for number, cut, end in zip(heads, *draws, strict=True):
        word = words[number]
        place = 1 + int(cut * (len(word) - 3))
        choice = ends[word[place : place + 2]]
        invented.append(word[: place + 2] + choice[int(end * len(choice))])
    return invented
