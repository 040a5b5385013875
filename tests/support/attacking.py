"""Attacks, two ways to try them, and a file, a path and an address that they must not reach.

`tests/attacks/attacks.json` holds the attacks. The tests compare the content of the database before and after. No
answer may contain the secret in the file, nothing may be written to the path, and no connection may reach the address.
"""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import neo4j
import pytest

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure

ATTACKS: list[dict[str, str]] = json.loads((Path(__file__).parents[1] / "attacks" / "attacks.json").read_text("utf-8"))
SECRET = "the-secret-of-this-file"
COUNTS = (
    "MATCH (n) RETURN labels(n) AS labels, count(*) AS nodes, sum(size(keys(n))) AS properties ORDER BY labels",
    "MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS relationships, sum(size(keys(r))) AS properties "
    "ORDER BY type",
)


@dataclass
class Surroundings:
    """A file that must not be read, a path that must not be written, an address that must not be called."""

    secret: Path
    out: Path
    address: str
    calls: list[str]

    def written(self, query: str) -> tuple[str, dict[str, str]]:
        """Return the text and the parameters of an attack, with the placeholders such as `{secret}` filled in."""
        for name, value in (
            ("{secret_path}", str(self.secret)),
            ("{secret}", self.secret.as_uri()),
            ("{out}", str(self.out)),
            ("{url}", f"http://{self.address}/x"),
            ("{address}", self.address),
        ):
            query = query.replace(name, value)
        return query, {"url": self.secret.as_uri(), "address": f"http://{self.address}/x", "key": "attacked"}


@pytest.fixture
def surroundings(tmp_path: Path) -> Iterator[Surroundings]:
    secret = tmp_path / "secret.csv"
    secret.write_text(f"{SECRET}\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        calls: list[str] = []

        def listen() -> None:
            with suppress(OSError):
                while True:
                    connection, caller = listener.accept()
                    calls.append(str(caller))
                    connection.close()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        yield Surroundings(secret, tmp_path / "out.csv", address, calls)
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=10)
    assert not thread.is_alive()


def through_the_tool(graph: Graph) -> Callable[[str, dict[str, str]], str]:
    graphs = OpenGraphs([GraphSource("films", "", "any", lambda: graph)])

    def attempt(query: str, parameters: dict[str, str]) -> str:
        try:
            return execute_cypher(
                graphs, ExecuteCypherRequest(query=query, parameters=parameters, timeout_s=10)
            ).model_dump_json()
        except ToolFailure as failure:
            return str(failure.as_dict())

    return attempt


@contextmanager
def past_the_check(address: BoltAddress) -> Iterator[Callable[[str, dict[str, str]], str]]:
    """Yield a function that sends a query directly to the database, in a read session, bypassing our check.

    The function returns the rows, or the error message, as text.
    """
    with neo4j.GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver:

        def attempt(query: str, parameters: dict[str, str]) -> str:
            try:
                with driver.session(database=address.database, default_access_mode=neo4j.READ_ACCESS) as session:
                    return str([record.values() for record in session.run(neo4j.Query(query, timeout=10), parameters)])
            except (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError) as error:
                return str(error)

        yield attempt


def attack(attempt: Callable[[str, dict[str, str]], str], surroundings: Surroundings, kinds: tuple[str, ...]) -> int:
    """Try all attacks of the given kinds and return their number.

    The test fails at the first attack that reveals the secret, reaches the address or writes to the path.
    """
    chosen = [entry for entry in ATTACKS if entry["kind"] in kinds]
    for entry in chosen:
        query, parameters = surroundings.written(entry["query"])
        assert SECRET not in attempt(query, parameters), query
        assert not surroundings.calls, f"the network was reached by {query}"
        assert not surroundings.out.exists(), f"a file was written by {query}"
    return len(chosen)


ALL = ("write", "schema", "admin", "file", "network")
