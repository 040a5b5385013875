"""Compares graphground with the two MCP servers for Neo4j on the package index, on one real Neo4j, over stdio.

    python -m benchmarks.server.peers --uri bolt://127.0.0.1:7687 --user neo4j --password … [--rounds 200]

The peers (`neo4j-mcp-server`, written in Go, and `mcp-neo4j-cypher`) are installed into separate environments under
.tools/peers (needs uv and the package index). Use a scratch database: 50,000 nodes `BenchPerson` with an index on their
names are loaded if they are missing. The same small client sends every server the same queries, as JSON-RPC. The
servers take turns, so that other load slows all of them alike.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
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

    def start(self) -> float:
        """Start the server, and return the milliseconds from the process's start to the answer to `tools/list`."""
        begin = time.perf_counter()
        self.lines = LineServer(self.command, {**os.environ, **self.environment})
        self.lines.ask("tools/list", {})
        return (time.perf_counter() - begin) * 1000

    def query(self, query: str, parameters: dict[str, Any] | None = None) -> tuple[float, dict[str, Any]]:
        """Run a query; return the milliseconds that it took, and its result."""
        assert self.lines is not None
        arguments = {"query": query, **self.extra, **({self.parameters: parameters} if parameters else {})}
        begin = time.perf_counter()
        answer = self.lines.ask("tools/call", {"name": self.tool, "arguments": arguments})
        milliseconds = (time.perf_counter() - begin) * 1000
        if answer.get("isError"):
            sys.exit(f"{self.name}: {str(answer)[:500]}")
        return milliseconds, answer

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
        subprocess.run(
            [
                uv,
                "pip",
                "install",
                "--quiet",
                "--compile-bytecode",
                "--python",
                environment / "bin" / "python",
                package,
            ],
            check=True,
        )
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
    """Return the three servers, with the same database."""
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
        Server(
            "mcp-neo4j-cypher",
            [installed("mcp-neo4j-cypher")],
            {**environment, "NEO4J_READ_ONLY": "true"},
            "read_neo4j_cypher",
            "params",
        ),
    ]


def main() -> None:
    """Measure the servers in turns, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--uri", default="bolt://127.0.0.1:7687")
    parser.add_argument("--user", default="neo4j")
    parser.add_argument("--password", default=os.environ.get("NEO4J_PASSWORD", ""))
    parser.add_argument("--rounds", type=int, default=200)
    parsed = parser.parse_args()
    load(parsed.uri, parsed.user, parsed.password)
    contestants = servers(parsed.uri, parsed.user, parsed.password)
    starts: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for number in range(4):
        for contestant in contestants:
            milliseconds = contestant.start()
            contestant.stop()
            if number:
                starts[contestant.name].append(milliseconds)
    for contestant in contestants:
        contestant.start()
    figures: dict[str, dict[str, list[float]]] = {
        contestant.name: {"start": starts[contestant.name]} for contestant in contestants
    }
    plan = (("RETURN 1", ONE, parsed.rounds), ("lookup", LOOKUP, parsed.rounds), ("10,000 rows", ROWS, 15))
    for title, query, rounds in plan:
        for number in range(rounds + 20 if rounds > 20 else rounds + 4):
            for contestant in contestants:
                name = {"name": f"Person {number * 37 % NODES}"} if query is LOOKUP else None
                milliseconds, answer = contestant.query(query, name)
                if number == 0 and title == "10,000 rows":
                    print(f"{contestant.name}: {len(json.dumps(answer)):,} bytes for 10,000 rows")
                if number >= (20 if rounds > 20 else 4):
                    figures[contestant.name].setdefault(title, []).append(milliseconds)
    for contestant in contestants:
        contestant.stop()
    titles = ["start", *(title for title, _, _ in plan)]
    print("| median ms (best) | " + " | ".join(titles) + " |\n|---" * 1 + "|---" * len(titles) + "|")
    for name, measured in figures.items():
        print(
            f"| {name} | "
            + " | ".join(f"{statistics.median(measured[title]):.2f} ({min(measured[title]):.2f})" for title in titles)
            + " |"
        )
    official = figures["neo4j-mcp-server"]
    print(
        "graphground / neo4j-mcp-server: "
        + ", ".join(
            f"{title} {statistics.median(figures['graphground'][title]) / statistics.median(official[title]):.2f}"
            for title in titles[1:]
        )
    )
    slow = figures["mcp-neo4j-cypher"]["start"]
    print(
        f"mcp-neo4j-cypher / graphground at start: "
        f"{statistics.median(slow) / statistics.median(figures['graphground']['start']):.2f}"
    )


if __name__ == "__main__":
    main()
