"""Three servers on one Neo4j behind haproxy: servers die, return and are added while clients of both protocols call."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from tests.support.balancer import Balanced, Tally, balanced, client_of
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.serving import LEGACY, MODERN

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.neo4j,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not (shutil.which("haproxy") or Path("/usr/sbin/haproxy").exists()), reason="needs haproxy"),
]
TOKENS = [f"token number {number} of the balancer" for number in range(4)]
LONG = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a * b AS c WHERE c = -1 RETURN count(c) AS found"
CALLS = 5


@pytest.fixture(scope="module")
def service(neo4j_5: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Balanced]:
    """Yield two servers behind haproxy on a Neo4j with 300 nodes; the third server is not started yet."""
    seeded(neo4j_5, "MATCH (n) DETACH DELETE n", "UNWIND range(1, 300) AS i CREATE (:Place {name: 'Place ' + i, i: i})")
    folder = tmp_path_factory.mktemp("balanced")
    (folder / "tokens").write_text("\n".join(TOKENS))
    more = {
        "NEO4J_URI": neo4j_5.uri,
        "NEO4J_USERNAME": neo4j_5.user,
        "NEO4J_PASSWORD": neo4j_5.password,
        "GRAPHGROUND_TOKEN_FILE": str(folder / "tokens"),
        "GRAPHGROUND_ANSWER_BYTES": "1500",
    }
    with balanced(folder, more, running=2) as service:
        yield service


async def test_only_calls_on_a_dead_server_are_lost_while_servers_die_return_and_are_added(service: Balanced) -> None:
    tally, stopped = Tally(), anyio.Event()
    clients = {f"{mode} {number}": (mode, token) for mode in (MODERN, LEGACY) for number, token in enumerate(TOKENS)}
    one, _, three = service.replicas

    async def answers() -> None:
        """Wait until each client has more answers: the second is to a call that began after what happened before."""
        wanted = tally.answered + Counter(dict.fromkeys(clients, CALLS))
        with anyio.fail_after(100):
            while not tally.answered >= wanted:
                await anyio.sleep(0.02)

    async with anyio.create_task_group() as callers:
        for name, (mode, token) in clients.items():
            callers.start_soon(tally.call_until, stopped, service.address, mode, token, name)
        await answers()
        assert tally.counts.keys() == {"right"}
        await anyio.to_thread.run_sync(one.kill)
        await answers()
        lost = tally.counts["lost"]
        await anyio.to_thread.run_sync(three.start)
        await answers()
        await anyio.to_thread.run_sync(one.start)
        await answers()
        stopped.set()
    assert tally.counts["wrong"] == tally.counts["error"] == 0, tally.counts
    # A session of the dead server is refused once, and its client opens another: at most one call each.
    assert lost <= len(clients), tally.counts
    # A server that joins moves clients without a session to it, and no call is lost.
    assert tally.counts["lost"] == lost, tally.counts


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
async def test_a_client_reads_on_with_its_cursor_through_the_balancer(service: Balanced, mode: str) -> None:
    with anyio.fail_after(90):
        async with client_of(service.address, mode, TOKENS[0]) as client:
            query = {"query": "MATCH (p:Place) RETURN p.i ORDER BY p.i", "limit": 300}
            page = (await client.call_tool("execute_cypher", query)).structured_content
            assert page["cursor"]
            rows = list(page["rows"])
            while page.get("cursor"):
                page = (await client.call_tool("execute_cypher", {"cursor": page["cursor"]})).structured_content
                rows += page["rows"]
                assert page["rows"]
    assert rows == [[number] for number in range(1, 301)]


async def test_progress_passes_the_balancer_and_a_client_that_leaves_ends_its_query(
    service: Balanced, neo4j_5: Neo4jServer
) -> None:
    import neo4j

    heard = anyio.Event()

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        heard.set()

    with anyio.fail_after(90):
        async with client_of(service.address, MODERN, TOKENS[1]) as client, anyio.create_task_group() as calls:
            calls.start_soon(
                lambda: client.call_tool(
                    "execute_cypher", {"query": LONG, "timeout_s": 80}, progress_callback=progressed
                )
            )
            await heard.wait()
            calls.cancel_scope.cancel()
        with neo4j.GraphDatabase.driver(neo4j_5.uri, auth=(neo4j_5.user, neo4j_5.password)) as driver:
            show = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS '100000' RETURN currentQuery"
            while [row for row in driver.execute_query(show).records if "SHOW" not in row["currentQuery"]]:
                await anyio.sleep(0.1)
