"""Wrong and unusual calls over a real connection: the result is an error in the common form, or the correct answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference, TextContent, TextResourceContents

from tests.support.serving import ERROR_FIELDS, connected, failure_in, stdio
from tests.support.wrong_use import WRONG_USES, check

pytestmark = pytest.mark.anyio


async def test_every_failure_arrives_with_nearest_inputs_and_the_next_step(wrong_address: str) -> None:
    async with connected(wrong_address) as client:  # test_typescript_clients.py does it over stdio
        await client.list_tools()  # from here on the client checks answers against the output schemas
        for wrong in WRONG_USES:
            check(wrong, failure_in(await client.call_tool(wrong.tool, wrong.arguments)))
        with pytest.raises(MCPError, match="did you mean 'execute_cypher'") as caught:
            await client.call_tool("execute_cyper", {"query": "RETURN 1"})
        assert set(caught.value.error.data) == ERROR_FIELDS
        assert caught.value.error.data["nearest"][0] == "execute_cypher"
        assert await value(client, "MATCH (t:Team) RETURN count(t)") == 30


async def test_a_missing_resource_or_prompt_is_reported_with_the_existing_names(data_folder: Path) -> None:
    async with connected(stdio(data_folder)) as client:
        for uri in ("graph://nothing/schema", "graph://nba/labels/Tema", "graph://nba", "http://example.org/"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError, match="there are: answer_question, text_to_cypher"):
            await client.get_prompt("nothing", {})
        with pytest.raises(MCPError, match="needs the argument 'question'"):
            await client.get_prompt("answer_question", {})
        with pytest.raises(MCPError, match=r"has no argument 'grph'; did you mean 'graph'\?"):
            await client.get_prompt("answer_question", {"grph": "nba"})
        with pytest.raises(MCPError, match="has no argument 'zzz'; its arguments are: question, graph"):
            await client.get_prompt("answer_question", {"zzz": "nba"})


async def test_labels_are_read_as_resources_and_completed(data_folder: Path) -> None:
    async with connected(stdio(data_folder)) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert "graph://{graph}/labels/{label}" in [template.uri_template for template in templates]
        label = (await client.read_resource("graph://nba/labels/Team")).contents[0]
        assert isinstance(label, TextResourceContents)
        assert "(:Team {" in label.text
        reference = ResourceTemplateReference(uri="graph://{graph}/labels/{label}")
        labels = await client.complete(reference, {"name": "label", "value": "te"}, context_arguments={"graph": "nba"})
        assert labels.completion.values[0] == "Team"
        prompt = await client.get_prompt("text_to_cypher", {"question": "Who plays for the Bulls?", "graph": "nba"})
        assert [message.content.type for message in prompt.messages] == ["text", "resource"]


async def value(client: Client, query: str) -> Any:
    """Return the single value of a query, after checking that text and structured content are equal."""
    answer = await client.call_tool("execute_cypher", {"query": query, "graph": "nba"})
    assert not answer.is_error, answer.content
    assert isinstance(answer.content[0], TextContent)
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert answer.structured_content["row_count"] == 1
    return answer.structured_content["rows"][0][0]


async def test_every_kind_of_value_reaches_the_client(data_folder: Path) -> None:
    async with connected(stdio(data_folder)) as client:
        node = await value(client, "MATCH (t:Team {name: 'Chicago Bulls'}) RETURN t")
        assert node["labels"] == ["Team"]
        assert node["properties"]["name"] == "Chicago Bulls"
        path = await value(client, "MATCH p = (:Team {name: 'Chicago Bulls'})-[r]->(d:Division) RETURN p")
        assert [node["labels"] for node in path["nodes"]] == [["Team"], ["Division"]]
        assert len(path["relationships"]) == 1
        assert await value(client, "RETURN date('1984-12-30') AS d") == "1984-12-30"
        assert (await value(client, "RETURN datetime('2020-01-02T03:04:05Z') AS d")).startswith("2020-01-02T03:04:05")
        assert await value(client, "RETURN duration('P1Y2M3DT4H') AS d") == "P1Y2M3DT4H"
        expected = [1, {"a": [None, "x", {"b": True}]}]
        assert await value(client, "RETURN [1, {a: [null, 'x', {b: true}]}] AS v") == expected
        assert await value(client, "RETURN 0.0 / 0.0 AS v") in ("NaN", None)
        assert await value(client, "RETURN 9007199254740993 AS v") == 9007199254740993
        assert await value(client, "RETURN 'ü \u2603 \U0001f3c0 \\n \"' AS v") == 'ü ☃ 🏀 \n "'
