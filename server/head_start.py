"""Starts the embedded engine while the server still loads its drivers, which takes a third of a second, and the engine
longer."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from graphground.server.settings import Settings, default_home

AFTER_SECONDS = 0.1
"""The answer to `tools/list` has been sent by then."""


def start_engine_soon(settings: Settings) -> None:
    """Start the engine in the background if loaded graphs are served, and they alone.

    If your own databases are served too, the engine starts when a loaded graph is opened.
    """
    if settings.bolt_databases():
        return
    timer = threading.Timer(AFTER_SECONDS, start_engine, (default_home(settings.home), settings.graph))
    timer.daemon = True
    timer.start()


def start_engine(folder: Path, names: tuple[str, ...]) -> None:
    """Start the engine of a data folder that holds a graph; if `names` are given, one of these."""
    # Neither the SDK nor a driver is needed here, and a server that answers `tools/list` has not loaded these.
    from graphground.graphs.engines.embedded.launcher import ensure_engine
    from graphground.graphs.storage.catalog import Catalog
    from graphground.graphs.storage.home import Home

    with suppress(Exception):  # reported, in words, by the call that needs the graph
        home = Home(folder)
        loaded = {entry.name for entry in Catalog(home).entries()}
        if loaded & set(names or loaded):
            ensure_engine(home)
