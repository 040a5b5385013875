"""Five domains, built from handwritten statements: they have every label and type, and satisfy their schemas."""

from contextlib import closing
from pathlib import Path

import pytest

from graphground.graphs.definitions.read import read_definition
from graphground.graphs.wikidata.build import build
from graphground.graphs.wikidata.endpoint import Endpoint
from graphground.graphs.wikidata.sparql_source import SparqlSource
from tests.support.handwritten_domains import DOMAINS, handwritten_documents
from tests.support.simplekg_files import checked
from tests.support.sparql_endpoint import SparqlEndpoint
from tests.support.wikibase_rdf import all_triples


@pytest.mark.parametrize("name", DOMAINS)
def test_a_domain_built_from_handwritten_statements_contains_every_label_and_type(name: str, tmp_path: Path) -> None:
    path, definition = tmp_path / f"{name}.json", read_definition(name)
    with (
        SparqlEndpoint(all_triples(handwritten_documents(name))) as endpoint,
        closing(SparqlSource(Endpoint(endpoint.url))) as source,
    ):
        result = build(definition, source, path)
    graph = checked(path)
    assert (len(graph["entities"]), len(graph["relations"])) == (result.nodes, result.relationships)
    assert {record["label"] for record in graph["entities"]} == set(definition.nodes)
    assert {record["label"] for record in graph["relations"]} == {each.type for each in definition.relationships}
