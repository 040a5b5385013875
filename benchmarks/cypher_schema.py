"""The front end at schema level, measured: `python benchmarks/cypher_schema.py [--misses FILE]`.

Prints one line for each figure of docs/figures/cypher_schema.md. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import ast
import csv
import gzip
import json
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from cypher_mutations import Mutant, Mutator
from shared_data import SHARED

from graphground.cypher import Report, validate
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern

LABS_TYPES = {"STRING": "str", "INTEGER": "int", "FLOAT": "float", "BOOLEAN": "bool", "DATE": "date",
              "DATE_TIME": "datetime", "LOCAL_DATE_TIME": "datetime", "LIST": "list[unknown]", "POINT": "point"}
HABIT_WORDS = {"==": "one =", "!=": "<>"}
MISSES: list[str] = []


def miss(figure: str, *what: object) -> None:
    MISSES.append("\t".join([figure, *(str(one).replace("\n", " ") for one in what)]))


def lines(*parts: str) -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED.joinpath(*parts), "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def schemas() -> dict[str, PropertyGraphSchema]:
    return {path.stem: PropertyGraphSchema.from_cypherbench(path.read_bytes())
            for path in sorted((SHARED / "schemas").glob("*.json"))}


def labs_schemas() -> dict[str, PropertyGraphSchema]:
    """The schemas of neo4j-labs' demo databases."""
    csv.field_size_limit(1 << 30)
    found = {}
    with gzip.open(SHARED / "neo4j_labs_text2cypher" / "text2cypher_schemas.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            document = ast.literal_eval(row["structured_schema"])
            patterns = document["relationships"]
            types = {name: {one["property"]: LABS_TYPES.get(one["type"], "unknown") for one in properties}
                     for name, properties in document["rel_props"].items()}
            nodes = {name: {one["property"]: LABS_TYPES.get(one["type"], "unknown") for one in properties}
                     for name, properties in document["node_props"].items()}
            for one in patterns:
                nodes.setdefault(one["start"], {})
                nodes.setdefault(one["end"], {})
            found[row["database"]] = PropertyGraphSchema(
                row["database"], {name: Label(name, properties) for name, properties in nodes.items()},
                tuple(RelationshipPattern(one["type"], one["start"], one["end"], types.get(one["type"], {}))
                      for one in patterns))
    return found


def errors_of(report: Report) -> list[str]:
    return sorted({one.code for one in report.diagnostics if one.severity == "error"})


def gold(known: dict[str, PropertyGraphSchema]) -> list[dict[str, Any]]:
    rows = list(lines("cypherbench_tasks", "train.jsonl.gz"))
    flagged: Counter[str] = Counter()
    others: Counter[str] = Counter()
    count = 0
    for row in rows:
        report = validate(row["gold_cypher"], known[row["graph"]])
        errors = errors_of(report)
        others.update({one.code for one in report.diagnostics if one.severity != "error"})
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
    codes: dict[float, Counter[str]] = {0.0: Counter(), 1.0: Counter()}
    for row in lines("predictions", "cypherbench_scored.jsonl.gz"):
        accuracy = (row["metrics"] or {}).get("execution_accuracy")
        if row.get("metrics_suspect") or accuracy not in counts or row["pred_cypher"] not in compiles:
            continue
        report = validate(row["pred_cypher"], known[row["graph"]])
        worst = min((("error", "warning", "hint").index(one.severity) for one in report.diagnostics), default=3)
        counts[accuracy]["all"] += 1
        counts[accuracy][("error", "warning", "hint", "nothing")[worst]] += 1
        codes[accuracy].update({f"{one.code} ({one.severity})" for one in report.diagnostics})
        if accuracy == 1.0 and worst == 0:
            miss("EX 1.0", errors_of(report), row["graph"], row["pred_cypher"], "GOLD", row["gold_cypher"])
    for accuracy, name in ((1.0, "right (EX 1.0)"), (0.0, "wrong (EX 0.0)")):
        found = counts[accuracy]
        print(f"predictions that Neo4j compiles and that are {name}: {found['all']}; with an error {found['error']} "
              f"({found['error'] / found['all']:.2%}), a warning at most {found['warning']}, a hint at most "
              f"{found['hint']}, nothing {found['nothing']}")
        print(f"  by code: {dict(codes[accuracy].most_common())}")


def labs() -> None:
    known = labs_schemas()
    caught: Counter[bool] = Counter()
    flagged: Counter[bool] = Counter()
    codes: Counter[str] = Counter()
    with gzip.open(SHARED / "neo4j_labs_text2cypher" / "text2cypher_gpt4turbo.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
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
                diagnostics = [(one.code, one.found) for one in validate(row["cypher"], schema).diagnostics
                               if one.severity == "error"]
                miss("labs flagged", row["database"], diagnostics, row["cypher"])
    print(f"neo4j-labs rows whose database has a schema: {len(rows) - without} of {len(rows)}")
    print(f"  false_schema caught: {caught[True]} of {caught.total()} ({caught[True] / caught.total():.1%})")
    print(f"  returned results, without false_schema, flagged: {flagged[True]} of {flagged.total()} "
          f"({flagged[True] / flagged.total():.2%}) {dict(codes)}")


def mutations(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int) -> None:
    rng = random.Random(seed)
    mutators = {name: Mutator(rng, schema) for name, schema in known.items()}

    def each(make: str, *arguments: Any) -> Iterator[tuple[Mutant, Report]]:
        for row in rows:
            mutant = getattr(mutators[row["graph"]], make)(row["gold_cypher"], *arguments)
            if mutant is not None:
                yield mutant, validate(mutant.text, known[row["graph"]])

    right = total = 0
    for mutant, report in each("turned"):
        total += 1
        if report.suggested_query == mutant.original:
            right += 1
        else:
            miss("turned", mutant.text, report.suggested_query, errors_of(report))
    print(f"relationship turned: suggested query is the original in {right} of {total} ({right / total:.2%})")
    for kind in ("label", "type", "property"):
        for errors in (1, 2):
            right = total = repaired = 0
            for mutant, report in each("misspelt", kind, errors):
                total += 1
                first = next((one.suggestions[0] for one in report.diagnostics
                              if one.code == mutant.code and one.found == mutant.wrong and one.suggestions), None)
                right += first == mutant.right
                repaired += report.suggested_query == mutant.original
                if first != mutant.right:
                    miss(f"misspelt {kind}", mutant.wrong, mutant.right, first, mutant.text)
            print(f"{kind} with {errors} typing error{'s'[:errors - 1]}: first suggestion right in {right} of {total} "
                  f"({right / total:.2%}); suggested query is the original in {repaired / total:.2%}")
    total = 0
    fired: Counter[str] = Counter()
    habits: Counter[str] = Counter()
    for mutant, report in each("sql_habit"):
        total += 1
        habits[mutant.wrong] += 1
        words = HABIT_WORDS.get(mutant.wrong, mutant.wrong)
        hinted = any(one.code == "syntax" and words in one.message for one in report.diagnostics)
        fired[mutant.wrong] += hinted
        if not hinted:
            miss("sql", mutant.wrong, [one.message for one in report.diagnostics], mutant.text)
    print(f"SQL habits: the hint names the habit in {fired.total()} of {total} "
          f"{ {habit: f'{fired[habit]}/{number}' for habit, number in habits.items()} }")


def speed(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema]) -> None:
    for row in rows[:200]:
        validate(row["gold_cypher"], known[row["graph"]])
    taken = []
    for row in rows:
        start = time.perf_counter()
        validate(row["gold_cypher"], known[row["graph"]])
        taken.append((time.perf_counter() - start) * 1000)
    taken.sort()
    print(f"schema level on the train gold queries: p50 {statistics.median(taken):.3f} ms, "
          f"p99 {taken[int(len(taken) * 0.99)]:.3f} ms, most {taken[-1]:.3f} ms")
    imports = []
    for _ in range(7):
        code = ("import time; s = time.perf_counter(); import graphground.cypher; "
                "print((time.perf_counter() - s) * 1000)")
        imports.append(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                            check=True).stdout))
    print(f"import graphground.cypher: {statistics.median(imports):.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", type=Path, help="write every miss to this file")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--only", default="gold predictions labs mutations speed")
    arguments = parser.parse_args()
    known = schemas()
    rows = gold(known) if "gold" in arguments.only else list(lines("cypherbench_tasks", "train.jsonl.gz"))
    if "predictions" in arguments.only:
        predictions(known)
    if "labs" in arguments.only:
        labs()
    if "mutations" in arguments.only:
        mutations(rows, known, arguments.seed)
    if "speed" in arguments.only:
        speed(rows, known)
    if arguments.misses:
        arguments.misses.write_text("\n".join(MISSES) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
