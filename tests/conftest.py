"""Configuration of all tests: fixtures for the whole run, and the lanes."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from graphground.graphs.storage.home import Home
from graphground.server.commands.command_line import import_driver
from tests.support.data_folders import copied

import_driver()  # without pandas, which each process of the tests would import for a second

pytest_plugins = (
    "tests.support.attacking",
    "tests.support.commands",
    "tests.support.embedded_films",
    "tests.support.neo4j_server",
    "tests.support.small_graph",
)
"""Plugins with fixtures for the whole run. A fixture imported into a test module would start once per module."""

ENGINE = {
    "bundled_home", "data_folder", "empty_home", "loaded_small_home", "small_home", "own_small_home", "films_home",
    "film_graph", "nba", "own_arcadedb", "page_home", "eval_home",
    "page_address", "page_with_token",
}  # fmt: skip
"""Fixtures that start the embedded engine."""
NEO4J = {"neo4j_servers", "neo4j_5", "neo4j_newest"}
NODE = {"node"}
SHARED = {
    "neo4j": NEO4J,
    "page": {"page_home", "page_address", "page_with_token"},
    "films": {"films_home", "film_graph"},
    "wrong": {"wrong_address"},
    "served": {"data_folder", "nba_server", "nba: Graph"},
}
"""Groups of fixtures that are slow to start. All modules that use a group run in one process, which starts the fixtures
once, so at most two Neo4j run at a time. A module's group is found by a search in its text for the names of the
fixtures, because the process that assigns modules to processes does not import the modules."""
LANES = {"quick": "not engine and not neo4j and not node and not slow and not long", "all": "not long", "long": "long"}
for variable in ("GRAPHGROUND_ENGINE_JVM_ARGS", "GRAPHGROUND_LOADER_JVM_ARGS"):
    # If a JVM compiles only with its first compiler, a process
    # that lives for a minute takes a third less processor time.
    os.environ.setdefault(variable, "-XX:TieredStopAtLevel=1")
# numpy would start a thread per core in each process, and no test multiplies large matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
MOST_PROCESSES = 4
"""The maximum number of processes of a test run: each may start one or two engines."""

# A busy machine is no reason to fail: benchmarks/ measures speed, and pytest limits the time of every test.
hypothesis.settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any-machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--lane",
        choices=LANES,
        default=None,
        help=(
            "quick: no database is started, nothing is fetched (the default); all: what .ci/run runs (the default where "
            "CI is set); long: what only .ci/slow runs. Tests named on the command line run whatever their lane"
        ),
    )


def pytest_configure(config: pytest.Config) -> None:
    lane = _lane(config)
    if lane is not None and not config.option.markexpr:
        config.option.markexpr = LANES[lane]


def _lane(config: pytest.Config) -> str | None:
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    return config.getoption("--lane") or (None if named else "all" if os.environ.get("CI") else "quick")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Run the lanes `quick` and `all` in several processes, unless `-n` is given or an option needs one process.

    On several cores there is one process more than cores, because tests often wait, but at most `MOST_PROCESSES`. If a
    process crashes, the run fails at once: pytest-xdist would start another process, and then wait for it forever.
    """
    option = config.option
    if getattr(option, "maxworkerrestart", 0) is None:
        option.maxworkerrestart = "0"
    alone = option.usepdb or option.capture == "no" or option.collectonly or hasattr(config, "workerinput")
    if alone or _lane(config) not in ("quick", "all") or getattr(option, "numprocesses", 0) is not None:
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores > 1:
        option.numprocesses = min(cores + 1, MOST_PROCESSES)
        option.loadscopereorder = False  # `pytest_collection_modifyitems` has put long modules first


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by the fixtures that it uses; put modules that use a Neo4j next to each other, and longer modules
    first.

    Modules that stop or start a Neo4j themselves come after the modules that share one: a new server is slow at first.
    """
    places: dict[Path, int] = {}
    restarting = {item.path for item in items if item.get_closest_marker("restarts_neo4j")}
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        callspec = getattr(item, "callspec", None)
        used |= {value for value in (callspec.params.values() if callspec else ()) if isinstance(value, str)}
        if used & ENGINE:
            item.add_marker("engine")
        if used & NEO4J:
            item.add_marker("neo4j")
        if used & NODE:
            item.add_marker("node")
        # While one process is busy with Neo4j the others run the rest;
        # short modules come last, so that all end together.
        markers = [item.get_closest_marker(name) is not None for name in ("neo4j", "slow", "node", "engine")]
        place = markers.index(True) if any(markers) else len(markers)
        places[item.path] = min(place, places.get(item.path, place))
    items.sort(key=lambda item: (places[item.path], item.path in restarting))


def pytest_collection_finish() -> None:
    """Leave modules and collected tests out of later garbage collections: going through them took a sixth of the time.

    Objects that tests create are still collected, and an unclosed resource among them is still reported.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 10)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Assign whole modules to processes, and all modules that share a slow fixture to the same process."""
    from xdist.scheduler import LoadFileScheduling

    class BySharedFixture(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _shared(nodeid.split("::")[0])

    @cache
    def _shared(module: str) -> str:
        text = (config.rootpath / module).read_text(encoding="utf-8")
        names = [name for name, fixtures in SHARED.items() if re.search(rf"\b(?:{'|'.join(fixtures)})\b", text)]
        # Importing the libraries of models takes four seconds per process, starting another Neo4j twice as long.
        if module.startswith("tests/agents/test_") and "neo4j" not in names:
            return "served"
        return names[0] if names else module

    return BySharedFixture(config, log)


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the server does."""
    return "asyncio"


LIMITS = {
    "graphs.schemas.live_schema": {"CHECK_SECONDS": 0.0},
    "graphs.opening.open_graphs": {"CHECK_SECONDS": 0.0},
    "cypher.checks.entities": {"SECONDS": 60.0},
    "graphs.entities.own_index": {"SECONDS": 60.0},
    "tools.find_entities": {"SECONDS": 60.0, "DEGREE_SECONDS": 60.0},
    "graphs.schemas.extraction.profiles": {"SECONDS": 60.0},
    "graphs.suggestions.question_check": {"NEIGHBOURHOOD_SECONDS": 60.0},
    "graphs.why_empty.second_look": {"SECONDS": 60.0},
    "tools.execute_cypher": {"SECONDS_FOR_WHY": 60.0},
    "tools.get_schema": {"SAMPLING_SECONDS": 60.0},
}
"""Time limits that decide what an answer contains, by module."""
DEFAULTS = {"graphs.question.read": "read", "graphs.suggestions.suggest": "suggest"}
"""Functions whose argument `seconds` has such a limit as its default."""


@pytest.fixture(autouse=True)
def time_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each call check whether a database or the catalog has changed, since a test may change it right after a call,
    and let names, reasons and suggestions be looked up to the end, however busy the machine is.
    """
    for name, limits in LIMITS.items():
        if module := sys.modules.get(f"graphground.{name}"):
            for constant, seconds in limits.items():
                monkeypatch.setattr(module, constant, seconds)
    for name, function in DEFAULTS.items():
        if module := sys.modules.get(f"graphground.{name}"):
            monkeypatch.setitem(getattr(module, function).__kwdefaults__, "seconds", 60.0)


@pytest.fixture(scope="session")
def bundled_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return a data folder into which the first process that needs it loads the bundled graph; tests work on copies."""
    from graphground.graphs.opening.stored import load_bundled  # it imports the driver, which has pandas imported first

    pytest.importorskip("arcadedb_embedded", reason="needs the embedded engine, which has no wheel for this machine")
    run = tmp_path_factory.getbasetemp()
    home = Home((run.parent if "PYTEST_XDIST_WORKER" in os.environ else run) / "bundled").make()
    load_bundled("nba", home)  # other processes wait for it
    return home


@pytest.fixture(scope="session")
def data_folder(bundled_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a data folder with the bundled graph, for the whole run; its engine is stopped at the end."""
    from graphground.graphs.engines.embedded.launcher import end_engine

    home = copied(bundled_home, tmp_path_factory.mktemp("served") / "home")
    yield home.folder
    end_engine(home)
