"""Entity lookup without an index: the names that a database holds, read once, compared by spelling."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from graphground.cypher.quoting import in_backticks
from graphground.graphs.entities.candidate import Candidate, Mode
from graphground.graphs.entities.folding import clean
from graphground.graphs.graph import Graph

MOST_NAMES = 1_000_000
WORST_SCORE = 60.0


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
        from rapidfuzz import fuzz, process  # loaded on first use

        if mode == "vector":
            if self._graph.vectors is None:
                name = self._graph.name
                raise LookupError(f"the graph {name!r} has no entity index, so no vectors; build both with "
                                  f"`graphground entities build {name} --vectors`")
            return self._graph.vectors.nearest(mention, label=label, limit=limit)
        entries = self._read()
        wanted = folded(clean(mention))
        found: dict[tuple[str, str], Candidate] = {}
        places = [place for place, entry in enumerate(entries)
                  if (label is None or entry.label == label) and (property is None or entry.property == property)]
        texts = {place: self._texts[place] for place in places}
        for text, score, place in process.extract(wanted, texts, scorer=fuzz.WRatio, limit=limit * 3,
                                                  score_cutoff=WORST_SCORE):
            entry = entries[place]
            candidate = entry if text == wanted else replace(entry, match="fuzzy", score=score / 100)
            known = found.get((entry.label, entry.key))
            if known is None or candidate.score > known.score:
                found[entry.label, entry.key] = candidate
        order = {"exact": 0, "alias": 1}
        best = sorted(found.values(), key=lambda one: (order.get(one.match, 2), -one.score))[:limit]
        if mode != "auto" or self._graph.vectors is None:
            return best
        from graphground.graphs.entities.vectors.in_database import in_database
        from graphground.graphs.entities.vectors.merging import UNSURE, merged

        if best and best[0].score >= UNSURE:
            return best
        spelled = {(one.label, one.name) for one in best}
        meant = in_database(self._graph.vectors, mention, label, limit)
        return merged(best, [one for one in meant if (one.label, one.name) not in spelled], limit)

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


def folded(text: str) -> str:
    """Case and outer spaces do not count: `folded(" LeBron ")` is `lebron`."""
    return text.strip().casefold()
