"""The schema extracted from the embedded engine equals the schema of the loaded file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.schemas.extraction.extract import extract, sample_values
from graphground.graphs.storage.home import Home
from graphground.tools.get_schema import GetSchemaRequest, get_schema
from tests.support.schema_oracle import as_oracle, exact_schema
from tests.support.shared_data import SHARED, needs

SHIP = {"length_m": "float", "crew": "int", "launched": "date", "flags": "list[str]", "afloat": "bool"}
FLEET = PropertyGraphSchema(
    "fleet",
    {"Ship": Label("Ship", SHIP), "Harbour": Label("Harbour", {"country": "str"}), "Unused": Label("Unused")},
    (
        RelationshipPattern("anchorsAt", "Ship", "Harbour", {"since_year": "int"}),
        RelationshipPattern("follows", "Ship", "Ship"),
    ),
)
MARY = {"length_m": 45.0, "crew": 400, "launched": "1511-07-01", "flags": ["England"], "afloat": False}
NODES = [
    {"eid": "S1", "label": "Ship", "name": "Mary", "aliases": ["Mary Rose"], "properties": MARY},
    {"eid": "S2", "label": "Ship", "name": "Vasa", "properties": {"length_m": 69.0}},
    {"eid": "H1", "label": "Harbour", "name": "Portsmouth", "properties": {"country": "England"}},
]
RELATIONSHIPS = [
    {"rid": "0", "label": "anchorsAt", "subj_id": "S1", "obj_id": "H1", "properties": {"since_year": 1982}},
    {"rid": "1", "label": "follows", "subj_id": "S2", "obj_id": "S1", "properties": {}},
]
pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which this machine has not")
    home = Home(tmp_path_factory.mktemp("home"))
    yield home
    end_engine(home)


def test_a_loaded_graph_has_the_schema_of_its_file(home: Home, tmp_path: Path) -> None:
    file = tmp_path / "fleet.json"
    write_simplekg(file, FLEET, NODES, RELATIONSHIPS)
    load_file(file, home)
    graph = open_stored("fleet", home)
    assert graph.engine is not None
    found = extract(graph.engine, "fleet")
    assert found.problems == ()
    assert as_oracle(found.schema)["patterns"] == exact_schema(graph.engine)["patterns"]
    assert (found.nodes, found.relationships) == (3, 2)
    defined = graph.schema
    assert set(found.schema.labels) == set(defined.labels) - {"Unused"}
    for label in found.schema.labels.values():
        declared = defined.labels[label.name].properties
        assert {
            key: type_ for key, type_ in label.properties.items() if type_ != "list[unknown]"
        }.items() <= declared.items(), label.name
    assert {str(pattern) for pattern in found.schema.patterns} == {str(pattern) for pattern in defined.patterns}
    assert found.schema.labels["Ship"].properties["launched"] == "date"
    assert found.schema.labels["Ship"].properties["flags"] == "list[str]"
    samples = sample_values(graph.engine, graph.schema, 20)
    assert samples["Harbour", "country"] == ["England"]
    answer = get_schema(
        OpenGraphs([GraphSource("fleet", "", "embedded", lambda: graph)]), GetSchemaRequest(form="enhanced")
    )
    assert "  country: str  // 'England'" in answer.schema_
    graph.engine.close()


@needs("wikidata_slices_simplekg", "movie_wd50k_simplekg.json.gz")
def test_the_movie_slice_has_the_schema_of_its_file(home: Home) -> None:
    load_file(SHARED / "wikidata_slices_simplekg" / "movie_wd50k_simplekg.json.gz", home, name="slice")
    graph = open_stored("slice", home)
    assert graph.engine is not None
    found = extract(graph.engine, "slice")
    assert not found.partial
    assert (found.nodes, found.relationships) == (3373, 11583)
    for pattern in found.schema.patterns:
        assert str(pattern) in {str(known) for known in graph.schema.patterns}
    for label in found.schema.labels.values():
        assert label.properties.items() <= graph.schema.labels[label.name].properties.items()
    graph.engine.close()
