"""kill -9 at random moments of loading and of serving: what was committed is there, no half graph is ever listed.

    python benchmarks/kills.py [--kills 50] [--seed 1]

Half of the kills end a load (its parent process, so that its children must notice), half end the engine while
three clients read. Exits with 1 when a graph is wrong or a client got anything but the right answer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from graphground.graphs.catalog import Catalog
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.embedded.state import EngineState
from graphground.graphs.home import Home
from graphground.graphs.loading import load_file


def document(nodes: int) -> dict[str, Any]:
    """A graph of that many nodes in a ring."""
    return {"schema": {"name": "ring", "entities": [{"label": "N", "description": None, "properties": {}}],
                       "relations": [{"label": "next", "subj_label": "N", "obj_label": "N", "properties": {}}]},
            "entities": [{"eid": f"N{number}", "label": "N", "name": f"name {number}", "aliases": [],
                          "description": None, "properties": {}, "provenance": []} for number in range(nodes)],
            "relations": [{"rid": str(number), "label": "next", "subj_id": f"N{number}",
                           "obj_id": f"N{(number + 1) % nodes}", "properties": {}, "provenance": []}
                          for number in range(nodes)]}


def counted(home: Home) -> list[list[int]]:
    """Nodes and relationships of the ring, by the engine."""
    engine = EmbeddedEngine(home, Catalog(home).get("ring").id)
    try:
        return [engine.run(query).rows[0]
                for query in ("MATCH (n:N) RETURN count(n)", "MATCH ()-[r]->() RETURN count(r)")]
    finally:
        engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, wrong, repeated, answered = random.Random(options.seed), 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="graphground-kills-") as folder:
        home, files = Home(Path(folder) / "home").make(), []
        for nodes in (500, 20_000):
            path = Path(folder) / f"{nodes}.json"
            path.write_text(json.dumps(document(nodes)))
            files.append(path)
        load_file(files[0], home)
        finished = 0
        for number in range(options.kills // 2):
            process = subprocess.Popen([sys.executable, "-m", "graphground", "graphs", "load", str(files[number % 2])],
                                       env={**os.environ, "GRAPHGROUND_HOME": str(home.folder)},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(chance.uniform(0.2, 8.0))
                finished += 1
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            entries = Catalog(home).entries()
            nodes = entries[0].nodes
            if [entry.name for entry in entries] != ["ring"] or nodes not in (500, 20_000) \
                    or counted(home) != [[nodes], [nodes]]:
                wrong += 1
                print("wrong after a killed load:", entries)
        print(f"loads: {options.kills // 2}, of which {finished} were done before their kill; wrong: {wrong}")
        stop, slowest = threading.Event(), [0.0]
        nodes = Catalog(home).get("ring").nodes

        def client() -> None:
            nonlocal wrong, answered
            engine = EmbeddedEngine(home, Catalog(home).get("ring").id)
            while not stop.is_set():
                begin = time.monotonic()
                try:
                    right = engine.run("MATCH (n:N)-[:next]->(m) RETURN count(m)").rows == [[nodes]]
                except Exception as error:
                    right = False
                    print(f"{type(error).__name__}: {error}")
                answered += 1
                wrong += not right
                slowest[0] = max(slowest[0], time.monotonic() - begin)
            engine.close()
        clients = [threading.Thread(target=client) for _ in range(3)]
        for thread in clients:
            thread.start()
        for _ in range(options.kills - options.kills // 2):
            time.sleep(chance.uniform(0.5, 6.0))
            state = EngineState.read(home)
            if state is not None:
                try:
                    os.kill(state.pid, signal.SIGKILL)
                    repeated += 1
                except ProcessLookupError:
                    continue
        stop.set()
        for thread in clients:
            thread.join(120)
        print(f"engine killed {repeated} times under 3 clients: {answered} answers, slowest {slowest[0]:.1f} s; "
              f"wrong in all: {wrong}")
        end_engine(home, kill=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
