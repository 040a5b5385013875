"""Measures the front end's checks against a schema: `python -m benchmarks.cypher.against_schema [--misses FILE]`.

Prints the figures of the section "Queries against a schema" in docs/figures.md. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import re
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.cypher.audit import MISSES, errors_of, miss, violations
from benchmarks.cypher.language import check_broken, print_times
from benchmarks.cypher.query_sets import labs_schemas, lines, schemas
from benchmarks.cypher.with_mistakes import entities, mutants, mutations
from graphground.cypher import validate
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.shared_data import SHARED


def gold(known: dict[str, PropertyGraphSchema]) -> list[dict[str, Any]]:
    rows = list(lines("cypherbench_tasks", "train.jsonl.gz"))
    flagged: Counter[str] = Counter()
    others: Counter[str] = Counter()
    count = 0
    for row in rows:
        report = validate(row["gold_cypher"], known[row["graph"]])
        errors = errors_of(report)
        others.update({diagnostic.code for diagnostic in report.diagnostics if diagnostic.severity != "error"})
        if errors:
            count += 1
            flagged.update(errors)
            miss("gold", errors, row["gold_cypher"])
    print(f"train gold queries with an error: {count} of {len(rows)} {dict(flagged)}")
    print(f"  with a warning or hint, by code: {dict(others.most_common())}")
    return rows


def predictions(known: dict[str, PropertyGraphSchema]) -> None:
    compiles = {row["query"] for row in lines("neo4j_verdicts", "neo4j_5.26_explain.jsonl.gz") if not row["error"]}
    counts: dict[float, Counter[str]] = {0.0: Counter(), 1.0: Counter()}
    rest: Counter[str] = Counter()
    codes: dict[float, Counter[str]] = {0.0: Counter(), 1.0: Counter()}
    for row in lines("predictions", "cypherbench_scored.jsonl.gz"):
        accuracy = (row["metrics"] or {}).get("execution_accuracy")
        if row.get("metrics_suspect") or accuracy not in counts or row["pred_cypher"] not in compiles:
            continue
        report = validate(row["pred_cypher"], known[row["graph"]])
        worst = min(
            (("error", "warning", "hint").index(diagnostic.severity) for diagnostic in report.diagnostics), default=3
        )
        counts[accuracy]["all"] += 1
        counts[accuracy][("error", "warning", "hint", "nothing")[worst]] += 1
        codes[accuracy].update({f"{diagnostic.code} ({diagnostic.severity})" for diagnostic in report.diagnostics})
        if accuracy == 0.0 and worst > 0:
            rest[left_over(row["pred_cypher"], row["gold_cypher"])] += 1
        if accuracy == 1.0 and worst == 0:
            why = violations(row["pred_cypher"], known[row["graph"]])
            counts[accuracy]["audited"] += bool(why)
            miss(
                "EX 1.0" if why else "EX 1.0 unexplained",
                why,
                errors_of(report),
                row["graph"],
                row["pred_cypher"],
                "GOLD",
                row["gold_cypher"],
            )
    for accuracy, name in ((1.0, "right (EX 1.0)"), (0.0, "wrong (EX 0.0)")):
        found = counts[accuracy]
        print(
            f"predictions that Neo4j compiles and that are {name}: {found['all']}; with an error {found['error']} "
            f"({found['error'] / found['all']:.2%}), a warning at most {found['warning']}, a hint at most "
            f"{found['hint']}, nothing {found['nothing']}"
        )
        print(f"  by code: {dict(codes[accuracy].most_common())}")
    print(f"  the wrong ones without an error: {dict(rest.most_common())}")
    print(
        f"  right ones with an error: the second opinion also finds the error in {counts[1.0]['audited']}, "
        f"still to be read: {counts[1.0]['error'] - counts[1.0]['audited']} "
        f"({(counts[1.0]['error'] - counts[1.0]['audited']) / counts[1.0]['all']:.2%})"
    )


def left_over(predicted: str, gold: str) -> str:
    """Return the category of a wrong query in which no error was found, by its differences from the gold query."""
    strings = re.compile(r"'((?:[^'\\]|\\.)*)'")
    if set(strings.findall(predicted)) - set(strings.findall(gold)):
        return "other names (the entity index; no data here)"
    shape = [re.compile(text) for text in (r"\[\w*:(\w+)", r"\(\w*:(\w+)", r"\.(\w+)")]
    types, labels, keys = (set(expression.findall(predicted)) ^ set(expression.findall(gold)) for expression in shape)
    if types or labels:
        return "another valid relationship type or label (the question)"
    if keys:
        return "other properties (the question)"
    if sorted(re.findall(r"<-\[|\]->", predicted)) != sorted(re.findall(r"<-\[|\]->", gold)):
        return "direction of a relationship between nodes of one label (the question)"
    return "other: clauses, order, DISTINCT, the position of a filter"


def labs() -> None:
    known = labs_schemas()
    caught: Counter[bool] = Counter()
    flagged: Counter[bool] = Counter()
    codes: Counter[str] = Counter()
    with gzip.open(SHARED / "neo4j_labs_text2cypher" / "text2cypher_gpt4turbo.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    compiles = {
        row["query"]: not row["error"]
        for row in lines("neo4j_verdicts", "neo4j_5.26_explain.jsonl.gz")
        if "labs" in row["sets"]
    }
    kinds: Counter[str] = Counter()
    without = sum(1 for row in rows if row["database"] not in known)
    for row in rows:
        schema = known.get(row["database"])
        if schema is None or row["syntax_error"] == "True":
            continue
        errors = errors_of(validate(row["cypher"], schema))
        if row["false_schema"]:
            caught[bool(errors)] += 1
            if not errors:
                miss("false_schema", row["database"], row["false_schema"], row["cypher"])
        elif row["returns_results"] == "True":
            flagged[bool(errors)] += 1
            if errors:
                codes.update(errors)
                why = violations(row["cypher"], schema)
                kind = (
                    "Neo4j does not compile it"
                    if not compiles.get(row["cypher"].strip(), True)
                    else "the second opinion also finds the error"
                    if why
                    else "still to be read"
                )
                kinds[kind] += 1
                diagnostics = [
                    (diagnostic.code, diagnostic.found)
                    for diagnostic in validate(row["cypher"], schema).diagnostics
                    if diagnostic.severity == "error"
                ]
                miss(f"labs {kind}", row["database"], diagnostics, why, row["cypher"])
    print(f"neo4j-labs rows whose database has a schema: {len(rows) - without} of {len(rows)}")
    print(f"  false_schema, with an error: {caught[True]} of {caught.total()} ({caught[True] / caught.total():.1%})")
    print(
        f"  returned results and no false_schema, with an error: {flagged[True]} of {flagged.total()} "
        f"({flagged[True] / flagged.total():.2%}) {dict(codes)}"
    )
    print(f"    of these: { {kind: f'{number} ({number / flagged.total():.2%})' for kind, number in kinds.items()} }")


def beside_explain(
    rows: list[dict[str, Any]],
    known: dict[str, PropertyGraphSchema],
    uri: str,
    user: str,
    password: str,
    count: int = 1_000,
) -> None:
    """Compare the time of our check with that of EXPLAIN in a running Neo4j, for queries outside its plan cache."""
    import neo4j

    chosen = random.Random(1).sample(rows, min(count, len(rows)))
    our_times, neo4j_times = [], []
    with (
        neo4j.GraphDatabase.driver(uri, auth=(user, password), notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):
        for number, row in enumerate(chosen):
            begin = time.perf_counter()
            validate(row["gold_cypher"], known[row["graph"]])
            middle = time.perf_counter()
            session.run(f"EXPLAIN {row['gold_cypher']} // {number}").consume()
            neo4j_times.append(time.perf_counter() - middle)
            our_times.append(middle - begin)
    our_median, neo4j_median = statistics.median(our_times) * 1000, statistics.median(neo4j_times) * 1000
    print(
        f"beside EXPLAIN on {len(chosen)} gold queries: {our_median:.3f} and {neo4j_median:.2f} ms at the median, "
        f"{neo4j_median / our_median:.0f} times faster"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", type=Path, help="write every miss to this file")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--only", default="gold predictions labs mutations entities speed mutants")
    parser.add_argument("--mutants", type=int, default=200_000)
    parser.add_argument(
        "--neo4j", nargs=3, metavar=("URI", "USER", "PASSWORD"), help="a Neo4j whose EXPLAIN is timed too"
    )
    arguments = parser.parse_args()
    known = schemas()
    rows = gold(known) if "gold" in arguments.only else list(lines("cypherbench_tasks", "train.jsonl.gz"))
    if "predictions" in arguments.only:
        predictions(known)
    if "labs" in arguments.only:
        labs()
    if "mutations" in arguments.only:
        mutations(rows, known, arguments.seed)
    if "entities" in arguments.only:
        entities(rows, known, arguments.seed)
    if "speed" in arguments.only:
        what = "check of the train gold queries against their schemas"
        print_times(what, lambda row: validate(row["gold_cypher"], known[row["graph"]]), rows)
    if arguments.neo4j:
        beside_explain(rows, known, *arguments.neo4j)
    if "mutants" in arguments.only:
        check_broken(mutants(rows, known, arguments.seed, arguments.mutants))
    if arguments.misses:
        arguments.misses.write_text("\n".join(MISSES) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
