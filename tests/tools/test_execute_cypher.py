from typing import Any

import pytest

from graphground.cypher.diagnostics import Problem
from graphground.cypher.parser import statement
from graphground.cypher.tree import Query
from graphground.graphs.engines.dialects import MEMGRAPH
from graphground.graphs.engines.engine import EngineError, QueryFailed, QueryTimeout, Table
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.why_empty.explain import why_empty
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.films import FILMS
from tests.support.recorder import Recorder


def executed(query: str, engine: Recorder, question: str | None = None) -> ExecuteCypherAnswer:
    graphs = OpenGraphs([GraphSource("films", "", "recorder", lambda: Graph("films", FILMS, engine=engine))])
    return execute_cypher(graphs, ExecuteCypherRequest(query=query, question=question))


def test_a_query_that_does_not_compile_never_reaches_the_engine() -> None:
    engine = Recorder()
    with pytest.raises(ToolFailure, match="column 24") as failure:
        executed("MATCH (m:Movie) RETURN n.name", engine)
    assert failure.value.error == "invalid_query"
    assert failure.value.diagnostics[0].code == "undefined_variable"
    assert engine.ran == []


def test_a_name_missing_in_the_schema_is_reported_with_the_rows() -> None:
    engine = Recorder()
    answer = executed("MATCH (m:Movi) RETURN m.name LIMIT 3", engine)
    expected = [("unknown_label", ["Movie"])]
    assert [(diagnostic.code, diagnostic.suggestions) for diagnostic in answer.diagnostics] == expected
    assert len(engine.ran) == 1


def test_hints_come_with_the_rows_and_those_of_style_only_with_a_question() -> None:
    query = "MATCH (m:Movie {name: 'Heat'}) RETURN m"
    asked = executed(query, Recorder(), question="Which film?")
    assert "returns_node" in [diagnostic.code for diagnostic in asked.diagnostics]
    assert executed(query, Recorder()).diagnostics == []


def test_a_missing_limit_is_reported_only_if_rows_were_omitted() -> None:
    query = "MATCH (m:Movie) RETURN m.name"
    assert "no_limit" not in {diagnostic.code for diagnostic in executed(query, Recorder()).diagnostics}
    assert "no_limit" in {diagnostic.code for diagnostic in executed(query, Recorder(truncated=True)).diagnostics}


class Refusing(Recorder):
    """An engine that refuses every query, as Neo4j refuses to add texts."""

    def __init__(self, error: EngineError) -> None:
        super().__init__()
        self.error = error

    def run(self, query: str | Query, *_: Any, **__: Any) -> Table:
        raise self.error


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (QueryFailed("SUM(String('12.5')) cannot be added", "Neo.ClientError.Statement.TypeError"), "query_failed"),
        (QueryTimeout("The query took longer than 30 s."), "query_timeout"),
    ],
)
def test_a_refusal_by_the_database_comes_with_what_the_check_says_of_the_query(error: EngineError, name: str) -> None:
    with pytest.raises(ToolFailure) as failure:
        executed("MATCH (m:Movi) RETURN max(m.name) AS total", Refusing(error))
    found = failure.value
    assert (found.error, found.message) == (name, str(error))
    assert found.nearest == ["MATCH (m:Movie) RETURN max(m.name) AS total"]
    assert "unknown_label" in [diagnostic.code for diagnostic in found.diagnostics]
    assert name != "query_failed" or found.diagnostics[0].code == "refused_by_database"


def test_an_answer_to_a_doubtful_query_has_the_query_that_was_probably_meant() -> None:
    assert executed("MATCH (m:Movi) RETURN m.name", Recorder()).suggested_query == "MATCH (m:Movie) RETURN m.name"
    assert executed("MATCH (m:Movie) RETURN m.name", Recorder()).suggested_query is None


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("MATCH (m:Movie RETURN m.name", "syntax"),
        ("MATCH (m:Movie) SET m.name = 'x'", "not_read_only"),
        ("CALL { CREATE (n:Movie) } RETURN 1 AS one", "not_read_only"),
        ("DROP INDEX x", "not_read_only"),
        ("LOAD CSV FROM 'file:///etc/hosts' AS row RETURN row", "file_or_network_access"),
        ("CALL apoc.load.json('http://localhost') YIELD value RETURN value", "forbidden_procedure"),
        ("CALL apoc.cypher.run('CREATE (n)', {}) YIELD value RETURN value", "forbidden_procedure"),
    ],
)
def test_a_query_that_cannot_be_parsed_or_does_more_than_read_never_reaches_the_engine(query: str, code: str) -> None:
    engine = Recorder(dialect=MEMGRAPH)
    with pytest.raises(ToolFailure) as failure:
        executed(query, engine)
    assert failure.value.error == ("invalid_query" if code == "syntax" else "not_read_only")
    assert code in {diagnostic.code for diagnostic in failure.value.diagnostics}
    assert engine.ran == []


def test_several_statements_are_refused_with_the_advice_to_send_each_alone() -> None:
    engine = Recorder()
    with pytest.raises(ToolFailure) as failure:
        executed("MATCH (m:Movie) RETURN m.name; MATCH (m:Movie) RETURN m.name", engine)
    assert (failure.value.error, engine.ran) == ("multiple_statements", [])
    assert failure.value.message.startswith(
        "line 1, column 32: a query is one statement; send the statements one at a time"
    )
    assert failure.value.next == "Call execute_cypher once for each statement."


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the texts that the parser reads during a test, in order."""
    texts: list[str] = []

    def counted(text: str, language: str) -> tuple[Query, list[Problem]]:
        texts.append(text)
        return parser_of_a_text(text, language)

    parser_of_a_text = statement._parse
    monkeypatch.setattr(statement, "_parse", counted)
    return texts


def test_a_valid_query_is_parsed_once_per_call(film_graph: Graph, parsed: list[str]) -> None:
    graphs = OpenGraphs([GraphSource("films", "", "embedded", lambda: film_graph)])
    query = "MATCH (f:Film {name: 'Heat'})-[:directedBy]->(p:Person) RETURN p.name AS director"
    assert execute_cypher(graphs, ExecuteCypherRequest(query=query)).rows
    assert parsed.count(query) == 1
    parsed.clear()
    assert validate_cypher(graphs, ValidateCypherRequest(query=query)).valid
    assert parsed == [query]


@pytest.mark.slow
def test_the_search_for_the_cause_of_an_empty_answer_has_only_the_remaining_time(
    film_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    def noted(*arguments: Any, seconds: float) -> Any:
        limits.append(seconds)
        return why_empty(*arguments, seconds=seconds)

    film_graph.run("RETURN 1")  # starts the engine
    monkeypatch.setattr("graphground.graphs.why_empty.explain.why_empty", noted)
    answer = execute_cypher(
        OpenGraphs([GraphSource("films", "", "embedded", lambda: film_graph)]),
        ExecuteCypherRequest(query="MATCH (f:Film {name: 'Haet'}) RETURN f.name", timeout_s=1.5),
    )
    assert [diagnostic.code for diagnostic in answer.diagnostics] == ["entity_not_found"]
    assert limits == [pytest.approx(max(1.5 - answer.elapsed_ms / 1000, 0.2), abs=1e-4)]


def test_a_query_without_a_value_for_each_parameter_never_reaches_the_engine() -> None:
    engine = Recorder(dialect=MEMGRAPH)
    query = "MATCH (m:Movie)\nWHERE m.name = $name AND m.runtime_minute > $`at least` AND m.name <> $name RETURN m.name"
    with pytest.raises(ToolFailure, match=r"\$name, \$`at least`") as failure:
        executed(query, engine)
    assert failure.value.error == "missing_parameter"
    expected = [("missing_parameter", 2, 16), ("missing_parameter", 2, 45)]
    assert [(found.code, found.line, found.column) for found in failure.value.diagnostics] == expected
    assert engine.ran == []


@pytest.mark.parametrize(("given", "hint"), [("nmae", r"\$nmae"), ("$name", "without the")])
def test_a_parameter_given_under_another_name_is_pointed_out(given: str, hint: str) -> None:
    graphs = OpenGraphs([GraphSource("films", "", "recorder", lambda: Graph("films", FILMS, engine=Recorder()))])
    request = ExecuteCypherRequest(query="MATCH (m:Movie {name: $name}) RETURN m.name", parameters={given: "Heat"})
    with pytest.raises(ToolFailure) as failure:
        execute_cypher(graphs, request)
    assert any(
        hint.replace("\\", "") in text for text in (failure.value.diagnostics[0].message, *failure.value.nearest)
    )


def test_explain_needs_no_values_for_the_parameters() -> None:
    engine = Recorder()
    executed("EXPLAIN MATCH (m:Movie {name: $name}) RETURN m.name", engine)
    assert len(engine.ran) == 1
