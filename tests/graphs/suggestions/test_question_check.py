"""Queries checked against their questions, with names from a real index."""

from pathlib import Path

import pytest

from graphground.cypher import Report, validate
from graphground.graphs.entities.candidate import EntityLookup, Record
from graphground.graphs.graph import Graph
from graphground.graphs.suggestions.question_check import check_question
from graphground.tools.diagnostics import report_on
from tests.support.embedded_films import SCHEMA
from tests.support.index_files import indexed

NAMES = [
    ("Film", "Heat"),
    ("Film", "Alien"),
    ("Film", "Ronin"),
    ("Person", "Michael Mann"),
    ("Person", "David Mamet"),
    ("Person", "James Cameron"),
    ("Person", "Gale Anne Hurd"),
    ("Genre", "heist film"),
]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> EntityLookup:
    folder: Path = tmp_path_factory.mktemp("names")
    return indexed(folder / "films", [Record(str(place), *name) for place, name in enumerate(NAMES)])


def report_with_question(query: str, question: str, names: EntityLookup) -> Report:
    graph = Graph("films", SCHEMA, entities=names)
    return check_question(validate(query, SCHEMA, entities=names), query, question, graph)


def hints(report: Report) -> list[str]:
    return [diagnostic.message for diagnostic in report.diagnostics if diagnostic.code == "question_not_covered"]


def test_for_a_query_with_mistakes_the_question_decides_what_is_suggested(film_graph: Graph) -> None:
    wrong = "MATCH (f:Film)-[:madeBy]->(p:Person {name: 'Michael Mann'}) RETURN f.name"
    suggested = report_on(film_graph, wrong, None, "Which films were directed by Michael Mann?").suggested_query
    assert suggested is not None
    assert "directedBy" in suggested
    assert validate(suggested, SCHEMA).valid


def test_a_correct_query_is_unchanged(names: EntityLookup) -> None:
    query = "MATCH (film:Film)-[:directedBy]->(:Person {name: 'Michael Mann'}) RETURN DISTINCT film.name"
    report = report_with_question(query, "Which films were directed by Michael Mann?", names)
    assert report.suggested_query is None
    assert hints(report) == []


@pytest.mark.parametrize(
    ("query", "question", "hint"),
    [
        (
            "MATCH (f:Film)-[:directedBy]->(p:Person) RETURN f.name",
            "Which films did Michael Mann direct?",
            "names 'Michael Mann'",
        ),
        (
            "MATCH (f:Film)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN f.name",
            "How many films were directed by Michael Mann?",
            "asks how many",
        ),
        (
            "MATCH (f:Film)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN f.name",
            "List the films directed by Michael Mann, sorted by their runtime.",
            "no ORDER BY",
        ),
        (
            "MATCH (f:Film)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN f.name",
            "Which film directed by Michael Mann has the longest runtime, and what is the longest runtime?",
            "a superlative",
        ),
        (
            "MATCH (f:Film)-[:directedBy]->(:Person {name: 'Michael Mann'}), "
            "(f)-[:writtenBy]->(:Person {name: 'David Mamet'}) RETURN f.name",
            "Which films were either directed by Michael Mann or written by David Mamet?",
            "either of two",
        ),
        (
            "MATCH (f:Film)-[w:writtenBy]->(:Person {name: 'David Mamet'}) RETURN f.name",
            "Which films did David Mamet write in 1998?",
            "1998",
        ),
    ],
)
def test_a_part_of_the_question_that_the_query_ignores_causes_a_hint(
    query: str, question: str, hint: str, names: EntityLookup
) -> None:
    report = report_with_question(query, question, names)
    assert report.valid
    assert any(hint in message for message in hints(report)), hints(report)


def test_without_a_question_there_are_no_hints_about_it(names: EntityLookup) -> None:
    graph = Graph("films", SCHEMA, entities=names)
    query = "MATCH (f:Film)-[:directedBy]->(p:Person) RETURN f.name LIMIT 5"
    assert hints(report_on(graph, query, None)) == []
    assert hints(report_on(graph, query, None, "Which films did Michael Mann direct?"))


def test_a_write_gets_no_suggestion_from_the_question(names: EntityLookup) -> None:
    query = "MATCH (f:Film {name: 'Heat'}) DETACH DELETE f"
    report = validate(query, SCHEMA, entities=names, read_only=True)
    assert check_question(report, query, "Who directed Heat?", Graph("films", SCHEMA, entities=names)) == report


def test_an_unrelated_question_changes_nothing(names: EntityLookup) -> None:
    query = "MATCH (f:Film)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN f.name"
    report = report_with_question(query, "What is the weather in Oslo tomorrow?", names)
    assert report.suggested_query is None


@pytest.mark.parametrize(
    ("query", "question"),
    [
        ("MATCH (f:Film) RETURN count(f)", "How many films are there?"),
        ("MATCH (f:Film {name: 'Heat'})-[:directedBy]->(p) RETURN p.name", "who made Heat"),
        ("MATCH (p:Person) WHERE p.name CONTAINS 'Mann' RETURN p.name", "What is the full name of Michael Mann?"),
        ("MATCH (f:Film {name: $film}) RETURN f.runtime_minute", "How long is Heat?"),
        ("MATCH (f:Film) WHERE f.released >= 631152000000 RETURN f.name", "Which films were released in 1990?"),
        ("MATCH (f:Film {name: 'Alien'}) RETURN f.runtime_minute", "How many minutes does Alien run?"),
        (
            "MATCH (f:Film)-[:directedBy]->(p:Person {name: 'Michael Mann'}) RETURN f.name",
            "Which films were ordered from Michael Mann?",
        ),
        (
            "MATCH (:Person {name: 'Michael Mann'})<-[:directedBy]-(f:Film)-[:writtenBy]->(:Person {name: 'David Mamet'}) "
            "RETURN f.name",
            "Which films were directed by Michael Mann and written by David Mamet, either currently or in the past?",
        ),
    ],
)
def test_a_query_that_may_express_the_question_gets_no_hint(query: str, question: str, names: EntityLookup) -> None:
    assert hints(report_with_question(query, question, names)) == []


def test_a_query_that_names_a_node_by_another_property_uses_its_name(film_graph: Graph) -> None:
    key = film_graph.run("MATCH (p:Person {name: 'David Mamet'}) RETURN p.eid").rows[0][0]
    query = "MATCH (p:Person {eid: '%s'})<-[:writtenBy]-(f:Film) RETURN f.name"
    question = "Which films did David Mamet write?"
    assert hints(report_on(film_graph, query % key, None, question)) == []
    assert hints(report_on(film_graph, query % "another", None, question))
