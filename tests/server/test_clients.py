"""A client can use the whole server; test_typescript_clients.py does it over each transport."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp.client import Client
from mcp_types import PromptReference, ResourceTemplateReference, TextContent, TextResourceContents

from graphground.prompts.template import all_templates
from graphground.tools import NAMES
from tests.support.serving import LEGACY, connected, stdio

pytestmark = pytest.mark.anyio
TEAMS = "MATCH (t:Team) RETURN count(t) AS teams"


async def test_a_client_of_the_older_protocol_is_served_tools_resources_prompts_and_completions(
    data_folder: Path,
) -> None:
    async with connected(stdio(data_folder), LEGACY) as client:
        await check_tools(client)
        await check_resources(client)
        await check_prompts(client)
        await check_completions(client)


async def check_tools(client: Client) -> None:
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == list(NAMES)
    assert all(tool.annotations and tool.annotations.read_only_hint and tool.output_schema for tool in listed)
    graphs = await client.call_tool("list_graphs", {})
    assert "nba" in [graph["name"] for graph in graphs.structured_content["graphs"]]
    answer = await client.call_tool("execute_cypher", {"graph": "nba", "query": TEAMS})
    assert not answer.is_error, answer
    assert answer.structured_content["rows"] == [[30]]
    assert isinstance(answer.content[0], TextContent)
    assert json.loads(answer.content[0].text) == answer.structured_content
    schema = await client.call_tool("get_schema", {"graph": "nba"})
    assert "(:Player)-[:playsFor" in schema.structured_content["schema"]
    found = await client.call_tool("find_entities", {"graph": "nba", "mentions": ["lebron james"]})
    assert found.structured_content["mentions"][0]["candidates"][0]["name"] == "LeBron James"
    wrong = await client.call_tool("validate_cypher", {"graph": "nba", "query": "MATCH (t:Team RETURN t"})
    assert not wrong.is_error
    assert wrong.structured_content["valid"] is False


async def check_resources(client: Client) -> None:
    uris = [resource.uri for resource in (await client.list_resources()).resources]
    assert {"graph://catalog", "graph://nba/schema"} <= set(uris)
    catalog = (await client.read_resource("graph://catalog")).contents[0]
    assert isinstance(catalog, TextResourceContents)
    assert "nba" in [graph["name"] for graph in json.loads(catalog.text)["graphs"]]
    schema = (await client.read_resource("graph://nba/schema")).contents[0]
    assert isinstance(schema, TextResourceContents)
    assert "(:Team" in schema.text
    templates = (await client.list_resource_templates()).resource_templates
    assert "graph://{graph}/labels/{label}" in [template.uri_template for template in templates]
    label = (await client.read_resource("graph://nba/labels/Team")).contents[0]
    assert isinstance(label, TextResourceContents)
    assert "(:Team {" in label.text


async def check_prompts(client: Client) -> None:
    assert [prompt.name for prompt in (await client.list_prompts()).prompts] == list(all_templates())
    prompt = await client.get_prompt("text_to_cypher", {"question": "Who plays for the Bulls?", "graph": "nba"})
    first, second = prompt.messages
    assert isinstance(first.content, TextContent)
    assert "Who plays for the Bulls?" in first.content.text
    assert second.content.type == "resource"


async def check_completions(client: Client) -> None:
    reference = PromptReference(name="text_to_cypher")
    assert (await client.complete(reference, {"name": "graph", "value": "nb"})).completion.values == ["nba"]
    methods = (await client.complete(reference, {"name": "method", "value": ""})).completion.values
    assert "full" in methods
    template = ResourceTemplateReference(uri="graph://{graph}/labels/{label}")
    labels = await client.complete(template, {"name": "label", "value": "te"}, context_arguments={"graph": "nba"})
    assert labels.completion.values[0] == "Team"
