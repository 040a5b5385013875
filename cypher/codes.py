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
    "file_or_network_access": Code(
        "error", "The query reads a file, an address or another graph.", "LOAD CSV FROM 'file:///x' AS row RETURN row"
    ),
    "value_doubles": Code(
        "error",
        "Each round of a `reduce` doubles a string or a list, which can use up the database's memory.",
        "RETURN reduce(s = 'x', i IN range(1, 40) | s + s) AS x",
    ),
    "value_too_large": Code(
        "error",
        "From constants and parameters alone, the query builds a list, a string or a set of rows that takes more memory "
        "than any query should.",
        "UNWIND range(1, 100000000) AS i RETURN collect(i) AS x",
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
