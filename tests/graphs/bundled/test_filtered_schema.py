"""The filtered schema of the bundled graph, if two properties of teams had lost their values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.filtering.filter import filter_schema
from graphground.graphs.graph import Graph
from graphground.graphs.question.read import read


def filtered_without_values(graph: Graph, question: str) -> PropertyGraphSchema:
    """Filter the schema for a question, as if no team had `owners` or a `head_coach`."""
    facts = graph.statistics()
    assert facts is not None
    team = facts.labels["Team"]
    empty = {key: replace(team.properties[key], count=0) for key in ("owners", "head_coach")}
    teams = replace(team, properties={**team.properties, **empty})
    facts = replace(facts, labels={**facts.labels, "Team": teams})
    return filter_schema(read(question, graph), graph.schema, facts=facts).schema


@pytest.mark.parametrize("name", ["the Lakers", "Golden State", "the Los Angeles Lakers"])
def test_an_alias_in_a_question_brings_no_property_without_values(nba: Graph, name: str) -> None:
    found = filtered_without_values(nba, f"Which players were drafted by {name}?")
    assert any(pattern.type == "draftedBy" for pattern in found.patterns)
    assert not {"owners", "head_coach"} & found.labels["Team"].properties.keys()


def test_a_property_without_values_is_shown_to_a_question_that_means_it(nba: Graph) -> None:
    found = filtered_without_values(nba, "Who is the head coach of the Celtics?")
    assert "head_coach" in found.labels["Team"].properties
