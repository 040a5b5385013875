"""Loads generated graphs of CypherBench's published sizes, and serves all of them with one server.

    python -m benchmarks.engines.scale FOLDER movie                   one graph
    python -m benchmarks.engines.scale FOLDER all                     all eleven, one after another
    python -m benchmarks.engines.scale FOLDER all --share 0.2         a fifth of the size (use another folder)
    python -m benchmarks.engines.scale FOLDER all --keep              keep the graphs already loaded in FOLDER

Existing files are not generated again. The output for each graph is the seconds of its load, and the peak memory of all
processes of the load. Then a server is started while no engine runs; it executes queries and looks up a name on each
graph. The output is the seconds to the first answer, and the memory of server and engine after the last answer. With
`all` at full size, each figure is printed with its bar, and the exit status is 1 if a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.engines.graphs_for_queries import GRAPHS, schema_of
from benchmarks.stand_ins.synth import synth
from graphground.graphs.engines.embedded.launcher import EngineState, end_engine
from graphground.graphs.loading.load import load_file
from graphground.graphs.loading.simplekg import write_simplekg
from graphground.graphs.storage.home import Catalog, Home
from tests.support.serving import COMMAND, LineServer, environment

SIZES = {
    "art": (1_100_000, 1_300_000),
    "biology": (3_200_000, 7_500_000),
    "company": (581_306, 299_581),
    "fictional_character": (28_915, 40_548),
    "flight_accident": (1_683, 2_212),
    "geography": (773_489, 903_794),
    "movie": (459_393, 1_892_202),
    "nba": (4_327, 18_991),
    "politics": (885_188, 1_548_416),
    "soccer": (275_200, 1_100_000),
    "terrorist_attack": (1_600, 1_500),
}
LOAD_SECONDS, LOAD_MIB, SERVE_MIB, REOPEN_SECONDS = 720, 8192, 6144, 5
FIRST_LOAD_SECONDS = 60


class Memory:
    """The peak memory (`most`, in MiB) of this process and its descendants during a `with` block."""

    def __enter__(self) -> Memory:
        self.most = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(5)

    def _watch(self) -> None:
        while not self._over.wait(0.5):
            self.most = max(self.most, resident(os.getpid()))


def resident(root: int) -> float:
    """Return the resident memory of a process and its descendants, in MiB."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents.setdefault(int((entry / "stat").read_text().rpartition(")")[2].split()[1]), []).append(
                    int(entry.name)
                )
            except OSError:
                continue
    total, left = 0, [root]
    while left:
        process = left.pop()
        left += parents.get(process, [])
        total += of_one(process)
    return total / 1024


def of_one(process: int, what: str = "VmRSS") -> int:
    """Return a memory figure of one process in KiB, by default its resident memory; 0 if the process has ended."""
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(what + ":"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def call(server: LineServer, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structured answer; a failure ends the benchmark."""
    answer = server.ask("tools/call", {"name": tool, "arguments": arguments})
    if answer.get("isError"):
        sys.exit(f"{tool}({arguments}): {str(answer)[:2000]}")
    return dict(answer["structuredContent"])


def make(name: str, folder: Path, share: float) -> Path:
    """Return the path of a graph's file; generate the file if it is missing."""
    file = folder / f"{name}.json"
    if not file.exists():
        start = time.perf_counter()
        graph = synth(schema_of(name), *(int(share * size) for size in SIZES[name]), seed=1)
        write_simplekg(file, graph.schema, graph.entities(), graph.relations())
        print(f"{name}: generated in {time.perf_counter() - start:.1f} s", flush=True)
    return file


def load(name: str, file: Path, home: Home, keep: bool) -> dict[str, float]:
    """Load one graph, unless `keep` is set and it is loaded already; print and return the figures of the load."""
    figures_file = file.with_suffix(".loaded.json")
    if keep and figures_file.exists() and Catalog(home).find(name):
        figures: dict[str, float] = json.loads(figures_file.read_text())
    else:
        start = time.perf_counter()
        with Memory() as memory:
            entry = load_file(file, home, name=name)
        figures = {
            "seconds": time.perf_counter() - start,
            "mib": memory.most,
            "nodes": entry.nodes,
            "relationships": entry.relationships,
            "load": os.getloadavg()[0],
        }
        figures_file.write_text(json.dumps(figures))
    print(
        "{name}: {nodes:.0f} nodes, {relationships:.0f} relationships, loaded in {seconds:.1f} s, {mib:.0f} MiB at "
        "the peak, load average {load:.1f}".format(name=name, **figures),
        flush=True,
    )
    return figures


def serve(names: list[str], home: Home) -> tuple[float, float]:
    """Query each graph through one server; return the seconds to the first answer, and the MiB of server and engine."""
    end_engine(home)
    start = time.perf_counter()
    server = LineServer([*COMMAND, "serve"], environment(home.folder))
    first = 0.0
    try:
        for name in names:
            graph_start = time.perf_counter()
            pattern = max(schema_of(name).patterns, key=lambda pattern: len(pattern.properties))
            row = call(server, "execute_cypher", graph=name, limit=1, query=f"MATCH (n:{pattern.start}) RETURN n.name")
            first = first or time.perf_counter() - start
            text = row["rows"][0][0]
            answer_seconds = time.perf_counter() - graph_start
            call(
                server,
                "execute_cypher",
                graph=name,
                limit=100,
                timeout_s=60,
                query=f"MATCH (n:{pattern.start})-[r:{pattern.type}]->(m) RETURN n.name, m.name",
            )
            count_start = time.perf_counter()
            count = call(
                server,
                "execute_cypher",
                graph=name,
                timeout_s=300,
                query=f"MATCH (n:{pattern.start})-[r:{pattern.type}]->(m) RETURN count(*) AS c",
            )
            count_seconds = time.perf_counter() - count_start
            lookup_start = time.perf_counter()
            found = call(server, "find_entities", graph=name, mentions=[text[:-1] + "x"])
            lookup_seconds = time.perf_counter() - lookup_start
            state = EngineState.read(home)
            engine = state.pid if state else 0
            print(
                f"{name}: first answer {answer_seconds:.2f} s, {count['rows'][0][0]} relationships of a type counted in "
                f"{count_seconds:.1f} s, a misspelt name found in {lookup_seconds:.2f} s ("
                f"{found['mentions'][0]['candidates'][:1] and found['mentions'][0]['candidates'][0]['name']!r} for "
                f"{text!r}); engine {of_one(engine) >> 10} MiB, server {of_one(server.process.pid) >> 10} MiB "
                f"(of files {of_one(server.process.pid, 'RssFile') >> 10})",
                flush=True,
            )
        return first, (of_one(engine) + of_one(server.process.pid)) / 1024
    finally:
        server.close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--share", type=float, default=1.0, help="share of the published sizes")
    arguments.add_argument("--keep", action="store_true", help="do not load graphs again that are loaded already")
    options = arguments.parse_args()
    everything = options.graphs == ["all"]
    names = list(GRAPHS) if everything else options.graphs
    options.folder.mkdir(parents=True, exist_ok=True)
    home = Home(options.folder)
    files = {name: make(name, options.folder, options.share) for name in names}
    end_engine(home)
    loads = {name: load(name, file, home, options.keep) for name, file in files.items()}
    reopened, memory = serve(names, home)
    end_engine(home)
    disk = sum(file.stat().st_size for file in home.databases.rglob("*") if file.is_file())
    print(f"engine's files: {disk >> 20} MiB; load average {os.getloadavg()[0]:.1f}")
    figures = [
        ("all loads", "s", sum(load["seconds"] for load in loads.values()), LOAD_SECONDS),
        ("peak memory of a load", "MiB", max(load["mib"] for load in loads.values()), LOAD_MIB),
        ("server and engine after queries to each graph", "MiB", memory, SERVE_MIB),
        ("server start to the first answer, engine stopped before", "s", reopened, REOPEN_SECONDS),
    ]
    if "movie" in loads:
        figures.append(("movie alone", "s", loads["movie"]["seconds"], FIRST_LOAD_SECONDS))
    has_bars = everything and options.share == 1.0
    for title, unit, figure, bar in figures:
        verdict = f" (bar {bar}: {'met' if figure <= bar else 'MISSED'})" if has_bars else ""
        print(f"{title}: {figure:.1f} {unit}{verdict}")
    sys.exit(1 if has_bars and any(figure > bar for *_, figure, bar in figures) else 0)


if __name__ == "__main__":
    main()
