"""The codes of the schema and data checks: their severity, their meaning, and a query that triggers each."""

from __future__ import annotations

from collections.abc import Mapping

from graphground.cypher.codes import Code

SCHEMA_CODES: Mapping[str, Code] = {
    "unknown_label": Code(
        "error",
        "The graph has no such label; the nearest labels are suggested, and those that fit the pattern come first.",
        "MATCH (m:Movi) RETURN m.name",
    ),
    "unknown_relationship_type": Code(
        "error",
        "The graph has no such relationship type; the message lists the relationships between these nodes or, if their "
        "labels exclude none, the types of the graph.",
        "MATCH (m:Movie)-[:directBy]->(p:Person) RETURN p.name",
    ),
    "unknown_property": Code(
        "error",
        "Nodes of these labels, or relationships of this type, have no such property; "
        "the message names the labels or types that have it. If the query gives a variable no label, its possible "
        "labels are inferred from the patterns.",
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
        "No relationship of this type connects these labels in either direction, and the message lists the types that "
        "do, or the shortest connecting path. Or the query requires of one node labels that never occur together.",
        "MATCH (p:Person)-[:hasGenre]->(g:Genre) RETURN g.name",
    ),
    "entity_not_found": Code(
        "warning",
        "No node of the label has this name; the nearest names are suggested, including those found by an alias. Only a "
        "hint if the comparison is negated or matches part of a name. Needs the graph's data.",
        "MATCH (m:Movie {name: 'Haet'}) RETURN m.runtime_minute",
    ),
    "type_mismatch": Code(
        "error",
        "A property is compared with a value of a type that it never has; the suggestion is a literal of the right "
        "type, or converts the property. A warning if two properties are compared.",
        "MATCH (p:Person) WHERE p.date_of_birth > 1950 RETURN p.name",
    ),
    "list_compared_as_value": Code(
        "error",
        "A list property is compared with a single value; the suggestion tests "
        "membership. A warning if two properties are compared.",
        "MATCH (p:Person) WHERE p.citizenship = 'France' RETURN p.name",
    ),
    "text_compared": Code(
        "warning",
        "A text property that holds numbers or dates is used as text in sorting, a comparison or a calculation; "
        "the suggestion converts its values. An error if the database refuses such a query. Needs the value formats "
        "that were read from a connected database.",
        "MATCH (o:Order) RETURN max(o.freight)",
    ),
    "time_open_interval": Code(
        "warning",
        "A time filter compares the end of an interval, and so excludes intervals that have not ended: their end is null.",
        "MATCH (p:Person)-[r:memberOf]->() WHERE r.start_year <= 2010 AND r.end_year >= 2010 RETURN p.name",
    ),
    "null_comparison": Code(
        "error",
        "A comparison with NULL is null, never true; the suggestion is IS NULL or IS NOT NULL.",
        "MATCH (m:Movie) WHERE m.runtime_minute = NULL RETURN m.name",
    ),
    "empty_label": Code(
        "warning",
        "The graph has no node of this label. A hint if the label is one of several alternatives. Needs the "
        "graph's data.",
        "MATCH (s:Series) RETURN s.name",
    ),
    "empty_relationship": Code(
        "warning",
        "The graph has no relationship of this type, or none between these labels in the pattern's "
        "direction. A hint if the type is one of several alternatives. Needs the graph's data.",
        "MATCH (m:Movie)-[:partOfSeries]->(s) RETURN m.name",
    ),
    "empty_property": Code(
        "warning",
        "No node of these labels, or no relationship of this type, has a value for the property. Also reported if the "
        "rows are sorted by a property that hardly any node has. A hint if the property is only returned. Needs the "
        "graph's data.",
        "MATCH (m:Movie) RETURN m.name ORDER BY m.budget_usd DESC LIMIT 1",
    ),
    "returns_node": Code(
        "hint",
        "A whole node or relationship is returned although the question may ask for its properties.",
        "MATCH (m:Movie {name: 'Heat'}) RETURN m",
    ),
    "distinct_merges_entities": Code(
        "hint",
        "DISTINCT on a name merges different entities with the same name.",
        "MATCH (p:Person)<-[:directedBy]-(m:Movie) RETURN count(DISTINCT p.name)",
    ),
    "extra_sort_column": Code(
        "hint",
        "A column seems to be returned only because the rows are sorted by it; the message says how to sort "
        "without returning it.",
        "MATCH (m:Movie) RETURN m.name, m.runtime_minute ORDER BY m.runtime_minute LIMIT 1",
    ),
    "cartesian_product": Code(
        "warning",
        "Patterns of one MATCH share no variable, and no condition connects them.",
        "MATCH (a:Movie), (b:Person) RETURN count(*)",
    ),
    "unbounded_path": Code(
        "warning",
        "A path has no upper bound and may take a very long time on a graph with cycles.",
        "MATCH (a:Movie {name: 'Heat'})-[:follows*]->(b) RETURN b.name",
    ),
    "no_limit": Code(
        "hint", "The result may have very many rows, and nothing limits it.", "MATCH (p:Person) RETURN p.name"
    ),
}
"""The codes that need a schema. A code that is also in `LANGUAGE_CODES` has the same meaning in both tables."""
