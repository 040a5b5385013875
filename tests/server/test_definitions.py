import json

from jsonschema import Draft202012Validator

from graphground.server.definitions import tool_definition
from graphground.tools import all_tools


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


def test_an_optional_argument_is_written_as_its_type_alone() -> None:
    properties = tool_definition(all_tools()["execute_cypher"])["inputSchema"]["properties"]
    assert properties["graph"] == {"type": "string", "description": "A name from list_graphs."}


def test_the_whole_list_costs_a_client_few_tokens() -> None:
    inputs = [{key: definition[key] for key in ("name", "description", "inputSchema")}
              for definition in map(tool_definition, all_tools().values())]
    assert len(json.dumps(inputs)) / 4 < 2500
