"""Determines from the settings which graphs a server offers: loaded graphs, and your own databases."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from graphground.graphs.engines.address import Database, problem_at
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.opening.open_graphs import USER, GraphSource, OpenGraphs
from graphground.graphs.opening.stored import is_bundled, offered, stamp, stored_sources
from graphground.graphs.storage.home import CatalogError, Home
from graphground.server.settings import Settings, default_home

logger = logging.getLogger(__name__)


def graph_sources(settings: Settings, *, hide: Callable[[str], str] = str) -> OpenGraphs:
    """Return the graphs of a server; each is opened on first use.

    Your own database takes precedence over a loaded graph of the same name. If you serve your own database, the bundled
    graph is served only if `--graph` names it, so that agents may leave `graph` out of every call.

    `hide` replaces what the summaries of graphs must not contain, such as paths of this machine.
    """
    home = Home(default_home(settings.home))
    databases = settings.bolt_databases()
    # An invalid address is reported before a graph is first queried.
    for database in databases:
        try:
            database.checked_address()
        except EngineUnavailable as error:
            logger.warning("graph %r: %s", database.name, error)
    own = [database_source(database, home) for database in databases]
    return OpenGraphs(
        sources_beside(own, settings, home), partial(sources_beside, own, settings, home), partial(stamp, home), hide
    )


def database_source(database: Database, home: Home, user: str = "") -> GraphSource:
    """Return your own database as a source, with a source for each of its further users."""
    from graphground.graphs.opening.connected import open_database  # loaded graphs do without

    return GraphSource(
        f"{database.name}{USER}{user}" if user else database.name,
        database.description,
        "bolt",
        partial(open_database, database, home, user=user),
        eager=not user,
        users={subject: database_source(own, home, subject) for subject, own in database.users.items()},
        problem=partial(problem_of, database),
    )


def sources_beside(own: Sequence[GraphSource], settings: Settings, home: Home) -> list[GraphSource]:
    """Return the sources of the graphs to serve: `own` for your databases, and those of the data folder's graphs.

    If `--graph` names graphs, only these are returned; one that was dropped while the server runs is missing.

    Raises:
        EngineUnavailable: the catalog of the data folder cannot be read, and `own` is empty.
    """
    excluded = {source.name for source in own}
    try:
        excluded |= left_out(settings)
        stored = [source for source in stored_sources(home) if source.name not in excluded]
    except CatalogError as error:
        if not own:
            raise EngineUnavailable(str(error)) from None
        logger.warning(error)  # a damaged catalog must not stop your own databases from being served
        stored = []
    known = {source.name: source for source in (*stored, *own)}
    return [known[name] for name in dict.fromkeys(settings.graph or known) if name in known]


def left_out(settings: Settings) -> set[str]:
    """Return the names of the bundled graphs that are left out because your own database is served."""
    if settings.graph or not settings.bolt_databases():
        return set()
    home = Home(default_home(settings.home))
    return {bundled.name for bundled in offered(home) if is_bundled(bundled.name, home)}


def problem_of(database: Database) -> str | None:
    """Return the reason why a database is unreachable now, found without a query; None if it is reachable."""
    try:
        address = database.checked_address()
    except EngineUnavailable as error:
        return str(error)
    return problem_at(address, seconds=1.0, speak=False)
