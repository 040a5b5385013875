"""A user's own Neo4j, started for the test, served over Bolt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.serving import connected, failure_in, stdio

pytestmark = [pytest.mark.anyio, pytest.mark.neo4j]


@pytest.fixture(scope="module")
def films(neo4j_5: Neo4jServer) -> Neo4jServer:
    seeded(
        neo4j_5,
        "MATCH (n) DETACH DELETE n",
        "CREATE (:Movie {name: 'Heat', released: date('1995-12-15')})-[:DIRECTED_BY]->(:Person {name: 'Mann'})",
    )
    return neo4j_5


async def test_variables_configure_your_own_database(films: Neo4jServer, tmp_path: Path) -> None:
    server = stdio(
        tmp_path, more={"NEO4J_URI": films.uri, "NEO4J_USERNAME": films.user, "NEO4J_PASSWORD": films.password}
    )
    async with connected(server) as client:
        graphs = (await client.call_tool("list_graphs", {})).structured_content["graphs"]
        assert [graph["name"] for graph in graphs] == ["neo4j"]
        answer = await client.call_tool("execute_cypher", {"query": "MATCH (m:Movie) RETURN m.name, m.released"})
        assert answer.structured_content["rows"] == [["Heat", "1995-12-15"]]
        refused = await client.call_tool("execute_cypher", {"query": "CREATE (:Movie {name: 'x'})"})
        assert refused.is_error
        count = await client.call_tool("execute_cypher", {"query": "MATCH (m:Movie) RETURN count(m)"})
        assert count.structured_content["rows"] == [[1]]


async def test_an_unreachable_database_does_not_affect_the_others(films: Neo4jServer, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(f"""
[graphs.good]
uri = "{films.uri}"
username = "{films.user}"
password = "{films.password}"
[graphs.nobody]
uri = "bolt://127.0.0.1:1"
[graphs.nonsense]
uri = "http://127.0.0.1"
[graphs.refused]
uri = "{films.uri}"
username = "{films.user}"
password = "wrong"
[graphs.missing]
uri = "{films.uri}"
username = "{films.user}"
password = "{films.password}"
database = "nothing"
""")
    words = {
        "nobody": "No Bolt server answers",
        "nonsense": "not the address of a Bolt server",
        "refused": "refused the user",
        "missing": "no database 'nothing'",
    }
    async with connected(stdio(tmp_path)) as client:
        for name, text in words.items():
            answer = await client.call_tool("execute_cypher", {"query": "RETURN 1 AS one", "graph": name})
            assert text in failure_in(answer)["message"], name
        good = await client.call_tool("execute_cypher", {"query": "MATCH (m:Movie) RETURN m.name", "graph": "good"})
        assert good.structured_content["rows"] == [["Heat"]]
        graphs = (await client.call_tool("list_graphs", {})).structured_content["graphs"]
        assert {"good", *words} <= {graph["name"] for graph in graphs}
