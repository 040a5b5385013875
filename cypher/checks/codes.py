"""The codes of the schema and data checks: their severity, their meaning, and a query that triggers each."""

from __future__ import annotations

from collections.abc import Mapping

from graphground.cypher.codes import Code

SCHEMA_CODES: Mapping[str, Code] = {
    "unknown_label": Code(
        "error",
        "The graph has no such label; the nearest ones are suggested, those that fit the pattern first.",
        "MATCH (m:Movi) RETURN m.name",
    ),
    "unknown_relationship_type": Code(
        "error",
        "The graph has no such relationship type; the message lists those between these nodes.",
        "MATCH (m:Movie)-[:directBy]->(p:Person) RETURN p.name",
    ),
    "unknown_property": Code(
        "error",
        "Nodes of these labels, or relationships of this type, have no such property; "
        "the message names what has it. Labels of variables without one are "
        "inferred from the patterns.",
        "MATCH (m:Movie) RETURN m.runtime",
    ),
    "reversed_direction": Code(
        "error",
        "The relationship exists between these labels, but in the opposite direction; "
        "the suggestion is the reversed pattern.",
        "MATCH (p:Person)-[:directedBy]->(m:Movie) RETURN m.name",
    ),
    "impossible_pattern": Code(
        "error",
        "No relationship of this type joins these labels in either direction; the "
        "message has those that do, or the shortest connecting path.",
        "MATCH (p:Person)-[:hasGenre]->(g:Genre) RETURN g.name",
    ),
    "entity_not_found": Code(
        "warning",
        "No node of the label has this name; the nearest names and aliases are "
        "suggested. Only a hint if the comparison is negated or matches part of a name. Needs "
        "the graph's data.",
        "MATCH (m:Movie {name: 'Haet'}) RETURN m.runtime_minute",
    ),
    "type_mismatch": Code(
        "error",
        "A property is compared with a value of a type that it never has; the suggestion "
        "is the right literal. A warning between two properties.",
        "MATCH (p:Person) WHERE p.date_of_birth > 1950 RETURN p.name",
    ),
    "list_compared_as_value": Code(
        "error",
        "A list property is compared with a single value; the suggestion tests "
        "membership. A warning between two properties.",
        "MATCH (p:Person) WHERE p.citizenship = 'France' RETURN p.name",
    ),
    "text_compared": Code(
        "warning",
        "A text property that holds numbers or dates is sorted, compared or calculated "
        "with as text; the suggestion converts its values. An error where the database "
        "refuses that. Needs the value formats that were read from a connected database.",
        "MATCH (o:Order) RETURN max(o.freight)",
    ),
    "time_open_interval": Code(
        "warning",
        "A time filter requires an end after a moment and so leaves out entries that "
        "have not ended, whose end is null.",
        "MATCH (p:Person)-[r:memberOf]->() WHERE r.start_year <= 2010 AND r.end_year >= 2010 RETURN p.name",
    ),
    "null_comparison": Code(
        "error",
        "A condition compares with NULL, which is null and never true; the suggestion is IS NULL or IS NOT NULL.",
        "MATCH (m:Movie) WHERE m.runtime_minute = NULL RETURN m.name",
    ),
    "empty_label": Code(
        "warning",
        "The graph has no node of this label. A hint where the label is one of several alternatives. Needs the "
        "graph's data.",
        "MATCH (s:Series) RETURN s.name",
    ),
    "empty_relationship": Code(
        "warning",
        "The graph has no relationship of this type, or none between these labels in this direction. A hint where "
        "the type is one of several alternatives. Needs the graph's data.",
        "MATCH (m:Movie)-[:partOfSeries]->(s) RETURN m.name",
    ),
    "empty_property": Code(
        "warning",
        "No node of these labels, or no relationship of this type, has a value for the property, or next to none "
        "where it is sorted by. A hint where it is only returned. Needs the graph's data.",
        "MATCH (m:Movie) RETURN m.name ORDER BY m.budget_usd DESC LIMIT 1",
    ),
    "returns_node": Code(
        "hint",
        "A whole node or relationship is returned where its properties may be meant.",
        "MATCH (m:Movie {name: 'Heat'}) RETURN m",
    ),
    "distinct_merges_entities": Code(
        "hint",
        "DISTINCT on a name merges different entities with the same name.",
        "MATCH (p:Person)<-[:directedBy]-(m:Movie) RETURN count(DISTINCT p.name)",
    ),
    "extra_sort_column": Code(
        "hint",
        "A column seems to be returned only because the rows are sorted by it; ORDER BY does not need that.",
        "MATCH (m:Movie) RETURN m.name, m.runtime_minute ORDER BY m.runtime_minute LIMIT 1",
    ),
    "cartesian_product": Code(
        "warning",
        "Patterns of one MATCH share no variable and no condition joins them.",
        "MATCH (a:Movie), (b:Person) RETURN count(*)",
    ),
    "unbounded_path": Code(
        "warning",
        "A path has no upper bound and may run without end on a graph with cycles.",
        "MATCH (a:Movie {name: 'Heat'})-[:follows*]->(b) RETURN b.name",
    ),
    "no_limit": Code("hint", "Nothing narrows the answer down, and it has no LIMIT.", "MATCH (p:Person) RETURN p.name"),
}
"""The codes that need a schema. A code that the language check also reports means the same there."""
