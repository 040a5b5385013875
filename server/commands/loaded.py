"""What the commands `load`, `import` and `pull` have in common: the check of the graph's name, and the printed text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphground.cypher.wording import counted
from graphground.server.commands.command_line import WrongUse

if TYPE_CHECKING:
    from graphground.graphs.loading.load import Loaded
    from graphground.graphs.storage.home import Home


def loaded_lines(loaded: Loaded) -> str:
    """Return the name and size of a loaded graph, and the differences from the version that it replaced, if any."""
    entry = loaded.entry
    lines = [f"Loaded {entry.name!r}: {counted(entry.nodes, 'node')}, {counted(entry.relationships, 'relationship')}."]
    if loaded.reason:
        lines.append(f"The whole file was loaded: {loaded.reason}.")
    for part, counts in (loaded.changes or {}).items():
        lines.append(
            f"  {part}: {counts['added']:,} added, {counts['removed']:,} removed, {counts['changed']:,} changed, "
            f"{counts['kept']:,} unchanged"
        )
    return "\n".join(lines) + "\n"


def require_unused_name(name: str, home: Home, advice: str) -> None:
    """Raise an error if a graph of this name is loaded, or if a bundled graph of this name is offered.

    Raises:
        WrongUse: the name is in use; the message ends with `advice`.
    """
    from graphground.graphs.opening.bundled import offered
    from graphground.graphs.storage.catalog import Catalog

    if Catalog(home).find(name) or any(bundled.name == name for bundled in offered(home)):
        raise WrongUse(f"there is a graph {name!r} already; {advice}")
