"""Walks the relationships that the named nodes really have, so that every path found has an answer in the data.

    >>> walker.paths(Anchor(0, "Hans Zimmer", "name", "Human", 1.0), depth=1)  # doctest: +SKIP
    [Path(steps=(Step("composer", "in"),), labels=({"Film": 1.0, …},), count=21.0), …]

The relationships of a node are counted in the database; those two and three steps away are read from samples of the
nodes that the path reaches. Samples are cached until the data change.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from weakref import WeakKeyDictionary

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.graphs.engines.engine import Engine, EngineError
from graphground.graphs.graph import Graph

SAMPLE = 20
"""The number of nodes whose relationships are read to see what follows a step."""
MAX_PARTS = 8
"""The maximum number of samples that one query reads."""
MAX_CACHED = 20_000
Direction = Literal["out", "in", "any"]


@dataclass(frozen=True, slots=True)
class Step:
    """A relationship type followed from its start (`out`), from its end (`in`), or both ways (`any`)."""

    type: str
    direction: Direction

    def arrow(self, variable: str = "") -> str:
        """Return the step as Cypher: `-[:composer]->`."""
        inner = f"[{variable}:{quoted_name(self.type)}]"
        return f"{'<-' if self.direction == 'in' else '-'}{inner}{'->' if self.direction == 'out' else '-'}"


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a path begins: a node that the question names, or, with an empty `name`, all nodes of a label.

    `mention` is the index of the mention, -1 for a label. `property` holds the name; `score` is how surely it is meant.
    """

    mention: int
    name: str
    property: str
    label: str
    score: float = 1.0
    rank: int = 0
    match: str = "exact"
    is_value: bool = False

    def node(self, variable: str = "") -> str:
        """Return the anchor as Cypher: `(:Human {name: 'Hans Zimmer'})`."""
        label = f":{quoted_name(self.label)}" if self.label else ""
        if not self.name:
            return f"({variable}{label})"
        return f"({variable}{label} {{{quoted_name(self.property)}: {quoted_string(self.name)}}})"


@dataclass(frozen=True, slots=True)
class Path:
    """Steps from an anchor, with the shares of labels at the end of each step, and the estimated number of nodes."""

    anchor: Anchor
    steps: tuple[Step, ...]
    labels: tuple[Mapping[str, float], ...] = field(compare=False)
    count: float = field(compare=False)
    middle: str = ""
    """The label written at the node before the last one, if it excludes other nodes there."""

    @property
    def ends(self) -> Mapping[str, float]:
        """The labels of the last nodes, each with its share of them."""
        return self.labels[-1] if self.labels else {self.anchor.label: 1.0}


@dataclass(frozen=True, slots=True)
class _Link:
    step: Step
    count: float
    labels: Mapping[str, float]


class _Cache:
    def __init__(self) -> None:
        self.state: object = None
        self.titles: dict[str, str] = {}
        self.links: OrderedDict[str, tuple[_Link, ...]] = OrderedDict()
        self.lock = threading.Lock()


_caches: WeakKeyDictionary[Engine, _Cache] = WeakKeyDictionary()


class Walker:
    """Finds the paths around the named nodes of one question, within a time limit."""

    def __init__(self, graph: Graph, deadline: float) -> None:
        assert graph.engine is not None
        self._graph, self._deadline = graph, deadline
        self._cache = _caches.setdefault(graph.engine, _Cache())
        state = (getattr(graph.schema_source, "mark", None), id(graph.schema))
        with self._cache.lock:
            if self._cache.state != state:
                self._cache.links.clear()
                self._cache.titles.clear()
                self._cache.state = state

    def extend(self, paths: Sequence[Path], wanted: Callable[[Path, Step], float], width: int) -> list[Path]:
        """Return the paths that continue `paths` by one relationship that the data have, the best `width` first.

        `wanted` says how much a continued path promises. The relationships after the first two steps are sampled.
        """
        known = self._links({_sample(path): path for path in paths})
        found: list[tuple[float, int, Path]] = []
        for path in paths:
            links = known.get(_sample(path), ())
            for link in links:
                follow = link.count
                if path.steps:
                    follow = path.count * link.count
                longer = Path(path.anchor, (*path.steps, link.step), (*path.labels, link.labels), follow)
                found.append((wanted(path, link.step), len(found), longer))
        found.sort(key=lambda item: (-item[0], item[1]))
        return [path for _, _, path in found[:width]]

    def _links(self, samples: Mapping[str, Path]) -> dict[str, tuple[_Link, ...]]:
        with self._cache.lock:
            known = {text: self._cache.links[text] for text in samples if text in self._cache.links}
        missing = [text for text in samples if text not in known]
        for first in range(0, len(missing), MAX_PARTS):
            left = self._deadline - time.monotonic()
            if left <= 0:
                break
            known |= self._read(missing[first : first + MAX_PARTS], samples, left)
        return known

    def _read(self, texts: Sequence[str], samples: Mapping[str, Path], seconds: float) -> dict[str, tuple[_Link, ...]]:
        union = " UNION ALL ".join(
            f"{text} MATCH (n)-[r]-(m) RETURN {number} AS part, type(r) AS type, startNode(r) = n AS out, "
            "labels(m) AS labels, count(*) AS links"
            for number, text in enumerate(texts)
        )
        try:
            rows = self._graph.run(union, timeout=max(seconds, 0.05)).rows
        except EngineError:
            return {}
        counts: list[dict[Step, float]] = [{} for _ in texts]
        labels: list[dict[Step, dict[str, float]]] = [{} for _ in texts]
        for part, type_, out, its_labels, links in rows:
            step = Step(type_, "out" if out else "in")
            counts[part][step] = counts[part].get(step, 0) + links
            by_label = labels[part].setdefault(step, {})
            for label in its_labels or [""]:
                by_label[label] = by_label.get(label, 0) + links
        found = {}
        for text, its_counts, its_by_label in zip(texts, counts, labels, strict=True):
            path = samples[text]
            links_of: list[_Link] = []
            size = min(SAMPLE, path.count) if path.steps else 1.0
            for step, count in sorted(its_counts.items(), key=lambda item: -item[1]):
                # The relationship by which a sample was reached is among those of each of its nodes.
                back = path.steps and step == reverse(path.steps[-1])
                real = count - size if back else count
                if real > 0:
                    shares = {label: number / count for label, number in its_by_label[step].items()}
                    links_of.append(_Link(step, real / size, shares))
            found[text] = tuple(_with_both_ways(links_of))
        with self._cache.lock:
            self._cache.links |= found
            while len(self._cache.links) > MAX_CACHED:
                self._cache.links.popitem(last=False)
        return found


def title_of(graph: Graph, label: str) -> str:
    """Return the property that names the nodes of a label, from a sample: `vessel_name` where `name` repeats the id.

    It is the schema's naming property, or `name`; if these only hold ids, another text that differs between nodes, best
    one called a name or title.
    """
    known = graph.schema.labels.get(label)
    if known is None or graph.engine is None:
        return "name"
    if known.naming is not None:
        return known.naming
    cache = _caches.setdefault(graph.engine, _Cache())
    if label not in cache.titles:
        texts = [key for key, type_ in known.properties.items() if type_ == "str" and key not in known.reserved]
        chosen = known.name_property or next(iter(texts), next(iter(known.properties), "name"))
        try:
            sample = graph.run(f"MATCH (n:{quoted_name(label)}) RETURN properties(n) LIMIT {SAMPLE}", timeout=1.0).rows
        except EngineError:
            return chosen
        rows = [row[0] for row in sample]
        ids = sum(row.get(chosen) in (None, row.get("eid")) for row in rows)
        if rows and ids > len(rows) / 2:
            distinct = [key for key in texts if len({row.get(key) for row in rows}) > 0.8 * len(rows)]
            named = [key for key in distinct if re.search(r"(?i)(name|title|label)$", key)]
            chosen = next(iter([*named, *distinct]), chosen)
        cache.titles[label] = chosen
    return cache.titles[label]


def reverse(step: Step) -> Step:
    """Return the step back."""
    return Step(step.type, {"out": "in", "in": "out", "any": "any"}[step.direction])  # type: ignore[arg-type]


def _sample(path: Path) -> str:
    """Return the clauses that bind `n` to (some of) the nodes at the end of a path."""
    if not path.steps:
        return f"MATCH {path.anchor.node('n')}" + ("" if path.anchor.name else f" WITH n LIMIT {SAMPLE}")
    arrows = "()".join(step.arrow() for step in path.steps)
    return f"MATCH {path.anchor.node()}{arrows}(n) WITH DISTINCT n LIMIT {SAMPLE}"


def _with_both_ways(links: Iterable[_Link]) -> list[_Link]:
    """Add a step in any direction for each type that leads both out and in to nodes with a common label."""
    known = list(links)
    by_step = {link.step: link for link in known}
    for link in list(known):
        other = by_step.get(reverse(link.step))
        if link.step.direction == "out" and other is not None and link.labels.keys() & other.labels.keys():
            shares = {
                label: max(link.labels.get(label, 0.0), other.labels.get(label, 0.0))
                for label in {**link.labels, **other.labels}
            }
            known.append(_Link(Step(link.step.type, "any"), link.count + other.count, shares))
    return known
