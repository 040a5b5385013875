"""How long a server takes from process start to its first answers, beside an empty server on the same SDK.

    python benchmarks/startup.py [--rounds 15] [--first-row]

Both are driven over stdio with the same bytes: `initialize`, `notifications/initialized`, `tools/list`. Rounds
alternate, so that a busy machine slows both. With `--first-row`, also to the first row of `execute_cypher` on the
bundled graph, with the engine stopped before (cold) and running (warm).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

EMPTY = [sys.executable, "-c", "from mcp.server import MCPServer; MCPServer('empty').run()"]
OURS = [sys.executable, "-m", "graphground", "serve"]
OPENING = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "startup", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]
FIRST_ROW = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
    "name": "execute_cypher", "arguments": {"query": "MATCH (t:Team) RETURN t.name ORDER BY t.name LIMIT 1",
                                            "graph": "nba"}}}


def start(command: list[str], messages: list[dict[str, object]], last: int) -> float:
    """Milliseconds from process start to the answer with the id `last`."""
    text = "".join(json.dumps(message) + "\n" for message in messages)
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(text)
    process.stdin.flush()
    for line in process.stdout:
        answer = json.loads(line)
        if answer.get("id") == last:
            if "error" in answer or answer["result"].get("isError"):
                sys.exit(line)
            break
    taken = (time.perf_counter() - begin) * 1000
    process.stdin.close()
    process.stdout.close()
    process.wait(timeout=30)
    return taken


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first-row", action="store_true")
    parsed = parser.parse_args()
    for command in (EMPTY, OURS):
        start(command, OPENING, 2)
    empty, ours = [], []
    for _ in range(parsed.rounds):
        empty.append(start(EMPTY, OPENING, 2))
        ours.append(start(OURS, OPENING, 2))
    middle = statistics.median(ours) / statistics.median(empty)
    print(f"to tools/list, ms (median, best): empty {statistics.median(empty):.0f} {min(empty):.0f}; "
          f"graphground {statistics.median(ours):.0f} {min(ours):.0f}; "
          f"ratio {middle:.2f} {min(ours) / min(empty):.2f}")
    if parsed.first_row:
        warm = [start(OURS, [*OPENING, FIRST_ROW], 3) for _ in range(5)]
        print(f"to the first row, engine running, ms: {statistics.median(warm):.0f} (worst {max(warm):.0f})")


if __name__ == "__main__":
    main()
