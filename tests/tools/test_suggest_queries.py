import re

import pytest

from graphground.cypher import validate
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.failure import ToolFailure
from graphground.tools.suggest_queries import SuggestQueriesAnswer, SuggestQueriesRequest, suggest_queries
from tests.support.embedded_films import SCHEMA


def suggestions_for(graph: Graph, **request: object) -> SuggestQueriesAnswer:
    graphs = OpenGraphs([GraphSource("films", "", "embedded", lambda: graph)])
    return suggest_queries(graphs, SuggestQueriesRequest.model_validate(request))


def test_every_candidate_runs_and_finds_the_stated_number_of_nodes(film_graph: Graph) -> None:
    assert film_graph.run("RETURN 1 AS number").rows == [
        [1]
    ]  # the engine may have to start first, and counting has a time limit
    for question in (
        "Which films were directed by Michael Mann or James Cameron?",
        "What genres do the films written by David Mamet have, and how many films are there in each?",
    ):
        answer = suggestions_for(film_graph, question=question, limit=8)
        assert len(answer.candidates) == 8
        counted = 0
        for candidate in answer.candidates:
            assert validate(candidate.cypher, SCHEMA).valid, candidate.cypher
            film_graph.run(candidate.cypher, limit=1)
            if candidate.rows is not None and " WITH DISTINCT n " in candidate.cypher:
                counting = re.sub(
                    r"(UNWIND|RETURN)(?!.* WITH ) .*", "RETURN count(DISTINCT n) AS found", candidate.cypher
                )
                assert film_graph.run(counting).rows == [[candidate.rows]], candidate.cypher
                counted += 1
        assert counted or "each" in question


@pytest.mark.parametrize(
    ("question", "cypher"),
    [
        (
            "Which films were directed by Michael Mann?",
            "MATCH (n:Film)-[:directedBy]->(:Person {name: 'Michael Mann'}) WITH DISTINCT n RETURN n.name",
        ),
        (
            "What are the names and runtimes of films written by David Mamte?",
            "MATCH (n:Film)-[:writtenBy]->(:Person {name: 'David Mamet'}) WITH DISTINCT n "
            "RETURN n.name, n.runtime_minute",
        ),
        (
            "Which genres do the films directed by Michael Mann have?",
            "MATCH (n:Genre)<-[:hasGenre]-(:Film)-[:directedBy]->(:Person {name: 'Michael Mann'}) "
            "WITH DISTINCT n RETURN n.name",
        ),
    ],
)
def test_the_query_for_a_question_is_among_the_first_candidates(film_graph: Graph, question: str, cypher: str) -> None:
    assert cypher in [candidate.cypher for candidate in suggestions_for(film_graph, question=question).candidates]


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        (["Zzyzx"], "No entity of the graph is named 'Zzyzx'."),
        (["Zzyzx", "Qwrtp", "Vbnmk"], "No entity of the graph is named 'Zzyzx', 'Qwrtp' or 'Vbnmk'."),
    ],
)
def test_names_that_the_graph_does_not_have_are_listed(film_graph: Graph, mentions: list[str], message: str) -> None:
    with pytest.raises(ToolFailure) as failure:
        suggestions_for(film_graph, mentions=mentions)
    assert (failure.value.error, failure.value.message) == ("no_entity_found", message)


def test_three_candidates_are_returned_by_default_and_mentions_alone_suffice(film_graph: Graph) -> None:
    assert len(suggestions_for(film_graph, question="Who directed Heat?").candidates) == 3
    assert suggestions_for(film_graph, mentions=["Heat"]).candidates
    assert suggestions_for(film_graph, question="Who directed Heat?", count=False).candidates[0].rows is None


def test_the_grammar_is_returned_on_request(film_graph: Graph) -> None:
    answer = suggestions_for(film_graph, mentions=["Heat"], grammar="regex")
    assert answer.grammar is not None
    assert re.fullmatch(answer.grammar, answer.candidates[0].cypher)
    assert suggestions_for(film_graph, mentions=["Heat"], grammar="gbnf").grammar is not None
    assert suggestions_for(film_graph, mentions=["Heat"]).grammar is None


def test_a_question_without_any_entity_gets_a_next_step(film_graph: Graph) -> None:
    with pytest.raises(ToolFailure, match="names no entity and no label") as failure:
        suggestions_for(film_graph, question="how many are there")
    assert "find_entities" in failure.value.next
    with pytest.raises(ToolFailure, match="Neither"):
        suggestions_for(film_graph)
