from dataclasses import replace

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.question.read import read
from graphground.graphs.schemas.forms import estimate_tokens
from graphground.graphs.schemas.statistics import LabelStatistics, PatternStatistics, PropertyStatistics, Statistics
from graphground.graphs.suggestions import Suggestion, suggest
from graphground.graphs.suggestions.candidates import Candidate, Form, Shape
from graphground.graphs.suggestions.walks import Anchor, Step, Walker
from graphground.graphs.suggestions.walks import Path as Walk
from graphground.tools.ground_question import (
    NO_ANSWER,
    GroundQuestionAnswer,
    GroundQuestionRequest,
    _first_rows,
    _traps,
    ground_question,
)
from graphground.tools.tool import ToolFailure


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
    assert "in: directedBy 40" in name.relationships
    first = answer.queries[0]
    assert "directedBy" in first.cypher
    assert first.rows == len(film_graph.run(first.cypher).rows)
    assert "Michael Mann" in first.reason
    assert 0 <= first.confidence <= 1
    assert first.first_rows == [list(row) for row in film_graph.run(first.cypher).rows[:30]]


def test_the_schema_has_only_what_no_query_shows(film_graph: Graph) -> None:
    answer = grounded(film_graph, "Which films did Michael Mann direct and who wrote them?")
    shown = " ".join(query.cypher for query in answer.queries)
    assert "writtenBy" in shown + answer.schema_
    assert not any(type_ in shown and f"[:{type_}]" in answer.schema_ for type_ in ("directedBy", "writtenBy"))
    assert answer.schema_.endswith("More: get_filtered_schema")


def test_a_word_that_nothing_in_the_graph_says_is_named_and_one_that_denies_is_not(film_graph: Graph) -> None:
    answer = grounded(film_graph, "Which xylophones did Michael Mann never direct?")
    assert answer.unknown_words == ["xylophones"]


def test_an_answer_says_that_no_likely_query_has_rows(film_graph: Graph) -> None:
    film_graph.run("RETURN 1")
    questions = ("Which films longer than 9000 minutes did Michael Mann direct?", "Who directed Heat?")
    assert [NO_ANSWER in grounded(film_graph, question).notes for question in questions] == [True, False]


def test_the_first_rows_are_few_and_short(film_graph: Graph) -> None:
    film_graph.run("RETURN 1")
    found = suggest(film_graph, read("Which films are there?", film_graph))[0]
    long = replace(found, cypher=f"UNWIND range(1, 40) AS n RETURN n, '{'x' * 100}'", rows=40)
    absent, slow = replace(found, rows=0), replace(found, cypher="RETURN 1 / 0")
    assert [
        len(_first_rows(film_graph, [replace(found, cypher="UNWIND range(1, 40) AS n RETURN n", confidence=its)])[0])
        for its in (0.9, 0.1)
    ] == [30, 10]
    first, second, none, failed = _first_rows(film_graph, [long, long, absent, slow])
    assert [row[0] for row in second] == [1]
    assert 1 < len(first) < 30
    assert max(len(value) for _, value in first) == 80
    assert none == failed == []


def test_an_answer_keeps_to_its_budget(film_graph: Graph) -> None:
    answer = grounded(film_graph, "Which films did Michael Mann direct?", max_tokens=300, limit=2)
    assert len(answer.queries) <= 2
    assert estimate_tokens(answer.model_dump_json(by_alias=True, exclude_defaults=True)) < 500


def test_an_empty_question_is_refused(film_graph: Graph) -> None:
    with pytest.raises(ToolFailure, match="empty"):
        grounded(film_graph, "   ")


def test_what_is_missing_in_the_data_is_said_if_the_question_asks_for_it(
    film_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def notes(values: PropertyStatistics) -> list[str]:
        facts = Statistics(labels={"Film": LabelStatistics("Film", 40, {"runtime_minute": values})})
        monkeypatch.setattr(Graph, "statistics", lambda self, fresh=False: facts)
        return grounded(film_graph, "Which film by Michael Mann has the longest runtime?").notes

    assert any("No Film has a value in runtime_minute" in note for note in notes(PropertyStatistics(0, 40)))
    assert any("Only 3 of 40 Film" in note for note in notes(PropertyStatistics(3, 40)))
    assert any("'N/A'" in note for note in notes(PropertyStatistics(40, 40, placeholders=(("N/A", 4),))))
    assert not any("runtime" in note for note in notes(PropertyStatistics(40, 40)))
    assert not any("runtime" in note for note in notes(PropertyStatistics(0, 40, counted=False)))


def test_a_relationship_that_no_named_node_has_is_said_to_be_missing(film_graph: Graph) -> None:
    film_graph.run("RETURN 1")  # genres have no spouse
    missing = "No node that the question names has hasSpouse."
    assert missing in grounded(film_graph, "Who is the spouse of heist film?").notes
    assert missing not in grounded(film_graph, "Who is the spouse of Gale Anne Hurd?").notes
    assert missing not in grounded(film_graph, "Who is the spouse of the director of Heat?").notes


def test_a_doubtful_answer_is_put_as_a_question(film_graph: Graph) -> None:
    film_graph.run("RETURN 1")
    doubtful = grounded(film_graph, "Which xylophones quarrel with Michael Mann about zebras?")
    assert doubtful.queries[0].confidence < 0.5
    assert doubtful.ask == "Do you mean query 1?"
    sure = grounded(film_graph, "Which films did Micheal Mann direct?")
    assert sure.queries[0].confidence > 0.5
    assert sure.ask is None


def test_a_word_with_several_readings_has_a_query_for_each(film_graph: Graph) -> None:
    film_graph.run("RETURN 1")
    answer = grounded(film_graph, "Who are the creators of Heat and Alien?", limit=1)
    (line,) = [line for line in answer.words if line.startswith("creators")]  # the first query is doubtful
    assert line.count("(query ") >= 2
    assert len(answer.queries) >= 2
    assert answer.ask is not None
    assert answer.ask.startswith("By creators, do you mean ")


def test_names_stay_in_the_queries_of_a_database_that_is_too_slow(
    film_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "Which films did Michael Mann direct?"
    quick = grounded(film_graph, question)
    monkeypatch.setattr(Walker, "read", lambda self, paths: {})  # what it returns after its time limit
    slow = grounded(film_graph, question)
    assert "(:Person {name: 'Michael Mann'})<-[:directedBy]-" in slow.queries[0].cypher
    assert slow.queries[0].confidence < quick.queries[0].confidence
    assert any("too slow" in note for note in slow.notes)
    assert not any("too slow" in note for note in quick.notes)


def test_only_a_type_whose_relationships_mostly_lead_back_is_said_to_lead_both_ways(
    film_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def notes(both_ways: float) -> list[str]:
        of_humans = PatternStatistics("spouse", "Person", "Person", 50, both_ways)
        facts = Statistics(patterns=(of_humans, PatternStatistics("spouse", "Person", "Film", 900)))
        monkeypatch.setattr(Graph, "statistics", lambda self, fresh=False: facts)
        shape = Shape((Walk(Anchor(0, "Heat", "name", "Film"), (Step("spouse", "any"),), ({"Person": 1.0},), 1.0),))
        found = Suggestion("", "", 1, 1.0, Candidate(shape, Form("names", "name")))
        return list(_traps(film_graph, read("Who is married?", film_graph), [found]))

    assert notes(0.9) == ["spouse leads both ways here: match it without an arrow."]
    assert notes(0.1) == []


def test_a_label_that_some_of_the_nodes_lack_is_a_trap(film_graph: Graph) -> None:
    several = replace(film_graph.schema, label_combinations=frozenset([frozenset(("Film", "Person"))]))
    labels = {"Person": 0.6, "Film": 1.0}
    shape = Shape((Walk(Anchor(0, "Heat", "name", "Film"), (Step("directedBy", "out"),), (labels,), 1.0),))
    found = Suggestion("", "", 1, 1.0, Candidate(shape, Form("names", "name")))
    question = read("Who directed Heat?", film_graph)
    (note,) = (n for n in _traps(replace(film_graph, schema_source=several), question, [found]) if "label" in n)
    assert note.startswith("Labels are incomplete: with (:Person), query 1 would lose about 40% of its nodes.")
    assert not [n for n in _traps(film_graph, question, [found]) if "label" in n]
