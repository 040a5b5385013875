"""What the commands `load`, `import` and `pull` have in common: the check of the graph's name, and the printed text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphground.cypher.diagnostics import counted
from graphground.server.commands.command_line import WrongUse

if TYPE_CHECKING:
    from graphground.graphs.storage.catalog import Entry
    from graphground.graphs.storage.home import Home


def loaded_line(entry: Entry) -> str:
    """Return the name and the size of a loaded graph as a line to print."""
    return f"Loaded {entry.name!r}: {counted(entry.nodes, 'node')}, {counted(entry.relationships, 'relationship')}.\n"


def require_unused_name(name: str, home: Home, advice: str) -> None:
    """Raise an error if a graph of this name is loaded, or if a bundled graph of this name is offered.

    Raises:
        WrongUse: the name is in use; the message ends with `advice`.
    """
    from graphground.graphs.opening.stored import offered
    from graphground.graphs.storage.catalog import Catalog

    if Catalog(home).find(name) or any(bundled.name == name for bundled in offered(home)):
        raise WrongUse(f"there is a graph {name!r} already; {advice}")
