"""The bundled graphs as documents: their format, their hash, and their licence."""

import json
import unicodedata
from itertools import chain

import pytest

from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.bundled import GRAPHS, bundled_graph
from tests.support.shared_data import SHARED, needs
from tests.support.simplekg_files import checked


def test_nba_is_the_only_graph_that_is_served_unasked():
    assert [graph.name for graph in GRAPHS if graph.by_default] == ["nba"]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_the_counts_stated_before_a_load_are_correct(graph):
    document = graph.document()
    assert (graph.nodes, graph.relationships) == (len(document["entities"]), len(document["relations"]))


def test_an_unknown_name_is_refused_with_the_names_that_exist():
    with pytest.raises(KeyError, match="'soccer'; there are: nba, world"):
        bundled_graph("soccer").open()


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_a_document_is_simplekg_that_fits_its_schema_and_uses_all_of_it(graph):
    document = checked(graph.file)
    schema = PropertyGraphSchema.from_cypherbench(document["schema"])
    labels = [entity.get("labels", [entity["label"]]) for entity in document["entities"]]
    assert all(entity["name"] for entity in document["entities"])
    assert len({relation["rid"] for relation in document["relations"]}) == len(document["relations"])
    assert set(chain.from_iterable(labels)) == set(schema.labels)
    assert {relation["label"] for relation in document["relations"]} == set(schema.relationship_types)


@needs("schemas", "nba.json")
def test_the_schema_is_that_of_cypherbench():
    assert json.loads((SHARED / "schemas" / "nba.json").read_text()) == bundled_graph("nba").document()["schema"]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_every_text_is_nfc_and_trimmed(graph):
    text = graph.open().read().decode()
    assert unicodedata.normalize("NFC", text) == text

    def texts(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from texts(item)

    for found in texts(json.loads(text)):
        assert found == " ".join(found.split()), found


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_the_folder_of_a_bundled_graph_contains_the_licence(graph):
    assert "SPDX-License-Identifier" in (graph.file.parent / "LICENSE").read_text()
