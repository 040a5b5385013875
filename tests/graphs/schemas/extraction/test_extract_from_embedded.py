"""The schema extracted from the embedded engine equals the schema of the loaded file."""

from __future__ import annotations

from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.schemas.extraction.extract import extract, sample_values
from graphground.graphs.storage.home import Catalog, Home
from graphground.tools.get_schema import GetSchemaRequest, get_schema
from tests.support.schema_oracle import as_oracle, exact_schema


def test_a_loaded_graph_has_the_schema_of_its_file(film_graph: Graph, films_home: Home) -> None:
    assert film_graph.engine is not None
    found = extract(film_graph.engine, "films")
    assert found.problems == ()
    assert as_oracle(found.schema)["patterns"] == exact_schema(film_graph.engine)["patterns"]
    loaded = Catalog(films_home).get("films")
    assert (found.nodes, found.relationships) == (loaded.nodes, loaded.relationships)
    assert set(found.schema.labels) == set(film_graph.schema.labels)
    for label in found.schema.labels.values():
        known = {key: type_ for key, type_ in label.properties.items() if type_ != "list[unknown]"}
        assert known.items() <= film_graph.schema.labels[label.name].properties.items(), label.name
    assert {str(pattern) for pattern in found.schema.patterns} == {str(each) for each in film_graph.schema.patterns}
    assert found.schema.labels["Person"].properties["date_of_birth"] == "date"
    assert found.schema.labels["Film"].properties["languages"] == "list[str]"
    assert "female" in sample_values(film_graph.engine, film_graph.schema, 20)["Person", "gender"]
    graphs = OpenGraphs([GraphSource("films", "", "embedded", lambda: film_graph)])
    assert "'female'" in get_schema(graphs, GetSchemaRequest(form="enhanced")).schema_
