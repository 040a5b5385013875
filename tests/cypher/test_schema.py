"""Schemas: reading and writing CypherBench's form, reserved properties, invalid documents, mixed types."""

import json

import pytest

from graphground.cypher.schema import PropertyGraphSchema, SchemaError, merge_property_types
from tests.support.shared_data import SHARED, needs


@needs("schemas")
def test_every_cypherbench_schema_file_is_written_back_byte_for_byte() -> None:
    files = sorted((SHARED / "schemas").glob("*.json"))
    assert len(files) == 11
    for file in files:
        schema = PropertyGraphSchema.from_cypherbench(file.read_text())
        assert json.dumps(schema.to_cypherbench(), indent=2, ensure_ascii=False) == file.read_text().rstrip("\n"), file


def test_reserved_properties_are_in_the_schema_but_are_not_written() -> None:
    schema = PropertyGraphSchema.from_cypherbench(
        {"name": "g", "entities": [{"label": "City", "description": None, "properties": {}}], "relations": []}
    )
    assert schema.labels["City"].properties["aliases"] == "list[str]"
    assert schema.to_cypherbench()["entities"][0]["properties"] == {}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "not JSON"),
        ("[]", "must be a JSON object"),
        ('{"entities": [], "relations": []}', "no 'name'"),
        ('{"name": "g", "entities": {}, "relations": []}', "'entities' must be a list"),
        (
            '{"name": "g", "entities": [{"label": "A", "properties": {"x": "text"}}], "relations": []}',
            "entities[0].properties.x: 'text' is not a property type",
        ),
        (
            '{"name": "g", "entities": [], "relations": [{"label": "r", "subj_label": "A", "obj_label": "A"}]}',
            "relations[0]: subj_label 'A' is not among",
        ),
    ],
)
def test_a_broken_schema_document_is_refused_with_the_position_of_the_error(document: str, message: str) -> None:
    with pytest.raises(SchemaError) as error:
        PropertyGraphSchema.from_cypherbench(document)
    assert message in str(error.value)


def test_mixed_types_of_several_patterns_are_merged_part_by_part() -> None:
    expected = {"year": "int|str|date"}
    assert merge_property_types([{"year": "int|str"}, {"year": "int|str"}, {"year": "str|date"}]) == expected
