"""Measures the tools on unprepared databases: the five examples of `tests/support/databases`.

    python -m benchmarks.databases.measure                 all five, in a Neo4j 5.26 that the benchmark starts
    python -m benchmarks.databases.measure erp --missed    one of them, with every miss

`library` and `transfers` are held out: they were not used in development.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.support.databases import DATABASES, HELD_OUT
from tests.support.databases.measuring import filtered, fixes, names, opened, statements, suggestions
from tests.support.neo4j_server import Neo4jServer, running_neo4j


def measure(server: Neo4jServer, name: str, missed: bool) -> None:
    """Measure one database, and print a line for each figure."""
    with tempfile.TemporaryDirectory() as folder, opened(server, DATABASES[name], Path(folder)) as trial:
        fixed, harmed = fixes(trial)
        kept, share = filtered(trial)
        print(f"{name}{' (held out)' if name in HELD_OUT else ''}: schema after {trial.ready_seconds:.2f} s")
        for tally in (fixed, harmed, names(trial), kept, suggestions(trial)):
            print(f"  {tally}" + (f" at {share:.0%} of the tokens" if tally is kept else ""))
            for miss in tally.missed if missed else ():
                print(f"    - {miss}")
        stated = statements(trial)
        print(
            f"  statements of diagnostics: {stated.checked} checked against the data, {len(stated.false)} false; "
            f"{stated.silent} messages contain no statement that can be checked"
        )
        for statement in stated.false:
            print(f"    - {statement}")


def main() -> int:
    """Measure the databases named on the command line; all of them if none is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("databases", nargs="*", help=", ".join(DATABASES))
    parser.add_argument("--missed", action="store_true", help="also print every miss")
    parsed = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running_neo4j(Path(folder)) as server:
        for name in parsed.databases or DATABASES:
            measure(server, name, parsed.missed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
