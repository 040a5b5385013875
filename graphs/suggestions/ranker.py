"""Ranks all possible queries for a question by learned weights of their features (a log-linear model).

The features are those of `pattern_features` and `return_features`. The probability of a query is proportional to the
exponential of its score, and the probabilities of all scored queries add up to 1; so a query that scores far higher
than all others is a certain interpretation. `benchmarks/tools/train_suggestions.py` learns the weights, one number for
the name of each feature; they contain no text of any question or graph.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nlargest
from importlib.resources import files
from math import exp

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.suggestions.mentions import Entity, Mention
from graphground.graphs.suggestions.pattern_features import Features, PatternFeatures
from graphground.graphs.suggestions.patterns import Pattern, Step, StepIndex
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.return_features import ReturnFeatures, kind_and_returns
from graphground.graphs.suggestions.returns import Returns, returns_of
from graphground.graphs.suggestions.space import patterns
from graphground.graphs.suggestions.vocabulary import Vocabulary

Weights = Mapping[str, float]
BEAM = 160
"""The number of patterns, the best by the scores of their parts, for which all features are computed."""
FINAL = 48
"""The number of patterns, the best by all features, that are combined with RETURN templates."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A possible query, as pattern and RETURN part, with its score and its probability among all scored queries."""

    pattern: Pattern
    returns: Returns
    score: float
    probability: float


class SuggestionSpace:
    """The words and possible steps of a schema, from which queries for any question about the schema are composed."""

    def __init__(self, schema: PropertyGraphSchema) -> None:
        self.schema = schema
        self.vocabulary = Vocabulary(schema)
        self.steps = StepIndex(schema)

    def read(self, text: str, mentions: Sequence[Mention]) -> Question:
        """Analyse a question: match its words with the schema, and mask its names."""
        names = [mention for mention in mentions if mention.meanings]
        values = [mention for mention in mentions if mention.values and not mention.meanings]
        unknown = [mention for mention in mentions if not mention.meanings and not mention.values]
        question = Question(text, names, self.vocabulary, values)
        question.unknown = [mention for mention in unknown if not question.speaks_of_schema(mention)]
        return question

    def rank(self, question: Question, limit: int, *, hops: int = 2, weights: Weights | None = None) -> list[Ranked]:
        """Return the `limit` best queries for a question, best first.

        If `hops` is 1, no query follows two relationships in a row from a name. If `weights` is None, the learned
        weights are used.
        """
        known = learned_weights() if weights is None else weights
        best = self.best_patterns(question, known, hops=hops)[:FINAL]
        base: dict[str, list[tuple[Returns, float]]] = {}
        found: list[tuple[float, Pattern, Returns]] = []
        for score, pattern in best:
            key = f"{pattern.target} {_returns_kind(pattern)}"
            if key not in base:
                base[key] = self.scored_returns(question, pattern, known)
            for returns, value in base[key]:
                together = value + total(kind_and_returns(pattern.kind, returns), known)
                found.append((score + together, pattern, returns))
        top = nlargest(max(limit, 40), found, key=lambda item: item[0])
        if not top:
            return []
        highest = top[0][0]
        mass = sum(exp(score - highest) for score, _, _ in found)
        return [Ranked(pattern, returns, score, exp(score - highest) / mass) for score, pattern, returns in top[:limit]]

    def likely_patterns(self, text: str, mentions: Sequence[Mention], limit: int, *, hops: int = 2) -> list[Pattern]:
        """Return the `limit` most probable patterns of a question, best first."""
        best = self.best_patterns(self.read(text, mentions), learned_weights(), hops=hops)
        return [pattern for _, pattern in best[:limit]]

    def best_patterns(self, question: Question, weights: Weights, *, hops: int = 2) -> list[tuple[float, Pattern]]:
        """Return the `BEAM` patterns with the best parts, each with its score by all features, best first."""
        features = PatternFeatures(question, self.steps.by_target)
        scores: dict[object, float] = {}

        def rough(pattern: Pattern) -> float:
            score = 0.0
            for key, part in features.parts(pattern):
                if key not in scores:
                    scores[key] = total(part, weights)
                score += scores[key]
            return score

        def anchor(step: Step, entity: Entity) -> float:
            return rough(Pattern("anchored", step.origin, (step,), (entity,)))

        beam = nlargest(
            BEAM,
            ((rough(pattern), pattern) for pattern in patterns(question, self.steps, anchor, hops)),
            key=lambda item: item[0],
        )
        full = [(score + total(features.whole(pattern), weights), pattern) for score, pattern in beam]
        return sorted(full, key=lambda item: -item[0])

    def scored_returns(self, question: Question, pattern: Pattern, weights: Weights) -> list[tuple[Returns, float]]:
        """Return the RETURN templates for a pattern with their scores, which leave out the features of the pattern."""
        label = self.schema.labels[pattern.target]
        features = ReturnFeatures(question, label.name, label.properties)
        return [
            (returns, total(features.of(returns), weights)) for returns in returns_of(label, pattern.kind, question)
        ]


MAX_KEPT = 16
_spaces: OrderedDict[int, SuggestionSpace] = OrderedDict()
_lock = threading.Lock()


def space_of(schema: PropertyGraphSchema) -> SuggestionSpace:
    """Return the `SuggestionSpace` of a schema, which is cached for the most recently used schemas."""
    with _lock:
        known = _spaces.get(id(schema))
        if known is not None and known.schema is schema:
            _spaces.move_to_end(id(schema))
            return known
    built = SuggestionSpace(schema)
    with _lock:
        _spaces[id(schema)] = built
        while len(_spaces) > MAX_KEPT:
            _spaces.popitem(last=False)
    return built


def _returns_kind(pattern: Pattern) -> str:
    """Return the group of pattern kinds that have the same RETURN templates."""
    if pattern.kind in ("grouping", "optional"):
        return "counted"
    return pattern.kind if pattern.kind in ("named", "comparison", "time") else "plain"


def total(features: Features, weights: Weights) -> float:
    """Return the weighted sum of features."""
    return sum(value * weights[name] for name, value in features.items() if name in weights)


@cache
def learned_weights() -> Weights:
    """Read the weights that come with the package."""
    text = files("graphground.graphs.suggestions").joinpath("weights.json").read_text("utf-8")
    return {str(name): float(value) for name, value in json.loads(text).items()}
