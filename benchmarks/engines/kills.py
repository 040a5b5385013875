"""Kills processes at random moments, and checks that committed data survive and that no partial graph is listed.

    python -m benchmarks.engines.kills [--kills 50] [--seed 1]

Half of the kills hit a load of a new or an existing graph: its parent process, one of its children, or all of them.
After each of these kills, every listed graph must have all its nodes, relationships and names, and no process of the
load may be alive. The other half of the kills hit the engine while three clients read. After a final load, every
remaining file must belong to a graph. The exit status is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.engines.embedded.engine import EmbeddedEngine
from graphground.graphs.engines.embedded.launcher import EngineState, end_engine
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import SCRATCH, Catalog, Home

SIZES = (500, 20_000)
CHILDREN_SECONDS = 30
Wrong = list[str]


def write_ring(file: Path, nodes: int) -> None:
    """Write a SimpleKG file with `nodes` nodes that form a ring."""
    schema = PropertyGraphSchema("ring", {"N": Label("N")}, (RelationshipPattern("next", "N", "N"),))
    ids = [f"N{number}" for number in range(nodes)]
    entities = [{"eid": id, "label": "N", "name": f"name {id[1:]}", "properties": {}} for id in ids]
    following = zip(ids, [*ids[1:], ids[0]], strict=True)
    write_simplekg(
        file,
        schema,
        entities,
        (
            {"rid": start, "label": "next", "subj_id": start, "obj_id": end, "properties": {}}
            for start, end in following
        ),
    )


def start_load(file: Path, name: str, home: Home) -> subprocess.Popen[bytes]:
    """Start `graphground graphs load` in a new process."""
    words = ["graphs", "load", str(file), "--name", name, "--force"]
    return subprocess.Popen(
        [sys.executable, "-m", "graphground", *words],
        env={**os.environ, "GRAPHGROUND_HOME": str(home.folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def children(parent: int) -> list[int]:
    """Return the ids of a process's child processes."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(entry.name))
    return found


def is_running(process: int) -> bool:
    """Whether a process is running; a zombie does not count as running."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_load(process: subprocess.Popen[bytes], victim: str, chance: random.Random) -> list[int]:
    """Kill the parent process of a load, one of its workers, or all of them; return the process ids of the workers."""
    workers = [
        child
        for child in children(process.pid)
        if "loading.load_process" in Path(f"/proc/{child}/cmdline").read_bytes().decode("utf-8", "replace")
    ]
    victims = {
        "parent": [process.pid],
        "child": [chance.choice(workers)] if workers else [process.pid],
        "all": [process.pid, *workers],
    }[victim]
    for number in victims:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return workers


def faults(home: Home, expected: dict[str, set[int]]) -> Wrong:
    """Return the faults of the listed graphs; `expected` holds the possible node counts by graph (0: not listed)."""
    wrong: Wrong = []
    entries = {entry.name: entry for entry in Catalog(home).entries()}
    for name, sizes in expected.items():
        if name not in entries and 0 not in sizes:
            wrong.append(f"{name} is missing")
    for name, entry in entries.items():
        if entry.nodes not in expected.get(name, set()):
            wrong.append(f"{name} is listed with {entry.nodes} nodes")
            continue
        graph = open_stored(name, home)
        try:
            counts = [
                graph.run(query).rows[0][0]
                for query in (
                    "MATCH (n:N) RETURN count(n)",
                    "MATCH ()-[r]->() RETURN count(r)",
                    "MATCH (n:N {name: 'name 7'})-[:next]->(m) RETURN m.eid",
                )
            ]
            names = graph.entities.find(f"name {entry.nodes - 1}", limit=1) if graph.entities else []
        except EngineError as error:
            wrong.append(f"{name} cannot be read: {error}")
            continue
        finally:
            if graph.engine is not None and hasattr(graph.engine, "close"):
                graph.engine.close()
        if counts != [entry.nodes, entry.nodes, "N8"] or [candidate.name for candidate in names] != [
            f"name {entry.nodes - 1}"
        ]:
            wrong.append(f"{name} is incomplete: {counts}, {names}")
    return wrong


def kill_loads(kills: int, files: dict[int, Path], home: Home, chance: random.Random) -> Wrong:
    """Kill `kills` loads at random moments, and return the faults found."""
    start = time.monotonic()
    start_load(files[SIZES[1]], "ring", home).wait(600)
    length, finished, wrong = time.monotonic() - start, 0, Wrong()
    victims, number = {"parent": 0, "child": 0, "all": 0}, 0
    while sum(victims.values()) < kills and number < 3 * kills:
        number += 1
        name, size = ("ring", f"new{number}")[number % 2], SIZES[chance.random() < 0.7]
        before = {entry.name: {entry.nodes} for entry in Catalog(home).entries()}
        process = start_load(files[size], name, home)
        workers: list[int] = []
        try:
            process.wait(chance.uniform(0.02, 1.0) * length)
            finished += 1
        except subprocess.TimeoutExpired:
            victim = chance.choice(list(victims))
            victims[victim] += 1
            workers = kill_load(process, victim, chance)
            process.wait(CHILDREN_SECONDS)
        deadline = time.monotonic() + CHILDREN_SECONDS
        while any(map(is_running, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        if any(map(is_running, workers)):
            wrong.append("a process of a killed load still runs")
        wrong += faults(home, {**before, name: before.get(name, {0}) | {size}})
    listed = len(Catalog(home).entries())
    print(
        f"loads: {number} of up to {length:.1f} s, of which {finished} finished before their kill; "
        f"killed: {victims}; {listed} graphs at the end; faults: {wrong}",
        flush=True,
    )
    return wrong + ([f"only {victims} kills"] if sum(victims.values()) < kills else [])


def kill_engines(kills: int, home: Home, chance: random.Random) -> Wrong:
    """Kill the engine `kills` times at random moments while three clients read, and return the faults found."""
    stop, slowest, answered, wrong = threading.Event(), [0.0], [0], Wrong()
    killed: set[str] = set()
    nodes = Catalog(home).get("ring").nodes

    def client() -> None:
        engine = EmbeddedEngine(home, Catalog(home).get("ring").id)
        while not stop.is_set():
            begin = time.monotonic()
            try:
                rows = engine.run("MATCH (n:N)-[:next]->(m) RETURN count(m)").rows
                if rows != [[nodes]]:
                    wrong.append(f"a client received {rows}")
            except Exception as error:
                wrong.append(f"{type(error).__name__}: {error}")
            answered[0] += 1
            slowest[0] = max(slowest[0], time.monotonic() - begin)
        engine.close()

    clients = [threading.Thread(target=client) for _ in range(3)]
    for thread in clients:
        thread.start()
    deadline = time.monotonic() + 60 * kills
    answered_at_kill = -1
    while len(killed) < kills and time.monotonic() < deadline:
        # After three kills in four, wait for an answer before the next kill,
        # so that the engine serves queries in between.
        while answered[0] <= answered_at_kill and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(chance.uniform(0.0, 4.0))
        state = EngineState.read(home)
        if state is None or state.instance in killed or not is_running(state.pid):
            continue
        os.kill(state.pid, signal.SIGKILL)
        killed.add(state.instance)
        if chance.random() < 0.75:
            answered_at_kill = answered[0]
    stop.set()
    for thread in clients:
        thread.join(120)
    print(
        f"engine killed {len(killed)} times under 3 clients: {answered[0]} answers, slowest {slowest[0]:.1f} s; "
        f"faults: {wrong}",
        flush=True,
    )
    return wrong + ([f"only {len(killed)} engines killed"] if len(killed) < kills else [])


def left_behind(file: Path, home: Home) -> Wrong:
    """Load a graph without a running engine, and return the files that then belong to no graph."""
    end_engine(home, kill=True)
    load_file(file, home, name="ring")
    listed = {entry.id for entry in Catalog(home).entries()}
    left = [
        str(path)
        for parent in (home.databases, home.graphs)
        for path in parent.iterdir()
        if path.is_dir() and path.name not in listed and not path.name.startswith(SCRATCH)
    ]
    left += [str(file) for file in home.loading.iterdir()]
    print(f"files of no graph after a last load: {left}")
    return left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="graphground-kills-") as folder:
        home, files = Home(Path(folder) / "home").make(), {}
        for nodes in SIZES:
            files[nodes] = Path(folder) / f"{nodes}.json"
            write_ring(files[nodes], nodes)
        load_file(files[SIZES[0]], home, name="ring")
        wrong = kill_loads(options.kills // 2, files, home, chance)
        wrong += kill_engines(options.kills - options.kills // 2, home, chance)
        wrong += left_behind(files[SIZES[0]], home)
        end_engine(home, kill=True)
    print(f"faults in all: {len(wrong)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
