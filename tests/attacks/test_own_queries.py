"""Hostile queries in the owner's settings file: refused with the position, or left out of the tools."""

import json
from pathlib import Path

import pytest

from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.server.application import Application
from graphground.server.settings import SettingsError, read_settings
from tests.support.documents import schema

SCHEMA = schema("films", {"Movie": {"name": "str"}})
QUERY = '[queries.hostile]\ndescription = "x"\ncypher = {}\n'


def read(folder: Path, text: str) -> Path:
    (folder / "settings.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE (n)",
        "MATCH (n) DETACH DELETE n",
        "RETURN 1 AS x; CREATE (n)",
        "RETURN '\\u0027 AS a",
        "LOAD CSV FROM 'file:///etc/hostname' AS row RETURN row",
        "CALL dbms.listConfig() YIELD name RETURN name",
        "USE other MATCH (n) RETURN n.name AS name",
        "MATCH (n:$($label)) SET n.x = 1",
        "RETURN $`x} RETURN 1 //` AS x",
        "x" * 100_000,
    ],
    ids=range(10),
)
def test_a_query_that_does_more_than_read_becomes_no_tool(cypher: str, tmp_path: Path) -> None:
    own = read_settings({"home": str(read(tmp_path, QUERY.format(json.dumps(cypher))))}, {}).queries
    graph = Graph("films", SCHEMA, "", None)
    application = Application(lambda: OpenGraphs([GraphSource("films", "", "x", lambda: graph)]), 100_000, own)
    application.check_queries()
    assert "hostile" not in application.own.names()
    answer = application.call("hostile", {})
    assert answer.is_error
    assert len(answer.payload) < 5_000


@pytest.mark.parametrize("text", ["a = " + "[" * 5_000 + "]" * 5_000, "\0", "[queries]\n" * 2, "x" * 1_000_000])
def test_malformed_settings_are_refused_with_a_short_message(text: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"home": str(read(tmp_path, text))}, {})
    assert len(str(caught.value)) < 1_000
