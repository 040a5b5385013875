"""The text that the commands `load`, `import` and `pull` print about a loaded graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphground.graphs.loading.load import Loaded


def loaded_lines(loaded: Loaded) -> str:
    """Return the name and size of a loaded graph, and the differences from the version that it replaced, if any."""
    entry = loaded.entry
    lines = [f"Loaded {entry.name!r}: {entry.nodes:,} nodes, {entry.relationships:,} relationships."]
    if loaded.reason:
        lines.append(f"The whole file was loaded: {loaded.reason}.")
    for part, counts in (loaded.changes or {}).items():
        lines.append(
            f"  {part}: {counts['added']:,} added, {counts['removed']:,} removed, {counts['changed']:,} changed, "
            f"{counts['kept']:,} unchanged"
        )
    return "\n".join(lines) + "\n"
