"""Repairs a query: applies the edits of the diagnostics and checks the result, or else chooses the best rewriting.

    >>> text = "MATCH (m:Movi) RETURN m.name"
    >>> repaired(text, validate(text, schema), lambda text: validate(text, schema))
    'MATCH (m:Movie) RETURN m.name'

A diagnostic carries an edit if its fix is clear: for `==`, a misspelt function with a single nearest name, a name that
the schema spells differently, a reversed relationship. `search` rewrites a query as a whole: it chooses labels, types
and directions together, with the lowest total cost.

    >>> rewritings(facts)[0].text    # of MATCH (n:Firm)-[:locatedIn]->(m {name: 'Chile'}) RETURN n.name
    "MATCH (n:Company)-[:basedIn]->(m {name: 'Chile'}) RETURN n.name"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from graphground.cypher.diagnostics import Report, applied
from graphground.cypher.outline import outline_of
from graphground.cypher.repair.search import Rewriting, rewritings
from graphground.cypher.safety.time_limit import MOST_FINDINGS
from graphground.cypher.schema import PropertyGraphSchema

__all__ = ["Rewriting", "repaired", "rewritings", "rewritten", "suggestion"]

MOST_ROUNDS = 8
LONGEST = 20_000
"""The maximum number of characters of a text that is repaired, because each round parses it again."""
LEAD = 0.12
"""The minimum difference between the costs of the two best rewritings for the best to be suggested."""
MOST_COST = 6.0
"""The highest cost at which a repair of the whole query is suggested; a costlier one would keep too little of it."""


def repaired(text: str, report: Report, check: Callable[[str], Report]) -> str | None:
    """Return the repaired query, or None if nothing needs a fix or some error has no clear fix.

    Correcting a name may reveal that a relationship is reversed, so the text is checked after each round of edits until
    no edit is left. Errors that only follow from a wrong name disappear; if any error remains, there is no suggestion.
    """
    now = text
    for _ in range(MOST_ROUNDS):
        edits = report.edits()
        if not edits:
            return now if now != text and report.valid else None
        if len(now) > LONGEST or len(report.diagnostics) >= MOST_FINDINGS:
            return None
        now = applied(now, edits)
        report = check(now)
    return None


def parsable(text: str, report: Report, check: Callable[[str], Report]) -> tuple[str, Report] | None:
    """Return a text that cannot be parsed with its syntax repaired, though its names may be wrong, and its report.

    Return None if some error has no clear repair.
    """
    for _ in range(MOST_ROUNDS):
        edits = report.edits()
        if not edits or len(text) > LONGEST:
            return None
        text = applied(text, edits)
        report = check(text)
        if report.query is not None:
            return text, report
    return None


def suggestion(text: str, report: Report, schema: PropertyGraphSchema, check: Callable[[str], Report]) -> str | None:
    """Return a replacement for a query: its repair by clear edits, or else, if it is invalid, its best rewriting.

    Return None if there is no repair, and the best rewriting, if any, is doubtful, too costly or hardly better than the
    next.
    """
    found = None
    if report.query is None:
        parsed = parsable(text, report, check)
        if parsed is None:
            return None
        text, report = parsed
        found = text if report.valid and not report.edits() else None
    found = found or repaired(text, report, check)
    if found is not None or report.valid or report.query is None or report.access != "read":
        return found
    ranked = rewritten(report, schema, check)
    if (
        not ranked
        or ranked[0].doubtful
        or ranked[0].cost > MOST_COST
        or (len(ranked) > 1 and ranked[1].cost - ranked[0].cost < LEAD)
    ):
        return None
    return ranked[0].text


def rewritten(report: Report, schema: PropertyGraphSchema, check: Callable[[str], Report]) -> list[Rewriting]:
    """Return at most two valid rewritings of a whole query, the cheapest first.

    Labels, types and directions are chosen together, whereas `repaired` applies each edit by itself. Further
    edits that a rewriting needs, such as a literal of another type, are applied afterwards.
    """

    if report.query is None or len(report.query.text) > LONGEST:
        return []
    facts = outline_of(report.query, schema)
    found: dict[str, Rewriting] = {}
    for candidate in rewritings(facts):
        text = candidate.text
        verdict = check(text)
        if not verdict.valid:
            text = repaired(text, verdict, check) or ""
        if text and text not in found:
            found[text] = replace(candidate, text=text)
            if len(found) == 2:
                break
    return list(found.values())
