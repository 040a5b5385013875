"""Tries random attacks on real databases through `execute_cypher`, and reports changes and refusals.

    python -m benchmarks.security.attacks --database NAME=URI,USER,PASSWORD[,DATABASE] … [--count 2000] [--seed 1]

Before and after the attacks, the nodes, properties and relationships of each database are counted, and its labels,
indexes and users are read. The exit status is 1 if anything differs, or if `unclean` finds a problem in the canonical
text of an attack. Name a user with all rights, because the databases' own permissions are not tested.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections import Counter
from contextlib import suppress

import neo4j
from pydantic import ValidationError

from graphground.cypher.safety.canonical import canonical
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.failure import ToolFailure
from tests.support.hostile_texts import HostileTexts, unclean

SCHEMA = PropertyGraphSchema.from_cypherbench(
    {
        "name": "films",
        "entities": [{"label": "Film", "description": None, "properties": {"name": "str"}}],
        "relations": [],
    }
)
STATE = (
    "MATCH (n) RETURN labels(n) AS labels, count(*) AS nodes, sum(size(keys(n))) AS properties ORDER BY labels",
    "MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS n ORDER BY type",
    "CALL db.labels()",
    "SHOW INDEXES YIELD name RETURN name ORDER BY name",
    "SHOW USERS",
    "SHOW DATABASES YIELD name, currentStatus",
)
PARAMETERS = {"p": 1, "key": "name` = 1 //", "url": "file:///etc/hostname", "map": {"Film": "x` = 1 OR 1 = 1 //"}}


def state_of(address: BoltAddress) -> list[object]:
    """Return the results of the queries in `STATE`; a query that the database refuses is left out."""
    found: list[object] = []
    with neo4j.GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver:
        for query in STATE:
            with suppress(neo4j.exceptions.Neo4jError), driver.session(database=address.database) as session:
                found.append([record.values() for record in session.run(query)])
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--database", action="append", required=True)
    arguments.add_argument("--count", type=int, default=2_000)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
    changed = False
    for number, argument in enumerate(options.database):
        name, _, rest = argument.partition("=")
        uri, user, password, *database = rest.split(",")
        address = BoltAddress(uri, user, password, database[0] if database and database[0] else None)
        engine, source, counts = BoltEngine(address), HostileTexts(options.seed + number), Counter[str]()
        start = time.time()
        graph = Graph("films", SCHEMA, engine=engine, language=engine.capabilities().language)
        graphs = OpenGraphs([GraphSource("films", "", "bolt", lambda graph=graph: graph)])  # type: ignore[misc]
        before = state_of(address)
        for _ in range(options.count):
            text = source.attack()
            try:
                execute_cypher(graphs, ExecuteCypherRequest(query=text, parameters=PARAMETERS, timeout_s=10))
                counts["run as canonical text"] += 1
            except ToolFailure as failure:
                counts[failure.error] += 1
                if failure.error not in ("query_failed", "query_timeout"):
                    continue
            except ValidationError:
                counts["no text"] += 1
                continue
            changed |= unclean(canonical(text).text) is not None
        is_unchanged = state_of(address) == before
        changed |= not is_unchanged
        print(
            f"{name} ({graph.language}): {options.count} attacks, {dict(counts)}, the database is "
            f"{'as before' if is_unchanged else 'CHANGED'} ({time.time() - start:.0f} s)",
            flush=True,
        )
        graphs.close()
    sys.exit(1 if changed else 0)


if __name__ == "__main__":
    main()
