"""Loads made-up graphs of CypherBench's published sizes, and opens them again.

    python benchmarks/scale.py FOLDER movie                   one graph
    python benchmarks/scale.py FOLDER all                     all eleven, one after another
    python benchmarks/scale.py FOLDER movie --share 0.2       a fifth of the size

Prints for each the seconds to make the file, to load it, and the most memory that all processes of the load held
together; then the seconds from a stopped engine to the first answer, and what the engine holds after it.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from pathlib import Path

from standins import GRAPHS, schema_of

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.home import Home
from graphground.graphs.loading import load_file
from graphground.graphs.stored import open_stored
from graphground.graphs.synth import synth, write_simplekg

SIZES = {"art": (1_100_000, 1_300_000), "biology": (3_200_000, 7_500_000), "company": (581_306, 299_581),
         "fictional_character": (28_915, 40_548), "flight_accident": (1_683, 2_212), "geography": (773_489, 903_794),
         "movie": (459_393, 1_892_202), "nba": (4_327, 18_991), "politics": (885_188, 1_548_416),
         "soccer": (275_200, 1_100_000), "terrorist_attack": (1_600, 1_500)}


class Memory:
    """The most memory, in MiB, that this process and all below it held together while the block ran."""

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
    """MiB of a process and its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents.setdefault(int((entry / "stat").read_text().rpartition(")")[2].split()[1]), []).append(
                    int(entry.name))
            except OSError:
                continue
    total, left = 0, [root]
    while left:
        process = left.pop()
        left += parents.get(process, [])
        total += of_one(process)
    return total / 1024


def of_one(process: int) -> int:
    """KiB of one process."""
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--share", type=float, default=1.0, help="of the published sizes")
    given = arguments.parse_args()
    names = list(GRAPHS) if given.graphs == ["all"] else given.graphs
    given.folder.mkdir(parents=True, exist_ok=True)
    home = Home(given.folder)
    whole = time.perf_counter()
    making = 0.0
    for name in names:
        file = given.folder / f"{name}.json"
        begun = time.perf_counter()
        if not file.exists():
            write_simplekg(synth(schema_of(name), *(int(given.share * size) for size in SIZES[name]), seed=1), file)
        made = time.perf_counter() - begun
        making += made
        begun = time.perf_counter()
        with Memory() as memory:
            entry = load_file(file, home, name=name)
        print(f"{name}: {entry.nodes} nodes, {entry.relationships} relationships, made in {made:.1f} s, loaded in "
              f"{time.perf_counter() - begun:.1f} s, {memory.most:.0f} MiB at the peak", flush=True)
    print(f"all loads: {time.perf_counter() - whole - making:.1f} s", flush=True)
    end_engine(home)
    for name in names:
        begun = time.perf_counter()
        graph = open_stored(name, home)
        label = next(iter(graph.schema.labels))
        count = graph.run(f"MATCH (n:{label}) RETURN n.name LIMIT 1").rows
        print(f"{name}: first answer after {time.perf_counter() - begun:.2f} s ({len(count)} row)", flush=True)
    state = home.engine
    print(f"engine serving {len(names)}: files {sum(one.stat().st_size for one in home.databases.rglob('*')) >> 20} MiB"
          f" in {state.parent}")


if __name__ == "__main__":
    main()
