"""`graphground graphs compare`: compare two SimpleKG files."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from graphground.server.commands.command_line import CommandLine


def add_compare(group: CommandLine) -> None:
    """Add `compare OLD NEW` to a group of commands."""
    comparing = group.add_command("compare", compare_files, "Show what changed between two SimpleKG files.")
    comparing.add_argument("old", type=Path, metavar="OLD", help="The earlier file (.json or .json.gz).")
    comparing.add_argument("new", type=Path, metavar="NEW", help="The later file.")
    comparing.add_argument("--json", action="store_true", help="Print JSON.")


def compare_files(parsed: argparse.Namespace) -> int:
    """Print the counts of added, removed and changed records, with examples."""
    from graphground.graphs.loading.compare import compare

    found = compare(parsed.old, parsed.new)
    parts = {"nodes": found.nodes, "relationships": found.relationships}
    if parsed.json:
        sys.stdout.write(
            json.dumps(
                {
                    "schema_changed": found.schema,
                    **{
                        name: {"kept": changes.kept, **changes.counts, "examples": changes.examples}
                        for name, changes in parts.items()
                    },
                },
                indent=1,
            )
            + "\n"
        )
        return 0
    lines = ["The schema changed."] if found.schema else []
    for name, changes in parts.items():
        lines.append(
            f"{name}: {changes.counts['added']:,} added, {changes.counts['removed']:,} removed, "
            f"{changes.counts['changed']:,} changed, {changes.kept:,} unchanged"
        )
        lines += [
            f"  {kind}: {', '.join(keys)}" + (" …" if changes.counts[kind] > len(keys) else "")
            for kind, keys in changes.examples.items()
            if keys
        ]
    if found:
        lines.append(
            f"`graphground graphs load {parsed.new} --force` loads the later file in place of the loaded graph, which "
            f"remains available until the load is complete."
        )
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
