import json

from graphground.server.application import encode_answer
from graphground.tools.validate_cypher import ValidateCypherAnswer, ValidateCypherRequest, validate_cypher
from tests.support.films import films_alone


def validated(query: str) -> ValidateCypherAnswer:
    return validate_cypher(films_alone(), ValidateCypherRequest(query=query))


def test_a_correct_query_is_valid_and_read_only() -> None:
    answer = validated("MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p) RETURN p.name")
    assert (answer.valid, answer.access, answer.suggested_query) == (True, "read", None)


def test_a_graph_without_data_is_enough_to_find_and_fix_errors() -> None:
    answer = validated("MATCH (m:Movi {name: 'Heat'})<-[:directedBy]-(p) RETURN p.name")
    assert not answer.valid
    assert [diagnostic.code for diagnostic in answer.diagnostics] == ["unknown_label"]
    assert answer.suggested_query == "MATCH (m:Movie {name: 'Heat'})-[:directedBy]->(p) RETURN p.name"


def test_every_diagnostic_of_an_answer_states_where_its_span_begins_and_ends() -> None:
    texts = (
        "MATCH (m:Movi) RETURN m.name",
        "MATCH (m:Movie RETURN m",
        "MATCH (m:Movie)\nSET m.runtime_minute = 1",
        ";",
    )
    for text in texts:
        diagnostics = json.loads(encode_answer(validated(text)))["diagnostics"]
        assert diagnostics
        for diagnostic in diagnostics:
            assert {"code", "severity", "message", "line", "column", "end_line", "end_column"} <= diagnostic.keys()


def test_a_write_causes_an_error_that_names_its_access() -> None:
    answer = validated("MATCH (m:Movie {name: 'Heat'}) SET m.runtime_minute = 1")
    assert (answer.valid, answer.access) == (False, "write")
    assert "not_read_only" in {diagnostic.code for diagnostic in answer.diagnostics}


def test_errors_come_before_hints() -> None:
    answer = validated("MATCH (m:Movie) RETURN m, m.runtime")
    assert [diagnostic.severity for diagnostic in answer.diagnostics] == ["error", "hint"]


def test_parameters_are_checked_by_their_values() -> None:
    request = ValidateCypherRequest(
        query="MATCH (m:Movie) WHERE m.runtime_minute > $x RETURN m.name LIMIT 5", parameters={"x": "90"}
    )
    assert [diagnostic.code for diagnostic in validate_cypher(films_alone(), request).diagnostics] == ["type_mismatch"]


def test_a_parameter_without_a_value_causes_an_error_if_others_have_values() -> None:
    query = "MATCH (m:Movie) WHERE m.name IN [$name, $other] RETURN m.runtime_minute LIMIT 5"
    assert validate_cypher(films_alone(), ValidateCypherRequest(query=query)).valid
    answer = validate_cypher(films_alone(), ValidateCypherRequest(query=query, parameters={"name": "Heat"}))
    assert not answer.valid
    expected = [("missing_parameter", "$other", 41)]
    assert [(found.code, found.found, found.column) for found in answer.diagnostics] == expected
