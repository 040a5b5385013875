"""Patterns filled with labels, relationship types and names of a graph, each checked against the realism rules.

    candidates = Candidates(graph, facts, random.Random(1), Answers(graph), {})
    candidates.next(pattern).cypher
    # MATCH (n:Player)-[r0:playsFor]->(m0:Team {name: 'Chicago Bulls'}) WITH DISTINCT n

One sampling query finds the names for several candidates of a shape; the rules are checked when a candidate is used.
"""

from __future__ import annotations

import random
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphground.cypher.quoting import quoted_name
from graphground.evals.generation.shapes import (
    QUERY_SECONDS,
    GraphFacts,
    PatternShape,
    choose_shape,
    counts_one,
    drop_time,
    exclude_starts,
    excludes_none,
    needless_inverse,
    paths,
    sampling_query,
    weaken_conditions,
)
from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.graph import Graph

SAMPLE = 40
"""The number of names from which one sampling query starts."""
MAX_SAMPLED_ROWS = 400
"""The maximum number of rows of a sampling query."""
TAKEN = 6
"""The maximum number of candidates taken from one sampling query."""
ENOUGH, ANY = 3, 2
"""The number of nodes that names should match at least, so that the nodes can be sorted; and the number of candidates
from each sample that are chosen without this preference."""
MAX_GROUPS = 100_000
"""The maximum number of groups whose sizes are read, and the count assumed for a pattern whose query fails."""
MAX_VALUES_HELD = 500_000
"""The maximum number of values kept in all, about 40 MB; the least recently used queries are dropped first."""
BOUND = 1_000
"""The minimum limit up to which the nodes of a pattern with fewer conditions are counted: a count up to a high limit
can be reused for other candidates."""


class Answers:
    """A cache of query results for one graph, which must not change while the cache is used.

        Answers(graph).rows("MATCH (n:Team) WITH DISTINCT n RETURN n.name", limit=5_001)  # [["Chicago Bulls"], …]

    Generation repeats its queries: a pattern has few shapes on a small schema, and each template reads the same columns
    of a candidate. Queries that failed or reached the time limit are remembered too, so a slow query costs 30 s once.
    """

    def __init__(self, graph: Graph, most_held: int = MAX_VALUES_HELD) -> None:
        self._graph, self._most_held = graph, most_held
        self._kept: OrderedDict[tuple[str, int, str], list[list[Any]] | None] = OrderedDict()
        self._held = 0

    def rows(self, query: str, limit: int, parameters: Mapping[str, Any] | None = None) -> list[list[Any]] | None:
        """Return at most `limit` rows of a query; None if the query fails or takes too long. Do not modify the rows.

        Raises:
            EngineUnavailable: the graph cannot be queried at all.
        """
        key = (query, limit, str(parameters))
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        rows: list[list[Any]] | None
        try:
            rows = self._graph.run(query, parameters, limit=limit, timeout=QUERY_SECONDS).rows
        except EngineUnavailable:
            raise
        except EngineError:
            rows = None
        self._kept[key] = rows
        self._held += _weight(rows)
        while self._held > self._most_held:
            _, forgotten = self._kept.popitem(last=False)
            self._held -= _weight(forgotten)
        return rows


def _weight(rows: list[list[Any]] | None) -> int:
    return 1 + sum(map(len, rows or ()))


class NoShape(Exception):
    """The error for a pattern for which the schema has no suitable labels and relationship types."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A shape with the names of its named nodes; `time` is its condition on years in words."""

    shape: PatternShape
    names: Mapping[str, str]
    cypher: str
    time: str = ""

    @property
    def key(self) -> frozenset[str]:
        """A key that is equal for candidates with the same meaning:
        it ignores the order of links and of compared nodes."""
        links = paths(self.shape, self.names)
        for node in self.shape.slots.nodes:
            if node != "n":
                links = [link.replace(f"({node}:", "(m:") for link in links]
        for name in self.shape.links:
            links = [link.replace(f"[{name}:", "[r:") for link in links]
        return frozenset((*links, *(() if links else self.names.values()), self.shape.labels["n"], self.time))


class Candidates:
    """A sampler of candidates for each pattern; the same random state gives the same candidates."""

    def __init__(
        self,
        graph: Graph,
        facts: GraphFacts,
        rng: random.Random,
        answers: Answers,
        asked: Mapping[str, frozenset[str]],
        once: Collection[str] = (),
    ) -> None:
        """Prepare to sample candidates from the graph.

        `asked` maps a kind of pattern to the labels with a property that the templates of that kind can use. `once`
        holds the kinds of patterns for which each candidate is used for at most one task.
        """
        self._graph, self._facts, self._rng, self._asked, self._once = graph, facts, rng, asked, once
        self._used: set[tuple[str, frozenset[str]]] = set()
        self._rows = answers.rows
        self._pools: dict[str, list[Candidate]] = defaultdict(list)
        self._at_least: dict[str, tuple[int, bool]] = {}

    def next(self, pattern: Mapping[str, Any]) -> Candidate | None:
        """Return a realistic candidate; None if this attempt found no candidate, but another attempt may find one.

        Raises:
            NoShape: the graph has no suitable labels and relationship types, so further attempts are useless.
            EngineUnavailable: the graph cannot be queried.
        """
        pool = self._pools[pattern["id"]]
        if not pool:
            pool += self._sample(pattern)
        while pool:
            candidate = pool.pop()
            if pattern["kind"] == "time":
                timed = self._add_time(candidate)
                if timed is None:
                    continue
                candidate = timed
            if (pattern["id"], candidate.key) in self._used:
                continue
            if self._realistic(pattern, candidate):
                return candidate
            self.use(pattern, candidate)
        return None

    def use(self, pattern: Mapping[str, Any], candidate: Candidate) -> None:
        """Exclude a used candidate from `next` if the kind of its pattern is in `once`; otherwise do nothing."""
        if pattern["kind"] in self._once:
            self._used.add((pattern["id"], candidate.key))

    def count(self, match: str) -> int:
        """Return the number of nodes `n` that a MATCH part matches; 0 if the query fails or takes too long."""
        rows = self._rows(f"{match} RETURN count(DISTINCT n)", 1)
        return int(rows[0][0]) if rows else 0

    def _sample(self, pattern: Mapping[str, Any]) -> list[Candidate]:
        timed = pattern["kind"] == "time"
        shape = choose_shape(
            pattern["match"], self._facts, self._rng, partial(self._may_be_realistic, pattern), timed=timed
        )
        if shape is None:
            raise NoShape
        return [
            Candidate(shape, names, "" if timed else shape.cypher(names))
            for names in self._chosen(shape, grouped=pattern["kind"] == "count")
            if len(set(names.values())) == len(names)
            and all(self._is_single(shape.labels[node], name) for node, name in names.items())
        ]

    def _may_be_realistic(self, pattern: Mapping[str, Any], shape: PatternShape) -> bool:
        """Whether a shape can be realistic, judged only by the facts of the graph."""
        label, kind = shape.labels["n"], pattern["kind"]
        if kind in self._asked and label not in self._asked[kind]:
            return False
        if not shape.links:
            return len(self._facts.names[label]) >= len(shape.slots.named)
        if any(not self._facts.names.get(shape.labels[node]) for node in shape.slots.named):
            return False
        if kind == "count" and counts_one(shape, optional="OPTIONAL" in pattern["match"]):
            return False
        return not needless_inverse(shape) and not excludes_none(shape)

    def _chosen(self, shape: PatternShape, *, grouped: bool) -> Sequence[Mapping[str, str]]:
        """Return choices of names: each maps the named nodes of a shape to names with which the shape has matches.

        With `grouped`, each choice of names for a shape with links matches at least two nodes `n`, and some node `n` in
        several ways.
        """
        named = shape.slots.named
        if not named:
            return [{}]
        if not shape.slots.links:
            known = self._facts.names[shape.labels["n"]]
            return [dict(zip(named, sorted(self._rng.sample(known, len(named))), strict=True)) for _ in range(TAKEN)]
        query, start = sampling_query(shape)
        known = self._facts.names[shape.labels[start]]
        names = self._rng.sample(known, min(SAMPLE, len(known)))
        rows = self._rows(query, MAX_SAMPLED_ROWS, {"names": names}) or []
        usable = [
            (dict(zip(named, names, strict=True)), found)
            for *names, found, matches in sorted(rows, key=str)
            if all(isinstance(name, str) for name in names) and (not grouped or 2 <= found < matches)
        ]
        self._rng.shuffle(usable)
        many = sorted(usable, key=lambda sample: -min(sample[1], ENOUGH))[: TAKEN - ANY]
        return [sample[0] for sample in (*many, *(sample for sample in usable if sample not in many))][:TAKEN]

    def _is_single(self, label: str, name: str) -> bool:
        """Whether a name belongs to a single node of its label."""
        if label in self._facts.single:
            return name in self._facts.single[label]
        rows = self._rows(f"MATCH (n:{quoted_name(label)} {{name: $name}}) RETURN count(n)", 1, {"name": name})
        return rows == [[1]]

    def _realistic(self, pattern: Mapping[str, Any], candidate: Candidate) -> bool:
        shape, names, kind = candidate.shape, candidate.names, pattern["kind"]
        if not shape.links:
            return True
        if kind == "count":
            rows = self._rows(f"{candidate.cypher} RETURN num", MAX_GROUPS)
            numbers = [row[0] for row in rows or []]
            optional = "OPTIONAL" in pattern["match"]
            return len(numbers) >= 2 and max(numbers) >= 2 and (not optional or min(numbers) == 0)
        matched = self.count(candidate.cypher)
        if not matched:
            return False
        if kind == "union":
            parts = [self.count(f"MATCH {path} WITH DISTINCT n") for path in paths(shape, names)]
            return all(0 < part < matched for part in parts)
        if not names:
            alone = [f"MATCH {path} WITH DISTINCT n" for path in paths(shape, names)]
            return matched < self._facts.counts[shape.labels["n"]] and (
                len(alone) == 1 or all(self._matches_more(text, matched) for text in alone)
            )
        if kind == "time" and not self._matches_more(drop_time(shape).cypher(names), matched):
            return False
        if any(self.count(text) == 0 for text in exclude_starts(shape, names, candidate.cypher)):
            return False
        return all(
            self._matches_more(text, matched + (shape.labels[node] == shape.labels["n"]))
            for node, text in weaken_conditions(shape, names).items()
        )

    def _matches_more(self, match: str, matched: int) -> bool:
        """Whether a pattern matches more than `matched` nodes `n`; assumed to be true if the query fails."""
        least, complete = self._at_least.get(match, (-1, False))
        if least <= matched and not complete:
            bound = max(BOUND, 2 * matched)
            rows = self._rows(f"{match} WITH DISTINCT n LIMIT {bound} RETURN count(n)", 1)
            least = MAX_GROUPS if rows is None else rows[0][0] if rows else 0
            self._at_least[match] = least, least < bound
        return least > matched

    def _add_time(self, candidate: Candidate) -> Candidate | None:
        """Return the candidate with a condition on the years of its first relationship; None without any start year."""
        shape, names = candidate.shape, candidate.names
        link = shape.slots.links[0][1]
        rows = self._rows(
            f"MATCH {paths(shape, names)[0]} RETURN {link}.start_year, {link}.end_year ORDER BY {link}.start_year", 500
        )
        years = sorted({row[0] for row in rows or [] if isinstance(row[0], int)})
        if not years:
            return None
        condition, time = f"{link}.start_year IS NOT NULL AND {link}.end_year IS NULL", "now"
        if self._rng.random() >= 0.3:
            year = self._rng.choice(years) + self._rng.randrange(2)
            condition, time = (
                f"{link}.start_year <= {year} AND ({link}.end_year >= {year} OR {link}.end_year IS NULL)",
                f"in {year}",
            )
        return Candidate(shape, names, shape.cypher(names, condition), time)
