"""The filtered schema of the bundled graph, whose teams have properties without values."""

from __future__ import annotations

import pytest

from graphground.graphs.filtering.filter import filter_schema
from graphground.graphs.graph import Graph
from graphground.graphs.question.read import read
from graphground.graphs.schemas.statistics import LiveStatistics


@pytest.mark.parametrize(
    "name", ["the Lakers", "the Celtics", "Golden State", "the Miami heat", "the Los Angeles Lakers"]
)
def test_an_alias_in_a_question_brings_no_property_without_values(nba: Graph, name: str) -> None:
    assert isinstance(nba.statistics_reader, LiveStatistics)
    facts = nba.statistics_reader.wait(60)
    assert facts is not None
    found = filter_schema(read(f"Which players were drafted by {name}?", nba), nba.schema, facts=facts).schema
    assert any(pattern.type == "draftedBy" for pattern in found.patterns)
    assert not {"owners", "head_coach"} & found.labels["Team"].properties.keys()


def test_a_property_without_values_is_shown_to_a_question_that_means_it(nba: Graph) -> None:
    assert isinstance(nba.statistics_reader, LiveStatistics)
    facts = nba.statistics_reader.wait(60)
    found = filter_schema(read("Who is the head coach of the Celtics?", nba), nba.schema, facts=facts).schema
    assert "head_coach" in found.labels["Team"].properties
