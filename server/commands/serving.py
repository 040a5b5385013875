"""What `serve` and `call` share: options, settings, the opened graphs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from graphground.server.settings import Settings, SettingsError, options, read_settings
from graphground.tools.tool import Graphs


def add_options(parser: argparse.ArgumentParser, leave_out: Sequence[str] = ()) -> None:
    """One option for each setting."""
    for one in options():
        if one.name in leave_out:
            continue
        words: dict[str, Any] = {"help": f"{one.metadata['help']} [{one.metadata['variable']}]",
                                 "default": argparse.SUPPRESS}
        if one.metadata["choices"]:
            words["choices"] = one.metadata["choices"]
        else:
            words["metavar"] = one.name.upper().rpartition("_")[2]
        if one.metadata["many"]:
            words["action"] = "append"
        elif isinstance(one.default, int):
            words["type"] = int
        parser.add_argument("--" + one.name.replace("_", "-"), **words)


def settings_from(parsed: argparse.Namespace, parser: argparse.ArgumentParser) -> Settings:
    """The settings for what was given on the command line; a wrong one ends the program with its message."""
    names = {one.name for one in options()}
    given = {name: tuple(value) if isinstance(value, list) else value
             for name, value in vars(parsed).items() if name in names}
    try:
        return read_settings(given)
    except SettingsError as error:
        parser.error(str(error))


def set_up_logging(level: str) -> None:
    """Send every log record to stderr: stdout belongs to the protocol."""
    import logging

    logging.basicConfig(level=level.upper(), format="graphground: %(levelname)s %(name)s: %(message)s", force=True)


def open_graphs(settings: Settings) -> Graphs:
    """Open what the settings name; nothing is connected before it is asked."""
    from graphground.server.sources import graph_sources  # drivers load on first use

    return graph_sources(settings)
