"""Every diagnostic code: its severity, its meaning, and a query that triggers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from graphground.cypher.diagnostics import Severity


class Code(NamedTuple):
    """The severity and meaning of a diagnostic code, and a query that triggers it:
    `CODES["undefined_variable"].meaning`."""

    severity: Severity
    meaning: str
    example: str


LANGUAGE_CODES: Mapping[str, Code] = {
    "syntax": Code("error", "The text is not valid Cypher from this point on.", "MATCH (n) RETRUN n"),
    "multiple_statements": Code("error", "The text contains several statements.", "RETURN 1 AS x; RETURN 2 AS x"),
    "too_complex": Code(
        "error", "The query is too long, too deeply nested, or takes too long to check.", "RETURN ((((…1…))))"
    ),
    "undefined_variable": Code(
        "error",
        "A variable is used where it is not defined, or no longer defined.",
        "MATCH (n) WITH n.name AS name RETURN n",
    ),
    "variable_redefined": Code(
        "error", "A variable is declared although its name is already in use.", "MATCH (n) UNWIND [1] AS n RETURN n"
    ),
    "variable_type": Code(
        "error",
        "A variable is used as something it is not: for example, a node as a relationship.",
        "MATCH (n)-[n]->() RETURN n",
    ),
    "type_mismatch": Code("error", "A value has a type that is not allowed here.", "RETURN 1 + true"),
    "unknown_function": Code("error", "There is no function with this name.", "RETURN foo(1)"),
    "wrong_argument_count": Code(
        "error", "A function or procedure is called with too many or too few arguments.", "RETURN abs()"
    ),
    "aggregation": Code(
        "error",
        "An aggregating function is used where it is not allowed, or is mixed with ungrouped values.",
        "MATCH (n) WHERE count(n) > 1 RETURN n",
    ),
    "unknown_procedure": Code("error", "There is no procedure with this name.", "CALL db.nothing()"),
    "missing_alias": Code(
        "error", "An expression of WITH or of a subquery's RETURN has no name.", "MATCH (n) WITH n.name RETURN 1"
    ),
    "duplicate_column": Code("error", "Two result columns have the same name.", "RETURN 1 AS x, 2 AS x"),
    "union_columns": Code(
        "error", "The parts of a UNION return different columns.", "RETURN 1 AS x UNION RETURN 1 AS y"
    ),
    "clause_order": Code("error", "A clause is not allowed here, or the query ends without a result.", "MATCH (n)"),
    "pattern": Code("error", "A pattern has a form that is not allowed here.", "MATCH (n) RETURN size((n)-->())"),
    "label_expression": Code(
        "error", "Labels or types are combined in a way that is not allowed.", "MATCH (n:A:B|C) RETURN n"
    ),
    "invalid_literal": Code("error", "A number or other literal is not valid.", "RETURN 017"),
    "not_read_only": Code(
        "error",
        "The query writes, changes the schema or administers the database; only reading is allowed.",
        "CREATE (n) RETURN n",
    ),
    "forbidden_procedure": Code(
        "error",
        "The procedure or function is not on the list of those that only read the graph.",
        "CALL apoc.cypher.run('…', {})",
    ),
    "forbidden_option": Code(
        "error", "An option after CYPHER is not on the list of allowed options.", "CYPHER debug=ast MATCH (n) RETURN n"
    ),
    "file_or_network_access": Code(
        "error", "The query reads a file, an address or another graph.", "LOAD CSV FROM 'file:///x' AS row RETURN row"
    ),
    "value_doubles": Code(
        "error",
        "Each round of a `reduce`, or one addition after another, doubles a string or a list, which can use up the "
        "database's memory.",
        "RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x",
    ),
    "value_too_large": Code(
        "error",
        "A `range` outside UNWIND has more than a million elements, which a database builds or walks through without "
        "testing its limits.",
        "RETURN size([i IN range(1, 100000000) | i]) AS x",
    ),
    "two_readings": Code(
        "error",
        "Databases parse this text differently: one database may execute a part that another database reads as a string. "
        "The message says what to write instead.",
        r"RETURN 'It\u0027s' AS x",
    ),
}
"""The codes that need no schema. The codes of the schema and data checks are in `checks.codes`."""

DATABASE_CODES: Mapping[str, Code] = {
    "not_in_this_database": Code(
        "hint",
        "The graph's database does not support this Neo4j feature; the message says "
        "what to write instead. Features that only some versions support are reported once "
        "the database has refused the query.",
        "MATCH p = SHORTEST 1 (a:Team)-->+(b:Team) RETURN length(p)",
    ),
    "missing_parameter": Code(
        "error",
        "The query uses a parameter for which the call gives no value. `validate_cypher` reports it if "
        "other parameters are given.",
        "MATCH (t:Team) WHERE t.name = $name RETURN t.name",
    ),
    "refused_by_database": Code(
        "error", "The database refused the query or failed; the message is the database's own.", "RETURN 1 / 0"
    ),
    "filter_removes_all": Code(
        "warning",
        "The answer is empty because of this condition; the message gives the values that exist.",
        "MATCH (p:Player) WHERE p.height_cm > 999 RETURN p.name",
    ),
    "matches_nothing": Code(
        "warning",
        "The answer is empty because this part of the pattern matches nothing. A hint "
        "if the pattern matches and only the returned values are null.",
        "MATCH (t:Team)-[:partOfDivision]->(:Division {name: 'x'}) RETURN t.name",
    ),
    "namesakes_merged": Code(
        "hint",
        "DISTINCT on a name, or grouping by it, merges different matched nodes of the same name; the message has an "
        "example.",
        "MATCH (p:Player) RETURN p.name, count(*)",
    ),
    "counts_differ": Code(
        "hint",
        "A node is matched several times, so count(x) and count(DISTINCT x) differ; the message has both counts.",
        "MATCH (t:Team)<-[:playsFor]-(p:Player) RETURN count(p)",
    ),
    "repeated_rows": Code(
        "hint",
        "Rows repeat because the pattern reaches the same nodes in several ways; the message gives the number of rows.",
        "MATCH (p:Player)-[:receivesAward]->() RETURN p.name",
    ),
    "tie_at_the_top": Code(
        "hint",
        "LIMIT cuts a sorted answer between rows with equal sort values.",
        "MATCH (p:Player) RETURN p.name ORDER BY p.handedness LIMIT 1",
    ),
    "nulls_sorted_first": Code(
        "warning",
        "Descending order puts rows without a value first, so LIMIT keeps those rows.",
        "MATCH (p:Player) RETURN p.name ORDER BY p.mass_kg DESC LIMIT 1",
    ),
    "missing_as_text": Code(
        "warning",
        "A text such as 'N/A' or '' stands for a missing value: it passes IS NOT NULL, or only one of several is compared.",
        "MATCH (p:Player) WHERE p.left IS NOT NULL RETURN p.name",
    ),
    "null_drops_rows": Code(
        "hint",
        "A negative condition, or UNWIND, drops matched nodes whose property is null; the message gives their number.",
        "MATCH (p:Player) WHERE NOT 'The King' IN p.nicknames RETURN count(p)",
    ),
    "direction_matters": Code(
        "hint",
        "A relationship that mostly exists in both directions is matched in only one direction; matching it in both "
        "directions gives a different answer.",
        "MATCH (:Country {name: 'Chad'})-[:borders]->(c:Country) RETURN c.name",
    ),
    "more_rows": Code(
        "hint",
        "The rows were truncated at a limit; the message gives the total number of rows.",
        "MATCH (p:Player) RETURN p.name",
    ),
    "shortened": Code(
        "hint", "Long texts or lists in the answer were shortened and marked.", "RETURN range(1, 9999) AS n"
    ),
}
"""The codes that depend on the kind of the connected database, on its response, or on the parameters of the call."""

QUESTION_CODES: Mapping[str, Code] = {
    "question_not_covered": Code(
        "hint",
        "The question contains a name, a count, an order, a superlative, an alternative or a year that the query does "
        "not express, or another query probably answers it better; that query is suggested. The example has the "
        "question *Which films did Michael Mann direct?*.",
        "MATCH (m:Movie) RETURN m.name",
    )
}
"""The codes of findings from comparing a query with the question that it should answer."""


# The codes of the schema and data checks: their severity, their meaning, and a query that triggers each


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
