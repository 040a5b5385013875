"""The filtered schema of the bundled graph, as it is and as if a property of teams had lost its values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphground.graphs.filtering.filter import filter_schema
from graphground.graphs.graph import Graph
from graphground.graphs.question.read import read


def shows_coaches(graph: Graph, question: str, filled: bool) -> bool:
    """Return whether the schema for a question has `head_coach`, if that property is filled or not."""
    facts = graph.statistics()
    assert facts is not None
    if not filled:
        team = facts.labels["Team"]
        empty = replace(team.properties["head_coach"], count=0)
        team = replace(team, properties={**team.properties, "head_coach": empty})
        facts = replace(facts, labels={**facts.labels, "Team": team})
    found = filter_schema(read(question, graph), graph.schema, facts=facts).schema
    return "head_coach" in found.labels["Team"].properties


@pytest.mark.parametrize("question", ["Who leads the Celtics?", "Who trains the Heat?"])
def test_a_property_that_a_question_may_mean_is_shown_only_if_it_has_values(nba: Graph, question: str) -> None:
    assert shows_coaches(nba, question, filled=True)
    assert not shows_coaches(nba, question, filled=False)


def test_a_property_without_values_is_shown_to_a_question_that_means_it(nba: Graph) -> None:
    assert shows_coaches(nba, "Who is the head coach of the Celtics?", filled=False)
