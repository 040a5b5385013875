"""Compares the entity index with the full-text indexes of the engines, on the same names.

    python -m benchmarks.entities.engines                     # 460,000 names, 200 mentions
    python -m benchmarks.entities.engines --names 20000       # a quick run

Each mention is a name with one typing error. The embedded engine (ArcadeDB, in process) and a real Neo4j 5.26 (started
from `../shared/neo4j`) run `word~ AND word~ …` on a full-text index of the names; the entity index runs `find`.
ArcadeDB receives 40 of the mentions. For ten of the mentions, rapidfuzz's WRatio is also computed with every name.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz, process, utils

from benchmarks.entities.mention_errors import typing_error
from benchmarks.entities.synthetic_names import SHARED, synthetic_records
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.record import Record

Ask = Callable[[str], list[str]]
PORT = 17790


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--names", type=int, default=460_000)
    parser.add_argument("--mentions", type=int, default=200)
    parser.add_argument("--without", action="append", default=[], choices=("arcadedb", "neo4j"))
    options = parser.parse_args()
    records = list(synthetic_records(options.names))
    names = [record.name or "" for record in records]
    rng = random.Random(11)
    pairs = [
        (typing_error(name, rng), name)
        for name in rng.sample([candidate for candidate in names if len(candidate) > 3], options.mentions)
    ]
    print(f"{len(names):,} names, {len(pairs)} mentions with one typing error")
    with tempfile.TemporaryDirectory() as folder:
        build_index(Path(folder) / "index", records)
        index = open_index(Path(folder) / "index")
        measure("graphground", lambda mention: [mention.name for mention in index.find(mention, mode="fuzzy")], pairs)
        processed = [utils.default_process(name) for name in names]
        measure(
            "rapidfuzz over all",
            lambda mention: [
                names[place]
                for _, _, place in process.extract(
                    utils.default_process(mention), processed, scorer=fuzz.WRatio, limit=5
                )
            ],
            pairs[:10],
        )
        if "neo4j" not in options.without:
            with_neo4j(records, Path(folder), pairs)
        if "arcadedb" not in options.without:
            with_arcadedb(names, Path(folder), pairs)


def measure(title: str, ask: Ask, pairs: list[tuple[str, str]]) -> None:
    for mention, _ in pairs[:20]:  # warm up, as in a running server
        ask(mention)
    times, first, five = [], 0, 0
    for mention, name in pairs:
        start = time.perf_counter()
        found = ask(mention)
        times.append(1000 * (time.perf_counter() - start))
        first += found[:1] == [name]
        five += name in found[:5]
    print(
        f"  {title:20} median {np.median(times):8.2f} ms, p99 {np.percentile(times, 99):8.2f}; recall@1 "
        f"{100 * first / len(pairs):.1f} %, @5 {100 * five / len(pairs):.1f} %",
        flush=True,
    )


def fuzzy_query(mention: str) -> str:
    """Return a mention as a Lucene query: `Lebron Jmes` becomes `lebron~ AND jmes~`."""
    return " AND ".join(f"{word}~" for word in re.findall(r"\w+", mention.lower())) or "nothing"


def with_neo4j(records: list[Record], folder: Path, pairs: list[tuple[str, str]]) -> None:
    from neo4j import GraphDatabase

    start = SHARED.parent / "neo4j" / "start"
    home = folder / "neo4j"
    subprocess.run(
        [start, home, str(PORT), "5.26.30"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "NEO4J_HEAP": "1g", "NEO4J_PAGECACHE": "256m"},
    )
    try:
        with GraphDatabase.driver(f"bolt://127.0.0.1:{PORT}", auth=("neo4j", "graphground-test")) as driver:
            for low in range(0, len(records), 20_000):
                driver.execute_query(
                    "UNWIND $names AS name CREATE (:N {name: name})",
                    names=[record.name for record in records[low : low + 20_000]],
                )
            driver.execute_query("CREATE FULLTEXT INDEX names FOR (n:N) ON EACH [n.name]")
            driver.execute_query("CALL db.awaitIndexes(400)")
            with driver.session() as session:
                measure(
                    "Neo4j full text",
                    lambda mention: [
                        row[0]
                        for row in session.run(
                            "CALL db.index.fulltext.queryNodes('names', $words, {limit: 5}) YIELD node RETURN node.name",
                            words=fuzzy_query(mention),
                        )
                    ],
                    pairs,
                )
    finally:
        subprocess.run(["kill", (home / "pid").read_text().strip()], check=False)


def with_arcadedb(names: list[str], folder: Path, pairs: list[tuple[str, str]]) -> None:
    import arcadedb_embedded as arcadedb

    with arcadedb.create_database(str(folder / "arcadedb")) as database:
        database.command("sql", "CREATE VERTEX TYPE N")
        database.command("sql", "CREATE PROPERTY N.name STRING")
        for low in range(0, len(names), 20_000):
            with database.transaction():
                for name in names[low : low + 20_000]:
                    database.new_vertex("N").set("name", name).save()
        database.command("sql", "CREATE INDEX ON N (name) FULL_TEXT")
        measure(
            "ArcadeDB full text",
            lambda mention: [
                row.get("name")
                for row in database.query(
                    "sql", "SELECT name FROM N WHERE SEARCH_INDEX('N[name]', ?) = true LIMIT 5", fuzzy_query(mention)
                )
            ],
            pairs[:40],
        )


if __name__ == "__main__":
    main()
