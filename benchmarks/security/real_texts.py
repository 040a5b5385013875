"""Counts the harmless real queries that the limits on memory refuse.

    python -m benchmarks.security.real_texts

Every distinct Cypher text of `../shared/data` (gold queries, recorded predictions, Neo4j's verdicts, labelled queries
and the openCypher compatibility kit) that parses is checked by `memory.large_values` and `growth.doublings`, without
parameters. The output is the number of texts, the number of refusals (with each refused text), and the processor time
per text. The exit status is 1 if anything was refused.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher.growth import doublings
from graphground.cypher.memory import large_values
from tests.support.opencypher_tck import cases
from tests.support.shared_data import SHARED

LINES = (
    "cypherbench_tasks/train.jsonl.gz",
    "neo4j_verdicts/neo4j_5.26_explain.jsonl.gz",
    "predictions/cypherbench_scored.jsonl.gz",
    "predictions/cypherbench_unscored.jsonl.gz",
)
LABELLED = "neo4j_labs_text2cypher/text2cypher_gpt4turbo.csv.gz"


def queries_in(value: Any) -> Iterator[str]:
    """Yield the texts under keys that name a query or Cypher, at any depth of a JSON value."""
    if isinstance(value, list):
        for item in value:
            yield from queries_in(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(item, str):
                yield from queries_in(item)
            elif "cypher" in key.lower() or "query" in key.lower():
                yield item


def real_texts() -> set[str]:
    """Return all distinct Cypher texts of the data."""
    texts: set[str] = set()
    for name in LINES:
        with gzip.open(SHARED / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                texts.update(queries_in(json.loads(line)))
    csv.field_size_limit(10**9)
    with gzip.open(SHARED / LABELLED, "rt", encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            texts.update(queries_in({key: value for key, value in row.items() if key and value}))
    texts.update(case.query for case in cases(SHARED / "opencypher-tck" / "tck"))
    return texts


def main() -> None:
    texts = real_texts()
    queries = []
    for text in sorted(texts):
        try:
            queries.append((text, parse(text)))
        except CypherSyntaxError:
            continue
    print(
        f"{len(texts):,} texts, {len(queries):,} parse, {sum('range(' in text.lower() for text, _ in queries)} with range"
    )
    refused = 0
    for name, check in (("memory.large_values", large_values), ("growth.doublings", doublings)):
        start, refusals = time.process_time(), 0
        for text, query in queries:
            if reasons := check(query):
                refusals += 1
                print("REFUSED", text[:300], reasons[:2])
        seconds = (time.process_time() - start) / len(queries)
        print(f"{name}: {refusals} refused, {seconds * 1e6:.0f} µs for a query")
        refused += refusals
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
