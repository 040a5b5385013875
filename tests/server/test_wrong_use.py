"""What goes wrong, or looks as if it could, over a real connection: one error shape, or the right answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

from tests.support.serving import ERROR_FIELDS, LEGACY, MODERN, connected, failure_in, stdio

pytestmark = pytest.mark.anyio
WRONG = [
    ("an unknown argument", "execute_cypher", {"querry": "RETURN 1"}, "unknown_argument"),
    ("a missing argument", "execute_cypher", {"graph": "nba"}, "missing_argument"),
    ("a wrong type", "execute_cypher", {"query": ["RETURN 1"]}, "wrong_argument"),
    ("an unknown graph", "execute_cypher", {"query": "RETURN 1", "graph": "nab"}, "unknown_graph"),
    ("an empty query", "execute_cypher", {"query": ""}, None),
    ("a query of blanks", "execute_cypher", {"query": " \n", "graph": "nba"}, None),
    ("a write", "execute_cypher", {"query": "CREATE (n:Team {name: 'x'}) RETURN n", "graph": "nba"}, None),
    ("a write behind a read", "execute_cypher", {"query": "MATCH (t:Team) DETACH DELETE t", "graph": "nba"}, None),
    ("a syntax error", "execute_cypher", {"query": "MATCH (t:Team RETURN t", "graph": "nba"}, None),
    ("one megabyte of query", "execute_cypher", {"query": "RETURN '" + "x" * 1_000_000 + "'"}, "wrong_argument"),
    ("no mention", "find_entities", {"mentions": []}, "wrong_argument"),
    ("an unknown form", "get_schema", {"form": "yaml"}, "wrong_argument"),
]


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
async def test_every_failure_has_the_one_error_shape(home: Path, mode: str) -> None:
    async with connected(stdio(home), mode) as client:
        for what, tool, arguments, error in WRONG:
            answer = await client.call_tool(tool, arguments)
            failure = failure_in(answer)
            assert failure["message"], what
            assert failure["next"], what
            if error is not None:
                assert failure["error"] == error, what
        with pytest.raises(MCPError) as caught:
            await client.call_tool("execute_cyper", {"query": "RETURN 1"})
        assert set(caught.value.error.data) == ERROR_FIELDS
        assert caught.value.error.data["nearest"][0] == "execute_cypher"
        count = await value(client, "MATCH (t:Team) RETURN count(t)")
        assert count == 30


async def test_a_resource_or_prompt_that_does_not_exist_is_told_with_what_does(home: Path) -> None:
    async with connected(stdio(home)) as client:
        for uri in ("graph://nothing/schema", "graph://nba/labels/Tema", "graph://nba", "http://example.org/"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError, match="there are: answer_question, text_to_cypher"):
            await client.get_prompt("nothing", {})
        with pytest.raises(MCPError, match="needs the argument 'question'"):
            await client.get_prompt("answer_question", {})


async def value(client: Client, query: str) -> Any:
    """The one value that a query gives, the same in text and structure."""
    answer = await client.call_tool("execute_cypher", {"query": query, "graph": "nba"})
    assert not answer.is_error, answer.content
    assert isinstance(answer.content[0], TextContent)
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert answer.structured_content["row_count"] == 1
    return answer.structured_content["rows"][0][0]


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
async def test_every_kind_of_value_reaches_the_client(home: Path, mode: str) -> None:
    async with connected(stdio(home), mode) as client:
        node = await value(client, "MATCH (t:Team {name: 'Chicago Bulls'}) RETURN t")
        assert node["labels"] == ["Team"]
        assert node["properties"]["name"] == "Chicago Bulls"
        path = await value(client, "MATCH p = (:Team {name: 'Chicago Bulls'})-[r]->(d:Division) RETURN p")
        assert [one["labels"] for one in path["nodes"]] == [["Team"], ["Division"]]
        assert len(path["relationships"]) == 1
        assert await value(client, "RETURN date('1984-12-30') AS d") == "1984-12-30"
        assert (await value(client, "RETURN datetime('2020-01-02T03:04:05Z') AS d")).startswith("2020-01-02T03:04:05")
        assert await value(client, "RETURN duration('P1Y2M3DT4H') AS d") == "P1Y2M3DT4H"
        assert await value(client, "RETURN [1, {a: [null, 'x', {b: true}]}] AS v") == [1, {"a": [None, "x",
                                                                                                 {"b": True}]}]
        assert await value(client, "RETURN 0.0 / 0.0 AS v") in ("NaN", None)
        assert await value(client, "RETURN 9007199254740993 AS v") == 9007199254740993
        assert await value(client, "RETURN 'ü \u2603 \U0001f3c0 \\n \"' AS v") == "ü ☃ 🏀 \n \""
