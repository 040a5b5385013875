"""Walks the relationships that the named nodes really have, so that every path found has an answer in the data.

    >>> walker.paths(Anchor(0, "Hans Zimmer", "name", "Human", 1.0), depth=1)  # doctest: +SKIP
    [Path(steps=(Step("composer", "in"),), labels=({"Film": 1.0, …},), count=21.0), …]

The relationships of a node are counted in the database; those two and three steps away are read from samples of the
nodes that the path reaches. Samples are cached until the data change, by the path and by the nodes that it reaches.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.client_context import run_concurrently
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.engines.rewriting import Planned
from graphground.graphs.graph import Graph
from graphground.graphs.question.kept import PerData, PerSchema, read_parts, remembered

SAMPLE = 20
"""The number of nodes whose relationships are read to see what follows a step."""
LARGE_SAMPLE = 300
"""The number of nodes in which the relationships that the question speaks of are sought."""
MAX_TYPES = 30
"""The maximum number of relationship types that one query samples."""
SYMMETRIC = 0.5
"""The share of a type's relationships that must lead back for the type to be symmetric."""
SELDOM = 0.15
"""The share of the most frequent label from which nodes without a label that tells may be what has it."""
RARE = 0.005
"""The share of a type's relationships that must lead to a label for nodes without one that tells to be taken for it."""
MAX_CACHED = 20_000
MOST = 0.5
"""The share of nodes with only vague labels from which on a label is left out."""
Direction = Literal["out", "in", "any"]


class Step(NamedTuple):  # as tuples, steps and anchors are compared and hashed far faster
    """A relationship type followed from its start (`out`), from its end (`in`), or both ways (`any`)."""

    type: str
    direction: Direction

    def arrow(self, variable: str = "") -> str:
        """Return the step as Cypher: `-[:composer]->`."""
        inner = f"[{variable}:{quoted_name(self.type)}]"
        return f"{'<-' if self.direction == 'in' else '-'}{inner}{'->' if self.direction == 'out' else '-'}"


class Anchor(NamedTuple):
    """Where a path begins: a node that the question names, or, with an empty `name`, all nodes of a label.

    `mention` is the index of the mention, -1 for a label. `property` holds the name; `score` is how surely it is meant.
    `also` are further names, with their mentions: `Leipzig, Vienna or Kyoto`.
    """

    mention: int
    name: str
    property: str
    label: str
    score: float = 1.0
    rank: int = 0
    is_value: bool = False
    also: tuple[tuple[int, str], ...] = ()
    labels: tuple[str, ...] = ()
    """The labels of several names that have none in common."""
    quantity: int = -1
    """The index of the number of the question that `name` is: the year of an edition."""
    omits_label: bool = False
    """Whether the label is left out of the query, since most nodes from which the path starts have none that tells."""
    in_list: bool = False
    """Whether the property is a list that contains the name."""

    def is_single(self) -> bool:
        """Whether it is one named node, not all nodes with a label or a value, nor several named ones."""
        return bool(self.name) and not self.is_value and not self.also

    def mentions(self) -> list[int]:
        """The indices of its mentions."""
        if not self.also:
            return [self.mention] if self.mention >= 0 else []
        return [number for number in (self.mention, *(other for other, _ in self.also)) if number >= 0]

    def conditions(self, variable: str = "") -> list[str]:
        """Return the conditions of several names, `x0.name IN ['Leipzig', 'Vienna']`, or of a name in a list."""
        key = f"{variable or f'x{self.mention}'}.{quoted_name(self.property)}"
        if self.in_list:
            return [f"{quoted_string(self.name)} IN {key}"]
        names = ", ".join(map(quoted_string, (self.name, *(name for _, name in self.also))))
        return [f"{key} IN [{names}]"] if self.also else []

    def node(self, variable: str = "") -> str:
        """Return the anchor as Cypher: `(:Human {name: 'Hans Zimmer'})`."""
        label = f":{quoted_name(self.label)}" if self.label and not self.omits_label else ""
        if self.labels:  # without labels, the names would be sought among all nodes
            label = ":" + "|".join(map(quoted_name, self.labels))
        if self.also or self.in_list:
            return f"({variable or f'x{self.mention}'}{label})"
        if not self.name:
            return f"({variable}{label})"
        value = quoted_string(self.name) if self.quantity < 0 else self.name
        return f"({variable}{label} {{{quoted_name(self.property)}: {value}}})"


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

    def unwind(self, variable: str) -> tuple[str, Path]:
        """Return `UNWIND ['Leipzig', 'Vienna'] AS …`, and the path from each: the engine uses no index for IN."""
        if not self.anchor.also:
            return "", self
        names = ", ".join(map(quoted_string, (self.anchor.name, *(name for _, name in self.anchor.also))))
        # Like a number of the question, the variable is written without quotes.
        anchor = self.anchor._replace(name=variable, also=(), is_value=True, quantity=0)
        return f"UNWIND [{names}] AS {variable} ", replace(self, anchor=anchor)


@dataclass(frozen=True, slots=True)
class _Link:
    step: Step
    count: float
    labels: Mapping[str, float]


_Around = dict[Step, tuple[float, dict[str, float]]]
"""The relationships around nodes: how many follow each step, and how many of these lead to nodes with each label."""
_links, _arounds, _symmetries, _vaguenesses = (PerData(MAX_CACHED) for _ in range(4))


def _count_patterns(schema: PropertyGraphSchema) -> tuple[dict[str, list[RelationshipPattern]], Counter[str], set[str]]:
    """Return the patterns of each relationship type, the number of patterns of each label, and the vague labels.

    A label that most types have at both ends, such as `Entity`, says nothing of a node.
    """
    by_type: dict[str, list[RelationshipPattern]] = {}
    for pattern in schema.patterns:
        by_type.setdefault(pattern.type, []).append(pattern)
    starts = Counter(name for its in by_type.values() for name in {pattern.start for pattern in its})
    ends = Counter(name for its in by_type.values() for name in {pattern.end for pattern in its})
    vague = {""} | {name for name in starts if 2 * min(starts[name], ends[name]) > len(by_type)}
    return by_type, Counter(name for pattern in schema.patterns for name in {pattern.start, pattern.end}), vague


patterns_of = PerSchema(_count_patterns)
"""Return the patterns of a schema by type, the number of patterns of each label, and its vague labels."""
_typical: PerSchema[dict[tuple[Step, bool], Mapping[str, float]]] = PerSchema(lambda _: {})


def walking_time(graph: Graph, seconds: float) -> float:
    """Return the time limit for walks, and for counting what they find: longer for a graph's first question."""
    return _links.limit(graph, seconds)


class Walker:
    """Finds the paths around the named nodes of one question, in time; without data, those of the schema."""

    def __init__(self, graph: Graph, deadline: float, said: Sequence[str] = ()) -> None:
        """`said` are relationship types that the question speaks of: they are found even if few nodes have them."""
        self._graph, self._deadline = graph, deadline
        self.in_time = True
        """Whether the database has answered in time, so that all paths are known to occur."""
        self._said = "|".join(map(quoted_name, sorted(said)))
        self._patterns, self._usual, self._vague = patterns_of(graph.schema)
        self._typical = _typical(graph.schema)
        self._likely: dict[int, tuple[Mapping[str, float], Mapping[str, float]]] = {}
        self._known: dict[str, tuple[_Link, ...]] = _links(graph)
        self._around: dict[object, _Around] = _arounds(graph)
        """The relationships of each node, by the database's own identifier."""
        self._symmetry: dict[str, float] = _symmetries(graph)
        """For each relationship type, the share of a sample of its relationships that also leads back."""
        self._vague_shares: dict[str, tuple[float, float]] = _vaguenesses(graph)

    def extend(self, paths: Sequence[Path], wanted: Callable[[Path, Step], float], width: int) -> list[Path]:
        """Return the paths that continue `paths` by one relationship that the data have, the best `width` first.

        `wanted` says how much a continued path promises. The relationships after the first two steps are sampled. What
        the database does not answer in time is taken from the schema.
        """
        known = self.read(paths)
        found: list[tuple[float, int, Path]] = []
        for path in paths:
            read = known.get(self._key(path))
            if read is None:
                self.in_time &= self._graph.engine is None
            for link in self._of_schema(path.ends) if read is None else read:
                follow = path.count * link.count if path.steps else link.count
                longer = Path(path.anchor, (*path.steps, link.step), (*path.labels, link.labels), follow)
                found.append((wanted(path, link.step), len(found), longer))
        found.sort(key=lambda item: (-item[0], item[1]))
        return [path for _, _, path in found[:width]]

    def read(self, paths: Iterable[Path]) -> dict[str, tuple[_Link, ...]]:
        """Read what `extend` needs for paths; what several calls need is read faster together."""
        samples = {self._key(path): path for path in paths} if self._graph.engine is not None else {}
        known = {text: self._known[text] for text in samples if text in self._known}
        missing = [text for text in samples if text not in known]
        left = self._deadline - time.monotonic()
        return known | self._read(missing, samples, left) if missing and left > 0 else known

    def _key(self, path: Path) -> str:
        """Return the clauses that bind `n` to nodes at the end of a path, and if that is a sample the types sought."""
        return _sample(path) if path.anchor.is_single() and not path.steps else f"{_sample(path)} {self._said}"

    @remembered
    def ends_of(self, type_: str) -> dict[Step, Mapping[str, float]]:
        """Return a relationship type in both directions, with the labels at its end: paths between all nodes.

        A symmetric type is also followed both ways.
        """
        if self._graph.engine is not None:
            self._read_symmetry([type_])
        directions: list[Direction] = ["out", "in"]
        if self.symmetry(type_) >= SYMMETRIC:
            directions.append("any")
        found: dict[Step, Mapping[str, float]] = {}
        for direction in directions:
            labels = self._count_ends(Step(type_, direction))
            total = max(labels.values(), default=1)
            found[Step(type_, direction)] = {label: count / total for label, count in labels.items()}
        return found

    def likely_labels(self, step: Step, labels: Mapping[str, float]) -> Mapping[str, float]:
        """Return the labels to which a step leads; nodes with none that tells may be what it leads to elsewhere.

        What is at the start of `producer` is a film, although the graph only says that it is an `Entity`.
        """
        if id(labels) not in self._likely:
            share = max((labels[name] for name in self._vague if name in labels), default=0.0)
            its = {name: max(labels.get(name, 0.0), share * of) for name, of in self._typical_labels(step).items()}
            # Both are kept, so that no other mapping has this id.
            self._likely[id(labels)] = labels, {**labels, **its} if share else labels
        return self._likely[id(labels)][1]

    def _typical_labels(self, step: Step) -> Mapping[str, float]:
        """Return the labels that tell, to which a step leads more than seldom, as shares of the most frequent one."""
        key = step, self._graph.statistics() is None  # they may come later
        if key not in self._typical:
            counts = self._count_ends(step)
            known = {name: count for name, count in counts.items() if name not in self._vague}
            most = max(known.values(), default=1)
            known = {} if most < RARE * counts.total() else known
            self._typical[key] = {name: count / most for name, count in known.items() if count >= SELDOM * most}
        return self._typical[key]

    def _count_ends(self, step: Step) -> Counter[str]:
        """Return how many relationships lead to each label, by the statistics if they are known."""
        facts, counts = self._graph.statistics(), Counter[str]()
        known = {(its.start, its.end): its.relationships for its in facts.matching(step.type)} if facts else {}
        for pattern in self._patterns.get(step.type, ()):
            number = known.get((pattern.start, pattern.end)) or pattern.count or 1
            counts[pattern.end if step.direction == "out" else pattern.start] += number
        return counts

    def starts_of(self, step: Step) -> Mapping[str, float]:
        """Return the labels of the nodes from which a step leads."""
        return self.ends_of(step.type).get(reverse(step), {})

    def omit_label(self, path: Path) -> Path:
        """Return a path from all nodes of a label without the label if most nodes that start it have none that tells.

        Of 176 things with a production designer, 7 are films by their label, and most others only an `Entity`.
        """
        if path.anchor.name or not path.anchor.label or not path.steps:
            return path
        step = path.steps[0]
        shares = self._vague_shares.get(step.type, (0.0, 0.0))
        if shares[step.direction == "in"] < MOST:
            return path
        return replace(path, anchor=path.anchor._replace(omits_label=True))

    def read_vague_shares(self, types: Iterable[str]) -> None:
        """Read for relationship types the shares of nodes at both ends, in a sample, whose labels tell nothing."""
        vague = sorted(self._vague - {""})
        missing = sorted(set(types) - self._vague_shares.keys()) if vague and self._graph.engine is not None else []
        only_vague = f"all(name IN labels({{}}) WHERE name IN [{', '.join(map(quoted_string, vague))}])"
        samples = [
            f"MATCH (a)-[:{quoted_name(type_)}]->(b) WITH a, b LIMIT {2 * SAMPLE} RETURN [count(*), "
            f"{', '.join(f'sum(CASE WHEN {only_vague.format(name)} THEN 1 ELSE 0 END)' for name in 'ab')}] AS found"
            for type_ in missing
        ]
        found = self._sample_types(samples)
        self._vague_shares |= {missing[part]: (a / max(n, 1), b / max(n, 1)) for part, (n, a, b) in found.items()}

    def symmetry(self, type_: str) -> float:
        """Return the share of a type's relationships that also lead back, in a sample: near 1 for spouses."""
        return self._symmetry.get(type_, 0.0)

    def _read_symmetry(self, types: Iterable[str]) -> None:
        """Read for relationship types the share of a sample of them that also leads back."""
        missing = sorted(set(types) - self._symmetry.keys())[:MAX_TYPES]
        samples = [
            f"MATCH (a{self._typical_starts(type_)})-[:{quoted_name(type_)}]->(b) WITH a, b LIMIT {2 * SAMPLE} "
            f"OPTIONAL MATCH (b)-[r:{quoted_name(type_)}]->(a) RETURN [count(r), count(*)] AS found"
            for type_ in missing
        ]
        found = self._sample_types(samples)
        self._symmetry |= {missing[part]: back / max(links, 1) for part, (back, links) in found.items()}

    def _sample_types(self, samples: Sequence[str]) -> dict[int, Any]:
        left = self._deadline - time.monotonic()
        try:
            return read_parts(self._graph, samples, left) if samples and left > 0 else {}
        except EngineError:
            return {}

    @cached_property
    def _own_id(self) -> str:
        """The expression for the database's own identifier of the node `n`."""
        assert self._graph.engine is not None
        # An engine that is being restarted has no capabilities until its next query.
        return (self._graph.dialect or self._graph.engine.capabilities().dialect).own_id

    def _typical_starts(self, type_: str) -> str:
        """Return the labels among whose nodes a sample of a type is sought: among all nodes it takes ten times longer.

        These are labels of both ends, if there are any, but not the one that nearly all types have.
        """
        patterns = self._patterns.get(type_, ())
        ends, usual = {pattern.end for pattern in patterns}, self._usual
        starts = sorted({p.start for p in patterns} - {""}, key=lambda name: (name not in ends, -usual[name], name))
        starts = [name for name in starts if usual[name] < max(usual.values())] or starts
        return ":" + "|".join(map(quoted_name, starts[:2])) if starts else ""

    def _of_schema(self, ends: Mapping[str, float]) -> list[_Link]:
        found: dict[Step, dict[str, float]] = {}
        for pattern in self._graph.schema.patterns:
            for direction, here, there in (("out", pattern.start, pattern.end), ("in", pattern.end, pattern.start)):
                if here in ends:
                    found.setdefault(Step(pattern.type, direction), {})[there] = 1.0  # type: ignore[arg-type]
        return _with_both_ways([_Link(step, 1.0, labels) for step, labels in found.items()])

    def _read(self, texts: Sequence[str], samples: Mapping[str, Path], seconds: float) -> dict[str, tuple[_Link, ...]]:
        large = [text for text in texts if samples[text].steps and self._said and samples[text].count > SAMPLE]
        try:
            parts = [
                f"{_sample(samples[text], LARGE_SAMPLE if text in large else SAMPLE)} "
                f"RETURN collect({self._own_id}) AS found"
                for text in texts
            ]
            read = read_parts(self._graph, parts, seconds)
            nodes: dict[str, list[object]] = {text: read.get(part, []) for part, text in enumerate(texts)}
            near = {text: its[:SAMPLE] if samples[text].steps else its for text, its in nodes.items()}
            new = [node for node in dict.fromkeys(chain.from_iterable(near.values())) if node not in self._around]
            # Many paths lead to the same few nodes, such as English with its thousands of relationships.
            groups = [([[node] for node in new], ""), ([nodes[text] for text in large], self._said)]
            around_new, its_large = run_concurrently(lambda its: self._count_around(*its), groups)
            self._around |= zip(new, around_new, strict=True)
            around_large = dict(zip(large, its_large, strict=True))
        except EngineError:
            return {}
        around = {text: _add_up(self._around[node] for node in its) for text, its in near.items()}
        self._read_symmetry(step.type for its in (*around.values(), *around_large.values()) for step in its)
        found = {}
        for text in texts:
            path, its = samples[text], around[text]
            more = {step: labels for step, labels in around_large.get(text, {}).items() if step not in its}
            links_of: list[_Link] = []
            for limit, by_step in ((SAMPLE, its), (LARGE_SAMPLE, more)):
                size = min(limit, path.count) if path.steps else 1.0
                for step, (count, labels) in sorted(by_step.items(), key=lambda item: -item[1][0]):
                    # The relationship by which a sample was reached is among those of each of its nodes.
                    back = path.steps and step == reverse(path.steps[-1])
                    real = count - size if back else count
                    if real > 0:
                        shares = {label: number / count for label, number in labels.items()}
                        links_of.append(_Link(step, real / size, shares))
            found[text] = tuple(_with_both_ways(links_of))
        self._known |= found
        return found

    def _count_around(self, groups: Sequence[Sequence[object]], types: str = "") -> list[_Around]:
        """Return for each group of nodes its relationships of some types, or of all."""
        found: list[_Around] = [{} for _ in groups]
        query = (
            f"UNWIND $groups AS its UNWIND its.nodes AS own MATCH (n) WHERE {self._own_id} = own "
            f"MATCH (n)-[r{types and ':' + types}]-(m) "
            "WITH its.part AS part, type(r) AS type, startNode(r) = n AS out, labels(m) AS labels, count(*) AS links "
            # One row of columns: a driver takes longer for a row, or a list of lists, than for what is in it.
            "RETURN collect(part), collect(type), collect(out), collect(labels), collect(links)"
        )
        parameters = {"groups": [{"part": part, "nodes": nodes} for part, nodes in enumerate(groups)]}
        left = max(self._deadline - time.monotonic(), 0.05)
        columns = self._graph.run(Planned(query), parameters, timeout=left).rows[0] if groups else ()
        for part, type_, out, labels, links in zip(*columns, strict=True):
            step = Step(type_, "out" if out else "in")
            count, by_label = found[part].get(step, (0.0, {}))
            for label in labels or [""]:
                by_label[label] = by_label.get(label, 0) + links
            found[part][step] = count + links, by_label
        return found


def _add_up(parts: Iterable[_Around]) -> _Around:
    total: _Around = {}
    for part in parts:
        for step, (links, labels) in part.items():
            count, by_label = total.setdefault(step, (0.0, {}))
            for label, number in labels.items():
                by_label[label] = by_label.get(label, 0) + number
            total[step] = count + links, by_label
    return total


def reverse(step: Step) -> Step:
    """Return the step back."""
    return Step(step.type, {"out": "in", "in": "out", "any": "any"}[step.direction])  # type: ignore[arg-type]


def _sample(path: Path, limit: int = SAMPLE) -> str:
    """Return the clauses that bind `n` to (some of) the nodes at the end of a path."""
    head, path = path.unwind("name")
    where = "".join(f" WHERE {condition}" for condition in path.anchor.conditions("" if path.steps else "n"))
    if not path.steps:
        return f"{head}MATCH {path.anchor.node('n')}{where}" + (
            "" if path.anchor.is_single() else f" WITH n LIMIT {limit}"
        )
    arrows = "()".join(step.arrow() for step in path.steps)
    return f"{head}MATCH {path.anchor.node()}{arrows}(n){where} WITH DISTINCT n LIMIT {limit}"


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
