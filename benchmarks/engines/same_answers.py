"""Compares the rows that the embedded engine and Neo4j return for the same queries on stand-in graphs.

    python -m benchmarks.engines.same_answers FOLDER BOLT_URI neo4j PASSWORD [--graphs art nba] [--most 2000]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). The Neo4j is **emptied**
and loaded with one graph after another: use a scratch server. The queries are gold, predicted and generated ones; both
databases receive them as `execute_cypher` would send them. Rows are compared ignoring their order; a difference under
LIMIT, or in the order of a collected list, counts as a tie.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import neo4j

from benchmarks.engines.graphs_for_queries import GRAPHS, gold_queries, predicted_queries, schema_of
from benchmarks.engines.made_queries import made_queries
from graphground.cypher import CypherSyntaxError, parse, validate
from graphground.cypher import tree as t
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.engines.engine import EngineError, QueryFailed, QueryTimeout
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.storage.home import Home

BATCH = 1_000
TIMEOUT = 10.0
VARIABLE_LENGTH = re.compile(r"\[[^\]]*\*[^\]]*\]")


def fill(uri: str, user: str, password: str, file: Path) -> None:
    """Empty the database and load a SimpleKG file into it."""
    document = json.loads(file.read_text("utf-8"))
    types = {entity["label"]: entity["properties"] for entity in document["schema"]["entities"]}
    edges: dict[str, dict[str, str]] = {}
    for relation in document["schema"]["relations"]:
        edges.setdefault(relation["label"], {}).update(relation["properties"])
    with neo4j.GraphDatabase.driver(uri, auth=(user, password)) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
        for label in types:
            driver.execute_query(f"CREATE INDEX `eid_{label}` IF NOT EXISTS FOR (n:`{label}`) ON (n.eid)")
            driver.execute_query(f"CREATE INDEX `name_{label}` IF NOT EXISTS FOR (n:`{label}`) ON (n.name)")
        driver.execute_query("CALL db.awaitIndexes(60)")
        for label, properties in types.items():
            rows = [
                {
                    **typed(entity["properties"], properties),
                    "name": entity["name"],
                    "eid": entity["eid"],
                    "aliases": entity["aliases"],
                    "description": entity["description"],
                    "provenance": entity["provenance"],
                }
                for entity in document["entities"]
                if entity["label"] == label
            ]
            for start in range(0, len(rows), BATCH):
                driver.execute_query(
                    f"UNWIND $rows AS row CREATE (n:`{label}`) SET n = row", rows=rows[start : start + BATCH]
                )
        patterns = {
            (relation["label"], relation["subj_label"], relation["obj_label"])
            for relation in document["schema"]["relations"]
        }
        for type_, start_label, end_label in patterns:
            rows = [
                {
                    "start": relation["subj_id"],
                    "end": relation["obj_id"],
                    "properties": typed(relation["properties"], edges[type_]),
                }
                for relation in document["relations"]
                if relation["label"] == type_
                and relation["subj_id"].startswith(f"{start_label}#")
                and relation["obj_id"].startswith(f"{end_label}#")
            ]
            for start in range(0, len(rows), BATCH):
                driver.execute_query(
                    f"UNWIND $rows AS row MATCH (a:`{start_label}` {{eid: row.start}}), (b:`{end_label}` "
                    f"{{eid: row.end}}) CREATE (a)-[r:`{type_}`]->(b) SET r = row.properties",
                    rows=rows[start : start + BATCH],
                )


def typed(values: dict[str, Any], types: dict[str, str]) -> dict[str, Any]:
    return {
        key: neo4j.time.Date.from_iso_format(value)
        if types.get(key) == "date"
        else float(value)
        if types.get(key) == "float"
        else value
        for key, value in values.items()
    }


def answer(engine: Graph | BoltEngine, query: str) -> tuple[str, list[Any]]:
    try:
        return "rows", engine.run(query, timeout=TIMEOUT).rows
    except QueryTimeout:
        return "timeout", []
    except QueryFailed as error:
        return "failed", [str(error)[:200]]
    except EngineError as error:
        return type(error).__name__, [str(error)[:200]]


def plain(value: Any, ordered: bool = True) -> Any:
    """Return a value in comparable form: without database ids, floats to nine digits, lists sorted unless `ordered`."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, list):
        items = [plain(item, ordered) for item in value]
        return items if ordered else sorted(items, key=repr)
    if isinstance(value, dict):
        return {
            key: plain(part, ordered)
            for key, part in sorted(value.items())
            if key not in ("id", "elementId", "element_id", "start", "end", "_id", "identity")
        }
    return value


def bag(rows: list[Any], ordered: bool = True) -> Counter[str]:
    return Counter(repr(plain(row, ordered)) for row in rows)


def without_limit(query: str) -> str | None:
    """Return the query without SKIP and LIMIT; None if the query has neither."""
    tree = parse(query)
    spans = []
    for projection in tree.find(t.Projection):
        for word, part in (("SKIP", projection.skip), ("LIMIT", projection.limit)):
            if part is not None:
                place = [found.start() for found in re.finditer(word, query[: part.start], re.IGNORECASE)][-1]
                spans.append((place, part.end))
    for start, end in sorted(spans, reverse=True):
        query = query[:start] + query[end:]
    return query if spans else None


def compared(ours: Graph, theirs: BoltEngine, query: str) -> tuple[str, str]:
    """Run a query on both databases; return how the answers compare, and a detail if they differ."""
    (our_kind, mine), (their_kind, wanted) = answer(ours, query), answer(theirs, query)
    if our_kind != their_kind:
        return f"{our_kind}/{their_kind}", str((mine or wanted)[:1])
    if our_kind != "rows":
        return f"both {our_kind}", ""
    if bag(mine) == bag(wanted):
        return "same", ""
    if bag(mine, ordered=False) == bag(wanted, ordered=False):
        return "same but for order in lists", ""
    whole = without_limit(query)
    if whole and len(mine) == len(wanted):
        (our_kind, mine), (their_kind, wanted) = answer(ours, whole), answer(theirs, whole)
        if our_kind == their_kind and bag(mine, ordered=False) == bag(wanted, ordered=False):
            return "ties under LIMIT", ""
    extra, missing = bag(mine) - bag(wanted), bag(wanted) - bag(mine)
    return "DIFFERENT", f"{len(mine)} and {len(wanted)} rows; extra {list(extra)[:2]}; missing {list(missing)[:2]}"


def chosen_of(queries: list[str], most: int) -> list[str]:
    """Return a fixed random choice of at most `most` queries."""
    return random.Random(5).sample(queries, min(most, len(queries)))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("uri")
    arguments.add_argument("user")
    arguments.add_argument("password")
    arguments.add_argument("--graphs", nargs="*", default=list(GRAPHS))
    arguments.add_argument("--most", type=int, default=100_000, help="queries of each set of each graph")
    arguments.add_argument(
        "--without", type=int, default=0, help="leave out the queries that --most with this number chooses"
    )
    arguments.add_argument("--paths", action="store_true", help="only queries with patterns of variable length")
    arguments.add_argument("--kinds", nargs="*", default=["gold", "predicted", "made"])
    arguments.add_argument("--made", type=int, default=400, help="queries to make up for each graph")
    arguments.add_argument("--shown", type=int, default=12)
    given = arguments.parse_args()
    for name in given.graphs:
        fill(given.uri, given.user, given.password, given.folder / f"{name}.json")
        ours = open_stored(name, Home(given.folder))
        theirs = BoltEngine(BoltAddress(given.uri, given.user, given.password))
        schema = schema_of(name)
        document = json.loads((given.folder / f"{name}.json").read_text("utf-8"))
        for kind, queries in (
            ("gold", gold_queries(name)),
            ("predicted", predicted_queries(name)),
            ("made", list(made_queries(schema, document, given.made))),
        ):
            if kind not in given.kinds:
                continue
            done = set(chosen_of(queries, given.without))
            chosen = [
                query
                for query in chosen_of(queries, given.most)
                if query not in done and (not given.paths or VARIABLE_LENGTH.search(query))
            ]
            counts: Counter[str] = Counter()
            shown: Counter[str] = Counter()
            started = time.monotonic()
            for number, query in enumerate(chosen):
                if number % 500 == 499:
                    print(f"  {name} {kind}: {number + 1} of {len(chosen)}: {dict(counts)}", flush=True)
                try:
                    parse(query)
                except CypherSyntaxError:
                    counts["not Cypher"] += 1
                    continue
                report = validate(query)
                if not report.valid or report.access != "read":
                    counts["refused by the language check"] += 1
                    continue
                verdict, detail = compared(ours, theirs, query)
                counts[verdict] += 1
                shown[verdict] += 1
                if detail and shown[verdict] <= given.shown:
                    print(f"  {verdict}: {query}\n     {detail[:400]}", flush=True)
            if chosen:
                print(name, schema.name, kind, dict(counts), f"{time.monotonic() - started:.0f} s", flush=True)
        theirs.close()
        if ours.engine:
            ours.engine.close()


if __name__ == "__main__":
    main()
