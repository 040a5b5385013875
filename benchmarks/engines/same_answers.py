"""Compares the rows that the embedded engine and Neo4j return for the same queries on stand-in graphs.

    python -m benchmarks.engines.same_answers FOLDER BOLT_URI neo4j PASSWORD [--graphs art nba] [--most 2000]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). The Neo4j is **emptied**
and loaded with one graph after another: use a scratch server. The queries are gold, predicted and generated ones; both
databases receive them as `execute_cypher` would send them. The order of rows is ignored. Rows that differ only by
LIMIT, or only in the order of a collected list, are counted separately, not as different.
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
    """Run a query on both databases; return the verdict (`same`, `DIFFERENT`, …) and the first differences as text."""
    (our_kind, our_rows), (neo4j_kind, neo4j_rows) = answer(ours, query), answer(theirs, query)
    if our_kind != neo4j_kind:
        return f"{our_kind}/{neo4j_kind}", str((our_rows or neo4j_rows)[:1])
    if our_kind != "rows":
        return f"both {our_kind}", ""
    if bag(our_rows) == bag(neo4j_rows):
        return "same", ""
    if bag(our_rows, ordered=False) == bag(neo4j_rows, ordered=False):
        return "same except for the order in lists", ""
    whole = without_limit(query)
    if whole and len(our_rows) == len(neo4j_rows):
        (our_kind, our_rows), (neo4j_kind, neo4j_rows) = answer(ours, whole), answer(theirs, whole)
        if our_kind == neo4j_kind and bag(our_rows, ordered=False) == bag(neo4j_rows, ordered=False):
            return "ties under LIMIT", ""
    extra, missing = bag(our_rows) - bag(neo4j_rows), bag(neo4j_rows) - bag(our_rows)
    return (
        "DIFFERENT",
        f"{len(our_rows)} and {len(neo4j_rows)} rows; extra {list(extra)[:2]}; missing {list(missing)[:2]}",
    )


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
    arguments.add_argument("--most", type=int, default=100_000, help="maximum number of queries of each kind and graph")
    arguments.add_argument(
        "--without", type=int, default=0, help="leave out the queries that --most would choose with this number"
    )
    arguments.add_argument("--paths", action="store_true", help="only queries with patterns of variable length")
    arguments.add_argument("--kinds", nargs="*", default=["gold", "predicted", "made"])
    arguments.add_argument("--made", type=int, default=400, help="number of queries to generate for each graph")
    arguments.add_argument("--shown", type=int, default=12)
    options = arguments.parse_args()
    for name in options.graphs:
        fill(options.uri, options.user, options.password, options.folder / f"{name}.json")
        our_graph = open_stored(name, Home(options.folder))
        neo4j_engine = BoltEngine(BoltAddress(options.uri, options.user, options.password))
        schema = schema_of(name)
        document = json.loads((options.folder / f"{name}.json").read_text("utf-8"))
        for kind, queries in (
            ("gold", gold_queries(name)),
            ("predicted", predicted_queries(name)),
            ("made", list(made_queries(schema, document, options.made))),
        ):
            if kind not in options.kinds:
                continue
            left_out = set(chosen_of(queries, options.without))
            chosen = [
                query
                for query in chosen_of(queries, options.most)
                if query not in left_out and (not options.paths or VARIABLE_LENGTH.search(query))
            ]
            counts: Counter[str] = Counter()
            shown: Counter[str] = Counter()
            start = time.monotonic()
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
                verdict, detail = compared(our_graph, neo4j_engine, query)
                counts[verdict] += 1
                shown[verdict] += 1
                if detail and shown[verdict] <= options.shown:
                    print(f"  {verdict}: {query}\n     {detail[:400]}", flush=True)
            if chosen:
                print(name, schema.name, kind, dict(counts), f"{time.monotonic() - start:.0f} s", flush=True)
        neo4j_engine.close()
        if our_graph.engine:
            our_graph.engine.close()


if __name__ == "__main__":
    main()
