import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.schemas.token_count import estimate_tokens
from graphground.tools.failure import ToolFailure
from graphground.tools.ground_question import GroundQuestionAnswer, GroundQuestionRequest, ground_question


def grounded(graph: Graph, question: str, **request: object) -> GroundQuestionAnswer:
    graphs = OpenGraphs([GraphSource("films", "", "embedded", lambda: graph)])
    return ground_question(graphs, GroundQuestionRequest.model_validate({"question": question, **request}))


def test_one_answer_has_names_schema_and_queries_with_rows(film_graph: Graph) -> None:
    film_graph.run("RETURN 1")  # the engine may have to start, and counting has a time limit
    answer = grounded(film_graph, "Which films did Micheal Mann direct?")
    (name,) = answer.names
    assert name.text == "Micheal Mann"
    assert name.verdict != "not_found"
    assert name.nodes[0] == "(:Person {name: 'Michael Mann'})"
    assert "directedBy" in answer.schema_
    first = answer.queries[0]
    assert first.rows == len(film_graph.run(first.cypher).rows)
    assert "Michael Mann" in first.reason
    assert 0 <= first.confidence <= 1


def test_a_word_that_nothing_in_the_graph_says_is_named(film_graph: Graph) -> None:
    assert "xylophones" in grounded(film_graph, "Which xylophones are in films by Michael Mann?").unknown_words


def test_an_answer_keeps_to_its_budget(film_graph: Graph) -> None:
    answer = grounded(film_graph, "Which films did Michael Mann direct?", max_tokens=300, limit=2)
    assert len(answer.queries) <= 2
    assert estimate_tokens(answer.model_dump_json(by_alias=True, exclude_defaults=True)) < 500


def test_an_empty_question_is_refused(film_graph: Graph) -> None:
    with pytest.raises(ToolFailure, match="empty"):
        grounded(film_graph, "   ")
