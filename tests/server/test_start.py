"""A server answers `tools/list` with few modules loaded, and never loads the data-frame libraries of the driver."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

OURS = {
    "cypher": {"diagnostics", "language", "wording"},
    "graphs": {"engines", "opening"},
    "server": {
        *("application", "apps", "changes", "commands", "definitions", "notifications", "protocol", "settings"),
        *("telemetry", "threads", "transports"),
    },
    "tools": {"tool"},
}
"""The modules and folders that may be loaded, by their folder."""
NOT_FOR_A_LIST = {"neo4j", "numpy", "rapidfuzz", "yaml", "jpype", "pandas", "rich", "platformdirs"}
SCRIPT = """
import asyncio, sys
from types import SimpleNamespace
import graphground.server.commands.serve, graphground.server.transports.stdio
from graphground.server.application import Application
from graphground.server.protocol import Protocol
context = SimpleNamespace(session=SimpleNamespace(client_capabilities=None))
listed = asyncio.run(Protocol(Application(lambda: None)).list_tools(context, None))
assert len(listed["tools"]) == 7
print(*sys.modules)
"""


def test_tools_list_loads_no_tool_no_parser_and_no_database_driver() -> None:
    result = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True)
    loaded = result.stdout.split()
    names = [name.split(".")[1:3] for name in loaded if name.startswith("graphground.")]
    assert sorted(".".join(name) for name in names if len(name) == 2 and name[1] not in OURS[name[0]]) == []
    assert len(names) <= 45
    assert NOT_FOR_A_LIST.isdisjoint(loaded)


EARLY = """
import sys
from graphground.graphs.engines.embedded import launcher
launcher.start_in_background = lambda home: print(home.folder, "mcp" in sys.modules, "pydantic" in sys.modules)
from graphground.server.cli import main
main()
"""


def test_the_engine_of_a_loaded_graph_starts_before_the_modules_of_the_protocol_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").touch()
    command = [sys.executable, "-c", EARLY, "serve", "--home", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=True)
    assert run.stdout.split() == [str(tmp_path), "False", "False"]


CODE = """
import sys
from graphground.server.commands.command_line import import_driver
import_driver()
assert "neo4j" in sys.modules
print(*sorted({"pandas", "pyarrow"} & set(sys.modules)))
import pyarrow
print(pyarrow.array([1, 2]).sum())
"""


def test_the_driver_is_imported_without_pandas_and_pyarrow_which_can_still_be_imported() -> None:
    pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=False)
    assert run.stderr == ""
    assert run.stdout.splitlines() == ["", "3"]
