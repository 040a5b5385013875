"""The features of candidate queries, on a small film graph."""

import time
from dataclasses import replace

from graphground.graphs.graph import Graph
from graphground.graphs.question.read import read
from graphground.graphs.suggestions.candidates import Candidate
from graphground.graphs.suggestions.propose import Features, Proposal, Proposer
from graphground.graphs.suggestions.suggest import suggest
from graphground.graphs.suggestions.walks import Step, Walker
from tests.support.documents import schema


def proposed(graph: Graph, question: str) -> dict[str, Features]:
    proposer = Proposer(graph, read(question, graph, seconds=10), 10)
    found = {}
    for shape in proposer.finder.shapes():
        features, covered = proposer.shape_features(shape)
        for form, its, its_covered in proposer.forms(shape):
            parts = (features, its, proposer.cover_features(covered, its_covered))
            candidate = Candidate(shape, form)
            found[candidate.cypher()] = Proposal(candidate, parts, 0.0, proposer).features
    return found


def test_a_path_costs_more_with_a_step_that_no_word_says(film_graph: Graph) -> None:
    found = proposed(film_graph, "Which films did Michael Mann direct?")
    start = "MATCH (:Person {name: 'Michael Mann'})<-[:directedBy]-"
    short = next(its for text, its in found.items() if text.startswith(f"{start}(n)"))
    longer = next(its for text, its in found.items() if text.startswith(f"{start}(m)-[:hasGenre]->(n)"))
    assert longer["node.cost"] > short["node.cost"] + 0.5


def test_what_is_returned_is_compared_with_what_is_asked_for(film_graph: Graph) -> None:
    found = proposed(film_graph, "What genres do the films directed by Michael Mann have?")
    genres = next(its for text, its in found.items() if "(n) WITH DISTINCT n" in text and "hasGenre]->(n)" in text)
    films = next(its for text, its in found.items() if "directedBy]-(n) WITH DISTINCT n" in text)
    assert genres["asked.gap"] < films["asked.gap"]


def test_who_asks_for_persons_and_when_for_a_time(film_graph: Graph) -> None:
    persons = proposed(film_graph, "Who directed Heat?")
    assert max(its["asked.who"] for its in persons.values()) > 0
    assert max(its["asked.label"] for its in proposed(film_graph, "Which folks directed Heat?").values()) > 0.9
    games = Graph("games", schema("games", {"Player": {}, "Award": {}}, ["Player receivesAward Award"]))
    assert "WITH n, count(DISTINCT m)" in suggest(games, read("Who won the most awards?", games))[0].cypher
    times = proposed(film_graph, "When was Michael Mann born?")
    assert {its["asked.when"] for its in times.values()} <= {0.0, 1.0}


def test_a_name_at_the_beginning_makes_no_yes_or_no_question(film_graph: Graph) -> None:
    assert not any("> 0 AS answer" in text for text in proposed(film_graph, "Michael Mann was the director of what?"))
    assert any("> 0 AS answer" in text for text in proposed(film_graph, "Was Michael Mann the director of Heat?"))


def test_a_path_without_steps_pays_for_what_it_leaves_unsaid(film_graph: Graph) -> None:
    found = proposed(film_graph, "Who directed Heat?")
    without = [its for text, its in found.items() if "]-" not in text]
    assert without
    assert all(its["chance.missed"] > 0 for its in without)


def test_a_known_year_is_not_what_is_asked_for(film_graph: Graph) -> None:
    found = proposed(film_graph, "Which person with a date of birth in 1943 directed Heat?")
    known = {text for text, its in found.items() if its.get("key.known")}
    assert known
    assert all("1943" in text for text in known)


def test_the_words_say_the_direction_of_a_later_step_too(film_graph: Graph) -> None:
    start = "MATCH (:Film {name: 'Heat'})-[:directedBy]->(m)"

    def direction(question: str, arrow: str) -> float:
        found = proposed(film_graph, question)
        return next(its for text, its in found.items() if text.startswith(f"{start}{arrow}(n)"))["direction"]

    out, back = "-[:hasSpouse]->", "<-[:hasSpouse]-"
    assert direction("Name the spouses of the directors of Heat", out) == 1.0
    assert direction("Name the spouses of the directors of Heat", back) == -1.0
    assert direction("Name the persons whose spouse directed Heat", back) == 1.0


def test_names_and_a_property_are_pairs(film_graph: Graph) -> None:
    found = proposed(film_graph, "What are the names and runtime in minutes of the films directed by Michael Mann?")
    assert {its["named"] for text, its in found.items() if "RETURN n.name, n.runtime_minute" in text} == {1.0}
    assert {its["named"] for text, its in found.items() if text.endswith("DISTINCT n RETURN n.name")} == {0.0}


def test_a_question_for_names_is_no_yes_or_no_question(film_graph: Graph) -> None:
    found = proposed(film_graph, "Do you know which films Michael Mann directed?")
    assert all(its["exists.open"] for text, its in found.items() if "> 0 AS answer" in text)


def test_a_step_costs_less_if_the_label_to_which_it_leads_is_said(film_graph: Graph) -> None:
    said, unsaid = (proposed(film_graph, question) for question in ("Which persons made Heat?", "Which made Heat?"))
    query = next(text for text in said if "-[:directedBy]->(n) WITH" in text and text in unsaid)
    assert said[query]["node.cost"] < unsaid[query]["node.cost"] - 0.5


def test_no_query_returns_the_name_of_a_node_that_it_names(film_graph: Graph) -> None:
    found = proposed(film_graph, "Was Michael Mann the director of Heat?")
    named = [text for text in found if "), (n:" in text and "})-" not in text.partition("), (n:")[2]]
    assert named
    assert all(text.endswith("> 0 AS answer") for text in named)


def test_names_and_a_property_returns_the_property_that_is_said(film_graph: Graph) -> None:
    found = proposed(film_graph, "What are the names and runtimes of films directed by Michael Mann?")
    assert max(its.get("named.key", 0.0) for its in found.values()) > 0.5


def test_a_node_without_a_label_that_tells_may_be_what_its_relationship_often_leads_to_elsewhere() -> None:
    patterns = ["Film producer Entity", "City producer Entity", "Entity about City", "Entity about Entity"]
    patterns += ["Entity producer Entity", "Entity partOf Entity"]
    known = schema("vague", {"Film": {}, "Entity": {}, "City": {}}, patterns)
    counted = map(lambda its, count: replace(its, count=count), known.patterns, (150, 1, 1, 900, 900, 900))
    walker = Walker(Graph("vague", replace(known, patterns=tuple(counted))), time.monotonic() + 1)
    assert walker.likely_labels(Step("producer", "in"), {"Entity": 1.0}) == {"Entity": 1.0, "Film": 1.0}
    assert walker.likely_labels(Step("about", "out"), {"Entity": 1.0}) == {"Entity": 1.0}
    assert walker.likely_labels(Step("producer", "in"), {"Person": 1.0}) == {"Person": 1.0}


def test_a_noun_is_asked_for_only_where_its_relationship_leads(film_graph: Graph) -> None:
    found = proposed(film_graph, "Which genre resembles the heist film?")
    back = [its["asked.gap"] for text, its in found.items() if "'heist film'})<-[:hasGenre]-(n)" in text]
    assert min(back) > 0.5
