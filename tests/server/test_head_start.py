"""The engine starts before the server has imported the libraries that its graphs need."""

import subprocess
import sys
import threading
from pathlib import Path

from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.embedded.state import EngineState, is_alive
from graphground.graphs.storage.home import Home
from graphground.server.head_start import start_engine, start_engine_soon
from graphground.server.settings import Settings

LOADED = """
import sys
from pathlib import Path
from graphground.server.head_start import start_engine
start_engine(Path(sys.argv[1]), ())
print(*sorted({"neo4j", "numpy", "mcp"} & set(sys.modules)))
"""


def test_the_engine_is_started_without_a_driver(small_home: Home) -> None:
    end_engine(small_home, kill=True)
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(small_home.folder)], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout.split() == []
    assert is_alive(small_home)
    assert EngineState.read(small_home) is not None


def test_no_engine_is_started_for_graphs_that_are_not_served(small_home: Home) -> None:
    end_engine(small_home, kill=True)
    start_engine(small_home.folder, ("another",))
    assert not is_alive(small_home)


def test_no_engine_is_started_in_a_folder_without_graphs(tmp_path: Path) -> None:
    start_engine(tmp_path / "empty", ())
    assert not (tmp_path / "empty").exists()


def test_no_engine_is_started_for_your_own_databases() -> None:
    before = set(threading.enumerate())
    start_engine_soon(Settings(uri="bolt://127.0.0.1:1"))
    assert set(threading.enumerate()) <= before
