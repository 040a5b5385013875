"""Graphs from files of nodes and relationships: inference, conversion, and refusals with positions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import networkx
import pytest

from graphground.graphs.loading.importing.from_python import NetworkX
from graphground.graphs.loading.importing.property_graph import file_source, import_records
from graphground.graphs.loading.importing.records import ImportRefused, RecordSource
from graphground.graphs.loading.simplekg import MAX_ID_CHARACTERS
from tests.support.simplekg_files import checked

LINES = [
    {
        "type": "node",
        "id": "1",
        "labels": ["Movie"],
        "properties": {"title": "Heat", "released": "1995-12-15", "code": "007"},
    },
    {
        "type": "node",
        "id": "2",
        "labels": ["Movie"],
        "properties": {"title": "Ronin", "minutes": 122, "tags": ["a", "b"]},
    },
    {
        "type": "node",
        "id": "3",
        "labels": ["Person", "Director"],
        "properties": {"name": "Michael Mann", "aliases": ["MM"]},
    },
    {"type": "node", "id": "4", "labels": ["Person"], "properties": {"name": "Robert De Niro", "minutes": 1.5}},
    {
        "type": "relationship",
        "id": "1",
        "label": "DIRECTED",
        "start": {"id": "3", "labels": ["Person"]},
        "end": {"id": "1"},
        "properties": {"year": 1995},
    },
    {"type": "relationship", "label": "ACTED_IN", "start": "4", "end": "2", "properties": {"roles": ["Sam"]}},
]
GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="born" for="node" attr.name="born" attr.type="int"/>
<key id="seen" for="node" attr.name="seen" attr.type="boolean"><default>false</default></key>
<key id="labels" for="node" attr.name="labels" attr.type="string"/>
<key id="label" for="edge" attr.name="label" attr.type="string"/>
<graph id="G" edgedefault="directed">
<node id="n0" labels=":Movie"><data key="labels">:Movie</data><data key="title">Heat &amp; more</data></node>
<node id="n1" labels=":Person"><data key="labels">:Person</data><data key="born">1943</data><data key="seen">true</data></node>
<edge id="e0" source="n1" target="n0" label="DIRECTED"><data key="label">DIRECTED</data></edge>
</graph>
</graphml>
"""
TURTLE = """@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:heat a ex:Movie ; rdfs:label "Hitze"@de, "Heat"@en ; skos:altLabel "The Heat" ;
  ex:released "1995-12-15"^^xsd:date ; ex:minutes 170 ; ex:director ex:mann .
ex:mann a ex:Person ; ex:born 1943 ; ex:knows _:b1 .
_:b1 rdfs:label "someone" .
"""


def written(source: RecordSource, folder: Path) -> dict[str, Any]:
    """Convert a source into a SimpleKG document; return the document after every record has passed the checks
    of loading."""
    import_records(source, "films", folder / "graph.json")
    return checked(folder / "graph.json")


def json_lines(folder: Path, lines: list[Any]) -> Path:
    path = folder / "films.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_json_lines_become_a_graph_with_a_schema_inferred_from_them(tmp_path: Path) -> None:
    graph = written(file_source(json_lines(tmp_path, LINES)), tmp_path)
    assert {entity["label"]: entity["properties"] for entity in graph["schema"]["entities"]} == {
        "Movie": {"title": "str", "released": "date", "code": "str", "minutes": "int", "tags": "list[str]"},
        "Director": {},
        "Person": {"minutes": "float"},
    }
    assert graph["schema"]["label_combinations"] == [["Director", "Person"]]
    assert [entity.get("labels") for entity in graph["entities"]] == [None, None, ["Director", "Person"], None]
    assert [(entity["eid"], entity["label"], entity["name"], entity["aliases"]) for entity in graph["entities"]] == [
        ("1", "Movie", "Heat", []),
        ("2", "Movie", "Ronin", []),
        ("3", "Director", "Michael Mann", ["MM"]),
        ("4", "Person", "Robert De Niro", []),
    ]
    assert graph["entities"][0]["properties"] == {"title": "Heat", "released": "1995-12-15", "code": "007"}
    assert [
        (relation["label"], relation["subj_id"], relation["obj_id"], relation["properties"])
        for relation in graph["relations"]
    ] == [("DIRECTED", "3", "1", {"year": 1995}), ("ACTED_IN", "4", "2", {"roles": ["Sam"]})]


def test_a_person_without_a_name_is_named_by_its_two_parts(tmp_path: Path) -> None:
    parts = [("Ada", "Lovelace"), ("", "Lovelace"), (None, None)]
    nodes = [
        {"type": "node", "id": str(n), "labels": ["Person"], "properties": {"given_name": given, "surname": family}}
        for n, (given, family) in enumerate(parts)
    ]
    graph = written(file_source(json_lines(tmp_path, nodes)), tmp_path)
    assert [entity["name"] for entity in graph["entities"]] == ["Ada Lovelace", "Lovelace", "2"]
    assert graph["entities"][0]["properties"] == {"given_name": "Ada", "surname": "Lovelace"}


def test_values_of_several_types_are_kept_unchanged(tmp_path: Path) -> None:
    values = [1, 2.5, "three", True, ["x", 1], {"a": 1}]
    nodes = [
        {
            "type": "node",
            "id": number,
            "labels": ["A"],
            "properties": {"mixed": value if number < 4 else None, "own": value},
        }
        for number, value in enumerate(values)
    ]
    graph = written(file_source(json_lines(tmp_path, nodes)), tmp_path)
    assert graph["schema"]["entities"][0]["properties"]["mixed"] == "bool|float|str"
    assert [entity["properties"].get("mixed") for entity in graph["entities"]] == [1.0, 2.5, "three", True, None, None]
    assert graph["schema"]["entities"][0]["properties"]["own"] == "list[bool|float|str]"
    assert [entity["properties"]["own"] for entity in graph["entities"]][3:] == [[True], ["x", 1.0], ['{"a": 1}']]


def test_texts_in_the_form_of_dates_and_times_among_other_texts_stay_as_they_were_written(tmp_path: Path) -> None:
    texts = ["unknown", "1995-12-15", "1995-12-15T20:00Z", "1995-12-15T20:00:00.123456789"]
    nodes = [
        {"type": "node", "id": number, "labels": ["A"], "properties": {"name": text, "at": text, "all": [text, "x"]}}
        for number, text in enumerate(texts)
    ]
    graph = written(file_source(json_lines(tmp_path, nodes)), tmp_path)
    for key in ("at", "all"):
        found = [entity["properties"][key] for entity in graph["entities"]]
        assert found == ([[text, "x"] for text in texts] if key == "all" else texts)
    assert [entity["name"] for entity in graph["entities"]] == texts


def test_texts_in_the_form_of_times_become_times_if_all_values_of_the_property_have_that_form(tmp_path: Path) -> None:
    nodes = [
        {"type": "node", "id": number, "labels": ["A"], "properties": {"at": text}}
        for number, text in enumerate(["1995-12-15T20:00", "1995-12-15T20:00:00Z"])
    ]
    graph = written(file_source(json_lines(tmp_path, nodes)), tmp_path)
    assert graph["schema"]["entities"][0]["properties"]["at"] == "datetime"
    expected = ["1995-12-15T20:00:00", "1995-12-15T20:00:00Z"]
    assert [entity["properties"]["at"] for entity in graph["entities"]] == expected


def test_an_id_may_have_as_many_characters_as_an_eid(tmp_path: Path) -> None:
    def nodes(length: int) -> Path:
        return json_lines(tmp_path, [{"type": "node", "id": "x" * length, "labels": ["A"], "properties": {}}])

    assert written(file_source(nodes(MAX_ID_CHARACTERS)), tmp_path)["entities"][0]["eid"] == "x" * MAX_ID_CHARACTERS
    with pytest.raises(ImportRefused, match=r"line 1: the id 'x+'… is too long"):
        written(file_source(nodes(MAX_ID_CHARACTERS + 1)), tmp_path)


def test_graphml_is_read_with_its_declared_types_and_defaults(tmp_path: Path) -> None:
    path = tmp_path / "films.graphml.gz"
    path.write_bytes(gzip.compress(GRAPHML.encode()))
    graph = written(file_source(path), tmp_path)
    assert [(entity["label"], entity["name"], entity["properties"]) for entity in graph["entities"]] == [
        ("Movie", "Heat & more", {"title": "Heat & more", "seen": False}),
        ("Person", "n1", {"born": 1943, "seen": True}),
    ]
    assert [(relation["label"], relation["subj_id"], relation["obj_id"]) for relation in graph["relations"]] == [
        ("DIRECTED", "n1", "n0")
    ]


def test_graphml_written_by_networkx_becomes_the_same_graph(tmp_path: Path) -> None:
    graph = networkx.DiGraph()
    graph.add_node("heat", type="Movie", title="Heat", minutes=170, stars=4.5)
    graph.add_node("mann", type="Person", name="Michael Mann")
    graph.add_edge("heat", "mann", type="DIRECTED_BY", year=1995)
    path = tmp_path / "films.graphml"
    networkx.write_graphml(graph, path)
    direct = written(NetworkX(graph), tmp_path)
    assert written(file_source(path), tmp_path) == direct
    assert direct["entities"][0]["properties"] == {"title": "Heat", "minutes": 170, "stars": 4.5}


@pytest.mark.parametrize("suffix", [".ttl", ".nt", ".rdf"])
def test_rdf_classes_become_labels_literals_become_properties_and_links_become_relationships(
    tmp_path: Path, suffix: str
) -> None:
    import pyoxigraph

    forms = {".ttl": "TURTLE", ".nt": "N_TRIPLES", ".rdf": "RDF_XML"}
    quads = pyoxigraph.parse(TURTLE.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    path = tmp_path / f"films{suffix}"
    path.write_bytes(
        pyoxigraph.serialize((quad.triple for quad in quads), format=getattr(pyoxigraph.RdfFormat, forms[suffix]))
        or b""
    )
    graph = written(file_source(path), tmp_path)
    heat, mann, someone = sorted(graph["entities"], key=lambda entity: entity["name"])
    expected = ("http://example.org/heat", "Movie", "Heat", ["The Heat"])
    assert (heat["eid"], heat["label"], heat["name"], heat["aliases"]) == expected
    assert heat["properties"] == {"released": "1995-12-15", "minutes": 170}
    assert (mann["label"], mann["name"], mann["properties"]) == ("Person", "mann", {"born": 1943})
    assert (someone["label"], someone["name"]) == ("Resource", "someone")
    assert sorted((relation["label"], relation["subj_id"].rpartition("/")[2]) for relation in graph["relations"]) == [
        ("director", "heat"),
        ("knows", "mann"),
    ]


BROKEN = {
    "not JSON": (".jsonl", '{"type": "node", "id": "1"}\n{"type": "node", "id":\n', "films.jsonl, line 2: not JSON"),
    "no id": (".jsonl", '{"type": "node"}\n', "line 1: a node needs an 'id'"),
    "twice": (".jsonl", '{"type": "node", "id": "1"}\n{"type": "node", "id": 1}\n', "line 2: the node id '1' appears"),
    "dangling": (
        ".jsonl",
        '{"type": "node", "id": "1"}\n{"type": "relationship", "label": "T", "start": "1", "end": "9"}\n',
        "line 2: the end '9' of a relationship T is not the id of a node",
    ),
    "empty": (".jsonl", "\n", "films.jsonl: there are no nodes"),
    "not GraphML": (".graphml", "<html/>", "line 1: not GraphML: it begins with <html>"),
    "entities": (
        ".graphml",
        '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;">]><graphml/>',
        "line 1: the entity 'c' is not allowed",
    ),
    "no number": (".graphml", GRAPHML.replace("1943", "soon"), "line 10: born: 'soon' is not a valid int"),
    "no node id": (".graphml", GRAPHML.replace('id="n0"', ""), "line 9: a <node> needs an 'id'"),
    "a wrong date": (".ttl", TURTLE.replace("1995-12-15", "soon"), "'soon' is not a valid date"),
    "another file": (".xlsx", "", "files of this type cannot be imported; supported are .csv"),
    "damaged": (".jsonl.gz", "no gzip", "films.jsonl.gz: the compressed file is damaged"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_input_is_refused_with_its_position_and_nothing_is_written(tmp_path: Path, case: str) -> None:
    suffix, text, message = BROKEN[case]
    path = tmp_path / f"films{suffix}"
    path.write_text(text)
    output = tmp_path / "graph.json"
    with pytest.raises(ImportRefused) as refused:
        import_records(file_source(path), "films", output)
    assert message in str(refused.value)
    assert not output.exists()
