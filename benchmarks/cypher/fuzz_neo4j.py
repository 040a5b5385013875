"""Counts how often our Cypher checks and a real Neo4j 5.26 disagree on whether a random query is valid.

    python -m benchmarks.cypher.fuzz_neo4j [--queries 5000] [--seed N]

Starts a Neo4j server, and therefore needs Java 17 and Maven. Without `--seed`, the seed changes every day, so that
repeated runs try new queries. The exit status is 1 if more than `SHARE` of the verdicts differ.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
from pathlib import Path

from benchmarks.cypher.language import fuzz
from tests.support.cypher_oracle import Oracle
from tests.support.neo4j_server import running_neo4j

SHARE = 0.002


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--queries", type=int, default=5_000)
    arguments.add_argument("--seed", type=int, default=datetime.datetime.now(datetime.UTC).toordinal())
    options = arguments.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="graphground-fuzz-") as folder,
        running_neo4j(Path(folder)) as server,
        Oracle(server.uri, server.user, server.password) as oracle,
    ):
        share = fuzz(oracle, options.seed, options.queries)
    sys.exit(1 if share > SHARE else 0)


if __name__ == "__main__":
    main()
