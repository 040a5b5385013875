"""Measures the extraction of a schema on first use and from the cache; with `--paper`, also by the paper's queries.

    python -m benchmarks.schemas.extraction embedded GRAPH [--home FOLDER]     a loaded graph on the embedded engine
    python -m benchmarks.schemas.extraction bolt URI USER PASSWORD             a Neo4j or another Bolt server

`graphground graphs synth` generates a graph of a given size. The page cache and the JVM are not reset. In the
output, `first` is the first extraction of this process, and `again` the shortest of the next three.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import bolt_engine
from graphground.graphs.engines.engine import Engine
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.schemas.extraction.cache import SchemaCache, fingerprint
from graphground.graphs.schemas.extraction.extract import extract
from graphground.graphs.storage.home import Home
from tests.support.schema_oracle import as_oracle, exact_schema


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds that a call takes, and its result."""
    begin = time.perf_counter()
    answer = work()
    return (time.perf_counter() - begin) * 1e3, answer


def opened(parsed: argparse.Namespace) -> Engine:
    """Open the engine that the command line names."""
    if parsed.kind == "bolt":
        uri, user, password = parsed.where
        return bolt_engine(BoltAddress(uri, user, password, None))
    graph = open_stored(parsed.where[0], Home(Path(parsed.home)) if parsed.home else Home.default())
    assert graph.engine is not None
    return graph.engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["embedded", "bolt"])
    parser.add_argument("where", nargs="+")
    parser.add_argument("--home")
    parser.add_argument("--paper", action="store_true", help="also run the paper's queries over the whole graph")
    parsed = parser.parse_args()
    engine = opened(parsed)
    begin = time.perf_counter()
    engine.run("RETURN 1 AS one")
    print(f"connected after {(time.perf_counter() - begin) * 1e3:.0f} ms")
    first, found = timed(lambda: extract(engine, "graph"))
    again = min(timed(lambda: extract(engine, "graph"))[0] for _ in range(3))
    print(
        f"{found.nodes:,} nodes, {found.relationships:,} relationships, {len(found.schema.labels)} labels, "
        f"{len(found.schema.patterns)} patterns, partial: {found.partial} {found.problems}"
    )
    print(f"extraction: first {first:.0f} ms, again {again:.0f} ms")
    print(f"fingerprint: {timed(lambda: fingerprint(engine))[0]:.1f} ms")
    with tempfile.TemporaryDirectory() as folder:
        cache = SchemaCache(Path(folder))
        cache.store("key", found, "mark")
        print(f"from the cache: {min(timed(lambda: cache.load('key', 'graph'))[0] for _ in range(5)):.2f} ms")
    if parsed.paper:
        slow, oracle = timed(lambda: exact_schema(engine))
        print(
            f"the paper's queries over the whole graph: {slow:.0f} ms, same schema: {as_oracle(found.schema) == oracle}"
        )
    engine.close()


if __name__ == "__main__":
    main()
