"""Measures the checks against a schema on published gold queries, as written and with a planted mistake.

    python -m benchmarks.cypher.against_schema [--misses FILE] [--only PARTS]

Prints the figures of docs/figures.md: errors on gold queries, reversed relationships, names with typing errors (of the
schema, and of entities in an index of all names in the gold queries), and the time of a check. Needs ../shared/data.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.cypher.language import print_times
from benchmarks.cypher.mutations import Mutant, Mutator
from graphground.cypher import Diagnostic, Report, validate
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.candidate import Record
from graphground.graphs.entities.index import open_index
from tests.support.shared_data import SHARED

MISSES: list[str] = []
"""The queries that a check judged wrongly, for the file that `--misses` names."""


def miss(figure: str, *parts: object) -> None:
    MISSES.append("\t".join([figure, *(str(part).replace("\n", " ") for part in parts)]))


def lines(*parts: str) -> Iterator[dict[str, Any]]:
    with gzip.open(SHARED.joinpath(*parts), "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def schemas() -> dict[str, PropertyGraphSchema]:
    return {
        path.stem: PropertyGraphSchema.from_cypherbench(path.read_bytes())
        for path in sorted((SHARED / "schemas").glob("*.json"))
    }


def errors_of(report: Report) -> list[str]:
    return sorted({diagnostic.code for diagnostic in report.diagnostics if diagnostic.severity == "error"})


def gold(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema]) -> None:
    """Count the gold queries in which an error is found."""
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


def mutations(rows: list[dict[str, Any]], known: dict[str, PropertyGraphSchema], seed: int) -> None:
    """Count the reversed relationships and misspelt names of a schema whose fix is the original."""
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
                found = (each for each in report.diagnostics if (each.code, each.found) == (mutant.code, mutant.wrong))
                first = next((diagnostic.suggestions[0] for diagnostic in found if diagnostic.suggestions), None)
                right += first == mutant.right
                repaired += report.suggested_query == mutant.original
                if first != mutant.right:
                    miss(f"misspelt {kind}", mutant.wrong, mutant.right, first, mutant.text)
            print(
                f"{kind} with {errors} typing error{'s'[: errors - 1]}: first suggestion right in {right} of {total} "
                f"({right / total:.2%}); suggested query is the original in {repaired / total:.2%}"
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

        def looked_up(text: str, graph: str) -> tuple[list[Diagnostic], Report]:
            report = validate(text, known[graph], entities=indexes[graph])
            return [found for found in report.diagnostics if found.code == "entity_not_found"], report

        total = first = fixed = warned = 0
        for row in rows:
            graph, text = row["graph"], row["gold_cypher"]
            if any(diagnostic.severity != "hint" for diagnostic in looked_up(text, graph)[0]):
                warned += 1
                miss("entity warned", text)
            names_in_text = list(re.finditer(r"\{name: '([^'\\\\]{4,})'\}", text))
            if not names_in_text:
                continue
            match = rng.choice(names_in_text)
            wrong = one_error(rng, one_error(rng, match[1]))
            if any(record.name == wrong for record in records[graph]) or wrong == match[1]:
                continue
            total += 1
            found, report = looked_up(text[: match.start(1)] + wrong + text[match.end(1) :], graph)
            suggestions = [diagnostic.suggestions[:1] for diagnostic in found]
            first += suggestions == [(f"'{match[1]}'",)]
            fixed += report.suggested_query == text
            if suggestions != [(f"'{match[1]}'",)]:
                miss("entity", wrong, match[1], suggestions)
    print(
        f"names: {warned} of {len(rows)} gold queries with a warning; names with two typing errors: first suggestion "
        f"right in {first} of {total} ({first / total:.2%}), suggested query is the original in {fixed / total:.2%}"
    )


def one_error(rng: random.Random, name: str) -> str:
    place = rng.randrange(len(name))
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return name[:place] + rng.choice(("", letter, letter + name[place])) + name[place + 1 :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", type=Path, help="write every miss to this file")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--only", default="gold mutations entities speed")
    arguments = parser.parse_args()
    known, rows = schemas(), list(lines("cypherbench_tasks", "train.jsonl.gz"))
    if "gold" in arguments.only:
        gold(rows, known)
    if "mutations" in arguments.only:
        mutations(rows, known, arguments.seed)
    if "entities" in arguments.only:
        entities(rows, known, arguments.seed)
    if "speed" in arguments.only:
        what = "check of the train gold queries against their schemas"
        print_times(what, lambda row: validate(row["gold_cypher"], known[row["graph"]]), rows)
    if arguments.misses:
        arguments.misses.write_text("\n".join(MISSES) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
