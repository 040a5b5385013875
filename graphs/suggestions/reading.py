"""Describes in words how a suggested query interprets the question, for the agent that chooses."""

from __future__ import annotations

from graphground.graphs.suggestions.mentions import Entity
from graphground.graphs.suggestions.patterns import Pattern, Step
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.ranker import Ranked
from graphground.graphs.suggestions.returns import Returns


def reading(question: Question, item: Ranked) -> str:
    """Return the description of a query: `number of Museum <-displayedAt- Painting -createdBy-> Person 'Monet'`.

    The description also lists the names in the question that the query reads as another name or does not use, and the
    names that were not found.
    """
    pattern, returns = item.pattern, item.returns
    parts = [f"{_asked(pattern, returns)} {_pattern(pattern, returns)}{_condition(returns)}"]
    for entity in dict.fromkeys(pattern.entities):
        if entity.mention.casefold() != entity.name.casefold():
            parts.append(f"reads '{entity.mention}' as '{entity.name}'")
    used = {entity.mention for entity in pattern.entities}
    value = returns.condition.value if returns.condition else None
    for mention in (*question.mentions, *question.known_values):
        if mention.text not in used and (value is None or value.text != mention.text):
            parts.append(f"does not use '{mention.text}'")
    parts += [f"'{mention.text}' not found" for mention in question.unknown]
    return "; ".join(parts)


def _asked(pattern: Pattern, returns: Returns) -> str:
    key = returns.key
    latest, earliest = (
        ("latest", "earliest") if returns.type in ("date", "datetime") or "year" in key else ("highest", "lowest")
    )
    extreme, other = (latest, earliest) if returns.descending else (earliest, latest)
    most = "most" if returns.descending else "fewest"
    counted = pattern.middle
    return {
        "name": "names of",
        "name_prop": f"names and {', '.join((key, *returns.more))} of",
        "prop": f"{key} of",
        "distinct": f"distinct {key} of",
        "unwind": f"distinct values in {key} of",
        "order": f"names, {extreme} to {other} {key}, of",
        "argmax": f"name, only of the node with the {extreme} {key}, of",
        "count": "number of",
        "count_prop": f"number of distinct {key} of",
        "min": f"{earliest} {key} of",
        "max": f"{latest} {key} of",
        "avg": f"average {key} of",
        "larger": f"which has the {latest} {key},",
        "smaller": f"which has the {earliest} {key},",
        "minus": f"difference in {key} between",
        "equal": f"whether {key} is the same for",
        "counts": f"names, with the number of {counted} nodes for each, of",
        "by_count": f"names, by the number of {counted} nodes, {most} first, of",
        "most": f"name, only of the node with the {most} {counted} nodes, of",
    }[returns.template]


def _pattern(pattern: Pattern, returns: Returns) -> str:
    target, steps, entities = pattern.target, pattern.steps, pattern.entities
    match pattern.kind:
        case "node":
            return target
        case "named":
            return _node(entities[0])
        case "comparison":
            word = "and" if returns.template in ("minus", "equal") else "or"
            return f"{_node(entities[0])} {word} {_node(entities[1])}"
        case "anchored":
            return f"{target} {_arrow(steps[0])} {_node(entities[0])}"
        case "time":
            now = "IS NOT NULL" in pattern.time
            when = "now" if now else "at the time given in the question"
            return f"{target} {_arrow(steps[0])} {_node(entities[0])} {when}"
        case "link":
            return f"{target} {_arrow(steps[0])} any {steps[0].target}"
        case "chain" | "grouping":
            return f"{target} {_arrow(steps[0])} {steps[0].target} {_arrow(steps[1])} {_node(entities[0])}"
        case "ring":
            return f"{target} {_arrow(steps[0])} and {_arrow(steps[1])} the same {steps[0].target}"
        case "fork" | "union":
            word = "and" if pattern.kind == "fork" else "or"
            first, second = (f"{_arrow(step)} {_node(entity)}" for step, entity in zip(steps, entities, strict=True))
            return f"{target} {first} {word} {second}"
        case "optional":
            return f"{target} {_arrow(steps[1])} {_node(entities[0])}, including those without {_arrow(steps[0])}"


def _node(entity: Entity) -> str:
    return f"{entity.label} '{entity.name}'"


def _arrow(step: Step) -> str:
    return f"-{step.type}->" if step.forward else f"<-{step.type}-"


def _condition(returns: Returns) -> str:
    if returns.condition is None:
        return ""
    return f" where {returns.condition.cypher().replace('n.', '', 1)}"
