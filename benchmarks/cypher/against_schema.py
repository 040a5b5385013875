"""Measures the front end's checks against a schema: `python -m benchmarks.cypher.against_schema [--misses FILE]`.

Prints one line for each figure of docs/figures.md. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import ast
import csv
import gzip
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cypher.audit import violations
from benchmarks.cypher.mutations import Mutant, Mutator
from graphground.cypher import Report, validate
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.record import Record
from tests.support.shared_data import SHARED

LABS_TYPES = {
    "STRING": "str",
    "INTEGER": "int",
    "FLOAT": "float",
    "BOOLEAN": "bool",
    "DATE": "date",
    "DATE_TIME": "datetime",
    "LOCAL_DATE_TIME": "datetime",
    "LIST": "list[unknown]",
    "POINT": "point",
}
HABIT_WORDS = {"==": "single =", "!=": "<>"}
MISSES: list[str] = []


def miss(figure: str, *what: object) -> None:
    MISSES.append("\t".join([figure, *(str(part).replace("\n", " ") for part in what)]))


def lines(*parts: str) -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED.joinpath(*parts), "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def schemas() -> dict[str, PropertyGraphSchema]:
    return {
        path.stem: PropertyGraphSchema.from_cypherbench(path.read_bytes())
        for path in sorted((SHARED / "schemas").glob("*.json"))
    }


def labs_schemas() -> dict[str, PropertyGraphSchema]:
    """Return the schemas of the demo databases of neo4j-labs, by name."""
    csv.field_size_limit(1 << 30)
    found = {}
    with gzip.open(SHARED / "neo4j_labs_text2cypher" / "text2cypher_schemas.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            document = ast.literal_eval(row["structured_schema"])
            patterns = document["relationships"]
            types = {
                name: {property_["property"]: LABS_TYPES.get(property_["type"], "unknown") for property_ in properties}
                for name, properties in document["rel_props"].items()
            }
            nodes = {
                name: {column["property"]: LABS_TYPES.get(column["type"], "unknown") for column in properties}
                for name, properties in document["node_props"].items()
            }
            for pattern in patterns:
                nodes.setdefault(pattern["start"], {})
                nodes.setdefault(pattern["end"], {})
            found[row["database"]] = PropertyGraphSchema(
                row["database"],
                {name: Label(name, properties) for name, properties in nodes.items()},
                tuple(
                    RelationshipPattern(
                        pattern["type"], pattern["start"], pattern["end"], types.get(pattern["type"], {})
                    )
                    for pattern in patterns
                ),
                label_combinations=together(nodes, patterns),
            )
    return found


def together(nodes: dict[str, dict[str, str]], patterns: list[dict[str, str]]) -> frozenset[frozenset[str]]:
    """Return pairs of labels that probably occur on the same nodes.

    The published schemas do not state such pairs: a relationship of an `:Actor:Person` is listed once for each label.
    Two labels form a pair if they occur at the same position of a pattern and one has all properties of the other.
    """
    places: dict[tuple[str, str, str], set[str]] = {}
    for pattern in patterns:
        places.setdefault(("from", pattern["type"], pattern["end"]), set()).add(pattern["start"])
        places.setdefault(("to", pattern["type"], pattern["start"]), set()).add(pattern["end"])
    return frozenset(
        frozenset({label, other})
        for labels in places.values()
        for label in labels
        for other in labels
        if label < other
        and nodes[label]
        and nodes[other]
        and (nodes[label].keys() <= nodes[other].keys() or nodes[other].keys() <= nodes[label].keys())
    )


def errors_of(report: Report) -> list[str]:
    return sorted({diagnostic.code for diagnostic in report.diagnostics if diagnostic.severity == "error"})


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
        f"  of the right ones with an error a second opinion finds the fault too: {counts[1.0]['audited']}, "
        f"left to look at: {counts[1.0]['error'] - counts[1.0]['audited']} "
        f"({(counts[1.0]['error'] - counts[1.0]['audited']) / counts[1.0]['all']:.2%})"
    )


def left_over(predicted: str, gold: str) -> str:
    """Classify an undetected wrong query by its differences from the gold query."""
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
    return "the rest: clauses, order, DISTINCT, where a filter stands"


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
                    else "a second opinion finds the fault too"
                    if why
                    else "left to look at"
                )
                kinds[kind] += 1
                diagnostics = [
                    (diagnostic.code, diagnostic.found)
                    for diagnostic in validate(row["cypher"], schema).diagnostics
                    if diagnostic.severity == "error"
                ]
                miss(f"labs {kind}", row["database"], diagnostics, why, row["cypher"])
    print(f"neo4j-labs rows whose database has a schema: {len(rows) - without} of {len(rows)}")
    print(f"  false_schema caught: {caught[True]} of {caught.total()} ({caught[True] / caught.total():.1%})")
    print(
        f"  returned results, without false_schema, flagged: {flagged[True]} of {flagged.total()} "
        f"({flagged[True] / flagged.total():.2%}) {dict(codes)}"
    )
    print(f"    of these: { {kind: f'{number} ({number / flagged.total():.2%})' for kind, number in kinds.items()} }")


def mutations(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int) -> None:
    rng = random.Random(seed)
    mutators = {name: Mutator(rng, schema) for name, schema in known.items()}

    def each(make: str, *arguments: Any) -> Iterator[tuple[Mutant, Report]]:
        for row in rows:
            mutant = getattr(mutators[row["graph"]], make)(row["gold_cypher"], *arguments)
            if mutant is not None:
                yield mutant, validate(mutant.text, known[row["graph"]])

    right = total = 0
    for mutant, report in each("reversed"):
        total += 1
        if report.suggested_query == mutant.original:
            right += 1
        else:
            miss("reversed", mutant.text, report.suggested_query, errors_of(report))
    print(f"relationship reversed: suggested query is the original in {right} of {total} ({right / total:.2%})")
    for kind in ("label", "type", "property"):
        for errors in (1, 2):
            right = total = repaired = 0
            for mutant, report in each("misspelt", kind, errors):
                total += 1
                first = next(
                    (
                        diagnostic.suggestions[0]
                        for diagnostic in report.diagnostics
                        if diagnostic.code == mutant.code
                        and diagnostic.found == mutant.wrong
                        and diagnostic.suggestions
                    ),
                    None,
                )
                right += first == mutant.right
                repaired += report.suggested_query == mutant.original
                if first != mutant.right:
                    miss(f"misspelt {kind}", mutant.wrong, mutant.right, first, mutant.text)
            print(
                f"{kind} with {errors} typing error{'s'[: errors - 1]}: first suggestion right in {right} of {total} "
                f"({right / total:.2%}); suggested query is the original in {repaired / total:.2%}"
            )
    total = 0
    fired: Counter[str] = Counter()
    habits: Counter[str] = Counter()
    for mutant, report in each("sql_habit"):
        total += 1
        habits[mutant.wrong] += 1
        words = HABIT_WORDS.get(mutant.wrong, mutant.wrong)
        hinted = any(diagnostic.code == "syntax" and words in diagnostic.message for diagnostic in report.diagnostics)
        fired[mutant.wrong] += hinted
        if not hinted:
            miss("sql", mutant.wrong, [diagnostic.message for diagnostic in report.diagnostics], mutant.text)
    print(
        f"SQL habits: the hint names the habit in {fired.total()} of {total} "
        f"{ {habit: f'{fired[habit]}/{number}' for habit, number in habits.items()} }"
    )


def speed(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema]) -> None:
    for row in rows[:200]:
        validate(row["gold_cypher"], known[row["graph"]])
    taken = []
    worked = []
    for row in rows:
        start, busy = time.perf_counter(), time.process_time()
        validate(row["gold_cypher"], known[row["graph"]])
        worked.append((time.process_time() - busy) * 1000)
        taken.append((time.perf_counter() - start) * 1000)
    for name, figures in (("elapsed", sorted(taken)), ("processor time", sorted(worked))):
        print(
            f"schema level on the train gold queries, {name}: p50 {statistics.median(figures):.3f} ms, "
            f"p99 {figures[int(len(figures) * 0.99)]:.3f} ms, most {figures[-1]:.3f} ms"
        )
    imports = []
    for _ in range(9):
        code = (
            "import time; s, b = time.perf_counter(), time.process_time(); import graphground.cypher; "
            "print((time.perf_counter() - s) * 1000, (time.process_time() - b) * 1000)"
        )
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        imports.append([float(part) for part in printed.split()])
    print(
        f"import graphground.cypher: {statistics.median(sample[0] for sample in imports):.1f} ms elapsed, "
        f"{statistics.median(sample[1] for sample in imports):.1f} ms of processor time"
    )


def entities(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int) -> None:
    """Measure checks of misspelt names, with an index of all names that the gold queries use."""
    records: dict[str, list[Record]] = {}
    for number, row in enumerate(lines("cypherbench_tasks", "entity_mentions.jsonl.gz")):
        if row["property"] == "name":
            records.setdefault(row["graph"], []).append(Record(str(number), row["label"], row["value"]))
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        indexes = {}
        for graph, some in records.items():
            build_index(Path(folder) / graph, some)
            indexes[graph] = open_index(Path(folder) / graph)
        total = first = fixed = warned = asked = 0
        taken = []
        for row in rows:
            graph, text = row["graph"], row["gold_cypher"]
            found = list(re.finditer(r"\{name: '([^'\\\\]{4,})'\}", text))
            start = time.perf_counter()
            report = validate(text, known[graph], entities=indexes[graph])
            taken.append((time.perf_counter() - start) * 1000)
            asked += 1
            if any(
                diagnostic.code == "entity_not_found" and diagnostic.severity != "hint"
                for diagnostic in report.diagnostics
            ):
                warned += 1
                miss("entity warned", text)
            if not found:
                continue
            match = rng.choice(found)
            wrong = one_error(rng, one_error(rng, match[1]))
            if any(record.name == wrong for record in records[graph]) or wrong == match[1]:
                continue
            total += 1
            report = validate(
                text[: match.start(1)] + wrong + text[match.end(1) :], known[graph], entities=indexes[graph]
            )
            suggestions = [
                diagnostic.suggestions[:1] for diagnostic in report.diagnostics if diagnostic.code == "entity_not_found"
            ]
            first += suggestions == [(f"'{match[1]}'",)]
            fixed += report.suggested_query == text
            if suggestions != [(f"'{match[1]}'",)]:
                miss("entity", wrong, match[1], suggestions)
    print(
        f"entity lookup: gold queries warned of {warned} of {asked}; names with two typing errors: first suggestion "
        f"right in {first} of {total} ({first / total:.2%}), suggested query is the original in {fixed / total:.2%}"
    )
    print(f"  with the index: p50 {statistics.median(taken):.3f} ms a gold query")


def beside_explain(
    rows: list[dict[str, Any]],
    known: dict[str, PropertyGraphSchema],
    uri: str,
    user: str,
    password: str,
    count: int = 1_000,
) -> None:
    """Compare the times of our check and of EXPLAIN in a running Neo4j, in turns, on queries outside its plan cache."""
    import neo4j

    chosen = random.Random(1).sample(rows, min(count, len(rows)))
    ours, theirs = [], []
    with (
        neo4j.GraphDatabase.driver(uri, auth=(user, password), notifications_min_severity="OFF") as driver,
        driver.session() as session,
    ):
        for number, row in enumerate(chosen):
            begin = time.perf_counter()
            validate(row["gold_cypher"], known[row["graph"]])
            middle = time.perf_counter()
            session.run(f"EXPLAIN {row['gold_cypher']} // {number}").consume()
            theirs.append(time.perf_counter() - middle)
            ours.append(middle - begin)
    mine, other = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
    print(
        f"beside EXPLAIN on {len(chosen)} gold queries: {mine:.3f} and {other:.2f} ms at the median, "
        f"{other / mine:.0f} times faster"
    )


def one_error(rng: random.Random, name: str) -> str:
    place = rng.randrange(len(name))
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return name[:place] + rng.choice(("", letter, letter + name[place])) + name[place + 1 :]


def mutants(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int, count: int) -> None:
    """Check that broken queries raise no exception; their pieces are removed, doubled, swapped or inserted."""
    rng = random.Random(seed)
    pieces = re.compile(r"\w+|'(?:[^'\\]|\\.)*'|\s+|.", re.S)
    others = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "*",
        "|",
        "!",
        "%",
        "&",
        ":",
        "->",
        "<-",
        "'",
        "`",
        "$x",
        "..",
        "IN",
        "NOT",
        "OR",
        "EXISTS {",
        "COUNT {",
        "CALL {",
        "UNWIND",
        "WITH *",
        "OPTIONAL MATCH",
        "UNION",
        "-[*]->",
        "n",
        "m0",
        ".name",
        "Person",
    ]
    texts = [pieces.findall(row["gold_cypher"]) for row in rows]
    validate("MATCH (n:Persn) RETURN n.name", known["company"])  # imports the modules that only mistakes need
    raised = slow = valid = 0
    longest = 0.0
    for number in range(count):
        place = rng.randrange(len(rows))
        parts = list(texts[place])
        for _ in range(rng.randrange(1, 4)):
            at, to = rng.randrange(len(parts)), rng.randrange(len(parts))
            match rng.randrange(4):
                case 0:
                    del parts[at : at + rng.randrange(1, 4)]
                case 1:
                    parts.insert(at, rng.choice(others))
                case 2:
                    parts[at], parts[to] = parts[to], parts[at]
                case _:
                    parts.insert(at, rng.choice(texts[rng.randrange(len(texts))]))
            if not parts:
                parts = ["RETURN"]
        text = "".join(parts)
        start = time.process_time()
        try:
            valid += validate(text, known[rows[place]["graph"]]).valid
        except Exception as error:
            raised += 1
            miss("raised", repr(error), text)
        taken = (time.process_time() - start) * 1000
        longest = max(longest, taken)
        if taken > 50:
            slow += 1
            miss("slow", number, f"{taken:.1f}", text)
    print(
        f"{count} seeded mutants: {raised} raised, {slow} took over 50 ms, longest {longest:.1f} ms, "
        f"{valid / count:.1%} still valid"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", type=Path, help="write every miss to this file")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--only", default="gold predictions labs mutations entities speed mutants")
    parser.add_argument("--mutants", type=int, default=200_000)
    parser.add_argument("--neo4j", nargs=3, metavar=("URI", "USER", "PASSWORD"), help="also beside its EXPLAIN")
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
        speed(rows, known)
    if arguments.neo4j:
        beside_explain(rows, known, *arguments.neo4j)
    if "mutants" in arguments.only:
        mutants(rows, known, arguments.seed, arguments.mutants)
    if arguments.misses:
        arguments.misses.write_text("\n".join(MISSES) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
