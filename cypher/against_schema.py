"""Joins what the language says of a query with what the schema and the data say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphground.cypher.checks import Findings, check
from graphground.cypher.diagnostics import Report
from graphground.cypher.repair import LONGEST, repaired

if TYPE_CHECKING:
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.cypher.tree import Query


SEVERITIES = ("error", "warning", "hint")


def completed(report: Report, schema: PropertyGraphSchema, entities: Any,
              parameters: Mapping[str, Any] | None, read: Callable[[str], Query | None]) -> Report:
    """The report on a query that parses, with the findings of the schema level, gravest first, and the repaired query.

    `read` gives the tree of a text without errors of the language, None for any other.
    """
    query = report.query
    assert query is not None, "only a text that parses is checked against a schema"
    try:
        findings = check(query, schema, entities, parameters)
    except RecursionError:
        return report  # nested as deep as Python allows: what the language says is all that can be said
    valid = report.valid and all(one.severity != "error" for one in findings)
    suggested = report.suggested_query
    if report.valid and findings.edits and len(query.text) <= LONGEST:
        def again(text: str) -> Findings | None:
            tree = read(text)
            return check(tree, schema, entities, parameters) if tree is not None else None

        suggested = repaired(query.text, findings, again)
    if not findings.diagnostics:
        return report
    diagnostics = sorted((*report.diagnostics, *findings), key=lambda one: SEVERITIES.index(one.severity))
    return replace(report, valid=valid, diagnostics=tuple(diagnostics), suggested_query=suggested)
