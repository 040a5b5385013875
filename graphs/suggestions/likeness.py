"""The similarity of a possible suggestion to an agent's query, as evidence that the agent intended the suggestion.

A wrong query is mostly right: it contains most of the intended relationships, names and columns. The similarity is
therefore added to the score of each interpretation of the question, in the same unit (log-odds).
"""

from __future__ import annotations

from functools import lru_cache

from graphground.cypher.names.nearest import meaning, spelling
from graphground.graphs.suggestions.written import Step, Written

# fmt: off
LABEL, TYPE, DIRECTION, PLACE, NAME, OTHER_NAME = 0.8, 1.6, 0.5, 0.4, 0.8, 0.5
LENGTH, UNION, OPTIONAL, TIME = 0.5, 0.8, 1.0, 0.8
KEYS, AGGREGATE, ORDER, LIMIT, CONDITION = 1.2, 0.8, 0.8, 0.6, 0.8
# fmt: on


def likeness(written: Written, other: Written) -> float:
    """Return the similarity of a possible suggestion (`other`) to the written query, as log-odds."""
    score = LABEL * alike(written.target, other.target) if written.target else 0.0
    left = list(written.steps)
    for step in other.steps:
        score += _step(step, left)
    score -= LENGTH * abs(len(written.steps) - len(other.steps))
    for name in other.names:
        score += NAME if name in written.names else 0.6 * NAME * _nearest(name, written.names)
    score -= OTHER_NAME * sum(1 - _nearest(name, other.names) for name in written.names - other.names)
    for same, weight in (
        (written.union == other.union, UNION),
        (written.optional == other.optional, OPTIONAL),
        (written.timed == other.timed, TIME),
        (written.aggregates == other.aggregates, AGGREGATE),
        (written.limited == other.limited, LIMIT),
        (written.order == other.order, ORDER),
        (written.conditions == other.conditions, CONDITION),
    ):
        score += weight if same else 0.0
    return score + KEYS * _shared(written.keys, other.keys)


def _step(step: Step, left: list[Step]) -> float:
    """Remove from `left` the step that is most similar to `step`; return the similarity, or 0 if `left` is empty."""
    best: tuple[float, Step] | None = None
    for other in left:
        value = TYPE * alike(other.type, step.type) if other.type else 0.3 * TYPE
        value += DIRECTION * (other.outward == step.outward) + PLACE * (other.name == step.name)
        if best is None or value > best[0]:
            best = (value, other)
    if best is None:
        return 0.0
    left.remove(best[1])
    return best[0]


@lru_cache(16_384)
def alike(found: str, name: str) -> float:
    """Return 1 for equal names, else the similarity by spelling or meaning, from 0 to 0.7."""
    if found == name:
        return 1.0
    likely = max(spelling(found, name), 0.9 * meaning(found, name))
    return 0.7 * likely if likely > 0.5 else 0.0


def _nearest(name: str, names: frozenset[str]) -> float:
    return max((_like(name, other) for other in names), default=0.0)


@lru_cache(16_384)
def _like(left: str, right: str) -> float:
    if left in right or right in left:
        return 0.8
    likely = spelling(left, right)
    return likely if likely > 0.7 else 0.0


def _shared(left: frozenset[str], right: frozenset[str]) -> float:
    together = left | right
    return len(left & right) / len(together) if together else 1.0
