"""Patterns filled with labels, relationship types and names of a graph, each checked against the realism rules.

    candidates = Candidates(graph, facts, random.Random(1), Answers(graph), {})
    candidates.next(pattern).cypher
    # MATCH (n:Player)-[r0:playsFor]->(m0:Team {name: 'Chicago Bulls'}) WITH DISTINCT n

One sampling query finds the names for several candidates of a shape; the rules are checked when a candidate is used.
"""

from __future__ import annotations

import random
import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.cypher.schema import PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.engine import EngineError, QueryUnanswered
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
        except QueryUnanswered:
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
        # Each further link is followed from a limited number of partial matches: a node may have very many neighbours.
        start = named[-1]
        text = f"MATCH ({start}:{quoted_name(shape.labels[start])}) WHERE {start}.name IN $names"
        reached, left = {start}, list(shape.slots.links)
        while left:
            place = next((place for place, (a, _, b) in enumerate(left) if reached & {a, b}), 0)
            a, link, b = left.pop(place)
            path = f"({a}:{quoted_name(shape.labels[a])}){shape.arrow(link)}({b}:{quoted_name(shape.labels[b])})"
            text += f" MATCH {path}"
            reached |= {a, b}
            most = MAX_PARTIAL_MATCHES if left else MAX_MATCHES
            text += f" WITH {', '.join(sorted(reached))} LIMIT {most}"
        columns = ", ".join(f"{name}.name AS {name}" for name in named)
        query = f"{text} RETURN {columns}, count(DISTINCT n) AS found, count(*) AS matches"
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


QUERY_SECONDS = 30.0
"""The time limit of each query of task generation."""
MAX_NAMES = 200_000
SAMPLED = 400
"""The maximum number of names that are read of a label, and the number of these that are sampled."""
MAX_PARTIAL_MATCHES, MAX_MATCHES = 2_000, 20_000
"""The maximum number of partial matches from which a sampling query follows the next link, and of matches that it
groups by names: three players of one position match in millions of ways."""

_NODE = re.compile(r"\((\w+)(\*?)\)")
_LINK = re.compile(r"\((\w+)\*?\)~(\w+)~(?=\((\w+)\*?\))")
_SLOT = re.compile(r"\((\w+)(\*?)\)|~(\w+)~")


@dataclass(frozen=True, slots=True)
class Slots:
    """The nodes, links and named nodes in a pattern's text."""

    nodes: list[str]
    links: list[tuple[str, str, str]]
    named: list[str]


def slots_of(match: str) -> Slots:
    """Parse the open slots of a pattern's text."""
    found = _NODE.findall(match)
    return Slots(
        list(dict.fromkeys(name for name, _ in found)),
        [(a, link, b) for a, link, b in _LINK.findall(match)],
        list(dict.fromkeys(name for name, star in found if star)),
    )


@dataclass(frozen=True)
class PatternShape:
    """A pattern with labels and relationship types from a schema.

    `labels` holds the label of each node, `links` the facts of each link and whether the link points to the right.
    """

    match: str
    labels: Mapping[str, str]
    links: Mapping[str, tuple[LinkFacts, bool]]
    slots: Slots = field(compare=False)

    def cypher(self, names: Mapping[str, str], time: str = "") -> str:
        """Return the MATCH part in Cypher, with the given names of nodes and the condition `time`."""

        def slot(found: re.Match[str]) -> str:
            node, _, link = found.groups()
            if link:
                return self.arrow(link)
            name = f" {{name: {quoted_string(names[node])}}}" if node in names else ""
            return f"({node}:{quoted_name(self.labels[node])}{name})"

        return _SLOT.sub(slot, self.match).replace("{time}", time)

    def arrow(self, link: str) -> str:
        """Return a link in Cypher: `-[r0:playsFor]->`, or with the arrow to the left."""
        facts, out = self.links[link]
        type_ = quoted_name(facts.pattern.type)
        return f"-[{link}:{type_}]->" if out else f"<-[{link}:{type_}]-"


def choose_shape(
    match: str,
    facts: GraphFacts,
    rng: random.Random,
    accept: Callable[[PatternShape], bool] = lambda shape: True,
    *,
    timed: bool = False,
) -> PatternShape | None:
    """Choose a random shape that `accept` allows; None if the graph has no such shape.

    `timed` requires relationships with the properties `start_year` and `end_year`.
    """
    return next(filter(accept, _shapes(match, facts, rng, timed)), None)


def _shapes(match: str, facts: GraphFacts, rng: random.Random, timed: bool) -> Iterator[PatternShape]:
    slots = slots_of(match)
    if not slots.links:
        known_labels = sorted(label for label, names in facts.names.items() if names)
        rng.shuffle(known_labels)
        for label in known_labels:
            yield PatternShape(match, dict.fromkeys(slots.nodes, label), {}, slots)
        return

    def extended(
        place: int, labels: Mapping[str, str], links: Mapping[str, tuple[LinkFacts, bool]]
    ) -> Iterator[PatternShape]:
        if place == len(slots.links):
            yield PatternShape(match, labels, links, slots)
            return
        left, link, right = slots.links[place]
        options = [
            (known, out, ends)
            for known in facts.links
            for out, ends in ((True, known.nodes), (False, known.nodes[::-1]))
            if labels.get(left) in (None, ends[0]) and labels.get(right) in (None, ends[1])
            if known.timed or not timed
        ]
        rng.shuffle(options)
        for known, out, ends in options:
            chosen = {**labels, left: ends[0], right: ends[1]}
            yield from extended(place + 1, chosen, {**links, link: (known, out)})

    yield from extended(0, {}, {})


def drop_time(shape: PatternShape) -> PatternShape:
    """Return a shape without the condition on years."""
    return replace(shape, match=shape.match.replace(" WHERE {time}", ""))


def weaken_conditions(shape: PatternShape, names: Mapping[str, str]) -> dict[str, str]:
    """Return, for each named node, the MATCH part without that node's name and without the condition on years.

    If the shape is realistic, each of these MATCH parts matches more nodes than the MATCH part with all conditions.
    """
    plain = drop_time(shape)
    return {
        removed: plain.cypher({node: name for node, name in names.items() if node != removed})
        for removed in shape.slots.named
    }


def exclude_starts(shape: PatternShape, names: Mapping[str, str], cypher: str) -> list[str]:
    """Return, for each named node to which a path may lead back, the query in which `n` must be a different node.

    A path may lead back if two of its relationships have the same type: in "teams that share a venue with the Bulls", a
    team with two contracts for its venue would share the venue with itself.
    """
    types = [facts.pattern.type for facts, _ in shape.links.values()]
    if len(set(types)) == len(types):
        return []
    return [
        f"{cypher} WHERE n.name <> {quoted_string(name)} WITH n"
        for node, name in names.items()
        if shape.labels[node] == shape.labels["n"]
    ]


def paths(shape: PatternShape, names: Mapping[str, str]) -> list[str]:
    """Return each link of a shape as a separate path in Cypher, with the given names of nodes."""
    return [
        PatternShape(
            f"({left}{'*' if left in names else ''})~{link}~({right}{'*' if right in names else ''})",
            shape.labels,
            shape.links,
            shape.slots,
        ).cypher(names)
        for left, link, right in shape.slots.links
    ]


def needless_inverse(shape: PatternShape) -> bool:
    """Whether a link repeats another link: both join the same nodes, or one of them only leads back along the other."""
    links = [(left, right, *shape.links[link]) for left, link, right in shape.slots.links]
    return any(_inverse(*pair) for pair in combinations(links, 2))


def _inverse(link: tuple[str, str, LinkFacts, bool], other: tuple[str, str, LinkFacts, bool]) -> bool:
    (left0, right0, facts0, out0), (left1, right1, facts1, out1) = link, other
    if facts0.pattern.type != facts1.pattern.type:
        return False
    if left0 == left1:  # (n)~r0~(m0),(n)~r1~(m1): the same relationship, or its inverse
        return right0 == right1 or (out0 == out1 and not facts0.many(out0))
    return out0 != out1 and not facts0.many(not out0)  # (n)~r0~(m0)~r1~(m1), back the way it came


def excludes_none(shape: PatternShape) -> bool:
    """Whether the shape's only condition is a relationship that every node `n` has."""
    if shape.slots.named or len(shape.links) != 1:
        return False
    ((left, link, _),) = shape.slots.links
    facts, out = shape.links[link]
    return facts.all_starts if out == (left == "n") else facts.all_ends


def counts_one(shape: PatternShape, *, optional: bool) -> bool:
    """Whether the number of nodes `m0` of each `n` is trivial: never above 1, or, with `optional`, never 0.

    The number is never 0 if every `n` has the relationship, or if another link of the shape requires the relationship.
    """
    for left, link, right in shape.slots.links:
        if (left, right) == ("n", "m0"):
            facts, out = shape.links[link]
            again = any(
                first == "n" and shape.links[other] == (facts, out)
                for first, other, _ in shape.slots.links
                if other != link
            )
            never_none = again or (facts.all_starts if out else facts.all_ends)
            return not facts.many(out) or (optional and never_none)
    return False


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """Facts about a relationship pattern: `count` relationships,
    from `starts` distinct nodes to `ends` distinct nodes."""

    pattern: RelationshipPattern
    count: int
    starts: int
    ends: int
    all_starts: bool
    """Whether every node of the start label has the relationship; as a condition, it would then exclude no node.

    False for a label without the property `name`, whose nodes are not counted."""
    all_ends: bool

    @property
    def nodes(self) -> tuple[str, str]:
        """The labels of the start and the end."""
        return self.pattern.start, self.pattern.end

    def many(self, from_start: bool) -> bool:
        """Whether some start node, or without `from_start` some end node, has several relationships of the pattern."""
        return self.count > (self.starts if from_start else self.ends)

    @property
    def timed(self) -> bool:
        """Whether the relationship has the properties `start_year` and `end_year`."""
        return {"start_year", "end_year"} <= self.pattern.properties.keys()


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """The facts from which sampling starts; the order of names is fixed, so a seed always gives the same sample."""

    schema: PropertyGraphSchema
    links: tuple[LinkFacts, ...]
    counts: Mapping[str, int]
    names: Mapping[str, tuple[str, ...]]
    """For each label, a sample of at most `SAMPLED` names that occur only once among the names that were read."""
    single: Mapping[str, frozenset[str]]
    """All names that belong to a single node, by label; labels with more than `MAX_NAMES` named nodes are left out."""


def read_facts(graph: Graph, rng: random.Random) -> GraphFacts:
    """Read the facts from a graph, without relationship patterns whose queries fail or reach the time limit.

    A label whose nodes or names cannot be read has no names, as if it had no property `name`.

    Raises:
        EngineError: the graph cannot be queried at all, or names exist but none could be read.
    """
    counts: dict[str, int] = {}
    names: dict[str, tuple[str, ...]] = {}
    all_single: dict[str, frozenset[str]] = {}
    failure: EngineError | None = None
    for label in graph.schema.labels:
        try:
            counts[label], single, complete = _single_names(graph, label)
        except QueryUnanswered as error:
            counts[label], single, complete, failure = 0, [], False, error
        names[label] = tuple(rng.sample(single, min(SAMPLED, len(single))))
        if complete:
            all_single[label] = frozenset(single)
    if failure is not None and not any(names.values()):
        raise failure
    links = [facts for pattern in graph.schema.patterns if (facts := _link(graph, pattern, counts)) is not None]
    return GraphFacts(graph.schema, tuple(links), counts, names, all_single)


def _single_names(graph: Graph, label: str) -> tuple[int, list[str], bool]:
    """Return the number of nodes, the sorted names that occur only once, and whether all names were read.

    Return `(0, [], False)` for a label without the property `name`.
    """
    if "name" not in graph.schema.labels[label].properties:
        return 0, [], False
    text = quoted_name(label)
    count = graph.run(f"MATCH (n:{text}) RETURN count(n)", timeout=QUERY_SECONDS).rows[0][0]
    table = graph.run(
        f"MATCH (n:{text}) WHERE n.name IS NOT NULL RETURN n.name", limit=MAX_NAMES, timeout=QUERY_SECONDS
    )
    single = sorted(
        name
        for name, times in Counter(row[0] for row in table.rows).items()
        if times == 1 and isinstance(name, str) and name.strip()
    )
    return int(count), single, not table.truncated


def _link(graph: Graph, pattern: RelationshipPattern, counts: Mapping[str, int]) -> LinkFacts | None:
    try:
        (row,) = graph.run(
            f"MATCH (a:{quoted_name(pattern.start)})-[r:{quoted_name(pattern.type)}]->"
            f"(b:{quoted_name(pattern.end)}) RETURN count(r), count(DISTINCT a), count(DISTINCT b)",
            timeout=QUERY_SECONDS,
        ).rows
    except QueryUnanswered:
        return None
    count, starts, ends = map(int, row)
    if not count:
        return None
    return LinkFacts(pattern, count, starts, ends, starts == counts[pattern.start], ends == counts[pattern.end])
