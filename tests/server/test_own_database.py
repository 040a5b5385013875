"""A user's own Neo4j, started for the test, served over Bolt."""

from __future__ import annotations

from pathlib import Path

import anyio
import neo4j
import pytest

from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.serving import connected, failure_in, stdio

pytestmark = [pytest.mark.anyio, pytest.mark.neo4j]
LONG = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a * b AS c WHERE c = -1 RETURN count(c) AS found"


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


async def test_cancelling_a_call_ends_the_query_in_the_database(films: Neo4jServer, tmp_path: Path) -> None:
    server = stdio(
        tmp_path,
        "--graph",
        "films",
        "--name",
        "films",
        more={"NEO4J_URI": films.uri, "NEO4J_USERNAME": films.user, "NEO4J_PASSWORD": films.password},
    )
    with neo4j.GraphDatabase.driver(films.uri, auth=(films.user, films.password)) as driver:
        async with connected(server) as client:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "execute_cypher", {"query": LONG, "timeout_s": 300})
                await until(driver, running=True)
                tasks.cancel_scope.cancel()
            await until(driver, running=False)
            answer = await client.call_tool("execute_cypher", {"query": "MATCH (m:Movie) RETURN m.name"})
            assert answer.structured_content["rows"] == [["Heat"]]


async def until(driver: neo4j.Driver, running: bool) -> None:
    """Wait until the long query is running (`running=True`) or has ended (`running=False`)."""
    with anyio.fail_after(30):
        while is_running(driver) is not running:
            await anyio.sleep(0.05)


def is_running(driver: neo4j.Driver) -> bool:
    records, _, _ = driver.execute_query("SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery")
    return any("range(1, 100000) AS a" in (record[0] or "") for record in records)
