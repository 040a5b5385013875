"""Candidate queries as parts of one larger query, which runs them in the database and counts what they find there."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graphground.agents.projection import projection_of
from graphground.agents.training.questions import AnsweredQuestion, Value

NOTHING = "∅"
"""Stands for null, which is equal to nothing in Cypher."""
_PROPERTY = re.compile(r"(?:min|max)?\(?(?:DISTINCT )?\w+\.`?(\w+)`?\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query and what it finds: `rows` in all, `hits` of them among the answers, `covered` answers."""

    query: str
    rows: int
    hits: int
    covered: int
    answers: int
    """How many distinct answers there are."""
    source: str = "suggested"
    """`suggested` by the server, or `enumerated` around the entities."""

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
        """The harmonic mean of both."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def counting(query: str, number: int, width: int, temporal: Collection[str]) -> str | None:
    """The query as a part of a UNION ALL, with what it is, its rows, its hits and the answers it covers.

    None where it returns another number of columns than the answers have. `temporal` are the names of properties that hold
    dates: answers from a file are texts, so dates are compared as texts.
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
    """The distinct answers as `$answers` holds them."""
    rows: list[list[Value]] = [[NOTHING if value is None else value for value in row] for row in question.answers]
    return list({json.dumps(row): row for row in rows}.values())


def best_first(found: Sequence[Candidate], rows: int) -> list[Candidate]:
    """Candidates with at least one hit: those with exactly the answers, then by F1, then in the order given.

    `rows` is how many rows the answers have; where a query repeats rows, so have they to be repeated.
    """

    def rank(candidate: Candidate) -> tuple[bool, float]:
        exact = candidate.rows == candidate.hits == rows and candidate.covered == candidate.answers
        return not exact, -candidate.f1

    return sorted((candidate for candidate in found if candidate.hits), key=rank)


def _compared(item: str, temporal: Collection[str]) -> str:
    found = _PROPERTY.fullmatch(item)
    return f"toString({item})" if found and found[1] in temporal else item
