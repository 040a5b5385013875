"""graphground and the official MCP server for Neo4j, on one real Neo4j over stdio, for `benchmarks.guard` to compare.

The peer (`neo4j-mcp-server`, written in Go) is installed into a separate environment under .tools/peers (needs uv and
the package index). The Neo4j must be a scratch database: 50,000 nodes `BenchPerson` with an index on their names are
loaded if they are missing. The same small client sends both servers the same queries, as JSON-RPC.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.serving import LineServer

PEERS = Path(__file__).resolve().parents[2] / ".tools" / "peers"
NODES = 50_000
ONE = "RETURN 1 AS one"
LOOKUP = "MATCH (p:BenchPerson {name: $name}) RETURN p.name, p.born"
ROWS = "MATCH (p:BenchPerson) RETURN p.name AS name, p.born AS born, p.height AS height, p.city AS city LIMIT 10000"


@dataclass
class Server:
    """A measured server: the command that starts it, and the name of its query tool."""

    name: str
    command: list[str]
    environment: dict[str, str]
    tool: str
    parameters: str
    extra: dict[str, Any] = field(default_factory=dict)
    lines: LineServer | None = None

    def start(self) -> None:
        """Start the server."""
        self.lines = LineServer(self.command, {**os.environ, **self.environment})

    def query(self, query: str, parameters: dict[str, Any] | None = None) -> float:
        """Run a query, and return the milliseconds that it took."""
        assert self.lines is not None
        arguments = {"query": query, **self.extra, **({self.parameters: parameters} if parameters else {})}
        begin = time.perf_counter()
        answer = self.lines.ask("tools/call", {"name": self.tool, "arguments": arguments})
        milliseconds = (time.perf_counter() - begin) * 1000
        if answer.get("isError"):
            sys.exit(f"{self.name}: {str(answer)[:500]}")
        return milliseconds

    def stop(self) -> None:
        """End the server."""
        assert self.lines is not None
        self.lines.close()


def installed(package: str) -> str:
    """Return the path of a peer's program; install the peer if it is missing."""
    environment = PEERS / package
    program = environment / "bin" / package
    if not program.exists():
        uv = shutil.which("uv") or sys.exit("uv is needed to install the peers")
        subprocess.run([uv, "venv", "--quiet", environment], check=True)
        install = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", environment / "bin" / "python"]
        subprocess.run([*install, package], check=True)
    return str(program)


def load(uri: str, user: str, password: str) -> None:
    """Load the nodes `BenchPerson` into the scratch database, if they are missing."""
    import neo4j

    with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver, driver.session() as session:
        if session.run("MATCH (p:BenchPerson) RETURN count(p)").single(strict=True)[0] == NODES:
            return
        session.run("CREATE INDEX bench_name IF NOT EXISTS FOR (p:BenchPerson) ON (p.name)").consume()
        for begin in range(0, NODES, 10_000):
            session.run(
                "UNWIND range($begin, $begin + 9999) AS i MERGE (p:BenchPerson {name: 'Person ' + i}) "
                "SET p.born = 1900 + i % 100, p.height = 150.0 + i % 60, p.city = 'City ' + (i % 500)",
                begin=begin,
            ).consume()
        session.run("CALL db.awaitIndexes(60)").consume()


def servers(uri: str, user: str, password: str) -> list[Server]:
    """Return graphground and the official server, with the same database."""
    environment = {"NEO4J_URI": uri, "NEO4J_USERNAME": user, "NEO4J_PASSWORD": password, "NEO4J_DATABASE": "neo4j"}
    ours = [sys.executable, "-m", "graphground", "serve", "--graph", "neo4j"]
    return [
        Server("graphground", ours, environment, "execute_cypher", "parameters", {"limit": 10_000}),
        Server(
            "neo4j-mcp-server",
            [installed("neo4j-mcp-server")],
            {**environment, "NEO4J_READ_ONLY": "true", "NEO4J_TELEMETRY": "false"},
            "read-cypher",
            "params",
        ),
    ]
