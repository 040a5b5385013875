"""`graphground serve`: answer MCP clients."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from functools import partial

from graphground.server.commands.serving import add_options, open_graphs, set_up_logging, settings_from
from graphground.server.settings import SettingsError

CONNECT_AFTER_SECONDS = 1.0


def main(arguments: Sequence[str]) -> int:
    """Serve until the client leaves (stdio) or the program is interrupted (HTTP)."""
    parser = argparse.ArgumentParser("graphground serve", description="Serve graphs to MCP clients.")
    add_options(parser)
    settings = settings_from(parser.parse_args(arguments), parser)
    set_up_logging(settings.log_level)

    # The SDK takes most of the start-up time: only now, so that --help and mistakes are quick.
    from graphground.server.application import Application
    from graphground.server.protocol import Protocol

    application = Application(partial(open_graphs, settings), settings.answer_bytes)
    server = Protocol(application).server
    if settings.bolt_databases():
        application.open_in_background(CONNECT_AFTER_SECONDS)
    # Rows are many small objects without cycles: looking for garbage among them took a tenth of a big answer's time.
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    try:
        if settings.transport == "http":
            from graphground.server.transports.http import serve_http

            serve_http(server, settings.host, settings.port, settings.allowed_host)
        else:
            from graphground.server.transports.stdio import serve_stdio

            serve_stdio(server)
    except SettingsError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        pass
    finally:
        application.close()
    return 0
