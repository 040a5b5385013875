"""Checks of a query against a graph's schema, and against the graph's data if an entity index or statistics are given.

    >>> from graphground.cypher import parse
    >>> findings = check(parse("MATCH (m:Movi) RETURN count(m)"), schema)
    >>> [(finding.code, finding.found, finding.suggestions) for finding in findings]
    [('unknown_label', 'Movi', ('Movie',))]

Each family of checks is a module; each check is a function that adds its findings to a `Findings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from graphground.cypher.checks.answers import (
    cartesian_products,
    closed_intervals,
    merged_entities,
    missing_limits,
    returned_nodes,
    sort_columns,
    unbounded_paths,
)
from graphground.cypher.checks.emptiness import empty_labels, empty_properties, empty_relationships
from graphground.cypher.checks.findings import Enough, Findings
from graphground.cypher.checks.names import unknown_labels, unknown_properties, unknown_types, wrong_relationships
from graphground.cypher.checks.text_values import texts_used_as_values
from graphground.cypher.checks.values import compared_with_null, wrong_values
from graphground.cypher.outline import outline_of

if TYPE_CHECKING:
    from graphground.cypher.checks.entities import EntityLookup
    from graphground.cypher.outline.model import Data
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.cypher.tree import Query

__all__ = ["Findings", "check"]


def check(
    query: Query,
    schema: PropertyGraphSchema,
    entities: EntityLookup | None = None,
    parameters: Mapping[str, Any] | None = None,
    data: Data | None = None,
) -> Findings:
    """Check a query against a graph's schema and, if given, its entity index `entities` and its statistics `data`."""
    facts = outline_of(query, schema)
    findings = Findings(query)
    with suppress(Enough):
        compared_with_null(findings)
        if not schema.open:
            unknown_labels(facts, findings, data)
            unknown_types(facts, findings)
            wrong_relationships(facts, findings, data)
            unknown_properties(facts, findings, data)
            wrong_values(facts, findings, dict(parameters or {}), data)
            texts_used_as_values(facts, findings, data)
        if entities is not None:
            from graphground.cypher.checks.entities import unknown_entities  # imported only for graphs with data

            unknown_entities(facts, findings, entities, dict(parameters or {}), data)
        if data is not None:
            empty_labels(facts, findings, data)
            empty_relationships(facts, findings, data)
            empty_properties(facts, findings, data)
        closed_intervals(facts, findings)
        cartesian_products(facts, findings)
        unbounded_paths(facts, findings)
        returned_nodes(facts, findings)
        merged_entities(facts, findings, data)
        sort_columns(facts, findings)
        missing_limits(facts, findings, data)
    return findings
