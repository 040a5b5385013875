import re

import pytest

from graphground.cypher import validate
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.failure import ToolFailure
from graphground.tools.suggest_queries import SuggestQueriesAnswer, SuggestQueriesRequest, suggest_queries
from tests.support.embedded_films import SCHEMA


def asked(graph: Graph, **request: object) -> SuggestQueriesAnswer:
    graphs = OpenGraphs([GraphSource("films", "", "embedded", lambda: graph)])
    return suggest_queries(graphs, SuggestQueriesRequest.model_validate(request))


def test_every_candidate_runs_and_finds_as_many_nodes_as_it_says(film_graph: Graph) -> None:
    assert film_graph.run("RETURN 1 AS one").rows == [[1]]  # the engine may start first, and counting has a time limit
    answer = asked(film_graph, mentions=["Michael Mann", "Heat", "James Cameron"], limit=50)
    assert len(answer.candidates) > 10
    for one in answer.candidates:
        assert validate(one.cypher, SCHEMA).valid, one.cypher
        counted = re.sub(r" RETURN .*", " RETURN count(DISTINCT n) AS found", one.cypher)
        assert film_graph.run(counted).rows == [[one.rows]], one.cypher
        assert film_graph.run(one.cypher, limit=1).rows, one.cypher


@pytest.mark.parametrize(
    ("question", "cypher"),
    [
        (
            "Which films were directed by Michael Mann?",
            "MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) RETURN DISTINCT n.name AS name",
        ),
        (
            "What are the runtime minutes of films written by David Mamet?",
            "MATCH (n:Film)-[r0:writtenBy]->(m0:Person {name: 'David Mamet'}) RETURN DISTINCT n.name AS name, "
            "n.runtime_minute AS runtime_minute",
        ),
        (
            "Which genres do the films directed by Michael Mann have?",
            "MATCH (n:Genre)<-[r0:hasGenre]-(m0:Film)-[r1:directedBy]->(m1:Person {name: 'Michael Mann'}) "
            "RETURN DISTINCT n.name AS name",
        ),
    ],
)
def test_a_question_gets_the_pattern_that_it_asks_for_among_the_first(
    film_graph: Graph, question: str, cypher: str
) -> None:
    assert cypher in [one.cypher for one in asked(film_graph, question=question, limit=5).candidates]


def test_the_grammar_comes_when_it_is_asked_for(film_graph: Graph) -> None:
    answer = asked(film_graph, mentions=["Heat"], grammar="regex", limit=3)
    assert answer.grammar is not None
    assert re.fullmatch(
        answer.grammar, re.sub(r"RETURN .*", "WITH DISTINCT n RETURN count(n)", answer.candidates[0].cypher)
    )
    assert asked(film_graph, mentions=["Heat"], grammar="gbnf").grammar is not None
    assert asked(film_graph, mentions=["Heat"]).grammar is None


def test_a_question_without_any_entity_gets_a_way_on(film_graph: Graph) -> None:
    with pytest.raises(ToolFailure, match="No entity") as failure:
        asked(film_graph, question="how many are there")
    assert "find_entities" in failure.value.next
    with pytest.raises(ToolFailure, match="Neither"):
        asked(film_graph)
