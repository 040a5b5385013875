"""MATCH clauses built from names: every parser reads each name in the same way, and a WHERE may follow the clause."""

import pytest

from graphground.cypher import parse
from graphground.cypher.quoting import nodes, property_of, relationships
from graphground.cypher.safety.canonical import two_readings
from graphground.graphs.engines.bolt import to_send
from graphground.graphs.engines.dialects import dialect_of

NAMES = [
    "Movie",
    "Box Office",
    r"A\u0041",
    r"\u0060) DETACH DELETE n //",
    "\\\\u0027",
    "a`\\u0027'b",
    "ends with a backslash\\",
    "a\nb",
    "l'été",
]


@pytest.mark.parametrize("dialect", ["arcadedb", "neo4j"])
@pytest.mark.parametrize("name", NAMES)
def test_a_pattern_with_any_characters_in_its_names_is_parsed_alike_everywhere(name: str, dialect: str) -> None:
    read = property_of("n", name)
    opposite = relationships(name, name, name, variable="x", ends=("b", "a")).inside()
    for query in (
        f"{nodes(name, 'Movie', name).match()} WHERE {read} IS NOT NULL RETURN {read} AS v",
        f"{relationships(name, name, name, variable='n').match()} WITH n LIMIT 1 RETURN {read} AS v",
        f"{relationships(name).match()} WHERE EXISTS {{ {opposite} }} RETURN COUNT {{ {opposite} }} AS c",
        f"CALL {{ {nodes(name).match()} RETURN count(n) AS c }} RETURN 1 AS q, c",
    ):
        assert not two_readings(query)
        sent = to_send(dialect_of(dialect), parse(query)).text
        assert "\\u" not in sent
        assert "DELETE" not in sent or "'" in sent


def test_an_ordinary_name_is_written_into_the_pattern_so_that_indexes_can_be_used() -> None:
    assert nodes("Movie").match() == "MATCH (n:Movie)"
    assert relationships("ACTED_IN", "Person", "").match() == "MATCH (a:Person)-[r:ACTED_IN]->(b)"
    assert property_of("r", "box office") == "r.`box office`"
