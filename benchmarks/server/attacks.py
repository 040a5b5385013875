"""Measures how much a well-behaved client is slowed while another client attacks the same server over HTTP.

    python -m benchmarks.server.attacks HOME [--graph nba] [--seconds 300] [--attack checking --attack slow …]

HOME is a data folder; it may be empty for the bundled graph `nba`. For each attack a server with two tokens is started,
a separate process attacks without pause with one token, and a well-behaved client with the other calls list_graphs,
validate_cypher and execute_cypher in turn, with pauses of 0.2 s, in a session that it opened before the attack. Without
`--attack` all attacks run. The output is the well-behaved client's p50, p95 and slowest time for each tool, its
failures, the answers to the attacker, and the server's memory and descriptors at the end.

Attacks: `none` does nothing, for comparison. `checking` sends texts of 100 kB of every shape in
tests/support/time_shapes.py to `validate_cypher`. `unstoppable` sends queries that the engine cannot terminate, with
time limits of 0.05 s, from one session; `unstoppable-sessions` sends each of them from a new session. `slow` sends 16
slow queries at once from one session; `slow-sessions` sends 100 at once from a hundred sessions of its token, and
`forged` 40 at once, each with session and page headers of its own making. `calls` makes 200 calls at once. `sessions`
opens sessions and never closes them. `half-open` opens connections that never send a whole request. `bodies` sends
requests of 1 MB slowly. `redaction` sends arguments of 1 MB that look like secrets of every kind, while a stream of the
page is open. `functions` sends queries with functions that are costly to the database at `--uri`, a Neo4j (with APOC if
it is installed), which is then the graph. Only loopback is used. The exit status is 1 if p95 was above 1 s (3 s if the
engine restarts) or a call of the well-behaved client failed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.support.serving import COMMAND
from tests.support.time_shapes import SHAPES

SLOW = "MATCH (a), (b), (c) WHERE a.name = c.eid AND b.name = 'nothing' RETURN count(*) AS c"
DEAF = (
    "RETURN reduce(s = 0, x IN range(1, 900000) | s + reduce(t = 0, y IN range(1, 900000) | t + y)) AS total",
    "RETURN size([x IN range(1, 900000) WHERE any(y IN range(1, 900000) WHERE x + y < 0)]) AS total",
    "MATCH (n) WITH collect(n.name) AS names RETURN size([a IN names WHERE all(b IN names WHERE "
    "any(c IN names WHERE c + b <> a))]) AS total",
)
UNDER_RESTART = frozenset({"unstoppable", "unstoppable-sessions"})
ATTACKER, INNOCENT = "the token of the attacker", "the token of the innocent client"

SECRETS = (
    "-----BEGIN PRIVATE KEY-----", "password='", 'token=\\"', "x" * 60 + ":", "://a:", "eyJ" + "a" * 30, "--token ",
    "QUJDREVGRw", "secret \\\\\\", "é" * 5 + "token ", "api_key: x-1,", "bearer ", "cookie: ",
)  # fmt: skip
COSTLY = (
    "RETURN apoc.text.regexGroups(reduce(t = 'a', i IN range(1, 24) | t + t), '((a+)+)+b') AS x",
    "RETURN apoc.map.flatten(reduce(m = {a: 1}, i IN range(1, 22) | {a: m, b: m})) AS x",
    "RETURN apoc.convert.fromJsonList(reduce(t = '[1', i IN range(1, 22) | t + ',' + t) + ']', '$..*') AS x",
    "RETURN apoc.text.replace(reduce(t = 'a', i IN range(1, 28) | t + t), '(a|aa)+$', 'b') AS x",
    "RETURN apoc.text.slug(reduce(t = 'a ', i IN range(1, 28) | t + t)) AS x",
    "RETURN replace(reduce(t = 'a', i IN range(1, 28) | t + t), 'a', 'aaaaaaaaaa') AS x",
    "RETURN size(split(reduce(t = 'a,', i IN range(1, 26) | t + t), ',')) AS x",
    "RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+b' AS x",
    "UNWIND range(1, 100000000) AS i RETURN count(DISTINCT toString(i)) AS x",
)


class Client:
    """An MCP session over a persistent connection."""

    def __init__(self, address: str, token: str = ATTACKER, timeout: float = 60) -> None:
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)
        self._path, self._headers, self._number = (
            parts.path,
            {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "Authorization": f"Bearer {token}",
            },
            0,
        )
        answer = self._ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "attacks", "version": "1"}},
        )
        if "result" not in answer:
            raise OSError(f"no session: {answer}")
        self._headers["MCP-Protocol-Version"] = "2025-06-18"

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        request = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        self._connection.request("POST", self._path, request, self._headers)
        response = self._connection.getresponse()
        if session := response.getheader("mcp-session-id"):
            self._headers["mcp-session-id"] = session
        body = response.read().decode()
        if response.getheader("content-type", "").startswith("text/event-stream"):
            lines = re.split(r"\r\n|\r|\n", body)  # an event's data may hold the other line ends of Unicode
            body = next((line[5:] for line in lines if line.startswith("data:") and '"id"' in line), "{}")
        message: dict[str, Any] = json.loads(body or "{}")
        return message

    def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool; return `ok`, or the error in the tool's answer."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if "result" not in answer:
            return f"protocol error: {str(answer)[:120]}"
        if not answer["result"].get("isError"):
            return "ok"
        return str(json.loads(answer["result"]["content"][0]["text"]).get("error"))


Attack = Callable[[str, str, float, "Counter[str]"], None]


def loop(threads: int, seconds: float, outcomes: Counter[str], once: Callable[[int], str]) -> None:
    """Call `once` repeatedly in `threads` threads for `seconds`, and count its results in `outcomes`."""
    until = time.monotonic() + seconds

    def work(number: int) -> None:
        while time.monotonic() < until:
            try:
                outcomes[once(number)] += 1
            except Exception as error:
                outcomes[type(error).__name__] += 1
                time.sleep(0.05)

    running = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(max(0.0, until + 5 - time.monotonic()))


def many(sessions: int, address: str) -> list[Client]:
    """Return `sessions` clients, each with its own session and connection."""
    return [Client(address) for _ in range(sessions)]


def shared(address: str, count: int) -> list[Client]:
    """Return `count` clients with separate connections that share one session."""
    clients = many(1, address)
    for _ in range(count - 1):
        client = Client.__new__(Client)
        client.__dict__.update(clients[0].__dict__)
        parts = urlsplit(address)
        client._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        client._headers = dict(clients[0]._headers)
        clients.append(client)
    return clients


def calling(count: int, *, own_sessions: bool = False, **fixed: Any) -> Attack:
    """Return an attack of `count` threads that call `execute_cypher`, in one session or each in a session of its own.

    `fixed` are arguments; of a tuple of queries, each call takes one at random.
    """

    def attack(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
        clients, rng = many(count, address) if own_sessions else shared(address, count), random.Random(2)

        def once(number: int) -> str:
            query = fixed["query"] if isinstance(fixed["query"], str) else rng.choice(fixed["query"])
            return clients[number].call("execute_cypher", **{**fixed, "graph": graph, "query": query})

        loop(count, seconds, outcomes, once)

    return attack


def checking(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
    clients, rng = shared(address, 8), random.Random(1)

    def once(number: int) -> str:
        query = SHAPES[rng.choice(list(SHAPES))](99_000)[:100_000]
        return clients[number].call("validate_cypher", graph=graph, query=query)

    loop(8, seconds, outcomes, once)


def unstoppable_sessions(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
    rng = random.Random(3)

    def once(_: int) -> str:
        return Client(address).call("execute_cypher", graph=graph, query=rng.choice(DEAF), timeout_s=0.05)

    loop(4, seconds, outcomes, once)


def forged(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
    parts = urlsplit(address)
    params = {"name": "execute_cypher", "arguments": {"graph": graph, "query": SLOW, "timeout_s": 30}}
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "attacks", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**params, "_meta": meta}})

    def once(number: int) -> str:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {ATTACKER}",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "execute_cypher",
            "Mcp-Session-Id": f"forged-{random.random()}",
            "X-Graphground-Page": f"forged-{random.random()}",
            "X-Forwarded-For": f"10.0.0.{number}",
        }
        connection.request("POST", parts.path, body, headers)
        response = connection.getresponse()
        text = response.read().decode("utf-8", "replace")
        return f"{response.status} {'result' if 'structuredContent' in text else text[:80]}"

    loop(40, seconds, outcomes, once)


def redaction(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
    def hostile(rng: random.Random) -> dict[str, Any]:
        part = rng.choice(SECRETS)
        text = part * (900_000 // len(part.encode()) if part.isascii() else 400_000 // len(part.encode()))
        shapes: list[Any] = [
            text,
            [part] * (500_000 // (len(part) + 20)),
            {f"{part} {number}": number for number in range(500_000 // (len(part) + 20))},
            json.loads('{"token":' * 60 + json.dumps(text[:400_000]) + "}" * 60),
        ]
        return {"graph": graph, "query": "RETURN 1 AS one", "parameters": {"value": rng.choice(shapes)}}

    clients, maker = shared(address, 8), random.Random(4)
    asks = [hostile(maker) for _ in range(24)]
    follower = threading.Thread(target=follow_page, args=(address, seconds), daemon=True)
    follower.start()

    def once(number: int) -> str:
        slow = number == 0  # a running call with such arguments is shown on the page until it ends
        arguments = {**maker.choice(asks), **({"query": SLOW, "timeout_s": 5} if slow else {})}
        return clients[number].call("execute_cypher" if slow else "validate_cypher", **arguments)

    loop(8, seconds, outcomes, once)


def follow_page(address: str, seconds: float) -> None:
    """Read the page's stream of calls for `seconds`."""
    parts, until = urlsplit(address), time.monotonic() + seconds
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.request("GET", "/ui/api/work?after=0", headers={"Authorization": f"Bearer {ATTACKER}"})
    response = connection.getresponse()
    while time.monotonic() < until and response.read1(1_000_000):
        pass


def sessions(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
    loop(4, seconds, outcomes, lambda _: "opened" if Client(address) else "")


def half_open(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
    parts, connections = urlsplit(address), list[socket.socket]()

    def once(_: int) -> str:
        if len(connections) > 2_000:
            connections.pop(0).close()
        connections.append(socket.create_connection((parts.hostname, parts.port), timeout=5))
        connections[-1].sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-")
        return "opened"

    loop(2, seconds, outcomes, once)


def bodies(address: str, graph: str, seconds: float, outcomes: Counter[str]) -> None:
    parts = urlsplit(address)

    def once(_: int) -> str:
        with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
            connection.sendall(
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: 1000000\r\n\r\n{"
            )
            for _ in range(600):
                connection.sendall(b" ")
                time.sleep(0.1)
        return "sent"

    loop(100, seconds, outcomes, once)


ATTACKS: dict[str, Attack] = {
    "none": lambda *_: time.sleep(_[2]),
    "checking": checking,
    "unstoppable": calling(4, query=DEAF, timeout_s=0.05),
    "unstoppable-sessions": unstoppable_sessions,
    "slow": calling(16, query=SLOW, timeout_s=30),
    "slow-sessions": calling(100, own_sessions=True, query=SLOW, timeout_s=30),
    "forged": forged,
    "calls": calling(200, query=SLOW, timeout_s=5),
    "sessions": sessions,
    "half-open": half_open,
    "bodies": bodies,
    "redaction": redaction,
    "functions": calling(8, query=COSTLY, timeout_s=2),
}


def run_attack(name: str, address: str, graph: str, seconds: float, answers: Any) -> None:
    """Run an attack for `seconds`, put the counts of its outcomes into the queue `answers`, and end the process."""
    outcomes: Counter[str] = Counter()
    with suppress(Exception):
        ATTACKS[name](address, graph, seconds, outcomes)
    answers.put(dict(outcomes))
    answers.close()
    answers.join_thread()
    os._exit(0)


def run_client(
    address: str, graph: str, known: tuple[str, str], seconds: float, before: Callable[[], object]
) -> tuple[dict[str, list[float]], Counter[str]]:
    """Open a session, call `before` to start the attack, and call the tools in turn.

    Returns:
        The seconds of each call by tool, and the number of each failure.
    """
    client = Client(address, INNOCENT)
    query = f"MATCH (n:{known[0]} {{name: '{known[1]}'}}) RETURN n.name AS name"
    asks: list[tuple[str, dict[str, Any]]] = [
        ("list_graphs", {}),
        ("validate_cypher", {"graph": graph, "query": query}),
        ("execute_cypher", {"graph": graph, "query": query}),
    ]
    for tool, arguments in asks:
        client.call(tool, **arguments)
    before()
    until, times, failed = time.monotonic() + seconds, {tool: list[float]() for tool, _ in asks}, Counter[str]()
    while time.monotonic() < until:
        for tool, arguments in asks:
            start = time.monotonic()
            try:
                outcome = client.call(tool, **arguments)
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"
                with suppress(OSError):
                    client = Client(address, INNOCENT)
            times[tool].append(time.monotonic() - start)
            if outcome != "ok":
                failed[f"{tool}: {outcome}"] += 1
            time.sleep(0.2)
    return times, failed


def resources_of(process: int) -> str:
    """Return a server's memory and number of file descriptors: `85 MiB, 23 descriptors`; `ended` if it has ended."""
    try:
        memory = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
        return f"{int(memory[1]) // 1024 if memory else 0} MiB, {len(os.listdir(f'/proc/{process}/fd'))} descriptors"
    except OSError:
        return "ended"


def measure(name: str, home: Path, graph: str, known: tuple[str, str], seconds: float, uri: str | None) -> bool:
    """Run one attack on a new server; return whether the well-behaved client met the bars."""
    more = ["--ui"]
    if name == "functions":
        if uri is None:
            print("functions: not run, because it needs a Neo4j (--uri)")
            return True
        more = ["--uri", uri, "--name", graph]
    tokens = home / "attack-tokens"
    tokens.parent.mkdir(parents=True, exist_ok=True)
    tokens.write_text(f"{ATTACKER}\n{INNOCENT}\n")
    server = subprocess.Popen(
        [*COMMAND, "serve", "--transport", "http", "--port", "0", "--token-file", str(tokens), *more],
        env={**os.environ, "GRAPHGROUND_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    address = next(found[1] for line in server.stderr if (found := re.search(r"serving (http://\S+)", line)))
    threading.Thread(target=lambda: sys.stderr.writelines(server.stderr or ()), daemon=True).start()
    context = multiprocessing.get_context("spawn")
    answers: Any = context.Queue()
    attacker = context.Process(target=run_attack, args=(name, address, graph, seconds, answers), daemon=True)
    try:
        times, failed = run_client(address, graph, known, seconds, attacker.start)
        state = resources_of(server.pid)
        outcomes = {}
        with suppress(Exception):
            outcomes = answers.get(timeout=20)
        worst95 = 0.0
        print(f"{name} ({seconds:.0f} s, load {os.getloadavg()[0]:.1f}):")
        for tool, durations in times.items():
            durations.sort()
            p95 = durations[min(len(durations) - 1, int(len(durations) * 0.95))]
            worst95 = max(worst95, p95)
            print(
                f"  {tool}: {len(durations)} calls, p50 {1000 * durations[len(durations) // 2]:.0f} ms, p95 {1000 * p95:.0f} ms, "
                f"worst {1000 * durations[-1]:.0f} ms"
            )
        print(f"  failed: {dict(failed) or 'nothing'}; attacker: {outcomes}; server: {state}", flush=True)
        return not failed and worst95 <= (3.0 if name in UNDER_RESTART else 1.0)
    finally:
        attacker.terminate()
        attacker.join(10)
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(20)
        server.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("--graph", default="nba")
    parser.add_argument("--label", default="Player")
    parser.add_argument("--name", default="LeBron James")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument(
        "--uri",
        help="a Neo4j for the attack `functions`; its user and password are in NEO4J_USERNAME and NEO4J_PASSWORD",
    )
    parser.add_argument("--attack", action="append", choices=list(ATTACKS))
    options = parser.parse_args()
    chosen = options.attack or list(ATTACKS)
    missed = [
        name
        for name in chosen
        if not measure(name, options.home, options.graph, (options.label, options.name), options.seconds, options.uri)
    ]
    print(f"outside the bars: {', '.join(missed) or 'none'}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
