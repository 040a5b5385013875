"""`graphground serve`: serve MCP clients."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.server.commands.command_line import (
    ALL_SETTINGS,
    check_names,
    command,
    open_graphs,
    set_up_logging,
    settings_from,
)
from graphground.server.settings import Settings, SettingsError, default_home, secrets_in

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from graphground.server.traces.recorder import Recorder


@command(settings=ALL_SETTINGS)
def serve(parsed: argparse.Namespace) -> int:
    """Serve graphs to MCP clients over stdio or HTTP."""
    return serve_with(settings_from(parsed))


def serve_with(settings: Settings, when_listening: Callable[[str], None] | None = None) -> int:
    """Serve with the given settings, and return the exit status.

    `when_listening` is called with the address once an HTTP server listens.

    Raises:
        SettingsError: a setting cannot be used.
    """
    set_up_logging(settings.log_level, settings.log_format)
    check_names(settings)
    if settings.ui and settings.transport != "http":
        raise SettingsError("--ui needs --transport http; `graphground ui` sets both")

    # Rows are many small objects without cycles: garbage collection among them took a tenth of a large answer's time.
    gc.set_threshold(100_000, 20, 50)
    start_engine(settings)
    # The SDK takes most of the start-up time, so it is imported only after --help and mistakes are dealt with. Most of
    # its models are never used: pydantic builds each at its first use.
    from pydantic import BaseModel, ConfigDict

    from graphground.server.application import Application, hiding_paths

    BaseModel.model_config = ConfigDict(defer_build=True)
    from graphground.server.notifications import log_to_clients
    from graphground.server.protocol import Protocol
    from graphground.server.telemetry import start_tracing
    from graphground.server.threads import WorkerThreads

    BaseModel.model_config = ConfigDict()
    log_to_clients()
    hide = hiding_paths(default_home(settings.home))
    application = Application(
        partial(open_graphs, settings, hide=hide), settings.answer_bytes, settings.queries, recorder_for(settings), hide
    )
    workers = WorkerThreads()
    stop_tracing = start_tracing(settings.telemetry_queries)

    def make_server() -> Server[Any]:
        return Protocol(application, application.open_in_background, workers=workers).server

    gc.freeze()
    try:
        if settings.transport == "http":
            from graphground.server.transports.http import operation_routes, serve_http

            page = None
            if settings.ui:
                from graphground.server.ui.routes import Page  # loaded only by servers with the page

                page = Page(application, workers, application.open_in_background)
            operations = operation_routes(application, workers, settings)
            return serve_http(make_server, settings, operations, page=page, when_listening=when_listening)
        from graphground.server.transports.stdio import serve_stdio

        serve_stdio(make_server())
    finally:
        application.close()
        stop_tracing()
    return 0


def start_engine(settings: Settings) -> None:
    """Start the embedded engine in the background if the data folder has graphs, while the modules of the server load.

    A server of your own databases starts it when a graph of the data folder is opened.
    """
    folder = default_home(settings.home)
    if (folder / "catalog.json").exists() and not settings.bolt_databases():
        from graphground.graphs.engines.embedded.launcher import start_in_background
        from graphground.graphs.storage.home import Home

        start_in_background(Home(folder))


def recorder_for(settings: Settings) -> Recorder | None:
    """Return the recorder for the file of `--record` and for the page; None if neither is requested.

    Raises:
        SettingsError: the file cannot be written, or `--watch` is given without the page.
    """
    if settings.watch is not None and not settings.ui:
        raise SettingsError("--watch shows a trace on the page: it needs --ui, or `graphground ui`")
    if settings.record is None and not settings.ui:
        return None
    from graphground.server.traces.event import TraceFile
    from graphground.server.traces.recorder import Recorder

    secrets = secrets_in(settings)
    if settings.transport == "http":
        from graphground.server.transports.authorization import fixed_tokens

        secrets += fixed_tokens(settings)
    file = None if settings.record is None else TraceFile(Path(settings.record).expanduser())
    recorder = Recorder(file, secrets)
    if settings.watch is not None:
        recorder.watch(Path(settings.watch).expanduser())
    return recorder
