"""The figures of speed that a change must not make worse, as ratios inside one run of under five minutes.

    python -m benchmarks.guard [--python PATH] [--uri bolt://127.0.0.1:7687 --user neo4j --password …]

graphground and its peers take turns, so that other load slows them alike, and the median of the rounds counts. Over
HTTP, 16 clients call a trivial tool of the SDK, then graphground; the value is the share of its calls a second. Against
`neo4j-mcp-server` on a scratch Neo4j (see `benchmarks.server.peers`) it is the ratio of milliseconds; these rows are
left out without `--uri`. A start, the time to the answer to `tools/list`, is compared with that of an empty server.

`--python` is the interpreter of another checkout, such as the commit before, which is measured instead (`-P`
keeps this one's package off its path); nothing is recorded then. Otherwise the figures are recorded in
`benchmarks/results/guard.json`, and the exit status is 1 if one misses its bar by more than a tenth.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from benchmarks.results import Figure, record
from benchmarks.server.peers import LOOKUP, ONE, ROWS, load, servers
from graphground.cypher import validate
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.serving import LineServer

COMMAND = "benchmarks.guard"
CLIENTS, ROUNDS, SECONDS, MARGIN = 16, 3, 3.0, 0.1
HEADERS = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
TRIVIAL = """
import sys, uvicorn
from mcp.server.mcpserver import MCPServer
server = MCPServer("trivial")
@server.tool()
def add(a: int, b: int) -> int:
    return a + b
uvicorn.run(server.streamable_http_app(), port=int(sys.argv[1]), log_level="warning")
"""
EMPTY = [sys.executable, "-c", "from mcp.server import MCPServer; MCPServer('empty').run()"]
FIRST_ROW = {
    "name": "execute_cypher",
    "arguments": {"query": "MATCH (t:Team) RETURN t.name ORDER BY t.name LIMIT 1", "graph": "nba"},
}
QUERY = "MATCH (p:Player)-[:playsFor]->(t:Team {name: 'Los Angeles Lakers'}) RETURN p.name"
SERVED: tuple[tuple[str, str, dict[str, Any], float], ...] = (
    ("validate_cypher", "validate_cypher", {"query": QUERY}, 0.95),
    ("find_entities, one name", "find_entities", {"mentions": ["LeBron James"]}, 0.7),
    (
        "execute_cypher, 30 rows",
        "execute_cypher",
        {"query": "MATCH (p:Player) RETURN p.name, p.height_cm LIMIT 30"},
        0.45,
    ),
)


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message: dict[str, Any], session: str = ""
) -> tuple[str, str]:
    """Send one request over a connection that stays open; return the headers and the body of the response."""
    body = json.dumps(message)
    writer.write(
        f"POST /mcp HTTP/1.1\r\nHost: localhost:1\r\n{HEADERS}{session}Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    headers = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    if found := re.search(r"content-length: (\d+)", headers, re.IGNORECASE):
        return headers, (await reader.readexactly(int(found[1]))).decode()
    parts = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    await reader.readexactly(2)
    return headers, b"".join(parts).decode()


async def calls_a_second(port: int, tool: str, arguments: dict[str, Any]) -> float:
    """Return the calls a second that `CLIENTS` clients get answered, each in a session of its own."""
    answered, until = 0, time.monotonic() + SECONDS
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "guard", "version": "1"}}

    async def client() -> None:
        nonlocal answered
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        opening = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        headers, _ = await exchange(reader, writer, opening)
        found = re.search(r"mcp-session-id: (\S+)", headers, re.IGNORECASE)
        session = f"Mcp-Session-Id: {found[1] if found else ''}\r\nMcp-Protocol-Version: 2025-06-18\r\n"
        await exchange(reader, writer, {"jsonrpc": "2.0", "method": "notifications/initialized"}, session)
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        while time.monotonic() < until:
            _, text = await exchange(reader, writer, call, session)
            if '"result"' not in text or '"isError":true' in text:
                sys.exit(text[:500])
            answered += 1
        writer.close()

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return answered / SECONDS


@contextmanager
def listening(command: list[str], port: int) -> Iterator[None]:
    """Run a server until the end of the block; wait until it accepts connections."""
    process = subprocess.Popen([*command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with suppress(OSError):
                asyncio.run(asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 5))
                break
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(30)


def served(python: str) -> Iterator[Figure]:
    """Measure calls over HTTP beside the SDK's trivial tool."""
    trivial, ours = 18_471, 18_472
    serve = [python, "-P", "-m", "graphground", "serve", "--transport", "http", "--port", str(ours)]
    with listening([sys.executable, "-c", TRIVIAL, str(trivial)], trivial), listening(serve, ours):
        for _, tool, arguments, _ in SERVED:  # loads the graph, and starts the engine
            asyncio.run(calls_a_second(ours, tool, {"graph": "nba", **arguments}))
        for what, tool, arguments, bar in SERVED:
            ratios = []
            for _ in range(ROUNDS):
                peer = asyncio.run(calls_a_second(trivial, "add", {"a": 1, "b": 2}))
                ratios.append(asyncio.run(calls_a_second(ours, tool, {"graph": "nba", **arguments})) / peer)
            value, unit = round(statistics.median(ratios), 2), "of the SDK's trivial tool"
            yield Figure(f"calls a second over HTTP, {what}", "nba, 16 clients", value, unit, f">= {bar}", COMMAND)


def beside_official(python: str, uri: str, user: str, password: str) -> Iterator[Figure]:
    """Measure queries over stdio beside the official server, on one Neo4j."""
    load(uri, user, password)
    ours, official = servers(uri, user, password)
    ours.command[0] = python
    ours.start()
    official.start()
    rows: tuple[tuple[str, str, dict[str, Any] | None, float, int], ...] = (
        ("RETURN 1", ONE, None, 0.7, 200),
        ("lookup of one node", LOOKUP, {"name": "Person 4711"}, 0.9, 200),
        ("10,000 rows", ROWS, None, 1.0, 10),
    )
    for what, query, parameters, bar, rounds in rows:
        pairs = [(ours.query(query, parameters), official.query(query, parameters)) for _ in range(rounds + 10)][10:]
        ratio = statistics.median(pair[0] for pair in pairs) / statistics.median(pair[1] for pair in pairs)
        yield Figure(f"time of {what}", "50,000 nodes", round(ratio, 2), "of neo4j-mcp-server", f"<= {bar}", COMMAND)
    ours.stop()
    official.stop()


def start(command: list[str], call: dict[str, Any] | None = None) -> float:
    """Start a server, list its tools or call one; return the milliseconds from the process's start to the answer."""
    begin = time.perf_counter()
    server = LineServer(command)
    answer = server.ask("tools/list" if call is None else "tools/call", call or {})
    milliseconds = (time.perf_counter() - begin) * 1000
    server.close()
    if answer.get("isError"):
        sys.exit("the call failed")
    return milliseconds


def starts(python: str) -> Iterator[Figure]:
    """Measure the start of the server, and the first row with the engine stopped and running."""
    serve = [python, "-P", "-m", "graphground", "serve"]
    ratios = [start(serve) / start(EMPTY) for _ in range(7)]
    value = round(statistics.median(ratios), 2)
    yield Figure("start to tools/list", "stdio", value, "of an empty server of the SDK", "<= 1.05", COMMAND)
    start(serve, call=FIRST_ROW)
    subprocess.run([python, "-P", "-c", WRITE_ARCHIVE], check=True)
    for what, bar in (("engine stopped", 1.0), ("engine running", 0.5)):
        times = []
        for _ in range(3):
            if what == "engine stopped":
                subprocess.run([python, "-P", "-c", END_ENGINE], check=True)
            times.append(start(serve, call=FIRST_ROW) / 1000)
        yield Figure(f"first row, {what}", "nba", round(statistics.median(times), 2), "s", f"<= {bar}", COMMAND)


END_ENGINE = (
    "from graphground.graphs.storage.home import Home\n"
    "from graphground.graphs.engines.embedded.launcher import end_engine\n"
    "end_engine(Home.default(), kill=True)"
)
WRITE_ARCHIVE = (  # as every installation has it after the first engine has stopped
    "import time\n"
    "from graphground.graphs.storage.home import Home\n"
    "from graphground.graphs.engines.embedded.launcher import archive_file, is_complete\n"
    "from graphground.graphs.engines.embedded.launcher import end_engine\n"
    "end_engine(Home.default())\n"
    "until = time.monotonic() + 60\n"
    "while (file := archive_file()) and not is_complete(file) and time.monotonic() < until: time.sleep(0.1)"
)


def in_process() -> Iterator[Figure]:
    """Measure the check of one query against a schema, in this process."""
    team = {"label": "Team", "properties": {"name": "str"}}
    player = {"label": "Player", "properties": {"name": "str", "height_cm": "float"}}
    link = {"label": "playsFor", "subj_label": "Player", "obj_label": "Team", "properties": {"start_year": "int"}}
    schema = PropertyGraphSchema.from_cypherbench({"name": "nba", "entities": [team, player], "relations": [link]})
    times = []
    for _ in range(2_000):
        begin = time.perf_counter()
        validate(QUERY, schema)
        times.append((time.perf_counter() - begin) * 1000)
    times.sort()
    data = "one query, two labels"
    yield Figure("validate in process, median", data, round(times[1_000], 3), "ms", "<= 0.15", COMMAND)
    yield Figure("validate in process, 99th percentile", data, round(times[1_980], 3), "ms", "<= 0.5", COMMAND)


def is_far_off(figure: Figure) -> bool:
    """Whether a figure misses its bar by more than the margin."""
    sign, bar = figure.bar.split()
    return figure.value > float(bar) * (1 + MARGIN) if sign == "<=" else figure.value < float(bar) * (1 - MARGIN)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--uri")
    parser.add_argument("--user", default="neo4j")
    parser.add_argument("--password", default=os.environ.get("NEO4J_PASSWORD", ""))
    options = parser.parse_args()
    far_off = 0
    with tempfile.TemporaryDirectory(prefix="graphground-guard-") as home:
        os.environ["GRAPHGROUND_HOME"] = home
        parts: list[Callable[[], Iterator[Figure]]] = [lambda: served(options.python), lambda: starts(options.python)]
        if options.python == sys.executable:
            parts.append(in_process)
        if options.uri:
            parts.append(lambda: beside_official(options.python, options.uri, options.user, options.password))
        try:
            for part in parts:
                for figure in part():
                    far_off += is_far_off(figure)
                    print(f"{figure.what}: {figure.value} {figure.unit} (bar {figure.bar})", flush=True)
                    if options.python == sys.executable:
                        record("guard", figure)
        finally:
            subprocess.run([options.python, "-P", "-c", END_ENGINE], check=False)
    sys.exit(1 if far_off else 0)


if __name__ == "__main__":
    main()
