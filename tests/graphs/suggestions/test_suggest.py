import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from graphground.cypher import validate
from graphground.graphs.engines.dialects import NEO4J
from graphground.graphs.engines.engine import Capabilities
from graphground.graphs.engines.table import Table
from graphground.graphs.graph import Graph
from graphground.graphs.suggestions import Entity, Mention, gbnf, regular_expression, space_of, suggest
from tests.support.embedded_films import SCHEMA

PERSON = {"Michael Mann", "Al Pacino", "Jeanne d'Arc \\", "David Mamet"}
FILM = {"Heat", "Alien"}


class Counts:
    """An engine on which each pattern of a count query matches once, except the patterns that contain `without`."""

    def __init__(self, without: str = "nothing") -> None:
        self.asked: list[str] = []
        self._without = without

    def run(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Table:
        self.asked.append(query)
        numbers = [
            int(number)
            for part in query.split(" UNION ALL ")
            for number in re.findall(r"RETURN (\d+) AS pattern", part)
            if self._without not in part
        ]
        return Table(["pattern", "matches"], [[number, 1] for number in numbers], False, 1.0)

    def explain(self, query: str) -> None: ...

    def capabilities(self) -> Capabilities:
        return Capabilities("counts", "1", NEO4J, trial_write="refused", can_terminate=True)

    def cancel(self) -> None: ...

    def close(self) -> None: ...


def mentions(question: str) -> list[Mention]:
    """Return the known names in a question, in the order of their positions."""
    found = []
    for label, names in (("Person", PERSON), ("Film", FILM), ("Genre", {"heist film"})):
        for name in sorted(names):
            if name in question:
                start = question.index(name)
                found.append(Mention(name, start, start + len(name), (Entity(name, label, name, 1.0),)))
    return sorted(found, key=lambda mention: mention.start)


def first(question: str) -> str:
    return suggest(Graph("films", SCHEMA), question, mentions(question))[0].cypher


@pytest.mark.parametrize(
    ("question", "cypher"),
    [
        (
            "Which films did Michael Mann direct?",
            "MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) WITH DISTINCT n RETURN n.name",
        ),
        (
            "How many movies were written by David Mamet?",
            "MATCH (n:Film)-[r0:writtenBy]->(m0:Person {name: 'David Mamet'}) WITH DISTINCT n RETURN count(DISTINCT n)",
        ),
        ("What is the gender of Al Pacino?", "MATCH (n:Person {name: 'Al Pacino'}) WITH DISTINCT n RETURN n.gender"),
        (
            "Which film directed by Michael Mann has the longest runtime?",
            "MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) WITH DISTINCT n "
            "RETURN n.name ORDER BY n.runtime_minute DESC LIMIT 1",
        ),
        (
            "What are the names of films directed by Michael Mann or written by David Mamet?",
            "CALL { MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) RETURN n, m0 as m UNION "
            "MATCH (n:Film)-[r1:writtenBy]->(m1:Person {name: 'David Mamet'}) RETURN n, m1 as m } "
            "WITH DISTINCT n RETURN n.name",
        ),
        (
            "What are the names of films directed by Michael Mann and written by David Mamet?",
            "MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}),"
            "(n:Film)-[r1:writtenBy]->(m1:Person {name: 'David Mamet'}) WITH DISTINCT n RETURN n.name",
        ),
        (
            "What are the genres of films directed by Michael Mann, and how many such films are there in each genre?",
            "MATCH (n:Genre)<-[r0:hasGenre]-(m0:Film)-[r1:directedBy]->(m1:Person {name: 'Michael Mann'}) "
            "WITH n, count(DISTINCT m0) AS num RETURN n.name, num",
        ),
        (
            "What are the names of films directed by Michael Mann that run for more than 120 minutes?",
            "MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) WITH DISTINCT n "
            "WHERE n.runtime_minute > 120 RETURN n.name",
        ),
        (
            "Who was born earlier, Al Pacino or David Mamet?",
            "MATCH (n:Person {name: 'Al Pacino'}), (m0:Person {name: 'David Mamet'}) "
            "RETURN CASE WHEN n.date_of_birth < m0.date_of_birth THEN n.name ELSE m0.name END AS answer",
        ),
        (
            "Who was the spouse of Al Pacino in 1985?",
            "MATCH (n:Person)<-[r0:hasSpouse]-(m0:Person {name: 'Al Pacino'}) WHERE r0.start_year <= 1985 AND "
            "(r0.end_year >= 1985 OR r0.end_year IS NULL) WITH DISTINCT n RETURN n.name",
        ),
    ],
)
def test_the_first_query_answers_the_question(question: str, cypher: str) -> None:
    assert first(question) == cypher


QUESTIONS = (
    "Which films did Michael Mann direct, and what languages are they in?",
    "How many heist film pictures are longer than 100 minutes?",
    "List the people who wrote Heat or Alien, from the youngest to the oldest.",
    "Who is currently married to Jeanne d'Arc \\?",
    "What is the average runtime of all films?",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_suggestion_passes_the_validator_without_a_diagnostic(question: str) -> None:
    found = suggest(Graph("films", SCHEMA), question, mentions(question), limit=50)
    assert len(found) > 8
    for suggestion in found:
        report = validate(suggestion.cypher, SCHEMA)
        assert report.valid, (suggestion.cypher, report.diagnostics)
        assert not [found for found in report.diagnostics if found.severity != "hint"], suggestion.cypher


def test_patterns_that_match_nothing_come_last_and_all_are_counted_in_one_round_trip() -> None:
    engine = Counts(without="directedBy")
    question = "Which films did Michael Mann direct?"
    found = suggest(Graph("films", SCHEMA, engine=engine), question, mentions(question), limit=8)
    assert "directedBy" not in found[0].cypher
    assert len(engine.asked) == 1
    assert suggest(Graph("films", SCHEMA, engine=engine), question, mentions(question), count=False)[0].rows is None
    assert len(engine.asked) == 1


def test_with_the_limit_of_one_hop_no_pattern_of_two_hops_is_suggested() -> None:
    graph, question = Graph("films", SCHEMA), "Which genres have the films of Michael Mann?"
    one_hop = suggest(graph, question, mentions(question), hops=1, limit=50)
    assert not [found for found in one_hop if found.pattern.kind in ("chain", "grouping", "optional")]
    assert suggest(graph, question, mentions(question))[0].pattern.kind == "chain"


def test_different_meanings_of_a_mention_are_never_in_one_pattern() -> None:
    meanings = (Entity("Mann", "Person", "Michael Mann", 1.0), Entity("Mann", "Person", "Thomas Mann", 1.0))
    question = "Which films did Mann direct and write?"
    for found in suggest(Graph("films", SCHEMA), question, [Mention("Mann", 16, 20, meanings)], limit=50):
        assert len(set(found.pattern.entities)) <= 1


def test_the_reason_states_the_meaning_of_names_and_which_names_are_ignored() -> None:
    misread = Mention("Micheal Man", 24, 35, (Entity("Micheal Man", "Person", "Michael Mann", 0.9),))
    unknown = Mention("Zorblax", 39, 46, ())
    question = "Which films directed by Micheal Man or Zorblax are there?"
    reason = suggest(Graph("films", SCHEMA), question, [misread, unknown])[0].reason
    assert "reads 'Micheal Man' as 'Michael Mann'" in reason
    assert "'Zorblax' not found" in reason
    assert "Film -directedBy-> Person 'Michael Mann'" in reason


def test_each_pattern_is_suggested_once_for_a_name_without_a_question() -> None:
    heat = Mention("Heat", -1, -1, (Entity("Heat", "Film", "Heat", 1.0),))
    found = suggest(Graph("films", SCHEMA), "", [heat])
    assert len({suggestion.pattern for suggestion in found}) == 3
    assert {step.type for suggestion in found for step in suggestion.pattern.steps} == {
        "directedBy",
        "writtenBy",
        "hasGenre",
    }


def test_a_question_with_only_an_unknown_name_has_no_suggestion() -> None:
    graph = Graph("films", SCHEMA)
    assert suggest(graph, "Which films did Zorblax direct?", [Mention("Zorblax", 16, 23, ())]) == []
    assert suggest(graph, "how many are there", []) == []
    assert suggest(graph, "How many films are there?", [])[0].cypher.endswith("RETURN count(DISTINCT n)")


def grammars(question: str) -> tuple[re.Pattern[str], str, Sequence[str]]:
    space = space_of(SCHEMA)
    patterns = space.likely_patterns(question, mentions(question), 60)
    found = suggest(Graph("films", SCHEMA), question, mentions(question), limit=5)
    return (
        re.compile(regular_expression(SCHEMA, patterns)),
        gbnf(SCHEMA, patterns),
        [suggestion.cypher for suggestion in found],
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_regular_expression_matches_only_the_suggested_queries(question: str) -> None:
    language, _, found = grammars(question)
    for cypher in found:
        assert language.fullmatch(cypher), cypher
        assert not language.fullmatch(cypher.replace(" RETURN ", " RETURN n.nothing, "))
    assert not language.fullmatch("MATCH (n) RETURN n.name")


def test_the_gbnf_grammar_defines_every_rule_that_it_uses() -> None:
    _, grammar, found = grammars(QUESTIONS[0])
    rules = {line.split(" ::= ")[0] for line in grammar.splitlines()}
    without_texts = re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]', "", grammar)
    assert set(re.findall(r"[a-z]+(?:-\d+)?", without_texts)) <= rules
    assert found[0].split(" RETURN ")[0] in grammar
