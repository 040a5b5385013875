"""Entity lookup without an index: the names that a database holds, read once, compared by spelling."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from graphground.cypher.quoting import in_backticks
from graphground.graphs.entities.candidate import Candidate, Mode
from graphground.graphs.entities.folding import clean
from graphground.graphs.graph import Graph

MOST_NAMES = 1_000_000
WORST_SCORE = 60.0
MENTIONS_AT_ONCE = 8
"""Compared together: a score of four bytes for each of them and each name."""


class NamesInTheDatabase:
    """Every node's `name` (and `aliases` where its label has them) of one graph, held in memory.

    `find("Lebron James")` gives `Candidate("LeBron James", "Player", "name", 1.0, "exact", …)`.
    """

    def __init__(self, graph: Graph):
        self._graph = graph
        self._lock = threading.Lock()
        self._entries: list[Candidate] | None = None
        self._texts: list[str] = []

    def find(self, mention: str, *, label: str | None = None, property: str | None = None,
             mode: Mode = "auto", limit: int = 5) -> Sequence[Candidate]:
        """The candidates by spelling, best first; by meaning only where the database has a vector index.

        Raises:
            LookupError: mode `vector` without one; the message says how to get it.
        """
        return self.find_all([mention], label=label, property=property, mode=mode, limit=limit)[0]

    def find_all(self, mentions: Sequence[str], *, label: str | None = None, property: str | None = None,
                 mode: Mode = "auto", limit: int = 5) -> list[Sequence[Candidate]]:
        """The same for several mentions: compared on all cores, and the database asked for all of them at once."""
        vectors = self._graph.vectors
        if mode == "vector":
            if vectors is None:
                name = self._graph.name
                raise LookupError(f"the graph {name!r} has no entity index, so no vectors; build both with "
                                  f"`graphground entities build {name} --vectors`")
            return list(vectors.nearest_of_all(mentions, label=label, limit=limit))
        answers: list[Sequence[Candidate]] = list(self._by_spelling(mentions, label, property, limit))
        if mode != "auto" or vectors is None:
            return answers
        from graphground.graphs.entities.vectors.in_database import in_database
        from graphground.graphs.entities.vectors.merging import UNSURE, merged

        unsure = [place for place, best in enumerate(answers) if not best or best[0].score < UNSURE]
        also = in_database(vectors, [mentions[place] for place in unsure], label, limit)
        for place, meant in zip(unsure, also, strict=True):
            spelled = {(one.label, one.name) for one in answers[place]}
            answers[place] = merged(answers[place], [one for one in meant if (one.label, one.name) not in spelled],
                                    limit)
        return answers

    def _by_spelling(self, mentions: Sequence[str], label: str | None, property: str | None,
                     limit: int) -> Iterator[list[Candidate]]:
        import numpy as np  # both loaded on first use
        from rapidfuzz import fuzz, process

        entries = self._read()
        places = [place for place, entry in enumerate(entries)
                  if (label is None or entry.label == label) and (property is None or entry.property == property)]
        texts = [self._texts[place] for place in places]
        wanted = [folded(clean(mention)) for mention in mentions]
        for first in range(0, len(wanted), MENTIONS_AT_ONCE):
            chunk = wanted[first:first + MENTIONS_AT_ONCE]
            likeness = process.cdist(chunk, texts, scorer=fuzz.WRatio, score_cutoff=WORST_SCORE, dtype=np.float32,
                                     workers=-1)
            for text, scores in zip(chunk, likeness, strict=True):
                best = np.argsort(-scores, kind="stable")[:3 * limit]
                yield _entities_of([(entries[places[place]], self._texts[places[place]] == text, scores[place] / 100)
                                    for place in best[scores[best] > 0].tolist()], limit)

    def holds(self, value: str, *, label: str | None = None, property: str | None = None) -> bool:
        """Whether a node of that label has the value."""
        return any(entry.name == value for entry in self._read()
                   if (label is None or entry.label == label) and entry.property == (property or "name"))

    def _read(self) -> list[Candidate]:
        with self._lock:
            if self._entries is None:
                entries: list[tuple[str, Candidate]] = []
                for label in self._graph.schema.labels.values():
                    if "name" in label.properties:
                        entries.extend(self._names_of(label.name, "aliases" in label.properties,
                                                      "eid" in label.properties,
                                                      "description" in label.properties))
                self._texts = [folded(text) for text, _ in entries]
                self._entries = [entry for _, entry in entries]
            return self._entries

    def _names_of(self, label: str, aliases: bool, eid: bool,
                  description: bool) -> list[tuple[str, Candidate]]:
        parts = ["n.name", "n.aliases" if aliases else "[]", "n.eid" if eid else "n.name",
                 "n.description" if description else "null"]
        table = self._graph.run(f"MATCH (n:{in_backticks(label)}) WHERE n.name IS NOT NULL RETURN " + ", ".join(
            f"{part} AS c{number}" for number, part in enumerate(parts)), limit=MOST_NAMES)
        entries = []
        for name, other_names, key, text in table.rows:
            entries.append((str(name), Candidate(str(name), label, "name", 1.0, "exact", str(key), text)))
            entries += [(str(alias), Candidate(str(name), label, "aliases", 1.0, "alias", str(key), text))
                        for alias in other_names or ()]
        return entries


def _entities_of(found: Iterable[tuple[Candidate, bool, float]], limit: int) -> list[Candidate]:
    """Each entity once, by its best name: entries with whether they are the very text, and how like it."""
    kept: dict[tuple[str, str], Candidate] = {}
    for entry, same, score in found:
        candidate = entry if same else replace(entry, match="fuzzy", score=float(score))
        known = kept.get((entry.label, entry.key))
        if known is None or candidate.score > known.score:
            kept[entry.label, entry.key] = candidate
    order = {"exact": 0, "alias": 1}
    return sorted(kept.values(), key=lambda one: (order.get(one.match, 2), -one.score))[:limit]


def folded(text: str) -> str:
    """Case and outer spaces do not count: `folded(" LeBron ")` is `lebron`."""
    return text.strip().casefold()
