"""On a database whose language is Cypher 25, no tool sends a text that databases parse differently."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import neo4j
import pytest

from graphground.cypher.safety.canonical import two_readings
from graphground.graphs.engines.address import Database
from graphground.graphs.opening.connected import open_database
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.graphs.storage.home import Home
from graphground.server.application import Application
from tests.support.attacking import Surroundings
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = pytest.mark.neo4j
ESCAPES = [
    "\\u0027",
    "\\U00000027",
    "\\u0060",
    "\\u002f\\u002f",
    "\\u002a/",
    "\\u000a",
    "\ufeff",
    "\u2028",
    "\x00",
    "\\\\",
]


@pytest.fixture
def server(neo4j_newest: Neo4jServer) -> Iterator[Neo4jServer]:
    seeded(
        neo4j_newest,
        "MATCH (n) DETACH DELETE n",
        "CREATE (:Film {name: 'Heat', year: 1995})-[:BY {since: 1}]->(:Person {name: 'x\\\\u0027 SET n.x = 1 //'})",
        "CREATE (:`La\\\\u0060 bel` {name: 'odd', `pro\\\\u0060p`: 1})",
        "ALTER DATABASE neo4j SET DEFAULT LANGUAGE CYPHER 25",
    )
    yield neo4j_newest
    seeded(neo4j_newest, "ALTER DATABASE neo4j SET DEFAULT LANGUAGE CYPHER 5", "MATCH (n) DETACH DELETE n")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect every text that the driver sends."""
    texts: list[str] = []
    for owner in (neo4j.Session, neo4j.Transaction, neo4j.ManagedTransaction):
        original = owner.run

        def run(self: Any, query: Any, *arguments: Any, _original: Any = original, **options: Any) -> Any:
            texts.append(getattr(query, "text", query))
            return _original(self, query, *arguments, **options)

        monkeypatch.setattr(owner, "run", run)
    return texts


def calls(url: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield calls of every tool that sends Cypher: the tool's name and its arguments.

    The arguments contain names in which some parsers see the end of a string or of a quoted name.
    """
    payloads = itertools.cycle([f"LOAD CSV FROM '{url}' AS row RETURN row", "SET n.x = 1", "CREATE (:Attacked)"])
    for escape, payload in zip(ESCAPES, payloads, strict=False):
        name = f"x{escape} {payload} //"
        for query in (
            f"RETURN '{name}' AS a",
            f'RETURN "{name}" AS a',
            f"MATCH (n:`{name}`) RETURN n.name AS a",
            f"MATCH (n) RETURN n.name AS a /* {name} */",
            f"MATCH (n) // {name}\nRETURN n.name AS a",
        ):
            yield "execute_cypher", {"query": query}
            yield "validate_cypher", {"query": query}
        yield "execute_cypher", {"query": "MATCH (f:Film {name: $n}) RETURN f.name AS a", "parameters": {"n": name}}
        yield "execute_cypher", {"query": "MATCH (f:Film {name: 'Hea'}) RETURN f.name AS a", "question": name}
        yield "find_entities", {"mentions": [name, "Heat"]}
        yield "find_entities", {"mentions": ["Heat"], "label": name, "property": name}
        yield "find_entities", {"mentions": [name], "label": "La\\u0060 bel"}
        yield "ground_question", {"question": f"films of '{name}'"}
        yield "get_filtered_schema", {"question": name}
    for form in ("base", "enhanced", "json"):
        yield "get_schema", {"form": form}


def test_no_tool_sends_a_text_that_databases_parse_differently(
    server: Neo4jServer, sent: list[str], surroundings: Surroundings, tmp_path: Path
) -> None:
    database = Database("films", server.uri, server.user, server.password)
    home = Home(tmp_path).make()
    with closing(
        Application(lambda: OpenGraphs([GraphSource("films", "", "bolt", lambda: open_database(database, home))]))
    ) as application:
        for tool, arguments in calls(f"http://{surroundings.address}/x"):
            answer = application.call(tool, arguments)
            assert b"internal_error" not in answer.payload, (tool, arguments)
    assert len(set(sent)) > 50
    assert [text for text in set(sent) if two_readings(text)] == []
    assert not surroundings.calls
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        [row] = driver.execute_query("MATCH (n) RETURN count(*) AS nodes, count(n.x) AS changed").records
    assert (row["nodes"], row["changed"]) == (3, 0)
