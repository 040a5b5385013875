import re
from collections.abc import Mapping
from typing import Any

from graphground.cypher import validate
from graphground.graphs.engines.dialects import NEO4J
from graphground.graphs.engines.engine import Capabilities
from graphground.graphs.engines.table import Table
from graphground.graphs.graph import Graph
from graphground.graphs.suggestions import Entity, gbnf, regular_expression, suggest
from tests.support.films import FILMS

MANN = Entity("Mann", "Person", "Michael Mann", 1.0)
HEAT = Entity("Heat", "Movie", "Heat", 1.0)
ODD = Entity("d'Arc", "Person", "Jeanne d'Arc \\", 1.0)


class Counts:
    """An engine that answers how often each pattern of a count query matches: once, or never where told so."""

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
            if self._without not in part
            for number in re.findall(r"RETURN (\d+) AS pattern", part)
        ]
        return Table(["pattern", "matches"], [[number, 1] for number in numbers], False, 1.0)

    def explain(self, query: str, parameters: Mapping[str, Any] | None = None) -> None: ...

    def capabilities(self) -> Capabilities:
        return Capabilities("counts", "1", NEO4J, enforces_read_only=True, can_terminate=True)

    def cancel(self) -> None: ...

    def close(self) -> None: ...


def test_the_pattern_that_the_question_asks_for_comes_first() -> None:
    graph = Graph("films", FILMS, engine=Counts())
    first = suggest(graph, [MANN], "Which movies were directed by Mann?")[0]
    assert (
        first.cypher == "MATCH (n:Movie)-[r0:directedBy]->(m0:Person {name: 'Michael Mann'}) "
        "RETURN DISTINCT n.name AS name"
    )
    assert first.rows == 1


def test_every_suggestion_is_valid_against_the_schema() -> None:
    found = suggest(Graph("films", FILMS), [MANN, HEAT, ODD], "Who directed what with which runtime minute?", limit=50)
    assert len(found) > 8
    for one in found:
        report = validate(one.cypher, FILMS)
        assert report.valid, (one.cypher, report.diagnostics)


def test_patterns_that_match_nothing_are_left_out_and_many_are_counted_in_one_round_trip() -> None:
    engine = Counts(without="<-[r0:directedBy]-")
    found = suggest(Graph("films", FILMS, engine=engine), [HEAT, MANN], limit=50)
    assert found
    assert not [one.cypher for one in found if "<-[r0:directedBy]-" in one.cypher]
    assert len(engine.asked) == 1


def test_two_hops_are_tried_only_when_asked_for() -> None:
    graph = Graph("films", FILMS)
    assert max(len(one.shape.steps) for one in suggest(graph, [MANN], hops=1, limit=50)) == 1
    assert max(len(one.shape.steps) for one in suggest(graph, [MANN], hops=2, limit=50)) == 2


def test_meanings_of_one_mention_are_never_put_into_one_pattern() -> None:
    other = Entity("Mann", "Person", "Thomas Mann", 1.0)
    for one in suggest(Graph("films", FILMS), [MANN, other], limit=50):
        assert len({entity.mention for entity in one.shape.entities}) == len(one.shape.entities)


def test_the_regular_expression_takes_the_queries_and_nothing_else() -> None:
    found = suggest(Graph("films", FILMS), [MANN, ODD], limit=5)
    language = re.compile(regular_expression(FILMS, found))
    head = f"MATCH {found[0].shape.cypher()} WITH DISTINCT n RETURN "
    for tail in ("count(n)", "n.name", "n.name ORDER BY n.name DESC LIMIT 10"):
        assert language.fullmatch(head + tail)
        assert validate(head + tail, FILMS).valid
    assert not language.fullmatch(head + "n.nothing")
    assert not language.fullmatch("MATCH (n) RETURN n.name")


def test_the_gbnf_grammar_names_every_pattern_once_and_defines_every_rule_that_it_uses() -> None:
    found = suggest(Graph("films", FILMS), [MANN, ODD], limit=5)
    grammar = gbnf(FILMS, found)
    rules = {line.split(" ::= ")[0] for line in grammar.splitlines()}
    without_texts = re.sub(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]', "", grammar)
    assert set(re.findall(r"[a-z]+(?:-\d+)?", without_texts)) == rules
    assert grammar.splitlines()[0].count("MATCH") == 5
