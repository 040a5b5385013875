"""Suggested queries on a small film graph in the embedded engine."""

import json
import time
from importlib import import_module
from pathlib import Path

import pytest

from graphground.cypher import validate
from graphground.graphs.graph import Graph
from graphground.graphs.question.read import read
from graphground.graphs.suggestions import Suggestion, suggest
from graphground.graphs.suggestions.candidates import Candidate, Condition, Form, Shape
from graphground.graphs.suggestions.suggest import describe, learned_model, propose
from graphground.graphs.suggestions.walks import Anchor, Step, Walker
from graphground.graphs.suggestions.walks import Path as Walk
from tests.support.embedded_films import SCHEMA


def suggested(graph: Graph, question: str, limit: int = 5) -> list[Suggestion]:
    return suggest(graph, read(question, graph, seconds=60), limit=limit, seconds=60)


def rows(graph: Graph, query: str) -> list[str]:
    return sorted({json.dumps(row, default=str) for row in graph.run(query, timeout=60).rows})


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        (
            "Which films did Michael Mann direct?",
            "MATCH (f:Film)-[:directedBy]->({name: 'Michael Mann'}) RETURN f.name",
        ),
        (
            "How many films were directed by Michael Mann?",
            "MATCH (f:Film)-[:directedBy]->({name: 'Michael Mann'}) RETURN count(DISTINCT f)",
        ),
        (
            "What genres do the films directed by Michael Mann have?",
            "MATCH (g:Genre)<-[:hasGenre]-(:Film)-[:directedBy]->({name: 'Michael Mann'}) RETURN DISTINCT g.name",
        ),
        ("films directed by Micheal Mann", "MATCH (f:Film)-[:directedBy]->({name: 'Michael Mann'}) RETURN f.name"),
        ("Under which other names is Heat known?", "MATCH (f:Film {name: 'Heat'}) RETURN f.aliases"),
        (
            "Which films were never directed by Michael Mann?",
            "MATCH (f:Film) WHERE NOT EXISTS { (f)-[:directedBy]->({name: 'Michael Mann'}) } RETURN f.name",
        ),
    ],
)
def test_one_of_the_first_queries_answers_the_question(film_graph: Graph, question: str, gold: str) -> None:
    wanted = rows(film_graph, gold)
    assert wanted
    found = suggested(film_graph, question)
    assert any(rows(film_graph, suggestion.cypher) == wanted for suggestion in found[:3]), [f.cypher for f in found]


@pytest.mark.parametrize(
    "question",
    [
        "Which films were directed by Michael Mann or James Cameron?",
        "How many films per genre, most first?",
        "What is the longest film that David Mamet wrote, and who directed it?",
        "Heat, Alien and Ronin: which is not by Michael Mann?",
        "films with a runtime over 100 minutes, newest first",
        "'; MATCH (n) DETACH DELETE n //",
        "?",
        "",
    ],
)
def test_every_query_is_valid_and_runs_and_none_sorts_nulls_first(film_graph: Graph, question: str) -> None:
    for suggestion in suggested(film_graph, question, limit=12):
        report = validate(suggestion.cypher, SCHEMA)
        assert report.valid, (suggestion.cypher, report.diagnostics)
        assert report.access == "read"
        film_graph.run(suggestion.cypher, limit=1, timeout=60)
        assert 0 <= suggestion.confidence <= 1
        if " DESC" in suggestion.cypher and "number" not in suggestion.cypher:
            assert "NULL" in suggestion.cypher, suggestion.cypher


def test_queries_without_answers_come_last(film_graph: Graph) -> None:
    found = [suggestion.rows for suggestion in suggested(film_graph, "Who directed and wrote Alien?", limit=12)]
    empty = [rows == 0 for rows in found]
    assert empty == sorted(empty)


def test_a_graph_without_data_gets_queries_from_its_schema(film_graph: Graph) -> None:
    graph = Graph("films", SCHEMA, entities=film_graph.entities)
    found = suggested(graph, "Which films did Michael Mann direct?")
    assert found[0].rows is None
    assert "directedBy" in found[0].cypher


def test_paths_lead_only_along_relationships_that_the_node_has(film_graph: Graph) -> None:
    walker = Walker(film_graph, time.monotonic() + 60)
    start = Walk(Anchor(0, "Heat", "name", "Film"), (), (), 1.0)
    one = walker.extend([start], lambda path, step: 0.0, 50)
    real = film_graph.run("MATCH (:Film {name: 'Heat'})-[r]-() RETURN DISTINCT type(r)").rows
    assert {path.steps[0].type for path in one} == {row[0] for row in real}
    for path in walker.extend(one, lambda path, step: 0.0, 50):
        query = Candidate(Shape((path,)), Form("names", "name")).counting()
        assert film_graph.run(query).rows[0][0] > 0, query


def test_a_count_follows_the_second_name_from_the_answer_and_seeks_several_names_one_by_one() -> None:
    person = Walk(Anchor(0, "Ann", "name", "Person", also=((1, "Bo"),)), (Step("wrote", "out"),), ({"Film": 1.0},), 1.0)
    country = Walk(Anchor(2, "Peru", "name", "Country"), (Step("madeIn", "in"),), ({"Film": 1.0},), 1.0)
    assert Candidate(Shape((person, country)), Form("names", "title")).counting() == (
        "UNWIND ['Ann', 'Bo'] AS name0 MATCH (:Person {name: name0})-[:wrote]->(n), (n)-[:madeIn]->(:Country "
        "{name: 'Peru'}) RETURN count(DISTINCT n)"
    )


@pytest.mark.parametrize(
    ("candidate", "cypher"),
    [
        (
            Candidate(
                Shape((Walk(Anchor(0, "O'Neill", "name", "Person"), (Step("wrote", "out"),), ({"Film": 1.0},), 1.0),)),
                Form("names", "title"),
            ),
            r"MATCH (:Person {name: 'O\'Neill'})-[:wrote]->(n) WITH DISTINCT n RETURN n.title",
        ),
        (
            Candidate(
                Shape(
                    (
                        Walk(Anchor(0, "A", "name", "Person"), (Step("wrote", "out"),), ({},), 1.0),
                        Walk(Anchor(1, "B", "name", "Person"), (Step("made by", "in"),), ({},), 1.0),
                    ),
                    "not",
                ),
                Form("count", "title"),
            ),
            "MATCH (:Person {name: 'A'})-[:wrote]->(n) WHERE NOT EXISTS { MATCH (:Person {name: 'B'})<-[:`made by`]-(n) } "
            "RETURN count(DISTINCT n)",
        ),
        (
            Candidate(
                Shape(
                    (
                        Walk(
                            Anchor(0, "A", "name", "Person"),
                            (Step("wrote", "out"), Step("genre", "out")),
                            ({"Film": 1.0}, {"Genre": 1.0}),
                            1.0,
                        ),
                    )
                ),
                Form("most", "name", descending=True, number=3),
            ),
            "MATCH (:Person {name: 'A'})-[:wrote]->(m)-[:genre]->(n) WITH n, count(DISTINCT m) AS number "
            "RETURN n.name ORDER BY number DESC LIMIT 3",
        ),
        (
            Candidate(
                Shape(
                    (
                        Walk(
                            Anchor(0, "Leipzig", "name", "City", also=((1, "Kyoto"),)),
                            (Step("twinned", "any"),),
                            ({"City": 1.0},),
                            1.0,
                        ),
                    )
                ),
                Form("group_before", "name"),
            ),
            "MATCH (m:City)-[:twinned]-(n) WHERE m.name IN ['Leipzig', 'Kyoto'] WITH m, count(DISTINCT n) AS number "
            "RETURN m.name, number",
        ),
        (
            Candidate(
                Shape((Walk(Anchor(-1, "", "", ""), (Step("owned by", "any"),), ({},), 1.0),)),
                Form("names", "name", conditions=(Condition("left", "n.left IN ['']"), Condition("age", "n.age > 3"))),
            ),
            "MATCH (m)-[:`owned by`]-(n) WHERE n.left IN [''] AND n.age > 3 WITH DISTINCT n RETURN n.name",
        ),
    ],
)
def test_a_shape_and_a_form_are_written_as_cypher(candidate: Candidate, cypher: str) -> None:
    assert candidate.cypher() == cypher
    assert validate(cypher).valid


def test_the_model_uses_only_features_that_some_question_has(film_graph: Graph) -> None:
    weights = learned_model().weights
    assert len(weights) <= 300
    made = set()
    for question in ("Which films did Michael Mann direct?", "How many films did David Mamet write?"):
        for proposal in propose(film_graph, read(question, film_graph)):
            made |= proposal.features.keys()
    assert {"node.cost", "cover", "form.names", "unused", "missed.most"} <= made & weights.keys()


def test_a_model_for_other_features_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("graphground.graphs.suggestions.suggest")
    (tmp_path / "model.json").write_text('{"features": ["a"], "weights": {"b": 1.0}, "confidence": {}}')
    monkeypatch.setattr(module, "__file__", str(tmp_path / "suggest.py"))
    learned_model.cache_clear()
    try:
        with pytest.raises(ValueError, match="train it again"):
            learned_model()
    finally:
        learned_model.cache_clear()


def test_the_reason_says_what_the_answers_are_without() -> None:
    persons, no_spouse = Anchor(-1, "", "", "Person"), Anchor(-1, "", "", "Spouse")
    shape = Shape(
        (Walk(persons, (), (), 1.0), Walk(no_spouse, (Step("hasSpouse", "in"),), ({"Person": 1.0},), 1.0)), "not"
    )
    assert describe(Candidate(shape, Form("names", "name"))) == "names of Person without -hasSpouse-> any Spouse"


def test_what_a_name_is_is_not_answered_by_what_it_has(film_graph: Graph) -> None:
    """As in "which time zone is Tokyo in", of which only a time zone Tokyo is known, with its territories."""
    question = "Which genre is the heist film genre in?"
    others = [its for its in suggested(film_graph, question) if "hasGenre]-(n" in its.cypher]
    assert others
    assert all(its.confidence < 0.5 for its in others)


def test_a_query_that_returns_no_time_is_unlikely_to_say_when(film_graph: Graph) -> None:
    found = suggest(film_graph, read("When was Heat directed?", film_graph))
    timeless = [its.confidence for its in found if not its.candidate.form.key]
    assert len(timeless) > 0
    assert max(timeless) <= 0.4


def test_a_comparison_with_a_number_asks_for_no_order(film_graph: Graph) -> None:
    first = suggest(film_graph, read("Which films are longer than 120 minutes?", film_graph))[0].cypher
    assert "n.runtime_minute > 120" in first
    assert "LIMIT" not in first


@pytest.mark.parametrize(
    ("question", "returned"),
    [("the average runtime of the films by Michael Mann", ""), ("average runtime of films of each genre", "m.name, ")],
)
def test_an_average_is_asked_for_and_not_its_values(film_graph: Graph, question: str, returned: str) -> None:
    assert f"RETURN {returned}avg(n.runtime_minute)" in suggested(film_graph, question)[0].cypher
