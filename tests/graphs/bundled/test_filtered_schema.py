"""The filtered schema of the bundled graph, from which two properties of teams have lost their values."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.graphs.filtering.filter import filter_schema
from graphground.graphs.graph import Graph
from graphground.graphs.loading.load import load_file
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.question.read import read
from graphground.graphs.schemas.statistics import LiveStatistics
from graphground.graphs.storage.home import Home

BUNDLED = Path(__file__).resolve().parents[3] / "graphs" / "bundled" / "nba" / "nba.json.gz"


@pytest.fixture(scope="module")
def without_values(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """Yield the bundled graph without the values of `owners` and `head_coach`."""
    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which this machine has not")
    folder = tmp_path_factory.mktemp("without_values")
    document = json.loads(gzip.decompress(BUNDLED.read_bytes()))
    for entity in document["entities"]:
        for key in ("owners", "head_coach"):
            entity["properties"].pop(key, None)
    (folder / "teams.json").write_text(json.dumps(document))
    home = Home(folder / "home")
    load_file(folder / "teams.json", home, name="teams")
    graph = next(source for source in stored_sources(home) if source.name == "teams").open()
    yield graph
    assert graph.engine is not None
    graph.engine.close()


@pytest.mark.parametrize(
    "name", ["the Lakers", "the Celtics", "Golden State", "the Miami heat", "the Los Angeles Lakers"]
)
def test_an_alias_in_a_question_brings_no_property_without_values(without_values: Graph, name: str) -> None:
    assert isinstance(without_values.statistics_reader, LiveStatistics)
    facts = without_values.statistics_reader.wait(60)
    assert facts is not None
    found = filter_schema(
        read(f"Which players were drafted by {name}?", without_values), without_values.schema, facts=facts
    ).schema
    assert any(pattern.type == "draftedBy" for pattern in found.patterns)
    assert not {"owners", "head_coach"} & found.labels["Team"].properties.keys()


def test_a_property_without_values_is_shown_to_a_question_that_means_it(without_values: Graph) -> None:
    assert isinstance(without_values.statistics_reader, LiveStatistics)
    facts = without_values.statistics_reader.wait(60)
    found = filter_schema(
        read("Who is the head coach of the Celtics?", without_values), without_values.schema, facts=facts
    ).schema
    assert "head_coach" in found.labels["Team"].properties
