"""Enumerates the patterns that the schema allows around the names of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from graphground.graphs.suggestions.mentions import Entity
from graphground.graphs.suggestions.patterns import Pattern, Step, StepIndex
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.returns import times_of
from graphground.graphs.suggestions.vocabulary import Element

MOST_STEPS = 14
"""The maximum number of steps that are considered at one node."""
MOST_LABELS = 12
AnchorScore = Callable[[Step, Entity], float]


def patterns(question: Question, steps: StepIndex, score: AnchorScore, hops: int = 2) -> Iterator[Pattern]:
    """Yield the possible patterns for a question; if `hops` is 1, no pattern has two steps from one name in a row.

    At most `MOST_STEPS` steps to each name are considered, the best by `score`.
    """
    entities = [entity for mention in question.mentions for entity in mention.meanings]
    anchors: dict[Entity, list[Step]] = {}
    for entity in entities:
        yield Pattern("named", entity.label, (), (entity,))
        known = steps.by_target.get(entity.label, [])
        if len(known) > MOST_STEPS:
            known = sorted(known, key=lambda step: -score(step, entity))[:MOST_STEPS]
        anchors[entity] = known
        for step in known:
            yield Pattern("anchored", step.origin, (step,), (entity,))
            for time in times_of(step.keys, question):
                yield Pattern("time", step.origin, (step,), (entity,), time)
            if hops > 1:
                for first in _most_mentioned(question, steps.by_target.get(step.origin, [])):
                    yield Pattern("chain", first.origin, (first, step), (entity,))
                    yield Pattern("grouping", first.origin, (first, step), (entity,))
                for first in _most_mentioned(question, steps.by_origin.get(step.origin, [])):
                    yield Pattern("optional", step.origin, (first, step), (entity,))
    yield from _pairs(question, anchors)
    yield from _without_names(question, steps)


def _pairs(question: Question, anchors: dict[Entity, list[Step]]) -> Iterator[Pattern]:
    place = {mention.text: number for number, mention in enumerate(question.mentions)}
    for first, second in combinations(anchors, 2):
        if first.mention == second.mention:
            continue
        if place[first.mention] > place[second.mention]:
            first, second = second, first
        if first.label == second.label and first.name != second.name:
            yield Pattern("comparison", first.label, (), (first, second))
        for left in anchors[first]:
            for right in anchors[second]:
                if left.origin == right.origin:
                    yield Pattern("fork", left.origin, (left, right), (first, second))
                    yield Pattern("union", left.origin, (left, right), (first, second))
    for entity, known in anchors.items():
        for left, right in combinations(known, 2):
            if left.origin == right.origin and left.type != right.type:
                yield Pattern("fork", left.origin, (left, right), (entity, entity))
                if "or" in question.cues:
                    yield Pattern("union", left.origin, (left, right), (entity, entity))


def _without_names(question: Question, steps: StepIndex) -> Iterator[Pattern]:
    schema = question.schema
    scores = {label: score for label in schema.labels if (score := question.score(Element("label", "", label)))}
    for label in sorted(scores, key=lambda label: -scores[label])[:MOST_LABELS]:
        yield Pattern("node", label)
        known = _most_mentioned(question, steps.by_origin.get(label, []))
        for step in known:
            yield Pattern("link", label, (step,))
        for left, right in combinations(known, 2):
            if left.target == right.target and left.type != right.type:
                yield Pattern("ring", label, (left, right))


def _most_mentioned(question: Question, steps: list[Step]) -> list[Step]:
    """Return at most `MOST_STEPS` steps, those to which the question refers most strongly."""
    if len(steps) <= MOST_STEPS:
        return steps

    def strength(step: Step) -> float:
        return (
            question.score(Element("type", "", step.type))
            + 0.5 * question.score(Element("label", "", step.origin))
            + 0.5 * question.score(Element("label", "", step.target))
        )

    return sorted(steps, key=lambda step: -strength(step))[:MOST_STEPS]
