"""Starts the embedded engine early, while the server still loads its drivers."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from graphground.server.settings import Settings, default_home

AFTER_SECONDS = 0.1
"""The delay until the engine is started, in seconds; by then the answer to `tools/list` has been sent."""


def start_engine_soon(settings: Settings) -> None:
    """Start the engine in the background, unless your own databases are served.

    With your own databases, the engine starts when a loaded graph is opened.
    """
    if settings.bolt_databases():
        return
    timer = threading.Timer(AFTER_SECONDS, start_engine, (default_home(settings.home), settings.graph))
    timer.daemon = True
    timer.start()


def start_engine(folder: Path, names: tuple[str, ...]) -> None:
    """Start the engine of a data folder if the folder holds a graph named in `names`, or any graph without names."""
    # These modules import neither the SDK nor a driver, so they do not delay the answer to `tools/list`.
    from graphground.graphs.engines.embedded.launcher import ensure_engine
    from graphground.graphs.storage.catalog import Catalog
    from graphground.graphs.storage.home import Home

    with suppress(Exception):  # the call that needs the graph reports the problem, with an explanation
        home = Home(folder)
        loaded = {entry.name for entry in Catalog(home).entries()}
        if loaded & set(names or loaded):
            ensure_engine(home)
