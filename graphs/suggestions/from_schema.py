"""Candidates from the patterns of a small schema, as `space` enumerates and `ranker` ranks them, in the form of
`candidates`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graphground.graphs.graph import Graph
from graphground.graphs.question.model import Question
from graphground.graphs.suggestions.candidates import Candidate, Condition, Form, Shape
from graphground.graphs.suggestions.mentions import Entity, Mention
from graphground.graphs.suggestions.patterns import Pattern
from graphground.graphs.suggestions.patterns import Step as SchemaStep
from graphground.graphs.suggestions.ranker import Ranked, space_of
from graphground.graphs.suggestions.returns import Returns
from graphground.graphs.suggestions.walks import Anchor, Path, Step, title_of

MAX_LABELS = 40
"""The size of a schema up to which all its patterns are considered."""
MEANINGS = 3
_FORMS = {
    "name": "names", "count": "count", "name_prop": "names_property", "prop": "property", "distinct": "property",
    "unwind": "values", "order": "order", "argmax": "argmax", "count_prop": "count_property", "min": "min",
    "max": "max", "avg": "avg", "larger": "compare", "smaller": "compare", "minus": "minus", "equal": "equal",
    "counts": "group", "by_count": "sort_count", "most": "most",
}  # fmt: skip


def schema_candidates(graph: Graph, question: Question, limit: int) -> Iterator[tuple[Candidate, float]]:
    """Yield candidates from the schema's patterns with their probabilities, the best first."""
    schema = graph.schema
    if len(schema.labels) > MAX_LABELS:
        return
    space = space_of(schema)
    number = {mention.text: place for place, mention in enumerate(question.mentions)}
    mentions = []
    for mention in question.mentions:
        names: list[Entity] = []
        values: list[Entity] = []
        for candidate in mention.candidates if mention.verdict != "not_found" else ():
            label = schema.labels.get(candidate.label)
            if label is not None:
                entity = Entity(mention.text, candidate.label, candidate.name, candidate.score, candidate.name_property)
                its = names if entity.key in (title_of(graph, label.name), label.name_property) else values
                if entity not in its:
                    its.append(entity)
        mentions.append(Mention(mention.text, mention.start, mention.end, tuple(names[:MEANINGS]), tuple(values)))
    read = space.read(question.text, mentions)
    if not read.mentions and not read.names_labels():
        return
    for item in space.rank(read, limit):
        made = _candidate(graph, item, number)
        if made is not None:
            yield made, item.probability


def _candidate(graph: Graph, item: Ranked, number: dict[str, int]) -> Candidate | None:
    shape = _shape(item.pattern, number)
    before = title_of(graph, item.pattern.middle) if item.pattern.middle else "name"
    form = _form(item.pattern, item.returns, title_of(graph, item.pattern.target), before)
    return Candidate(shape, form) if form is not None else None


def _shape(pattern: Pattern, number: dict[str, int]) -> Shape:
    def anchor(entity: Entity) -> Anchor:
        return Anchor(number.get(entity.mention, -1), entity.name, entity.key, entity.label, entity.score)

    def path(start: Anchor, *steps: SchemaStep) -> Path:
        back = tuple(Step(step.type, "in" if step.forward else "out") for step in steps)
        return Path(start, back, tuple({step.origin: 1.0} for step in steps), 1.0)

    steps, entities, target = pattern.steps, [anchor(entity) for entity in pattern.entities], pattern.target
    match pattern.kind:
        case "node":
            return Shape((Path(Anchor(-1, "", "", target), (), (), 1.0),))
        case "named":
            return Shape((Path(entities[0], (), (), 1.0),))
        case "comparison":
            return Shape(tuple(Path(entity, (), (), 1.0) for entity in entities), "pair")
        case "link":
            return Shape((path(Anchor(-1, "", "", steps[0].target), steps[0]),), label=target)
        case "anchored" | "time":
            return Shape((path(entities[0], steps[0]),), label=target)
        case "chain" | "grouping":
            two = path(entities[0], steps[1], steps[0])
            return Shape((replace(two, middle=steps[1].origin),), label=target)
        case "optional":
            forward = Step(steps[0].type, "out" if steps[0].forward else "in")
            first = path(entities[0], steps[1])
            labels = (*first.labels, {steps[0].target: 1.0})
            two = Path(first.anchor, (*first.steps, forward), labels, 1.0, steps[1].origin)
            return Shape((two,), label=steps[0].target)
        case "ring":
            start = Anchor(-1, "", "", steps[0].target)
            return Shape((path(start, steps[0]), path(start, steps[1])), "ring", label=target)
        case "fork" | "union":
            paths = tuple(path(entity, step) for step, entity in zip(steps, entities, strict=True))
            return Shape(paths, "and" if pattern.kind == "fork" else "or", label=target)


def _form(pattern: Pattern, returns: Returns, title: str, before: str) -> Form | None:
    if returns.more:
        return None
    kind = _FORMS[returns.template]
    if pattern.kind == "optional":
        # There, the answer's node stands before the counted one.
        kind = {"group": "group_zero", "sort_count": "sort_before", "most": "most_before"}[kind]
        title, before = before, title
    condition = None
    if pattern.time:
        key = "end_year" if "end_year" in pattern.time else "year"
        condition = Condition(key, "=", "", "r", text=pattern.time.replace("r0.", "r."))
    elif returns.condition is not None:
        its = returns.condition
        condition = Condition(its.key, its.operator, its.literal, wrap=f".{its.part}" if its.part else "")
    descending = returns.descending or returns.template == "larger"
    wrap = f".{returns.part}" if returns.part else ""
    return Form(kind, title, returns.key, descending, wrap, condition, before)  # type: ignore[arg-type]
