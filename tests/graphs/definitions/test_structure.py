"""Structures of parsed documents: each invalid part is reported with its path, and the other parts are checked too."""

from typing import Any

import pytest

from graphground.graphs.definitions.model import Definition, Node, Part, Property, Relationship, json_schema
from graphground.graphs.definitions.read import read_part


def misfits_of(model: type[Part], document: Any) -> list[tuple[tuple[str | int, ...], str]]:
    part, misfits = read_part(model, document)
    assert (part is None) == bool(misfits)
    return misfits


@pytest.mark.parametrize(
    ("model", "document", "place", "message"),
    [
        (Node, [], (), "must be a table, not []"),
        (Node, {"wikidata": 5}, ("wikidata",), "must be text, not 5"),
        (Node, {"wikidata": ["Q5", "P5"]}, ("wikidata", 1), "must look like 'Q5', not 'P5'"),
        (Node, {"wikidata": "Q5\n"}, ("wikidata",), "must look like 'Q5', not 'Q5\\n'"),
        (Node, {"wikidata": "Q1٥"}, ("wikidata",), "must look like 'Q5', not 'Q1٥'"),
        (Node, {"subclasses": 1}, ("subclasses",), "must be true or false, not 1"),
        (Node, {"has_property": "P1"}, ("has_property",), "must be a list, not 'P1'"),
        (Node, {"linked_to": [{"property": "P1"}]}, ("linked_to", 0), "'item' is missing"),
        (Node, {"properties": {"a b": {"type": "str", "wikidata": "P1"}}}, ("properties", "a b"), "cannot be used"),
        (Node, {"properties": {"a": 1}}, ("properties", "a"), "must be a table, not 1"),
        (Node, {"properties": {"x" * 101: {"type": "str", "wikidata": "P1"}}}, ("properties",), "more than 100"),
        (Node, {"membrs": "instances"}, ("membrs",), "is not a known key; did you mean 'members'?"),
        (Property, {"type": "text", "wikidata": "P1"}, ("type",), "'text' is not allowed; it must be 'str', 'int'"),
        (Property, {"type": ["str"], "wikidata": "P1"}, ("type",), "['str'] is not allowed"),
        (Relationship, {"type": "a", "start": "A", "end": "B", "wikidata": "identicall"}, ("wikidata",), "like 'P31'"),
        (Relationship, {"type": "a", "start": "A", "end": "B", "wikidata": "P1", "ranks": 1}, ("ranks",), "'best' or"),
        (Definition, {"name": "x", "nodes": {}}, ("nodes",), "must not be empty"),
        (Definition, {"name": "x", "nodes": {"A": {}}, "languages": []}, ("languages",), "must not be empty"),
    ],
)
def test_an_invalid_part_of_a_document_is_reported_with_its_path(
    model: type, document: Any, place: tuple[str | int, ...], message: str
) -> None:
    ((path, problem),) = misfits_of(model, document)
    assert path[: len(place)] == place
    assert message in problem


def test_every_invalid_part_of_a_document_is_reported() -> None:
    document = {"nodes": {"A": {"wikidata": "x", "members": "all"}}, "relationships": [{"type": 1}], "types": []}
    places = [place for place, _ in misfits_of(Definition, document)]
    assert places == [
        (),
        ("nodes", "A", "wikidata"),
        ("nodes", "A", "members"),
        ("relationships", 0, "type"),
        ("relationships", 0),
        ("relationships", 0),
        ("relationships", 0),
        ("types",),
    ]


def test_omitted_parts_have_their_default_values() -> None:
    node, misfits = read_part(Node, {"wikidata": "Q5"})
    assert misfits == []
    assert node == Node(wikidata="Q5", members="instances", subclasses=True, linked_to=[], properties={})


def test_the_json_schema_states_patterns_alternatives_and_required_keys() -> None:
    schema = json_schema()
    assert schema["required"] == ["name", "nodes"]
    assert schema["properties"]["nodes"]["minProperties"] == 1
    node, relationship = schema["$defs"]["Node"], schema["$defs"]["Relationship"]
    assert node["additionalProperties"] is False
    assert {"type": "string", "pattern": "^Q[1-9][0-9]*$"} in node["properties"]["wikidata"]["anyOf"][0]["oneOf"]
    assert node["properties"]["members"]["default"] == "instances"
    assert relationship["properties"]["ranks"]["anyOf"][0]["enum"] == ["best", "not_deprecated"]
    assert schema["$defs"]["Property"]["properties"]["type"]["enum"][:2] == ["str", "int"]
