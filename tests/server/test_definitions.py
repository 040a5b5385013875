import json

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from graphground.server.application import encode
from graphground.server.definitions import LENGTHS, MOST_REPETITIONS, tool_definition
from graphground.tools import all_tools
from graphground.tools.ground_question import GroundedQuery
from graphground.tools.owner_queries import OwnParameter, OwnQuery, OwnTools

BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems", "enum"}


def test_every_tool_has_strict_schemas_a_description_and_annotations() -> None:
    for name, tool in all_tools().items():
        definition = tool_definition(tool)
        Draft202012Validator.check_schema(definition["inputSchema"])
        Draft202012Validator.check_schema(definition["outputSchema"])
        assert definition["name"] == name
        assert definition["inputSchema"]["additionalProperties"] is False
        assert definition["outputSchema"]["type"] == "object"
        assert definition["annotations"]["readOnlyHint"] is True
        assert 40 < len(definition["description"]) < 500
        for argument, schema in definition["inputSchema"]["properties"].items():
            assert schema.get("description"), f"{name}.{argument} says nothing about itself"


def test_the_schema_of_an_optional_argument_is_just_its_type() -> None:
    properties = tool_definition(all_tools()["execute_cypher"])["inputSchema"]["properties"]
    assert properties["graph"] == {"type": "string", "description": "A name from list_graphs."}


def test_the_whole_list_has_at_most_9000_characters_and_every_argument_is_described() -> None:
    definitions = [tool_definition(tool) for tool in all_tools().values()]
    assert len(json.dumps({"tools": definitions}, separators=(",", ":"))) <= 9_000
    for definition, tool in zip(definitions, all_tools().values(), strict=True):
        takes = definition["inputSchema"]["properties"]
        full = tool.request.model_json_schema()["properties"]
        assert set(takes) == set(full)
        for argument, schema in full.items():
            assert takes[argument]["description"] == schema["description"]
            for bound in BOUNDS & set(schema):
                if bound in LENGTHS and schema[bound] > MOST_REPETITIONS:
                    assert bound not in takes[argument]
                    continue
                assert takes[argument][bound] == schema[bound], (definition["name"], argument)


def test_a_length_that_the_grammars_of_llama_cpp_refuse_is_not_stated_but_still_checked() -> None:
    long = OwnParameter("text", "string", "A text.", max_length=1_999)
    names = OwnParameter("names", "array", "Names.", min_length=1, max_length=501)
    short = OwnParameter("word", "string", "A word.", min_length=2, max_length=500)
    tool = OwnTools([OwnQuery("long", "Long.", "RETURN 1", parameters=(long, names, short))]).all()["long"]
    properties = tool_definition(tool)["inputSchema"]["properties"]
    assert properties["text"] == {"type": "string", "description": "A text."}
    assert properties["names"] == {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "Names."}
    assert (properties["word"]["minLength"], properties["word"]["maxLength"]) == (2, 500)
    with pytest.raises(ValidationError, match="at most 1999 characters"):
        tool.request.model_validate({"text": "x" * 2_000, "names": ["a"], "word": "ab"})
    with pytest.raises(ValidationError, match="at most 20000 characters"):
        all_tools()["get_filtered_schema"].request.model_validate({"question": "x" * 20_001})


def test_a_field_without_a_value_is_left_out_and_its_schema_has_one_type() -> None:
    fields = tool_definition(all_tools()["find_entities"])["outputSchema"]
    assert "null" not in json.dumps(fields)
    query = GroundedQuery(cypher="RETURN 1", reason="one", confidence=0.5)
    assert json.loads(encode(query)) == {"cypher": "RETURN 1", "reason": "one", "confidence": 0.5}
