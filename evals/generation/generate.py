"""Generates tasks for a graph: balanced over patterns, templates and answer lengths, executable, non-empty, realistic.

    generate(graph, 1_000, seed=7).tasks

The realism rules (CypherBench, arXiv 2412.18702, §4.3), each checked in the database:

- no redundant condition: if any single name, time or link is removed, more nodes match;
- no relationship that every node has, as the only condition;
- no trivial grouping: there are at least two groups, and a count above 1;
- no needless OPTIONAL: for at least one row, the OPTIONAL MATCH finds nothing;
- no needless inverse pair: a path that goes back over the same relationship type must reach nodes other than its start;
- the name of a named node is unique within its label.

No two tasks have the same meaning: the same links in another order make the same task.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import floor, log10
from typing import Any

from graphground.cypher.diagnostics import counted
from graphground.cypher.names.words import as_words, plural
from graphground.cypher.quoting import quoted_name, quoted_string
from graphground.evals.generation.candidates import (
    Answers,
    Candidate,
    Candidates,
    GraphFacts,
    NoShape,
    PatternShape,
    read_facts,
)
from graphground.evals.metrics.executable import check
from graphground.evals.tasks.task import Task
from graphground.graphs.graph import Graph

MAX_ROWS = 100_000
MAX_MATCHED_NODES = 5_000
"""The number of matched nodes up to which the values of all nodes are read to fill a template."""
FIELDS = {"pattern": ("id", "match", "question", "kind"), "template": ("id", "kinds", "return", "question")}
"""The fields that each record of a pattern or template file needs."""


class GenerationError(ValueError):
    """The error for a graph, or for patterns and templates, from which no tasks can be made."""


@dataclass(frozen=True, slots=True)
class Generation:
    """Generated tasks; `missing` maps ids of patterns with too few tasks, and of templates without tasks, to reasons.

    Generation([Task(…), …], {"special_time_sensitive": "no tasks: the graph has no relationship with …"})
    """

    tasks: list[Task]
    missing: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Values:
    """The properties of the nodes that a candidate matches: a row for each node, or for each pair of compared nodes."""

    keys: Mapping[str, str]
    """The type of each property that a template may use, in the order of the columns of one node in `rows`."""
    rows: Sequence[Sequence[Any]]
    complete: bool
    """Whether all matched nodes were read."""


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
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Generation:
    """Generate `count` tasks, or fewer if the graph does not allow more. The same seed gives the same tasks.

    Raises:
        GenerationError: the graph has no names to ask about, or a pattern or template is incomplete.
        EngineError: the graph cannot be queried, or its names cannot be read.
    """
    chosen = {"pattern": patterns or read_data("patterns"), "template": templates or read_data("templates")}
    for record_type, records in chosen.items():
        for number, record in enumerate(records, start=1):
            if absent := [name for name in FIELDS[record_type] if name not in record]:
                raise GenerationError(f"{record_type} {number} has no {' and no '.join(map(repr, absent))}")
    rng = random.Random(seed)
    facts = read_facts(graph, rng)
    if not any(facts.names.values()):
        raise GenerationError(f"the graph {graph.name!r} has no nodes with a `name`, so no question can name one")
    generator = _Generator(graph, facts, rng, chosen["pattern"], chosen["template"])
    tasks = generator.tasks(count, progress)
    return Generation(tasks, generator.missing(count))


class _Generator:
    def __init__(
        self,
        graph: Graph,
        facts: GraphFacts,
        rng: random.Random,
        patterns: Sequence[Mapping[str, Any]],
        templates: Sequence[Mapping[str, Any]],
    ) -> None:
        self._graph, self._rng, self._patterns, self._templates = graph, rng, patterns, templates
        self._balance = Balance(patterns, templates, rng)
        self._labels = {
            template["id"]: frozenset(
                label for label, names in facts.names.items() if names and self._keys(template, label)
            )
            for template in templates
            if "needs" in template
        }
        labels_of_kind, once = {}, set()
        for kind in {pattern["kind"] for pattern in patterns}:
            own = [template for template in templates if kind in template["kinds"]]
            if own and all(template["id"] in self._labels for template in own):
                labels_of_kind[kind] = frozenset[str]().union(*(self._labels[template["id"]] for template in own))
            elif len(own) == 1:  # a template without a property can be filled in one way
                once.add(kind)
        answers = Answers(graph)
        self._rows = answers.rows
        self._candidates = Candidates(graph, facts, rng, answers, labels_of_kind, once)
        self._known: set[object] = set()

    def tasks(self, count: int, progress: Callable[[int, int], None]) -> list[Task]:
        tasks: list[Task] = []
        while len(tasks) < count and (pattern := self._balance.pattern()) is not None:
            task = self._task(pattern, len(tasks))
            if task is not None:
                tasks.append(task)
                progress(len(tasks), count)
        return tasks

    def missing(self, count: int) -> dict[str, str]:
        """Map the ids of patterns that were given up, and of templates without tasks, to the reasons.

        A template is included if no label has a property that the template needs. It is also included if its group has
        no tasks although at least one task per pattern was requested.
        """
        balance = self._balance
        found = {
            id_: f"{counted(number, 'task') if (number := balance.by_pattern[id_]) else 'no tasks'}: {reason}"
            for id_, reason in sorted(balance.closed.items())
        }
        for template in self._templates:
            id_ = template["id"]
            if id_ in self._labels and not self._labels[id_]:
                found[id_] = (
                    f"no tasks: the template needs a property that is {NEEDED[template['needs']][1]}, "
                    "and no label has one that can be used"
                )
            elif not balance.by_group[group_of(template)] and count >= len(self._patterns):
                found[id_] = "no tasks: no pattern suits this template, or no values are realistic"
        return found

    def _task(self, pattern: Mapping[str, Any], number: int) -> Task | None:
        try:
            candidate = self._candidates.next(pattern)
        except NoShape:
            self._balance.give_up(pattern, f"the graph has no {pattern.get('requires', 'relationships that fit it')}")
            return None
        if candidate is not None:
            for template in self._balance.templates(pattern):
                for filled in self._fillings(pattern, template, candidate):
                    gold = f"{candidate.cypher} {filled.returns}"
                    matched = match_words(pattern["question"], candidate.shape, candidate.names, candidate.time)
                    counted = plural(as_words(candidate.shape.labels.get("m0", "")))
                    question = filled.question.replace("{match}", matched).replace("{counted}", counted)
                    keys = {question, (pattern["id"], candidate.key, filled.returns)}
                    rows = None if keys & self._known else self._answer(gold)
                    if rows is None:
                        continue
                    if self._balance.passes_over(pattern, template, len(rows)):
                        return None
                    self._known |= keys
                    self._candidates.use(pattern, candidate)
                    self._balance.add(pattern, template, len(rows))
                    return Task(
                        f"{self._graph.name}-{number:05}",
                        self._graph.name,
                        question,
                        gold,
                        question,
                        pattern["id"],
                        template["id"],
                        [dict(zip(("0", "1"), row, strict=False)) for row in rows[:100]],
                        match_cypher=candidate.cypher,
                        return_cypher=filled.returns,
                    )
            self._candidates.use(pattern, candidate)
        self._balance.miss(pattern)
        return None

    def _answer(self, gold: str) -> list[list[Any]] | None:
        """Return a gold query's rows; None if the task would be unusable.

        It is unusable if the query fails, or returns no row, more than `MAX_ROWS` rows, or only nulls. It is also
        unusable if the validator reports an error or a warning.
        """
        rows = self._rows(gold, MAX_ROWS + 1)
        if not rows or len(rows) > MAX_ROWS or all(value is None for row in rows for value in row):
            return None
        diagnostics = check(self._graph, gold).diagnostics
        return None if any(diagnostic.severity != "hint" for diagnostic in diagnostics) else rows

    def _fillings(
        self, pattern: Mapping[str, Any], template: Mapping[str, Any], candidate: Candidate
    ) -> Iterator[Filled]:
        """Yield the filled template for each property of the candidate that the template can use, in random order."""
        if "needs" not in template:
            values = [1] * min(3, self._candidates.count(candidate.cypher)) if template["id"] == "n_count" else []
            filled = fill(template, "", "", values, self._rng)
            if filled is not None:
                yield filled
            return
        keys = self._keys(template, candidate.shape.labels["n"])
        if not keys:
            return
        self._rng.shuffle(keys)
        matched = self._values(pattern, candidate)
        columns = list(matched.keys)
        for key in keys:
            place = columns.index(key)
            if pattern["kind"] == "comparison":
                values = [row[place + shift] for row in matched.rows for shift in (0, len(columns))]
                if None in values or (template["id"] != "compare_equal" and len(set(values)) < len(values)):
                    continue
            else:
                values = [row[place] for row in matched.rows]
            filled = fill(template, key, matched.keys[key], values, self._rng, complete=matched.complete)
            if filled is not None:
                yield filled

    def _values(self, pattern: Mapping[str, Any], candidate: Candidate) -> _Values:
        label = candidate.shape.labels["n"]
        used = sorted(
            {
                key
                for template in self._templates
                if pattern["kind"] in template["kinds"] and "needs" in template
                for key in self._keys(template, label)
            }
        )
        nodes = ("n", "m0") if pattern["kind"] == "comparison" else ("n",)
        columns = ", ".join(f"{node}.{quoted_name(key)}" for node in nodes for key in used)
        rows = self._rows(f"{candidate.cypher} RETURN {columns}", MAX_MATCHED_NODES + 1) or []
        types = self._graph.schema.labels[label].properties
        return _Values({key: types[key] for key in used}, sorted(rows, key=repr), len(rows) <= MAX_MATCHED_NODES)

    def _keys(self, template: Mapping[str, Any], label: str) -> list[str]:
        described = self._graph.schema.labels[label]
        kinds, _ = NEEDED[template["needs"]]
        return sorted(
            key
            for key, type_ in described.properties.items()
            if key != "name" and key not in described.reserved and type_ in kinds
        )


MISSES = 60
"""The number of consecutive attempts without a new task after which a pattern is given up."""
PASSED_OVER = 3
"""The maximum number of consecutive tasks of a pattern that are rejected because answers of their length are already
frequent."""
FEW = 10
"""The number of a template's tasks that a length of answers must exceed to count as frequent."""


class Balance:
    """The counts of the tasks made so far, by which the next pattern and template are chosen."""

    def __init__(
        self, patterns: Sequence[Mapping[str, Any]], templates: Sequence[Mapping[str, Any]], rng: random.Random
    ) -> None:
        self._rng = rng
        self._patterns = {pattern["id"]: pattern for pattern in patterns}
        self._templates = {
            pattern["id"]: [template for template in templates if pattern["kind"] in template["kinds"]]
            for pattern in patterns
        }
        self.by_pattern, self.by_template, self.by_group = Counter[str](), Counter[str](), Counter[str]()
        self._by_pair: Counter[tuple[str, str]] = Counter()
        self._lengths: dict[str, Counter[int]] = defaultdict(Counter)
        self._misses, self._passed_over = Counter[str](), Counter[str]()
        self.closed: dict[str, str] = {
            id_: "no template suits this pattern" for id_, found in self._templates.items() if not found
        }
        """The patterns that are given up, each with the reason."""

    def pattern(self) -> Mapping[str, Any] | None:
        """Return the open pattern with the fewest tasks; None if all are given up."""
        open_patterns = [id_ for id_ in self._patterns if id_ not in self.closed]
        if not open_patterns:
            return None
        return self._patterns[min(open_patterns, key=lambda id_: (self.by_pattern[id_], self._rng.random()))]

    def templates(self, pattern: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the templates of a pattern, sorted by the number of tasks of their groups, fewest first.

        Tasks of this pattern weigh more than tasks of other patterns.
        """
        return sorted(
            self._templates[pattern["id"]],
            key=lambda template: (
                len(self._patterns) * self._by_pair[pattern["id"], group_of(template)]
                + self.by_group[group_of(template)],
                self.by_template[template["id"]],
                self._rng.random(),
            ),
        )

    def passes_over(self, pattern: Mapping[str, Any], template: Mapping[str, Any], rows: int) -> bool:
        """Whether to reject an answer of this length, because it is frequent among the template's answers.

        A length is frequent if more than half of the answers, and more than `FEW`, have it. After `PASSED_OVER`
        rejections, the next answer of the pattern is accepted. A template whose answers all have the same length, such
        as a count, is not balanced.
        """
        lengths = self._lengths[template["id"]]
        frequent = len(lengths) > 1 and lengths[bucket(rows)] > max(FEW, lengths.total() // 2)
        self._passed_over[pattern["id"]] += frequent
        return frequent and self._passed_over[pattern["id"]] % (PASSED_OVER + 1) != 0

    def add(self, pattern: Mapping[str, Any], template: Mapping[str, Any], rows: int) -> None:
        """Count a new task."""
        self._misses[pattern["id"]] = 0
        self.by_pattern[pattern["id"]] += 1
        self.by_template[template["id"]] += 1
        self.by_group[group_of(template)] += 1
        self._by_pair[pattern["id"], group_of(template)] += 1
        self._lengths[template["id"]][bucket(rows)] += 1

    def miss(self, pattern: Mapping[str, Any]) -> None:
        """Count an attempt without a task; give the pattern up after `MISSES` consecutive attempts without a task."""
        self._misses[pattern["id"]] += 1
        if self._misses[pattern["id"]] >= MISSES:
            self.give_up(pattern, f"{MISSES} attempts in a row found no further task that is realistic and new")

    def give_up(self, pattern: Mapping[str, Any], reason: str) -> None:
        """Close a pattern for the given reason: no more tasks are made from it."""
        self.closed[pattern["id"]] = reason


def group_of(template: Mapping[str, Any]) -> str:
    """Return the group in which a template is balanced: its `group`, or else its own id."""
    return str(template.get("group", template["id"]))


WHOLE = frozenset(("n_order_by", "n_argmax", "n_prop_distinct", "n_prop_array_distinct"))
"""Templates for which the values of all matched nodes are needed,
because a null or a tie would make them unrealistic."""
ORDERED, NUMBERS = frozenset(("int", "float", "date")), frozenset(("int", "float"))


NEEDED: Mapping[str, tuple[frozenset[str], str]] = {
    "order": (ORDERED, "a number or a date"),
    "number": (NUMBERS, "a number"),
    "category": (frozenset({"str"}), "text"),
    "list": (frozenset({"list[str]"}), "a list of texts"),
    "any": (ORDERED | {"str"}, "a number, a date or text"),
    "filter": (ORDERED | {"str", "list[str]"}, "a number, a date, text or a list of texts"),
}
"""The types of the properties that a template may need, also in words, keyed by its field `needs`."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled template: the end of the query, and the question with `{match}` left open."""

    returns: str
    question: str


def fill(
    template: Mapping[str, Any],
    key: str,
    type_: str,
    values: Sequence[Any],
    rng: random.Random,
    *,
    complete: bool = True,
) -> Filled | None:
    """Fill a template for the values of a property in the matched nodes; None if the result would be unrealistic.

    If some nodes have no value, the template's variant `if_null` is filled instead, if the template has that variant.
    `complete` is False if `values` come from only some of the matched nodes.
    """
    if not complete and template["id"] in WHOLE:
        return None
    known = [value for value in values if value is not None]
    distinct = set(map(str, known))
    place, name = quoted_name(key) if key else "", as_words(key)
    form = template if len(known) == len(values) else template.get("if_null")
    sufficient = form is not None and len(known) >= len(values) / 2
    if "ORDER BY n.{p}" in template["return"] and "LIMIT 1" not in template["return"] and len(set(known)) < len(known):
        return None  # nodes with equal values have no order, so a right answer could differ from the gold answer
    changes = {"{p}": place, "{dir}": "", "{first}": "", "{last}": "", "{condition}": ""}
    spoken = ""
    match template["id"]:
        case "n_order_by" | "n_argmax":
            down = rng.random() < 0.5
            if not sufficient or len(distinct) < 3:
                return None
            best = max(known) if down else min(known)
            if template["id"] == "n_argmax" and sum(value == best for value in known) > 1:
                return None
            first, last = ("latest", "earliest") if type_ == "date" else ("highest", "lowest")
            changes |= {
                "{dir}": "DESC" if down else "ASC",
                "{first}": first if down else last,
                "{last}": last if down else first,
            }
        case "n_min" | "n_max" | "n_avg":
            if len(distinct) < 2:
                return None
        case "n_prop_distinct" | "n_prop_array_distinct":
            flat = [str(item) for value in known for item in (value if isinstance(value, list) else [value])]
            if not sufficient or not 2 <= len(set(flat)) < len(flat):
                return None
        case "n_name_prop" | "n_prop":
            if len(known) < max(1, len(values) / 2):
                return None
        case "n_where":
            found = condition(key, type_, values, rng)
            if found is None:
                return None
            changes["{condition}"], spoken = found
        case "n_count":
            if len(values) < 2:
                return None
    form = form or template
    returns, question = form["return"], form["question"]
    for mark, text in changes.items():
        returns = returns.replace(mark, text)
        question = question.replace(mark, name if mark == "{p}" else spoken if mark == "{condition}" else text)
    return Filled(returns, question)


def condition(key: str, type_: str, values: Sequence[Any], rng: random.Random) -> tuple[str, str] | None:
    """Return a condition for WHERE, and the condition in words.

    Return None if no condition was found that keeps some values and excludes others. A threshold is rounded. Nodes
    without a value fail every condition and do not count as excluded.
    """
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    name = f"n.{quoted_name(key)}"
    options: list[tuple[str, str, int]] = []
    if type_ in ORDERED:
        threshold = round_threshold(rng.choice(known), key, type_)
        literal = f"date('{threshold}')" if type_ == "date" else repr(threshold)
        after, before = ("is after", "is before") if type_ == "date" else ("is greater than", "is less than")
        options = [
            (f"{name} > {literal}", f"{after} {threshold}", sum(value > threshold for value in known)),
            (f"{name} < {literal}", f"{before} {threshold}", sum(value < threshold for value in known)),
        ]
    elif type_ == "str":
        value = rng.choice(known)
        options = [
            (f"{name} = {quoted_string(value)}", f"is {value}", known.count(value)),
            (f"{name} <> {quoted_string(value)}", f"is not {value}", len(known) - known.count(value)),
        ]
    elif any(known):
        value = rng.choice(sorted({item for items in known for item in items}))
        matching = sum(value in items for items in known)
        options = [(f"{quoted_string(value)} IN {name}", f"include {value}", matching)]
        if len(known) == len(values):
            options.append((f"NOT {quoted_string(value)} IN {name}", f"do not include {value}", len(known) - matching))
    possible = [(text, spoken) for text, spoken, matching in options if 0 < matching < len(known)]
    return rng.choice(possible) if possible else None


def round_threshold(value: Any, key: str, type_: str) -> Any:
    """Round a threshold: a number to two digits, a date to the first day of its year; a year stays unchanged.

    >>> round_threshold(18734, "population", "int"), round_threshold("1987-05-17", "launch", "date")
    (19000, '1987-01-01')
    """
    if type_ == "date":
        return f"{str(value).rpartition('-')[0].rpartition('-')[0]}-01-01"
    if "year" in key or not value:
        return value
    digits = 1 - floor(log10(abs(value)))
    return int(round(value, digits)) if type_ == "int" else round(float(value), digits)


def bucket(rows: int) -> int:
    """Return the length class of an answer: 0 for at most one row, 1 up to ten, 2 up to a hundred, 3 beyond."""
    return 0 if rows <= 1 else 1 if rows <= 10 else 2 if rows <= 100 else 3


def match_words(question: str, shape: PatternShape, names: Mapping[str, str], time: str = "") -> str:
    """Describe the nodes that a pattern matches, in words: `movies with "directed by" the person Michael Mann`."""

    def slot(found: re.Match[str]) -> str:
        parts = found.group(1).split()
        if parts == ["time"]:
            return time
        if len(parts) == 1:
            return _node(shape, parts[0], names)
        _, link, right = parts
        facts, out = shape.links[link]
        relation = as_words(facts.pattern.type)
        other = _node(shape, right, names)
        return f'with "{relation}" {other}' if out else f'that are "{relation}" of {other}'

    return re.sub(r"\{([^{}]+)\}", slot, question)


def _node(shape: PatternShape, node: str, names: Mapping[str, str]) -> str:
    label = as_words(shape.labels[node])
    return f"the {label} {names[node]}" if node in names else plural(label)
