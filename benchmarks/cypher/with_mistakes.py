"""Measures the checks on gold queries with deliberate mistakes: names, directions, SQL syntax, broken texts."""

from __future__ import annotations

import random
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cypher.audit import errors_of, miss
from benchmarks.cypher.mutations import Mutant, Mutator
from benchmarks.cypher.query_sets import lines
from graphground.cypher import Report, validate
from graphground.cypher.schema import PropertyGraphSchema
from graphground.cypher.tokens import words
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import open_index

HABIT_WORDS = {"==": "single =", "!=": "<>"}


def mutations(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int) -> None:
    rng = random.Random(seed)
    mutators = {name: Mutator(rng, schema) for name, schema in known.items()}

    def each(method: str, *arguments: Any) -> Iterator[tuple[Mutant, Report]]:
        for row in rows:
            mutant = getattr(mutators[row["graph"]], method)(row["gold_cypher"], *arguments)
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


def entities(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int) -> None:
    """Measure the check of names that are misspelt on purpose, with an index of all names in the gold queries."""
    records: dict[str, list[Record]] = {}
    for number, row in enumerate(lines("cypherbench_tasks", "entity_mentions.jsonl.gz")):
        if row["property"] == "name":
            records.setdefault(row["graph"], []).append(Record(str(number), row["label"], row["value"]))
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        indexes = {}
        for graph, graph_records in records.items():
            build_index(Path(folder) / graph, graph_records)
            indexes[graph] = open_index(Path(folder) / graph)
        total = first = fixed = warned = checked = 0
        times = []
        for row in rows:
            graph, text = row["graph"], row["gold_cypher"]
            names_in_text = list(re.finditer(r"\{name: '([^'\\\\]{4,})'\}", text))
            start = time.perf_counter()
            report = validate(text, known[graph], entities=indexes[graph])
            times.append((time.perf_counter() - start) * 1000)
            checked += 1
            if any(
                diagnostic.code == "entity_not_found" and diagnostic.severity != "hint"
                for diagnostic in report.diagnostics
            ):
                warned += 1
                miss("entity warned", text)
            if not names_in_text:
                continue
            match = rng.choice(names_in_text)
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
        f"names: {warned} of {checked} gold queries with a warning; names with two typing errors: first suggestion "
        f"right in {first} of {total} ({first / total:.2%}), suggested query is the original in {fixed / total:.2%}"
    )
    print(f"  with the index: p50 {statistics.median(times):.3f} ms for a gold query")


def one_error(rng: random.Random, name: str) -> str:
    place = rng.randrange(len(name))
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return name[:place] + rng.choice(("", letter, letter + name[place])) + name[place + 1 :]


INSERTIONS = (
    *sorted(words("( ) [ ] { } * | ! % & : -> <- ' ` $x .. IN NOT OR UNWIND UNION -[*]-> n m0 .name Person")),
    *("EXISTS {", "COUNT {", "CALL {", "WITH *", "OPTIONAL MATCH"),
)


def mutants(
    rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int, count: int
) -> Iterator[tuple[str, PropertyGraphSchema]]:
    """Yield `count` queries with pieces removed, swapped or inserted at random, each with its schema."""
    rng = random.Random(seed)
    pieces = re.compile(r"\w+|'(?:[^'\\]|\\.)*'|\s+|.", re.S)
    texts = [pieces.findall(row["gold_cypher"]) for row in rows]
    validate("MATCH (n:Persn) RETURN n.name", known["company"])  # imports the modules that only mistakes need
    for _ in range(count):
        place = rng.randrange(len(rows))
        parts = list(texts[place])
        for _ in range(rng.randrange(1, 4)):
            at, to = rng.randrange(len(parts)), rng.randrange(len(parts))
            match rng.randrange(4):
                case 0:
                    del parts[at : at + rng.randrange(1, 4)]
                case 1:
                    parts.insert(at, rng.choice(INSERTIONS))
                case 2:
                    parts[at], parts[to] = parts[to], parts[at]
                case _:
                    parts.insert(at, rng.choice(texts[rng.randrange(len(texts))]))
            if not parts:
                parts = ["RETURN"]
        yield "".join(parts), known[rows[place]["graph"]]
