"""Suggests queries for a question: proposes candidates, ranks them, counts their answers, and says how sure it is.

>>> suggest(graph, read("How many sculptures did Auguste Rodin create?", graph))[0].cypher  # doctest: +SKIP
"MATCH (:Person {name: 'Auguste Rodin'})<-[:createdBy]-(n:Sculpture) RETURN count(DISTINCT n)"

The ranking is a log-linear model over general features; model.json holds its weights and MODEL.md describes it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import exp
from pathlib import Path as File

from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.question.kept import read_parts
from graphground.graphs.question.model import Question
from graphground.graphs.suggestions.candidates import COUNTING, Candidate, Shape
from graphground.graphs.suggestions.evidence import Array
from graphground.graphs.suggestions.propose import Features, Proposal, Proposer
from graphground.graphs.suggestions.shapes import spread, walk_of
from graphground.graphs.suggestions.walks import walking_time

Weights = Mapping[str, float]
SECONDS = 6.0
"""The time limit for reading relationships, and again for counting: late is better than wrong on a busy machine."""
MAX_BARE, MAX_SHAPES = 60, 80
"""The number of shapes that are combined with labels, and of those with forms."""
MAX_PROPOSALS = 100
MAX_SPREAD = 25
"""The number of first candidates that are spread over different shapes."""
MAX_COUNTED, COUNTED_FIRST = 12, 6
"""The number of candidates whose answers are counted, and of those that are counted before the others."""
CONFIDENCE_FEATURES = (
    "cover", "left", "step.min", "step.unsaid", "chance.least", "chance.missed", "asked.gap", "unused", "anchor.score",
    "anchor.none",
)  # fmt: skip
"""The features of a candidate from which its confidence is learned."""
ABSENT_NAME = 0.3
"""The factor of confidence if the question names something that the graph does not have."""
ABSENT_LINK = 0.5
"""The factor of confidence if the question says a relationship that neither a named node nor the query has."""
WRONG_WAY, NO_TIME = 0.3, 0.4
"""The factors of confidence if a query goes the opposite way of what the question says ("replaced by"), and if it
returns no time though the question asks when."""
NEARLY_ALL = 0.95
"""The share of nodes that must have a label for it to be said of all of them."""
TOO_SLOW = 0.5
"""The factor of confidence if the database did not say in time which relationships the named nodes have."""


@dataclass(frozen=True)
class Suggestion:
    """A suggested query that can be run unchanged.

    `rows` is the number of rows that it returns, 0 if nothing matches, or None if they were not counted in time; the
    single row of a count, a sum or a comparison is 1. `confidence` is the probability that it is what was asked. Unless
    the database answered `in_time`, the path may not occur in the data.
    """

    cypher: str
    reason: str
    rows: int | None
    confidence: float
    candidate: Candidate
    in_time: bool = True


@dataclass(frozen=True)
class Model:
    """The learned weights of the ranking, and those of the first candidate's confidence."""

    weights: Weights
    confidence: Weights


@cache
def learned_model() -> Model:
    """Read the model that comes with the package.

    Raises:
        ValueError: the model was trained with other features than those of this version.
    """
    stored = json.loads((File(__file__).parent / "model.json").read_text("utf-8"))
    if sorted(stored["weights"]) != stored["features"] or set(stored["confidence"]) != set(certainty({}, [0.0], 0)):
        raise ValueError("model.json does not fit this version: train it again with `python -m training.suggestions`")
    return Model(stored["weights"], stored["confidence"])


def total(features: Mapping[str, float], weights: Weights) -> float:
    """Return the weighted sum of features."""
    known = weights.get
    return sum([value * known(name, 0.0) for name, value in features.items()])


def propose(
    graph: Graph, question: Question, weights: Weights | None = None, seconds: float = SECONDS
) -> list[Proposal]:
    """Return candidates for a question with their features and scores, best first."""
    weights = learned_model().weights if weights is None else weights
    proposer = Proposer(graph, question, seconds)
    known: dict[Shape, Rated] = {}

    def rate(shapes: Iterable[Shape], limit: int) -> list[Rated]:
        distinct = dict.fromkeys(shapes)
        for shape in distinct:
            if shape not in known:
                known[shape] = Rated(shape, *proposer.shape_features(shape), weights)
        rated = sorted(map(known.__getitem__, distinct), key=lambda its: -its.rough)
        return spread(rated, lambda its: _shape_families(its.shape, limit), limit)

    bare = rate(proposer.finder.shapes(), MAX_BARE)
    labelled = [shape for its in bare for shape in proposer.finder.labelled(its.shape)]
    found: dict[str, tuple[float, Candidate, tuple[Features, ...]]] = {}
    rated = rate(labelled, MAX_SHAPES)
    proposer.maker.read_keys(its.shape for its in rated)
    for its in rated:
        for form, of_form, covered in proposer.forms(its.shape):
            candidate = Candidate(its.shape, form)
            parts = (its.features, of_form, proposer.cover_features(its.covered, covered))
            text, score = candidate.cypher(), its.total + total(of_form, weights) + total(parts[2], weights)
            if text not in found or found[text][0] < score:
                found[text] = score, candidate, parts
    best = sorted(found.values(), key=lambda item: -item[0])
    first = spread(best, lambda item: _families(item[1]), MAX_SPREAD)
    taken = {id(item) for item in first}
    rest = [item for item in best if id(item) not in taken]
    chosen = [*sorted(first, key=lambda item: -item[0]), *rest][:MAX_PROPOSALS]
    return [Proposal(candidate, parts, score, proposer) for score, candidate, parts in chosen]


class Rated:
    """A shape with its features, the words that it covers, and how far it promises a good candidate."""

    def __init__(self, shape: Shape, features: Features, covered: Array, weights: Weights) -> None:
        self.shape, self.features, self.covered = shape, features, covered
        self.total = total(features, weights)
        self.rough = self.total
        if len(covered):
            share = float(covered.sum()) / len(covered)
            self.rough += weights.get("cover", 0.0) * share + weights.get("left", 0.0) * (1 - share) * len(covered)


def _shape_families(shape: Shape, limit: int) -> list[tuple[Hashable, int]]:
    return [(walk_of(shape), 3), (walk_of(shape, directed=False), 5), ((shape.join, len(shape.steps)), limit // 3)]


def _families(candidate: Candidate) -> list[tuple[Hashable, int]]:
    shape, form = candidate.shape, candidate.form
    walk = walk_of(shape)
    return [
        (walk, 3 if shape.steps else 5),  # nodes that are named have no other walk
        ((walk, form.kind), 2),
        (walk_of(shape, directed=False), 5),
        ((shape.join, len(shape.steps)), MAX_SPREAD // 3),
    ]


def suggest(
    graph: Graph, question: Question, *, limit: int = 5, model: Model | None = None, seconds: float = SECONDS
) -> list[Suggestion]:
    """Return the most probable queries for a question, best first; those without answers come last."""
    model = model or learned_model()
    seconds = walking_time(graph, seconds)
    found = propose(graph, question, model.weights, seconds)
    if not found:
        return []
    counted: dict[str, int] = {}

    def rows_of(candidate: Candidate) -> int | None:
        number = counted.get(candidate.counting())
        return None if number is None else candidate.rows(number)

    most, until = max(limit, MAX_COUNTED), time.monotonic() + seconds
    for end in (max(limit, COUNTED_FIRST), most):
        missing = [its.candidate for its in found[:end] if its.candidate.counting() not in counted]
        counted |= count_answers(graph, missing, until - time.monotonic())
        best = sorted(found[:most], key=lambda proposal: rows_of(proposal.candidate) == 0)
        distinct: dict[object, Proposal] = {}
        for proposal in best:
            distinct.setdefault(_identity(proposal.candidate, counted), proposal)
        best = list(distinct.values())
        if not counted or all(rows_of(proposal.candidate) for proposal in best[: max(limit, 2)]):
            break  # what is counted later comes after these
    scores = [proposal.score for proposal in (*best, *found[len(best) :])]
    # A name that the graph does not have cannot be part of any of these queries.
    known = ABSENT_NAME if any(mention.verdict == "not_found" for mention in question.mentions) else 1.0
    return [
        Suggestion(
            proposal.candidate.cypher(),
            describe(proposal.candidate),
            rows_of(proposal.candidate),
            (1.0 if proposal.proposer.walker.in_time else TOO_SLOW)
            * known
            * (1 - proposal.proposer.asks_own_label(proposal.candidate))
            * (WRONG_WAY if proposal.features.get("direction", 0.0) < 0 else 1.0)
            * (NO_TIME if _returns_no_time(proposal.features) else 1.0)
            * (ABSENT_LINK if set(question.lacking) - {step.type for step in proposal.candidate.shape.steps} else 1.0)
            * confidence_of(proposal.features, scores, place, model.confidence)
            if rows_of(proposal.candidate) != 0
            else 0.0,
            proposal.candidate,
            proposal.proposer.walker.in_time,
        )
        for place, proposal in enumerate(best[:limit])
    ]


def _returns_no_time(features: Features) -> bool:
    """Whether a question asks when (`asked.when` is present), but a candidate returns neither a date nor a period."""
    return max(features.get("asked.when", 1.0), features.get("asked.time", 0.0)) < 0.5


def _identity(candidate: Candidate, counted: Mapping[str, int]) -> object:
    """Return what two queries have in common that differ only in a label that excludes no answer."""
    number, shape = counted.get(candidate.counting()), candidate.shape
    if not number or candidate.form.kind in COUNTING or candidate.form.kind == "both":
        return candidate.cypher()
    paths = tuple(replace(path, middle="") for path in shape.paths)
    return number, replace(shape, paths=paths, label=""), candidate.form


def certainty(features: Mapping[str, float], scores: Sequence[float], place: int) -> Features:
    """Return the features of a candidate's confidence: its lead over the others, and what it leaves unsaid."""
    others = [score for number, score in enumerate(scores) if number != place]
    lead = scores[place] - max(others, default=scores[place] - 5.0)
    return {
        "constant": 1.0,
        "lead": max(-5.0, min(lead, 5.0)),
        **{name: features.get(name, 0.0) for name in CONFIDENCE_FEATURES},
    }


def confidence_of(features: Mapping[str, float], scores: Sequence[float], place: int, weights: Weights) -> float:
    """Return the probability that a candidate is what was asked."""
    return 1.0 / (1.0 + exp(-total(certainty(features, scores, place), weights)))


def count_answers(graph: Graph, candidates: Sequence[Candidate], seconds: float) -> dict[str, int]:
    """Return the results of the counting queries; empty if they cannot be counted in time."""
    counts: dict[str, dict[str, None]] = {}  # several counts of one pattern are made together
    for candidate in candidates:
        pattern, _, count = candidate.counting().rpartition("RETURN ")
        counts.setdefault(pattern, {})[count] = None
    parts = [f"{pattern}RETURN [{', '.join(its)}] AS found" for pattern, its in counts.items()]
    try:
        read = read_parts(graph, parts, seconds)
    except EngineError:
        return {}
    return {
        f"{pattern}RETURN {count}": number
        for part, (pattern, its) in enumerate(counts.items())
        for count, number in zip(its, read.get(part, [0] * len(its)), strict=True)
    }


def describe(candidate: Candidate) -> str:
    """Return how a candidate reads the question: `number of Film <-composer- Human 'Hans Zimmer'`."""
    shape, form = candidate.shape, candidate.form
    label = shape.label or max(shape.ends, key=lambda name: shape.ends[name], default="")
    if not label or (label != shape.label and shape.ends[label] < NEARLY_ALL):
        label = "node"
    paths = []
    for path in shape.paths:
        names = ", ".join(repr(name) for name in (path.anchor.name, *(name for _, name in path.anchor.also)))
        name = f"{path.anchor.label} {names}".lstrip() if path.anchor.name else f"any {path.anchor.label}".rstrip()
        steps = [*path.steps, *(shape.tail.steps if shape.tail and path is shape.paths[0] else ())]
        arrows = " ".join(
            {"out": f"<-{s.type}-", "in": f"-{s.type}->", "any": f"-{s.type}-"}[s.direction] for s in reversed(steps)
        )
        paths.append(f"{arrows} {name}".strip())
    word = {"and": " and ", "or": " or ", "not": " but not ", "pair": " and "}[shape.join]
    subject = f"{'nodes' if label == 'node' else label} {word.join(paths)}"
    if shape.join == "pair" or (form.kind == "both" and label == "node"):
        subject = word.join(paths)
    elif not shape.steps:
        subject = paths[0]
    elif shape.join == "not" and not shape.paths[0].steps:
        subject = f"{paths[0].removeprefix('any ')} without {' or '.join(paths[1:])}"
    one_step = len(shape.paths) == 1 and len(shape.paths[0].steps) == 1 and shape.tail is None
    before = (one_step and shape.paths[0].anchor.label) or f"node before {label}"
    often = "most often" if form.descending else "least often"
    key = f"{form.key} of"
    extreme = "highest" if form.descending else "lowest"
    asked = {
        "names": "names of", "count": "number of", "property": key, "values": f"values in {key}",
        "names_property": f"names and {key}", "order": f"names by {form.key} ({extreme} first) of",
        "argmax": f"the one with the {extreme} {form.key} of", "min": f"lowest {key}", "max": f"highest {key}",
        "avg": f"average {key}", "group_avg": f"for each {before}, average {key}",
        "sum": f"total {key}", "count_property": f"number of distinct {key}",
        "both": "each pair of nodes in", "exists": "whether there is", "minus": f"difference in {key}",
        "equal": f"whether equal: {key}", "compare": f"which has the {extreme} {key}",
        "link_property": f"relationship's {key}",
        "above_count": f"those with a count {form.operator} {form.number:g} of",
        "most": f"the {label} that is {often} in", "most_before": f"the {before} that is {often} in",
    }.get(form.kind, "counts for each of")  # fmt: skip
    conditions = [condition.text for condition in form.conditions]
    where = f" where {' and '.join(conditions)}" if conditions else ""
    number = ", with the number" if form.listed and form.kind in ("most", "most_before") else ""
    return f"{asked} {subject}{where}{number}"
