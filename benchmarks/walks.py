"""Counts the files of ours through which one warm call runs, on the bundled graph `nba`.

    python -m benchmarks.walks [--files]

Each call is made three times with `Application.call`; the third is counted, in all its threads. `--files` lists the
files with the number of their functions that were called. The exit status is 1 if a call is above its bar.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

import graphground
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.storage.home import Home
from graphground.server.application import Application
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources

OURS = str(Path(graphground.__file__).parent) + os.sep
QUESTION = "Which teams play at Madison Square Garden?"
CALLS: dict[str, tuple[str, dict[str, Any], int]] = {
    "execute_cypher, one row": (
        "execute_cypher",
        {"query": "MATCH (t:Team {name: 'Los Angeles Lakers'}) RETURN t.name"},
        50,
    ),
    "find_entities, one mention": ("find_entities", {"mentions": ["LeBron James"]}, 20),
    "get_filtered_schema": ("get_filtered_schema", {"question": QUESTION}, 35),
    "ground_question": ("ground_question", {"question": QUESTION}, 35),
}


def walk(application: Application, tool: str, arguments: dict[str, Any]) -> dict[str, set[str]]:
    """Return the functions that a warm call runs through, by file."""
    for _ in range(2):
        outcome = application.call(tool, arguments)
        assert not outcome.is_error, outcome.text
    found: dict[str, set[str]] = defaultdict(set)

    def see(frame: FrameType, event: str, _: Any) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(OURS):
            found[file.removeprefix(OURS)].add(frame.f_code.co_qualname)

    threading.setprofile(see)
    sys.setprofile(see)
    try:
        application.call(tool, arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true")
    options = parser.parse_args()
    above = 0
    with tempfile.TemporaryDirectory(prefix="graphground-walks-") as folder:
        graphs = graph_sources(Settings(home=folder))
        application = Application(lambda: graphs)
        try:
            for what, (tool, arguments, bar) in CALLS.items():
                found = walk(application, tool, {"graph": "nba", **arguments})
                above += len(found) > bar
                functions = sum(map(len, found.values()))
                print(f"{what}: {len(found)} files (bar {bar}), {functions} functions", flush=True)
                if options.files:
                    for file in sorted(found):
                        print(f"  {len(found[file]):3} {file}")
        finally:
            application.close()
            end_engine(Home(Path(folder)), kill=True)
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()
