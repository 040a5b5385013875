"""Combines candidate queries into one large query, so that the database itself counts the answers
that each candidate finds."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graphground.agents.projection import projection_of
from graphground.agents.training.questions import AnsweredQuestion, Value

NOTHING = "∅"
"""The text that replaces null in comparisons, because in Cypher null does not equal null."""
_PROPERTY = re.compile(r"(?:min|max)?\(?(?:DISTINCT )?\w+\.`?(\w+)`?\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query with the counts of its rows.

    `rows` counts all rows, `hits` the rows that are answers, `covered` the distinct answers among the rows."""

    query: str
    rows: int
    hits: int
    covered: int
    answers: int
    """The number of distinct answers."""
    source: str = "suggested"
    """How the query was found: `suggested` (by `suggest_queries`) or `enumerated` (around the entities)."""

    @property
    def precision(self) -> float:
        """The share of the rows that are answers."""
        return self.hits / self.rows if self.rows else 0.0

    @property
    def recall(self) -> float:
        """The share of the answers that are among the rows."""
        return self.covered / self.answers if self.answers else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def counting(query: str, number: int, width: int, temporal: Collection[str]) -> str | None:
    """Return a part of a UNION ALL that returns `[number]` and the query's counts of rows, hits and covered answers.

    The result is None if the query has no last RETURN with `width` columns, the number of columns of an answer.
    `temporal` holds the names of properties with dates, which are compared as texts, because answers from a file are
    texts.
    """
    parts = projection_of(query)
    if parts is None or len(parts.items) != width:
        return None
    columns = ", ".join(f"{_compared(item, temporal)} AS c{place}" for place, item in enumerate(parts.items))
    row = "[" + ", ".join(f"coalesce(c{place}, '{NOTHING}')" for place in range(width)) + "]"
    return (
        f"{parts.before} WITH {'DISTINCT ' if parts.distinct else ''}{columns}{parts.after} "
        f"WITH {row} AS row RETURN [{number}] AS found, count(*) AS rows, "
        "count(CASE WHEN row IN $answers THEN 1 END) AS hits, "
        "count(DISTINCT CASE WHEN row IN $answers THEN row END) AS covered"
    )


def compared(question: AnsweredQuestion) -> list[list[Value]]:
    """Return the distinct answers of a question as the value of the parameter `$answers`."""
    rows: list[list[Value]] = [[NOTHING if value is None else value for value in row] for row in question.answers]
    return list({json.dumps(row): row for row in rows}.values())


def best_first(found: Sequence[Candidate], rows: int) -> list[Candidate]:
    """Return the candidates with a hit: exact candidates first, then by F1; ties keep the given order.

    A candidate is exact if it returns all answers and nothing else, in exactly `rows` rows, the number of answers
    including repetitions.
    """

    def rank(candidate: Candidate) -> tuple[bool, float]:
        exact = candidate.rows == candidate.hits == rows and candidate.covered == candidate.answers
        return not exact, -candidate.f1

    return sorted((candidate for candidate in found if candidate.hits), key=rank)


def _compared(item: str, temporal: Collection[str]) -> str:
    found = _PROPERTY.fullmatch(item)
    return f"toString({item})" if found and found[1] in temporal else item
