"""Checks a query against its question: hints about parts that it does not express, and the query probably meant.

A false hint costs trust, and a missing one little. So a part is reported only if the reading of the question is certain
and nothing in the query may express it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from graphground.cypher.diagnostics import Diagnostic, Report
from graphground.cypher.tokens import tokenize, unescape_string
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.entities.spans import fold
from graphground.graphs.graph import Graph
from graphground.graphs.question.model import Mention, Node, Question
from graphground.graphs.question.neighbourhoods import read_neighbourhoods
from graphground.graphs.question.read import NEIGHBOURHOOD_SECONDS, read, read_text

MAX_QUERY, MAX_QUESTION = 4_000, 1_000
"""The maximum numbers of characters of a query and a question that are compared."""
SURE_NAME = 0.99
"""The minimum score of a name that must occur in the query."""
SURE = 0.6
"""The minimum confidence of a query that is suggested in the place of one with mistakes."""
MIN_LETTERS = 3
CODE = "question_not_covered"
_COUNTS = re.compile(r"(?i)\b(count|size|length|sum|collect)\s*[({]")
_PICKS = re.compile(r"(?i)\b(LIMIT|ORDER\s+BY|CASE|min|max|reduce|apoc|ALL|NOT|EXISTS|collect)\b")
_OR = re.compile(r"(?i)\b(UNION|OR|IN|XOR|ANY|CASE|OPTIONAL|COLLECT)\b|\||\+")
_SORT = re.compile(
    r"\b((sorted|ordered|ranked) (by (?!#)|from (?!#).+ to )|in (alphabetical|chronological|ascending|descending) order)\b"
)
_FIRST = re.compile(
    r"\b(which|what|who|whose)\b( \w+){0,6} the (highest|lowest|oldest|youngest|largest|smallest|longest|shortest|tallest|"
    r"heaviest|lightest|earliest|latest|newest|fewest)\b"
)
_EITHER = re.compile(r"\beither\b[^#]*#+[^#]*\bor\b[^#]*#")
"""Either of two names, which are masked: not `by # and # either now or in the past`."""
_YEAR = re.compile(r"\b(?:in|during|since|before|after|until|as of) (?:the year )?(1\d{3}|20\d{2})\b")


def check_question(report: Report, query: str, question: str, graph: Graph) -> Report:
    """Return the report with hints about the parts of the question that the query does not express.

    For a query with mistakes, the query that the question probably means is suggested, if that is certain enough. The
    report is returned unchanged if a text is too long, if the schema is open, or if the query does not only read.
    """
    if len(query) > MAX_QUERY or len(question) > MAX_QUESTION or graph.schema.open or not question.strip():
        return report
    if graph.entities is None or (report.query is not None and report.access != "read"):
        return report
    reading = read_text(question, graph.schema, graph.entities)
    lines = query.split("\n")
    hints = [
        Diagnostic(CODE, "hint", message, 1, 1, len(lines), len(lines[-1]) + 1, "", ())
        for message in find_uncovered(reading, query, graph)
    ]
    faulty = not report.valid or any(
        finding.code == "entity_not_found" and finding.severity == "warning" for finding in report.diagnostics
    )
    suggested = report.suggested_query
    if faulty and graph.engine is not None:
        suggested = _meant(graph, question) or suggested
    return replace(report, diagnostics=(*report.diagnostics, *hints), suggested_query=suggested)


def _meant(graph: Graph, question: str) -> str | None:
    """Return the query that the question means, if that is certain enough."""
    from graphground.graphs.suggestions.suggest import suggest  # loads the model and the vectors

    try:
        found = suggest(graph, read(question, graph), limit=1)
    except EngineError:
        return None
    return found[0].cypher if found and found[0].confidence >= SURE and found[0].rows else None


def find_uncovered(question: Question, query: str, graph: Graph) -> Iterator[str]:
    """Yield sentences about parts of the question that the query does not express.

    For example: `The question names 'Michael Mann', which the query does not use.`
    """
    masked = list(question.asked_text)
    for mention in question.mentions:
        masked[mention.start : mention.end] = "#" * (mention.end - mention.start)
    text = "".join(masked)
    texts = [fold(value) for value in _values(query)]
    if "$" not in query and not any(_uses(mention, texts) for mention in question.mentions):
        # A query that uses one name of the question may have a reason to leave out another.
        left_out = [mention for mention in question.mentions if _is_certain(mention)]
        if not _uses_other_properties([mention.nodes[0] for mention in left_out], texts, graph):
            for mention in left_out:
                yield f"The question names {mention.text!r}, which the query does not use."
    if re.match(r"\W*how many\b", text) and not _COUNTS.search(query) and not _returns_number(question):
        yield "The question asks how many, and the query counts nothing."
    if _SORT.search(text) and not re.search(r"(?i)\bORDER\s+BY\b", query):
        yield "The question asks for an order, and the query has no ORDER BY."
    elif _FIRST.search(text) and not _PICKS.search(query):
        yield "The question asks for a superlative, and the query has neither ORDER BY with LIMIT nor min or max."
    if _EITHER.search(text) and not _OR.search(query):
        yield "The question asks for either of two names, but the query has no OR, IN or UNION."
    for year in _YEAR.findall(text):
        # Numbers of ten digits and more may be times in milliseconds.
        if year not in query and "$" not in query and not re.search(r"\d{10}", query):
            yield f"The question mentions {year}, which the query does not use."


def _is_certain(mention: Mention) -> bool:
    """Whether a mention certainly names one node, which a query about it must use."""
    certain = mention.verdict == "found" and mention.nodes[0].score >= SURE_NAME and mention.text[:1].isupper()
    begins = mention.start == 0 and " " not in mention.text
    return certain and not begins and len(mention.text) >= MIN_LETTERS and not mention.nodes[0].is_value


def _uses_other_properties(named: Sequence[Node], texts: Sequence[str], graph: Graph) -> bool:
    """Whether a value in the query is a property of one of the nodes, such as its code."""
    if not named or not texts:
        return False
    found = read_neighbourhoods(graph, named, NEIGHBOURHOOD_SECONDS).values()
    values = {fold(str(value)) for around in found for value in around.properties.values()}
    return not values.isdisjoint(texts)


def _uses(mention: Mention, texts: Sequence[str]) -> bool:
    """Whether one of a query's texts is the mention or a name of one of its nodes, or a part of these."""
    names = {fold(mention.text), *(fold(node.name) for node in mention.nodes)}
    names |= {fold(node.matched) for node in mention.nodes if node.matched}
    return any(name in value or (len(value) >= MIN_LETTERS and value in name) for name in names for value in texts)


def _returns_number(question: Question) -> bool:
    """Whether a property may hold the number asked for: `how many inhabitants`."""
    return any(
        meaning.kind in ("property", "type_property") and meaning.strength >= 0.5
        for number, word in enumerate(question.words[:6])
        for meaning in question.meanings.get(number, ())
    )


def _values(query: str) -> Iterator[str]:
    """Yield the texts in quotation marks and the numbers, even of a query that does not parse."""
    tokens = tokenize(query)
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        if kind == "string":
            yield unescape_string(query[start:end])
        elif kind in ("integer", "float"):
            yield query[start:end]
