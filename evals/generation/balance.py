"""Balances generated tasks over patterns, RETURN templates and lengths of answers.

balance = Balance(patterns, templates, random.Random(1))
pattern = balance.pattern()                   # the open pattern with the fewest tasks
balance.templates(pattern)                    # the templates of the pattern, the least used group first
balance.add(pattern, template, rows=12)
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from graphground.evals.generation.templates import bucket

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
    """Return the group with which a template is balanced: its `group`, or its own id."""
    return str(template.get("group", template["id"]))
