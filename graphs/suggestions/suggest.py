"""Suggests queries for a question.

The question is analysed, the possible queries are ranked, the matches of the best queries are counted in the database,
and each query is described as an interpretation of the question.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.suggestions.mentions import Mention
from graphground.graphs.suggestions.patterns import Pattern
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.ranker import Ranked, SuggestionSpace, Weights
from graphground.graphs.suggestions.reading import reading

MOST_COUNTED, SPARE = 8, 3
"""The maximum number of patterns whose matches are counted, and the number of candidates beyond the limit that are
counted too.
"""
SECONDS = 5.0
MOST_KEPT = 16
VARIANT = 0.3
"""The ratio of probabilities below which a query is merged into one that differs only in a direction."""

_spaces: OrderedDict[int, SuggestionSpace] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested query that can be run unchanged.

    `rows` is the number of distinct nodes `n` that match its pattern and condition, or None if they were not counted.
    `probability` is its probability among all scored queries, and `reason` describes how it interprets the question.
    `other_direction` is a less probable query that differs only in the direction of a relationship, if there is one.
    """

    cypher: str
    reason: str
    rows: int | None
    probability: float
    pattern: Pattern
    other_direction: str | None = None


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
        while len(_spaces) > MOST_KEPT:
            _spaces.popitem(last=False)
    return built


def suggest(
    graph: Graph,
    question: str,
    mentions: Sequence[Mention],
    *,
    hops: int = 2,
    limit: int = 3,
    count: bool = True,
    seconds: float = SECONDS,
    weights: Weights | None = None,
) -> list[Suggestion]:
    """Return the most probable queries for a question, best first; queries without matches come last.

    For 'How many sculptures did Auguste Rodin create?' the first is `MATCH (n:Sculpture)-[r0:createdBy]->(m0:Person
    {name: 'Auguste Rodin'}) WITH DISTINCT n RETURN count(DISTINCT n)`. If no mention names an entity, queries are
    suggested only for a question that refers to labels. If such a question has unknown names, each query must use one
    of them. Matches are counted if `count` is True, and `seconds` is the time limit for counting. `weights` replace the
    learned weights.
    """
    space = space_of(graph.schema)
    read = space.read(question, mentions)
    if not read.mentions and not read.names_labels():
        return []
    ranked = space.rank(read, 4 * limit + 8, hops=hops, weights=weights)
    if not question.strip():  # only names are given: suggest each pattern once, links before properties
        ranked = list(
            {item.pattern: item for item in reversed(space.rank(read, 40 * limit, hops=hops, weights=weights))}.values()
        )
        ranked.sort(key=lambda item: (item.pattern.kind == "named", -item.score))
    if read.unknown and not read.mentions:
        ranked = [item for item in ranked if _uses(item, [mention.text for mention in read.unknown])]
    matches = (
        _counted(graph, ranked[: limit + SPARE], time.monotonic() + seconds)
        if count and graph.engine is not None
        else {}
    )
    suggestions = [_suggestion(graph.schema, read, item, matches.get(_counting(item))) for item in ranked]
    suggestions.sort(key=lambda suggestion: suggestion.rows == 0)
    return _joined(suggestions)[:limit]


def query_of(schema: PropertyGraphSchema, item: Ranked) -> str:
    """Return a ranked query as Cypher."""
    label = schema.labels[item.pattern.target]
    name = label.name_property or next(iter(label.properties), "name")
    return f"{item.pattern.match()} {item.returns.cypher(name, item.pattern.kind == 'union')}"


def _uses(item: Ranked, texts: Sequence[str]) -> bool:
    """Whether the query has a condition on a value that contains one of the texts, or that one of them contains."""
    value = item.returns.condition.value if item.returns.condition else None
    return value is not None and any(value.text in text or text in value.text for text in texts)


def _suggestion(schema: PropertyGraphSchema, question: Question, item: Ranked, rows: int | None) -> Suggestion:
    return Suggestion(query_of(schema, item), reading(question, item), rows, item.probability, item.pattern)


def _joined(suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Merge each query into a far more probable query that differs from it only in a direction, if there is one.

    The merged query becomes `other_direction` if it may have matches and no other query was merged before.
    """
    merged: list[Suggestion] = []
    places: dict[str, int] = {}
    for suggestion in suggestions:
        undirected = suggestion.cypher.replace("<-[", "-[").replace("]->", "]-")
        place = places.get(undirected)
        if place is not None and suggestion.probability < VARIANT * merged[place].probability:
            if merged[place].other_direction is None and suggestion.rows != 0:
                merged[place] = replace(merged[place], other_direction=suggestion.cypher)
            continue
        places.setdefault(undirected, len(merged))
        merged.append(suggestion)
    return merged


def _counting(item: Ranked) -> str:
    """Return the query that counts the distinct nodes `n` of a candidate, without its RETURN clause."""
    clauses, kind = item.pattern.clauses(), item.pattern.kind
    if kind == "optional":
        clauses = clauses.partition(" OPTIONAL MATCH ")[0]
    if kind == "comparison":
        return clauses
    condition = item.returns.condition
    return f"{clauses} WITH DISTINCT n{f' WHERE {condition.cypher()}' if condition else ''}"


def _counted(graph: Graph, ranked: Sequence[Ranked], deadline: float) -> dict[str, int]:
    """Return the number of nodes `n` that the best patterns match, with the text from `_counting` as the key.

    All patterns are counted by one query. The result is empty if that query fails or does not end in time.
    """
    counting = list(dict.fromkeys(_counting(item) for item in ranked))[:MOST_COUNTED]
    union = " UNION ALL ".join(
        f"{text} RETURN {number} AS pattern, count(DISTINCT n) AS matches" for number, text in enumerate(counting)
    )
    left = deadline - time.monotonic()
    if not counting or left <= 0:
        return {}
    try:
        rows = graph.run(union, limit=len(counting), timeout=left).rows
    except EngineError:
        return {}
    found = dict.fromkeys(counting, 0)  # a pattern without a match may have no row
    for number, matches in rows:
        found[counting[number]] = matches
    return found
