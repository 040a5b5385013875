"""The options shared by commands: one for each setting, and the settings built from them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.server.settings import Settings, default_home, options, read_home, read_settings
from graphground.server.settings_error import SettingsError

if TYPE_CHECKING:
    from graphground.graphs.storage.home import Home
    from graphground.tools.tool import Graphs

DATA_FOLDER = ("home", "settings")
"""The options of a command that needs only the data folder."""
GRAPHS = ("graph", "uri", "user", "database", "name", "home", "settings")
"""The options of a command that opens graphs but does not serve them."""


def add_options(parser: argparse.ArgumentParser, names: Sequence[str] | None = None) -> None:
    """Add one option for each setting, or only for the named settings.

    `add_options(parser, DATA_FOLDER)` adds `--home` and `--settings`.
    """
    connects = names is None or "uri" in names
    group = parser.add_argument_group(
        "settings",
        "Each can also be set by an environment variable (in brackets) or, except --settings, by a key of the settings file"
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
    """Return the data folder that the options, the environment or the settings file names, or the default folder."""
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
    """Send log records of at least `level` to stderr, because stdout belongs to the protocol."""
    import logging

    logging.basicConfig(level=level.upper(), format="graphground: %(levelname)s %(name)s: %(message)s", force=True)
    for handler in logging.getLogger().handlers:
        handler.setLevel(level.upper())  # clients may request more detailed messages than stderr receives


def open_graphs(settings: Settings, *, may_be_provisional: bool = False, hide: Callable[[str], str] = str) -> Graphs:
    """Return the graphs that the settings name; a graph's database is connected on first use.

    See `graph_sources` for `may_be_provisional` and `hide`.
    """
    from graphground.server.driver_import import import_driver  # drivers load on first use

    import_driver()
    from graphground.server.sources import graph_sources

    return graph_sources(settings, may_be_provisional=may_be_provisional, hide=hide)


def check_names(settings: Settings) -> None:
    """Refuse to run a command if a graph named by `--graph` does not exist.

    Raises:
        SettingsError: a graph does not exist; the message gives the nearest name and lists the existing graphs.
    """
    if not settings.graph:
        return
    from graphground.graphs.opening.bundled import offered  # only --graph needs the catalog this early
    from graphground.graphs.storage.catalog import Catalog
    from graphground.graphs.storage.home import Home

    home = Home(default_home(settings.home))
    known = dict.fromkeys(
        [
            *(bundled.name for bundled in offered(home)),
            *(entry.name for entry in Catalog(home).entries()),
            *(database.name for database in settings.bolt_databases()),
        ]
    )
    for name in settings.graph:
        if name not in known:
            from graphground.cypher.names.nearest import closest  # loaded only after a mistake

            nearest = [f"; nearest: {other}" for other in closest(name, list(known), limit=1)]
            raise SettingsError(
                f"--graph {name}: there is no such graph{''.join(nearest)}; available: {', '.join(known) or 'none'}. "
                f"Load it with `graphground graphs load FILE --name {name}`."
            )
