"""The engine processes of a data folder, as the operating system sees them."""

from __future__ import annotations

from pathlib import Path

MODULE = "graphground.graphs.engines.embedded.process"


def engine_pids(home: Path) -> list[int]:
    """Return the ids of the living engine processes of a data folder.

    The ids come from /proc, so this works only on Linux; the folder's state file is not read.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if MODULE.encode() in words and str(home).encode() in words and state != "Z":
            found.append(int(folder.name))
    return found
