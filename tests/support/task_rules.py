"""The rules for realistic tasks, implemented a second time without any code of the generator.

The rules about names and conditions read a graph's records with a separate small matcher; the rules about values read
the answers of the gold queries.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from graphground.evals.tasks.classify import BASIC
from graphground.evals.tasks.task import Task
from graphground.graphs.graph import Graph

NAME = r"(?: \{name: '((?:[^'\\]|\\.)*)'\})?"
NODE = re.compile(rf"\((\w+):(\w+){NAME}\)")
PATH = re.compile(rf"\((\w+):\w+{NAME}\)(<?)-\[\w+:(\w+)\]->?(?=\((\w+):)")


class Records:
    """A graph as Python objects: nodes by label and name, relationships by type."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.nodes = {entity["eid"]: entity for entity in document["entities"]}
        self.by_label: dict[str, list[str]] = defaultdict(list)
        for eid, entity in self.nodes.items():
            self.by_label[entity["label"]].append(eid)
        self.out: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.back: dict[tuple[str, str], list[str]] = defaultdict(list)
        for relation in document["relations"]:
            self.out[relation["label"], relation["subj_id"]].append(relation["obj_id"])
            self.back[relation["label"], relation["obj_id"]].append(relation["subj_id"])

    def named(self, label: str, name: str) -> list[str]:
        return [eid for eid in self.by_label[label] if self.nodes[eid]["name"] == name]

    def matches(self, pattern: str, without: frozenset[str] = frozenset()) -> set[str]:
        """Return the nodes that match `n` in a MATCH pattern; `{name: …}` is ignored for variables in `without`."""
        allowed: dict[str, set[str]] = {}
        for node, label, literal in NODE.findall(pattern):
            is_named = literal and node not in without
            found = set(self.named(label, unquoted(literal)) if is_named else self.by_label[label])
            allowed[node] = allowed.get(node, found) & found
        rows = [{"n": eid} for eid in allowed["n"]]
        for left, _, turned, type_, right in PATH.findall(pattern):
            grown = []
            for row in rows:
                is_forward, known, next_variable = (
                    (not turned, left, right) if left in row else (bool(turned), right, left)
                )
                for found_end in (self.out if is_forward else self.back)[type_, row[known]]:
                    if found_end in allowed[next_variable] and row.get(next_variable, found_end) == found_end:
                        grown.append({**row, next_variable: found_end})
            rows = grown
        return {row["n"] for row in rows}


def violations(task: Task, records: Records, graph: Graph) -> Iterator[str]:
    """Yield the rules that a task breaks, each in a few words; nothing for a realistic task."""
    yield from _of_names(task, records)
    rows = graph.run(task.gold, timeout=30).rows
    if not 0 < len(rows) <= 100_000 or all(value is None for row in rows for value in row):
        yield f"{len(rows)} rows, or nulls alone"
        return
    if task.template == "n_group_by" and (len(rows) < 2 or max(row[1] for row in rows) < 2):
        yield "a grouping of one"
    if task.pattern == "special_optional_match" and min(row[1] for row in rows) != 0:
        yield "an optional match that is never empty"
    if task.pattern == "special_time_sensitive" and task.template == "n_name":
        untimed = task.match_cypher.partition(" WHERE ")[0]
        if len(rows) >= len(records.matches(untimed)):
            yield "a time that excludes nothing"
    if task.template == "n_argmax":
        key = re.search(r"ORDER BY (n\.(?:\w+|`[^`]+`))", task.gold)
        assert key is not None, task.gold
        values = [row[0] for row in graph.run(f"{task.match_cypher} RETURN {key[1]}", timeout=30).rows]
        if f"WHERE {key[1]} IS NOT NULL" in task.gold:
            if None not in values:
                yield "a condition that every node meets"
            values = [value for value in values if value is not None]
        best = None if None in values else max(values) if "DESC" in task.gold else min(values)
        if best is None or values.count(best) != 1:
            yield "a tie at the top, or a null among the compared values"
    if task.template == "n_where" and len(rows) >= len(
        graph.run(f"{task.match_cypher} RETURN n.name", timeout=30).rows
    ):
        yield "a filter that keeps all"
    if task.template == "n_prop_distinct" and len(rows) < 2:
        yield "different values of a single value"


def _of_names(task: Task, records: Records) -> Iterator[str]:
    named = {name: (label, literal) for name, label, literal in NODE.findall(task.match_cypher) if literal}
    for label, literal in named.values():
        if len(records.named(label, unquoted(literal))) != 1:
            yield f"the name {literal!r} is of several nodes, or of none"
    if task.pattern == "special_union":
        parts = [records.matches(part) for part in re.findall(r"MATCH (.*?) RETURN", task.match_cypher)]
        if len(parts) != 2 or parts[0] <= parts[1] or parts[1] <= parts[0]:
            yield "a part of the union adds nothing"
    if task.pattern not in BASIC or task.pattern in ("basic_(n)", "basic_(n*)"):
        return
    pattern = task.match_cypher.partition(" WITH ")[0]
    matched = records.matches(pattern)
    if not matched:
        yield "its pattern matches nothing"
    types = [type_ for _, _, _, type_, _ in PATH.findall(pattern)]
    if task.pattern == "basic_(n)-(m0)-(m1*)" and len(set(types)) == 1:
        label, literal = named["m1"]
        if matched <= set(records.named(label, unquoted(literal))):
            yield "a path back to nothing but its start"
    for name in named:
        if len(records.matches(pattern, frozenset((name,)))) <= len(matched):
            yield f"the name of {name} excludes nothing"
    if not named:
        label = next(label for name, label, _ in NODE.findall(pattern) if name == "n")
        if len(matched) >= len(records.by_label[label]):
            yield f"every {label} matches"


def unquoted(text: str) -> str:
    """Return the text of a Cypher literal, without its quotes."""
    return re.sub(r"\\(.)", r"\1", text)
