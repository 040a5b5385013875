"""Finds parts of a question that a query does not cover: names, counts, sorting, alternatives, superlatives, years.

A hint helps only a little, and a false hint costs trust. So a part is reported only if the query does not express it in
any other way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphground.graphs.entities.folding import fold
from graphground.graphs.suggestions.question import Question
from graphground.graphs.suggestions.written import Written

_COUNTS = re.compile(r"\b(count|size|length|sum)\s*[({]", re.IGNORECASE)
_PICKS = re.compile(r"\b(LIMIT|ORDER\s+BY|CASE|min|max|reduce|apoc|ALL|NOT)\b", re.IGNORECASE)
_OR = re.compile(r"\b(UNION|OR|IN|XOR|ANY|CASE|OPTIONAL|COLLECT)\b|\||\+", re.IGNORECASE)
_SORT = re.compile(r"\b(sort(ed)?|order(ed)? (by|from)|ranked (by|from)|listed (from|by)|in \w+ order)\b")
# fmt: off
_FIRST = re.compile(
    r"\b(the|which|what|who|whose) (\w+ ){0,3}?(highest|lowest|oldest|youngest|largest|smallest|biggest|longest|shortest"
    r"|tallest|heaviest|lightest|earliest|latest|newest|fewest)\b"
)
# fmt: on
_YEAR = re.compile(r"\b(?:in|during|since|before|after|until|as of) (?:the year )?(1\d{3}|20\d{2})\b")
LEAST_LETTERS = 3


def not_covered(question: Question, written: Written, query: str) -> Iterator[str]:
    """Yield sentences about parts of the question that the query does not express.

    For example: `The question names 'Michael Mann', which the query does not use.`
    """
    cues, masked = question.cues, question.masked
    if "$" not in query:
        query_names = " ".join(fold(name) for name in written.names)
        for mention in question.mentions:
            names = {mention.text, *(entity.name for entity in mention.meanings)}
            sure = any(entity.score >= 0.99 for entity in mention.meanings)
            whole = fold(mention.text)
            part = any(len(name) >= LEAST_LETTERS and fold(name) in whole for name in written.names)
            if (
                sure
                and len(whole) >= LEAST_LETTERS
                and not part
                and not any(fold(name) in query_names for name in names)
            ):
                yield f"The question names {mention.text!r}, which the query does not use."
    if "how_many" in cues and not _COUNTS.search(query):
        yield "The question asks how many, and the query counts nothing."
    if _SORT.search(masked) and not re.search(r"\bORDER\s+BY\b", query, re.IGNORECASE):
        yield "The question asks for an order, and the query has no ORDER BY."
    elif _FIRST.search(masked) and not _PICKS.search(query):
        yield "The question asks for a superlative, and the query has neither ORDER BY with LIMIT nor min or max."
    if "or_between" in cues and "either" in cues and not _OR.search(query):
        yield "The question asks for either of two names, but the query has no OR, IN or UNION."
    digits = set(re.findall(r"\d{4}", query))
    for year in _YEAR.findall(masked):
        if year not in digits and "$" not in query:
            yield f"The question mentions {year}, which the query does not use."
