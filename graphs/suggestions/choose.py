"""Chooses the query that an agent probably intended, from the question and from the query that the agent has written.

A wrong query still contains most of the intended parts, and a question alone is ambiguous. So each interpretation of
the question is scored by the learned ranking plus the similarity of its query to the written query, both as log-odds.
The resulting probabilities show how certain the choice is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from graphground.graphs.suggestions.likeness import likeness
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.ranker import Ranked, SuggestionSpace
from graphground.graphs.suggestions.suggest import query_of
from graphground.graphs.suggestions.written import Written, read_text

READINGS = 100
"""The number of interpretations of the question whose queries are compared with the written query."""
MOST_STEPS = 3
BEYOND = re.compile(
    r"\b(collect|percentile\w*|stdev\w*|sum|reduce|apoc\.\w+|duration\w*|shortestPath)\s*\(", re.IGNORECASE
)
"""Constructs that no suggested query contains; a query with any of these constructs is not compared."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A query to suggest instead of the written query, with its probability among all candidates."""

    text: str
    written: Written
    probability: float


def choose(query: str, written: Written, read: Question, space: SuggestionSpace) -> Choice | None:
    """Return the query that was most probably intended, or None.

    The result is None if a name in the question is unknown, or if the best query does not use all names in the
    question. It is also None if the written query has more than `MOST_STEPS` relationships or a construct of `BEYOND`.

    `written` is the content of `query`, and `read` is the analysed question. For "Which films did Michael Mann direct?"
    and `MATCH (m:Movi)-[:wrote]->(p {name: 'M. Mann'}) RETURN m` the chosen text is
    `MATCH (n:Movie)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) WITH DISTINCT n RETURN n.name`.
    """
    if len(written.steps) > MOST_STEPS or BEYOND.search(query) or read.unknown:
        return None
    ranked = space.rank(read, READINGS)
    scored: list[tuple[float, Ranked, str, Written]] = []
    for item in ranked:
        text = query_of(space.schema, item)
        content = read_text(text)
        scored.append((item.score + likeness(written, content), item, text, content))
    if not scored:
        return None
    best = max(scored, key=lambda entry: entry[0])
    if not _uses_all(best[1], read):
        return None
    mass = sum(exp(score - best[0]) for score, *_ in scored)
    return Choice(best[2], best[3], 1.0 / mass)


def _uses_all(item: Ranked, read: Question) -> bool:
    """Whether a query uses all names in the question."""
    used = {entity.mention for entity in item.pattern.entities}
    value = item.returns.condition.value if item.returns.condition is not None else None
    texts: Sequence[str] = [mention.text for mention in (*read.mentions, *read.known_values)]
    return all(text in used or (value is not None and value.text == text) for text in texts)
