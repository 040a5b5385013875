"""Generates tasks for a graph: balanced over patterns, templates and answer lengths, executable, non-empty, realistic.

    tasks = generate(graph, 1_000, seed=7)

The realism rules (CypherBench, arXiv 2412.18702, §4.3), each checked in the database:

- no redundant condition: if any single name, time or link is removed, more nodes match;
- no relationship that every node has, as the only condition;
- no trivial grouping: at least two groups, and a count above 1; an OPTIONAL MATCH finds nothing for some row;
- no needless inverse pair: a path that goes back over the same relationship type must reach nodes other than its start;
- the name of a named node is unique within its label.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import combinations
from typing import Any

from graphground.cypher import validate
from graphground.cypher.quoting import quoted_name
from graphground.evals.generation.answers import Answers
from graphground.evals.generation.facts import GraphFacts, LinkFacts, read_facts
from graphground.evals.generation.shapes import Shape, choose_shape, sampling_query, weaker
from graphground.evals.generation.templates import Filled, bucket, fill, keys_for, overfull
from graphground.evals.generation.words import match_words, plural, words
from graphground.evals.tasks.task import Task
from graphground.graphs.graph import Graph

MOST_ROWS = 100_000
SAMPLE = 40
"""The number of names from which one sampling query starts."""
MOST_MATCHED = 5_000
"""The most matched nodes whose values are read to choose a template; if more match, they are only counted."""
TRIES = 60
SHAPES = 20
"""The number of random shapes tried to find one that the facts allow, before the database is queried."""


class GenerationError(ValueError):
    """No tasks can be made from the graph or the file of patterns."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern filled with labels and names of the graph: its MATCH part, the names, and query results about it."""

    shape: Shape
    names: Mapping[str, str]
    cypher: str
    time: str = ""


def read_data(name: str) -> list[dict[str, Any]]:
    """Read the records of a bundled file: `read_data("patterns")` or `read_data("templates")`."""
    text = files("graphground.evals.generation").joinpath(f"{name}.json").read_text("utf-8")
    return [dict(record) for record in json.loads(text)]


def generate(
    graph: Graph,
    count: int,
    seed: int = 0,
    *,
    patterns: Sequence[Mapping[str, Any]] | None = None,
    templates: Sequence[Mapping[str, Any]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Task]:
    """Generate at most `count` tasks, or as many as the graph allows. The same seed gives the same tasks.

    Raises:
        GenerationError: the graph has no names or relationships to ask about.
        EngineUnavailable: the graph cannot be queried.
    """
    rng = random.Random(seed)
    facts = read_facts(graph, rng)
    if not any(facts.names.values()):
        raise GenerationError(f"the graph {graph.name!r} has no nodes with a `name`, so no question can name one")
    return _Generator(graph, facts, rng, patterns or read_data("patterns"), templates or read_data("templates")).tasks(
        count, progress
    )


class _Generator:
    def __init__(
        self,
        graph: Graph,
        facts: GraphFacts,
        rng: random.Random,
        patterns: Sequence[Mapping[str, Any]],
        templates: Sequence[Mapping[str, Any]],
    ) -> None:
        self._graph, self._facts, self._rng = graph, facts, rng
        self._pairs = [
            (pattern, template)
            for pattern in patterns
            for template in templates
            if pattern["kind"] in template["kinds"]
        ]
        self._pools: dict[str, list[Candidate]] = defaultdict(list)
        self._counts: dict[str, int | None] = {}
        self._rows = Answers(graph).rows
        self._lengths: Counter[int] = Counter()
        self._known: set[str] = set()

    def tasks(self, count: int, progress: Callable[[int, int], None] | None) -> list[Task]:
        made: list[Task] = []
        by_pattern, by_template = Counter[str](), Counter[str]()
        misses: Counter[int] = Counter()
        while len(made) < count:
            alive = [place for place in range(len(self._pairs)) if misses[place] < TRIES]
            if not alive:
                break
            place = min(
                alive,
                key=lambda place: (
                    by_pattern[self._pairs[place][0]["id"]]
                    + 0.7 * by_template[self._pairs[place][1]["id"]]
                    + 0.05 * misses[place],
                    self._rng.random(),
                ),
            )
            pattern, template = self._pairs[place]
            task = self._task(pattern, template, len(made))
            if task is None:
                misses[place] += 1
                continue
            misses[place] = 0
            by_pattern[pattern["id"]] += 1
            by_template[template["id"]] += 1
            made.append(task)
            if progress is not None:
                progress(len(made), count)
        return made

    def _task(self, pattern: Mapping[str, Any], template: Mapping[str, Any], number: int) -> Task | None:
        candidate = self._candidate(pattern)
        if candidate is None:
            return None
        filled = self._filled(pattern, template, candidate)
        if filled is None:
            return None
        gold = f"{candidate.cypher} {filled.returns}"
        rows = None if gold in self._known else self._rows(gold, MOST_ROWS + 1)
        if not rows or len(rows) > MOST_ROWS or all(value is None for row in rows for value in row):
            return None
        if overfull(self._lengths, len(rows)) and self._rng.random() < 0.8:
            return None
        report = validate(
            gold,
            self._graph.schema,
            entities=self._graph.indexed_entities,
            read_only=True,
            language=self._graph.language,
        )
        if any(diagnostic.severity != "hint" for diagnostic in report.diagnostics):
            return None
        self._known.add(gold)
        self._lengths[bucket(len(rows))] += 1
        matched = match_words(pattern["question"], candidate.shape, candidate.names, candidate.time)
        counted = plural(words(candidate.shape.labels.get("m0", "")))
        question = filled.question.replace("{match}", matched).replace("{counted}", counted)
        answer = [dict(zip(("0", "1"), row, strict=False)) for row in rows[:100]]
        return Task(
            f"{self._graph.name}-{number:05}",
            self._graph.name,
            question,
            gold,
            question,
            pattern["id"],
            template["id"],
            answer,
            match_cypher=candidate.cypher,
            return_cypher=filled.returns,
        )

    def _candidate(self, pattern: Mapping[str, Any]) -> Candidate | None:
        """Return a candidate from the pattern's pool, after refilling an empty pool with one sampling query."""
        pool = self._pools[pattern["id"]]
        if not pool:
            pool += self._sampled(pattern)
        return pool.pop() if pool else None

    def _sampled(self, pattern: Mapping[str, Any]) -> list[Candidate]:
        shapes = (
            choose_shape(pattern["match"], self._facts, self._rng, timed=pattern["kind"] == "time")
            for _ in range(SHAPES)
        )
        shape = next(
            (
                shape
                for shape in shapes
                if shape is not None and not _needless_inverse(shape) and not _says_nothing(pattern, shape)
            ),
            None,
        )
        if shape is None:
            return []
        named = shape.slots.named
        if not named:
            chosen: list[dict[str, str]] = [{}]
        elif not shape.slots.links:
            known = self._facts.names[shape.labels["n"]]
            chosen = [
                dict(zip(named, self._rng.sample(known, len(named)), strict=True))
                for _ in range(6)
                if len(known) >= len(named)
            ]
        else:
            query, start = sampling_query(shape)
            known = self._facts.names[shape.labels[start]]
            rows = self._rows(query, 400, {"names": self._rng.sample(known, min(SAMPLE, len(known)))}) or []
            usable = sorted((row for row in rows if all(isinstance(name, str) for name in row[:-1])), key=str)
            self._rng.shuffle(usable)
            several = [row for row in usable if row[-1] >= 2] or usable
            chosen = [dict(zip(named, row[:-1], strict=True)) for row in several[:6]]
        found = []
        for names in chosen:
            if len(set(names.values())) < len(names) or not self._single(shape, names):
                continue
            time = self._time(shape, names) if pattern["kind"] == "time" else ("", "")
            if time is not None:
                candidate = Candidate(shape, names, shape.cypher(names, time[0]), time[1])
                if self._realistic(pattern, candidate):
                    found.append(candidate)
        return found

    def _single(self, shape: Shape, names: Mapping[str, str]) -> bool:
        """Whether each name belongs to a single node of its label."""
        return all(self._is_single(shape.labels[node], name) for node, name in names.items())

    def _is_single(self, label: str, name: str) -> bool:
        if label in self._facts.single:
            return name in self._facts.single[label]
        return self._count(f"MATCH (n:{quoted_name(label)} {{name: $name}})", {"name": name}) == 1

    def _realistic(self, pattern: Mapping[str, Any], candidate: Candidate) -> bool:
        shape, names = candidate.shape, candidate.names
        kind = pattern["kind"]
        if kind in ("single", "comparison"):
            return True
        if kind == "count":
            rows = self._rows(f"{candidate.cypher} RETURN num", MOST_ROWS)
            numbers = [row[0] for row in rows or []]
            optional = "OPTIONAL" in pattern["match"]
            return len(numbers) >= 2 and max(numbers) >= 2 and (not optional or min(numbers) == 0)
        matched = self._count(candidate.cypher)
        if not matched:
            return False
        if kind == "union":
            parts = [self._count(f"MATCH {path} WITH DISTINCT n") for path in _paths(shape, names)]
            return all(part is not None and 0 < part < matched for part in parts)
        if not names and shape.slots.links:
            total = self._facts.counts[shape.labels["n"]]
            alone = [self._count(f"MATCH {path} WITH DISTINCT n") or 0 for path in _paths(shape, names)]
            return matched < total and (len(alone) == 1 or all(matched < count for count in alone))
        if kind == "time" and not matched < (self._count(shape.cypher(names).replace(" WHERE ", "")) or 0):
            return False
        return all((self._count(text) or MOST_ROWS) > matched for text in weaker(shape, names))

    def _time(self, shape: Shape, names: Mapping[str, str]) -> tuple[str, str] | None:
        """Return a condition on the years in which the relationship `r0` held, in Cypher and in words."""
        rows = (
            self._rows(f"MATCH {_paths(shape, names)[0]} RETURN r0.start_year, r0.end_year ORDER BY r0.start_year", 500)
            or []
        )
        years = sorted({row[0] for row in rows if isinstance(row[0], int)})
        if not years:
            return None
        if self._rng.random() < 0.3:
            return "r0.start_year IS NOT NULL AND r0.end_year IS NULL", "now"
        year = self._rng.choice(years) + self._rng.randrange(2)
        return (f"r0.start_year <= {year} AND (r0.end_year >= {year} OR r0.end_year IS NULL)", f"in {year}")

    def _filled(self, pattern: Mapping[str, Any], template: Mapping[str, Any], candidate: Candidate) -> Filled | None:
        label = self._graph.schema.labels[candidate.shape.labels["n"]]
        if "needs" not in template:
            values: list[Any] = [1] * min(3, self._count(candidate.cypher) or 0) if template["id"] == "n_count" else []
            return fill(template, "", "", values, self._rng)
        keys = keys_for(template, label.properties, label.reserved)
        if not keys:
            return None
        key = self._rng.choice(keys)
        place = quoted_name(key)
        columns = f"n.{place}, m0.{place}" if pattern["kind"] == "comparison" else f"n.{place}"
        rows = self._rows(f"{candidate.cypher} RETURN {columns}", MOST_MATCHED + 1)
        if not rows or len(rows) > MOST_MATCHED:
            return None
        values = list(rows[0]) if pattern["kind"] == "comparison" else [row[0] for row in rows]
        if pattern["kind"] == "comparison" and (
            None in values or (template["id"] != "compare_equal" and values[0] == values[1])
        ):
            return None
        return fill(template, key, label.properties[key], values, self._rng)

    def _count(self, match: str, parameters: Mapping[str, Any] | None = None) -> int | None:
        """Return the number of nodes `n` that a MATCH part matches; None if the query fails or takes too long."""
        key = f"{match} {parameters}"
        if key not in self._counts:
            rows = self._rows(f"{match} RETURN count(DISTINCT n)", 1, parameters)
            self._counts[key] = None if rows is None else int(rows[0][0]) if rows else 0
        return self._counts[key]


def _paths(shape: Shape, names: Mapping[str, str]) -> list[str]:
    """Return each link of a shape as a separate path in Cypher, with the given names of nodes."""
    return [
        Shape(
            f"({left}{'*' if left in names else ''})~{link}~({right}{'*' if right in names else ''})",
            shape.labels,
            shape.links,
            shape.slots,
        ).cypher(names)
        for left, link, right in shape.slots.links
    ]


def _needless_inverse(shape: Shape) -> bool:
    """Whether a link repeats another one: it joins the same nodes, or only leads back to the start node."""
    links = [(left, right, *shape.links[link]) for left, link, right in shape.slots.links]
    return any(_inverse(*pair) for pair in combinations(links, 2))


def _inverse(link: tuple[str, str, LinkFacts, bool], other: tuple[str, str, LinkFacts, bool]) -> bool:
    (left0, right0, facts0, out0), (left1, right1, facts1, out1) = link, other
    if facts0.pattern.type != facts1.pattern.type:
        return False
    if left0 == left1:  # (n)~r0~(m0),(n)~r1~(m1): the same relationship, or its inverse
        return right0 == right1 or (out0 == out1 and not facts0.many(out0))
    return out0 != out1 and not facts0.many(not out0)  # (n)~r0~(m0)~r1~(m1), back the way it came


def _says_nothing(pattern: Mapping[str, Any], shape: Shape) -> bool:
    """Whether the pattern's only condition is a relationship that every node has, so that no node is excluded."""
    if "OPTIONAL" not in pattern["match"] and (shape.slots.named or len(shape.links) != 1):
        return False
    facts, out = shape.links["r0"]
    return facts.all_starts if out else facts.all_ends
