"""The options shared by commands: one for each setting, and the settings built from them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.server.settings import Settings, options, read_home, read_settings

if TYPE_CHECKING:
    from graphground.graphs.storage.home import Home
    from graphground.tools.tool import Graphs

DATA_FOLDER = ("home", "settings")
"""The options of a command that needs only the data folder."""
GRAPHS = ("graph", "uri", "user", "database", "name", "home", "settings")
"""The options of a command that opens graphs, without those for serving clients."""


def add_options(parser: argparse.ArgumentParser, names: Sequence[str] | None = None) -> None:
    """Add one option for each setting, or only for the named settings.

    add_options(parser, DATA_FOLDER)       # --home and --settings
    """
    connects = names is None or "uri" in names
    group = parser.add_argument_group(
        "settings",
        "Each can also be set by an environment variable (in brackets) or a key of the settings file"
        + (", where a table [graphs.NAME] replaces --uri, --user, --database and --name." if connects else "."),
    )
    for setting in options():
        if names is not None and setting.name not in names:
            continue
        words: dict[str, Any] = {
            "help": f"{setting.metadata['help']} [{setting.metadata['variable']}]".replace("%", "%%"),
            "default": argparse.SUPPRESS,
        }
        if isinstance(setting.default, bool):
            words["action"] = "store_true"
        elif setting.metadata["choices"]:
            words["choices"] = setting.metadata["choices"]
        else:
            words["metavar"] = setting.name.upper().rpartition("_")[2]
        if setting.metadata["many"]:
            words["action"] = "append"
        elif isinstance(setting.default, int | float) and not isinstance(setting.default, bool):
            words["type"] = type(setting.default)
        group.add_argument("--" + setting.name.replace("_", "-"), **words)


def settings_from(parsed: argparse.Namespace) -> Settings:
    """Return the settings for the given options, the environment and the settings file.

    Raises:
        SettingsError: a setting is invalid; `run` reports the error with exit status 2.
    """
    return read_settings(_given(parsed))


def home_from(parsed: argparse.Namespace) -> Home:
    """Return the data folder that the options, the environment or the settings file names."""
    from graphground.graphs.storage.home import Home

    return Home(Path(read_home(_given(parsed))))


def _given(parsed: argparse.Namespace) -> dict[str, Any]:
    names = {setting.name for setting in options()}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(parsed).items()
        if name in names
    }


def set_up_logging(level: str) -> None:
    """Send every log record to stderr: stdout belongs to the protocol."""
    import logging

    logging.basicConfig(level=level.upper(), format="graphground: %(levelname)s %(name)s: %(message)s", force=True)
    for handler in logging.getLogger().handlers:
        handler.setLevel(level.upper())  # clients may request more detailed messages than stderr gets


def open_graphs(settings: Settings, *, may_be_provisional: bool = False) -> Graphs:
    """Return the graphs that the settings name; a graph's database is connected on first use.

    See `graph_sources` for `may_be_provisional`.
    """
    from graphground.server.driver_import import import_driver  # drivers load on first use

    import_driver()
    from graphground.server.sources import graph_sources

    return graph_sources(settings, may_be_provisional=may_be_provisional)
