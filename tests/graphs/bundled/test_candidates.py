"""Candidate queries on the bundled graph: the same whether the database has just started or not."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.question.read import read
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions import suggest

DELAY = 0.4
"""How much longer each query takes while the database starts, in seconds."""


@pytest.fixture
def started(nba: Graph, data_folder: Path) -> Iterator[Graph]:
    """Yield the bundled graph as if its database had just started: nothing of it is known yet."""
    graph = open_stored("nba", Home(data_folder))
    yield graph
    assert graph.engine is not None
    graph.engine.close()


def candidates(graph: Graph, question: str, seconds: float = 60) -> list[str]:
    return [its.cypher for its in suggest(graph, read(question, graph, seconds=seconds), limit=25, seconds=seconds)]


def test_a_database_that_answers_late_gives_the_same_candidates(
    started: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = started.engine
    assert engine is not None
    run = engine.run

    def late(*arguments: Any, timeout: float | None = None, **options: Any) -> Any:
        if timeout is not None and timeout < DELAY:
            raise EngineError("The query takes too long.")
        time.sleep(DELAY)
        return run(*arguments, timeout=timeout and timeout - DELAY, **options)

    with monkeypatch.context() as starting:
        starting.setattr(engine, "run", late)
        first = candidates(started, "Who coaches the Celtics?", seconds=1.0)
    assert first == candidates(started, "Who coaches the Celtics?")


@pytest.mark.parametrize("team", ["Boston Celtics", "Los Angeles Lakers"])
def test_a_property_whose_name_says_the_verb_comes_first(nba: Graph, team: str) -> None:
    first, *_ = candidates(nba, f"Who coaches the {team.split()[-1]}?")
    assert first == f"MATCH (n:Team {{name: '{team}'}}) RETURN DISTINCT n.head_coach"


def test_by_before_a_name_does_not_ask_for_groups(nba: Graph) -> None:
    first, *_ = candidates(nba, "How many players were drafted by the Lakers?")
    assert first == "MATCH (:Team {name: 'Los Angeles Lakers'})<-[:draftedBy]-(n:Player) RETURN count(DISTINCT n)"


def test_the_most_common_of_a_label_is_counted_over_the_relationship_named_like_it(nba: Graph) -> None:
    first, *_ = candidates(nba, "What is the most common position?")
    assert "-[:playsPosition]-" in first


@pytest.mark.parametrize(
    "question", ["Who is the tallest player?", "Which players were born in 1984?", "How many players are there?"]
)
def test_a_label_alone_does_not_ask_for_a_relationship_that_is_named_like_it(nba: Graph, question: str) -> None:
    first, *others = candidates(nba, question)
    assert first.startswith("MATCH (n:Player) ")
    assert not any(query.startswith("MATCH (m:Team)<-[:playsFor]-(n:Player)") for query in others)
