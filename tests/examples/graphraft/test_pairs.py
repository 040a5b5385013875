import sys

import anyio
import pytest

from examples.graphraft.pairs import AnsweredQuestion, pairs_of
from graphground.agents.server_connection import connect
from graphground.graphs.graph import Graph
from graphground.graphs.storage.home import Home
from tests.support.serving import environment

pytestmark = pytest.mark.anyio
ASKED = {
    "Which films did Michael Mann direct?": "MATCH (n:Film)-[:directedBy]->(:Person {name: 'Michael Mann'}) "
    "WITH DISTINCT n RETURN n.name",
    "How many films did David Mamet write?": "MATCH (n:Film)-[:writtenBy]->(:Person {name: 'David Mamet'}) "
    "RETURN count(DISTINCT n)",
    "Which genres do the films directed by Michael Mann have?": "MATCH (n:Genre)<-[:hasGenre]-(:Film)-[:directedBy]->"
    "(:Person {name: 'Michael Mann'}) WITH DISTINCT n RETURN n.name",
    "What are the names and runtimes of the films written by David Mamet?": "MATCH (n:Film)-[:writtenBy]->"
    "(:Person {name: 'David Mamet'}) WITH DISTINCT n RETURN n.name, n.runtime_minute",
}


async def test_answers_alone_lead_to_queries_with_the_same_rows(films_home: Home, film_graph: Graph) -> None:
    def rows(query: str) -> list[list[object]]:
        return sorted(film_graph.run(query).rows, key=repr)

    questions = [AnsweredQuestion(text, tuple(map(tuple, rows(gold)))) for text, gold in ASKED.items()]
    unanswerable = AnsweredQuestion("Which films did Michael Mann direct?", (("Zorblax the Ninth",),))
    with anyio.fail_after(100):
        async with connect(
            (sys.executable, "-m", "graphground", "serve"), environment=environment(films_home.folder)
        ) as server:
            found = [pair async for _, pair in pairs_of(server, "films", [*questions, unanswerable], least=0.5)]
    assert found[-1] is None
    for question, pair in zip(questions, found, strict=False):
        assert pair is not None
        assert pair.calls <= 3
        assert rows(pair.best.query) == [list(row) for row in question.answers], pair.best.query
    record = found[0].as_record("Write Cypher.") if found[0] else {}
    assert [message["role"] for message in record["messages"]] == ["system", "user", "assistant"]
    assert record["messages"][1]["content"] == questions[0].question
    assert (record["precision"], record["recall"]) == (1.0, 1.0)
