"""`graphground doctor`: check the installation, and report what to fix."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from graphground import __version__
from graphground.cypher.diagnostics import counted
from graphground.graphs.engines.engine import Engine
from graphground.graphs.graph import Graph
from graphground.server.commands.command_line import (
    FAILED,
    GRAPHS,
    command,
    open_graphs,
    settings_from,
    spinner,
    write_json,
)
from graphground.server.settings import Settings, default_home
from graphground.tools.tool import Graphs

LEAST_FREE = 500 * 1024 * 1024


@dataclass(frozen=True)
class Finding:
    """The result of a check: `Finding("data folder", False, "/data is not writable", "Set GRAPHGROUND_HOME to …")`.

    A finding with `good=True` and a `fix` is a warning.
    """

    what: str
    good: bool
    found: str
    fix: str = ""

    @property
    def word(self) -> str:
        """The word that begins the printed line: `ok`, `WARN` or `BAD`, padded to four characters."""
        return "BAD " if not self.good else "WARN" if self.fix else "ok  "


@command(settings=GRAPHS)
def doctor(parsed: argparse.Namespace) -> int:
    """Check the installation, the data folder and every graph.

    --json  Print the findings as JSON.
    --deep  Read every node and relationship of loaded graphs, and compare their numbers with those loaded.
    """
    settings = settings_from(parsed)
    found: list[Finding] = []
    checks = findings(settings, deep=parsed.deep)
    while True:
        with spinner("checking"):
            finding = next(checks, None)
        if finding is None:
            break
        found.append(finding)
        if not parsed.json:
            sys.stdout.write(
                f"{finding.word} {finding.what}: {finding.found}\n" + (f"     {finding.fix}\n" if finding.fix else "")
            )
            sys.stdout.flush()
    problems = sum(not finding.good for finding in found)
    if parsed.json:
        status = {"ok  ": "ok", "WARN": "warning", "BAD ": "problem"}
        listed = [
            {"what": finding.what, "status": status[finding.word], "found": finding.found, "fix": finding.fix}
            for finding in found
        ]
        write_json({"problems": problems, "findings": listed})
    elif problems:
        sys.stdout.write(f"{counted(problems, 'problem')}.\n")
    else:
        sys.stdout.write("Everything works.\n")
    return FAILED if problems else 0


def findings(settings: Settings, *, deep: bool = False) -> Iterator[Finding]:
    """Run the checks one by one, cheap checks first, and yield their findings."""
    yield Finding("graphground", True, f"{__version__} on Python {platform.python_version()}, {platform.platform()}")
    yield from packages(engine_needed=not settings.bolt_databases())
    yield data_folder(default_home(settings.home))
    yield from graphs(settings, deep)


def packages(engine_needed: bool) -> Iterator[Finding]:
    """Check that the required libraries are installed, and yield findings, such as their versions."""
    for name in ("mcp", "neo4j", "pydantic"):
        try:
            yield Finding(name, True, version(name))
        except PackageNotFoundError:
            yield Finding(name, False, "is not installed", "Install graphground again.")
    if find_spec("neo4j._rust") is None:
        yield Finding("neo4j-rust-ext", True, "is not installed; answers with many rows take about three times as long")
    if find_spec("arcadedb_embedded") is None:
        if engine_needed:
            yield Finding(
                "embedded engine",
                False,
                f"is not installed; there may be no build for {platform.platform()}",
                "Serve your own database: graphground serve --uri neo4j://HOST:7687 --user NAME.",
            )
        else:
            yield Finding("embedded engine", True, "is not installed; only your own databases can be served")


def data_folder(home: Path) -> Finding:
    """Check that the data folder can hold loaded graphs."""
    import shutil
    import tempfile

    from graphground.graphs.storage.home import Home

    try:
        Home(home).make()
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        return Finding(
            "data folder",
            False,
            f"{home} is not writable: {error.strerror}",
            "Set GRAPHGROUND_HOME to a folder that you own.",
        )
    free = shutil.disk_usage(home).free
    if free < LEAST_FREE:
        advice = "Make room, or set GRAPHGROUND_HOME to a folder on another disk."
        return Finding("data folder", False, f"{home} has {free // 2**20} MiB free", advice)
    return Finding("data folder", True, f"{home}, {free // 2**30} GiB free")


def graphs(settings: Settings, deep: bool) -> Iterator[Finding]:
    """Check that each graph answers a query and, with `deep`, that all of its data can be read.

    The protection of each database, and the queries of the settings file, are checked too.
    """
    try:
        opened = open_graphs(settings)
    except Exception as error:
        yield Finding("graphs", False, "cannot be listed", str(error))
        return
    from graphground.server.sources import left_out

    with closing(opened):
        for name in left_out(settings):
            yield Finding(
                f"graph {name}",
                True,
                "bundled, and left out because your own database is served; to serve both, name both with --graph",
            )
        if not opened.names():
            advice = "Load one: graphground graphs load FILE; or serve a database with --uri."
            yield Finding("graphs", False, "none is loaded", advice)
        for name in opened.names():
            answer = attempt(name, "does not answer", partial(answer_time, opened, name))
            yield answer
            if answer.good:
                graph = opened.get(name)
                if graph.engine is not None:
                    yield attempt(name, "could not be tested for write protection", partial(writes, graph.engine))
                    limit = attempt(name, "could not be tested for a memory limit", partial(memory, graph.engine))
                    if limit.found:
                        yield limit
                if deep:
                    home = default_home(settings.home)
                    yield attempt(name, "could not be read completely", partial(whole, graph, home))
        yield from own_queries(settings, opened)


def own_queries(settings: Settings, opened: Graphs) -> Iterator[Finding]:
    """Check that each query of the settings file is valid for the schema of its graph."""
    if not settings.queries:
        return
    from graphground.tools.owner_queries import OwnTools

    broken = OwnTools(settings.queries).check(opened, quietly=True)
    for own in settings.queries:
        if own.name not in broken:
            yield Finding(f"query {own.name}", True, "is offered as a tool")
        for problem in broken.get(own.name, ()):
            yield Finding(f"query {own.name}", False, f"{problem.place}: {problem.message}", problem.fix)


Found = tuple[str, str]
"""What was found, and a fix for a warning."""


def attempt(graph: str, failed: str, look: Callable[[], Found | Finding]) -> Finding:
    """Return what `look()` finds about a graph; an error becomes a problem: the text `failed`, and the error's."""
    try:
        found = look()
    except Exception as error:
        return Finding(f"graph {graph}", False, failed, str(error))
    return found if isinstance(found, Finding) else Finding(f"graph {graph}", True, *found)


def answer_time(opened: Graphs, name: str) -> Found:
    """Return the time of a query on a graph."""
    elapsed = opened.get(name).run("RETURN 1 AS one", limit=1, timeout=30).elapsed_ms
    return f"answers in {elapsed:.1f} ms", ""


def writes(engine: Engine) -> Found:
    """Say whether the database itself refuses writes, in addition to graphground's own check of queries."""
    from graphground.graphs.opening.connected import warning

    outcome = engine.capabilities().trial_write
    if outcome == "refused":
        return "writes are refused by the database too", ""
    if outcome == "accepted":
        return "writes are refused by this server only", warning(engine)
    unknown = "writes are refused by this server; whether the database refuses them too is not known"
    return unknown, warning(engine)


def memory(engine: Engine) -> Found:
    """Say whether the database limits the memory of a query; nothing if it does not report a limit."""
    from graphground.graphs.opening.connected import ADVICE, is_unlimited, memory_limit

    limit = memory_limit(engine)
    if limit is not None and is_unlimited(limit):
        return "the memory of a single query is not limited", ADVICE
    return f"the memory of a single query is limited to {limit}" if limit is not None else "", ""


def whole(graph: Graph, home: Path) -> Found | Finding:
    """Say whether all loaded nodes and relationships can be read."""
    from graphground.graphs.opening.stored import Incomplete, read_whole

    try:
        return read_whole(graph, home), ""
    except Incomplete as error:
        return Finding(f"graph {graph.name}", False, "is damaged", f"{error} Load the graph again.")
