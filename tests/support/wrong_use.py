"""Wrong uses of the tools: calls that must fail, with the expected error codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.support.serving import ERROR_FIELDS

UNREACHABLE = "unreachable"
SETTINGS = f"""
[graphs.{UNREACHABLE}]
uri = "bolt://127.0.0.1:9"
description = "No server listens on the discard port."
"""
VARIABLES = {"GRAPHGROUND_GRAPH": f"nba,{UNREACHABLE}", "GRAPHGROUND_ANSWER_BYTES": "20000"}
SLOW = "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b WITH a, b WHERE a + b = -1 RETURN count(*) AS found"


class WrongUse(NamedTuple):
    """A call that must fail: a description, the call, the expected error code, and a word that `nearest` must contain,
    if any."""

    what: str
    tool: str
    arguments: dict[str, Any]
    error: str
    nearest: str = ""


def query(what: str, text: str, error: str, nearest: str = "", **more: Any) -> WrongUse:
    """Return a call of `execute_cypher` on the bundled graph that must fail with `error`;
    `what` describes the mistake."""
    return WrongUse(what, "execute_cypher", {"graph": "nba", "query": text, **more}, error, nearest)


WRONG_USES = [
    WrongUse("a misspelt argument", "execute_cypher", {"querry": "RETURN 1"}, "unknown_argument", "query"),
    WrongUse("an argument for a tool without any", "list_graphs", {"graph": "nba"}, "unknown_argument"),
    WrongUse("a missing argument", "execute_cypher", {"graph": "nba"}, "missing_argument", "query"),
    WrongUse("a list for a text", "execute_cypher", {"query": ["RETURN 1"]}, "wrong_argument"),
    WrongUse("a text for a number", "execute_cypher", {"query": "RETURN 1", "limit": "10"}, "wrong_argument"),
    WrongUse("a number out of bounds", "ground_question", {"question": "x", "limit": 99}, "wrong_argument", "50"),
    WrongUse("a text for a list", "find_entities", {"mentions": "LeBron James"}, "wrong_argument"),
    WrongUse("an unknown form", "get_schema", {"graph": "nba", "form": "yaml"}, "wrong_argument", "base"),
    WrongUse(
        "an unknown method", "get_filtered_schema", {"question": "x", "method": "best"}, "wrong_argument", "similarity"
    ),
    WrongUse("mentions and a question", "find_entities", {"mentions": ["x"], "question": "x"}, "wrong_argument"),
    WrongUse("a question of 20,001 characters", "find_entities", {"question": "x" * 20_001}, "wrong_argument"),
    WrongUse(
        "one megabyte of query", "execute_cypher", {"query": "RETURN '" + "x" * 1_000_000 + "'"}, "wrong_argument"
    ),
    WrongUse("an unknown graph", "execute_cypher", {"query": "RETURN 1", "graph": "nab"}, "unknown_graph", "nba"),
    WrongUse("no graph where there are two", "get_schema", {}, "graph_required", "nba"),
    WrongUse(
        "a database that cannot be reached",
        "execute_cypher",
        {"query": "RETURN 1", "graph": UNREACHABLE},
        "graph_unavailable",
        "nba",
    ),
    WrongUse(
        "an unknown label",
        "find_entities",
        {"mentions": ["x"], "graph": "nba", "label": "Playr"},
        "unknown_label",
        "Player",
    ),
    WrongUse(
        "an unknown property",
        "find_entities",
        {"mentions": ["x"], "graph": "nba", "property": "nmae"},
        "unknown_property",
        "name",
    ),
    WrongUse("a budget for nothing", "get_schema", {"graph": "nba", "max_tokens": 1}, "budget_too_small"),
    WrongUse(
        "a schema over the server's limit",
        "execute_cypher",
        {"graph": "nba", "query": "RETURN " + ", ".join(f"'{'x' * 3_900}' AS c{place}" for place in range(8))},
        "answer_too_large",
    ),
    WrongUse("an empty question", "ground_question", {"graph": "nba", "question": " "}, "empty_question"),
    WrongUse("an empty query to check", "validate_cypher", {"graph": "nba", "query": " \n "}, "empty_query"),
    WrongUse("a cursor that nobody gave", "execute_cypher", {"cursor": "AAAAAAAAAAAAAAAAAAAAAA.100"}, "unknown_cursor"),
    query("an empty query", "  ", "empty_query", "MATCH"),
    query("a syntax error", "MATCH (t:Team RETURN t", "invalid_query"),
    query("an undefined variable", "MATCH (t:Team) RETURN x", "invalid_query"),
    query("a misspelt function", "MATCH (t:Team) RETURN cuont(t)", "invalid_query", "count"),
    query("a missing parameter", "MATCH (t:Team) WHERE t.name = $name RETURN t", "missing_parameter"),
    query(
        "a misspelt parameter",
        "MATCH (t:Team) WHERE t.name = $name RETURN t",
        "missing_parameter",
        "$nmae",
        parameters={"nmae": "Chicago Bulls"},
    ),
    query("CREATE", "CREATE (n:Team {name: 'x'}) RETURN n", "not_read_only"),
    query("a file", "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "not_read_only"),
    query("a procedure that writes", "CALL apoc.create.node(['Team'], {}) YIELD node RETURN node", "not_read_only"),
    query("two statements", "MATCH (t:Team) RETURN t; MATCH (t:Team) RETURN t", "multiple_statements"),
    query("a value too large", "RETURN size([i IN range(1, 100000000) | i]) AS x", "value_too_large"),
    query("a query that takes too long", SLOW, "query_timeout", timeout_s=0.1),
    query("a query that fails while it runs", "MATCH (t:Team) RETURN date(t.name) AS day", "query_failed"),
]


def calls() -> list[Mapping[str, Any]]:
    """Return the calls as plain data, for clients in other processes."""
    return [{"tool": wrong.tool, "arguments": wrong.arguments} for wrong in WRONG_USES]


def check(wrong: WrongUse, failure: Mapping[str, Any]) -> None:
    """Check that the failure has the expected code, the nearest valid input and the next step."""
    assert set(failure) == ERROR_FIELDS, wrong.what
    assert failure["error"] == wrong.error, (wrong.what, failure["message"])
    assert failure["message"], wrong.what
    assert failure["next"], wrong.what
    assert wrong.nearest in json.dumps(failure["nearest"]) + json.dumps(
        [found["suggestions"] for found in failure["diagnostics"]]
    ), (wrong.what, failure)
