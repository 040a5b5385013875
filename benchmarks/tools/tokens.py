"""Compares the tokens in the tools' answers to train questions: with the current code, and with an older commit.

    python -m benchmarks.tools.tokens FOLDER [--each 100] [--base b202f07]

FOLDER holds the stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`). The same calls are made
with both versions of the code; the older version is a git worktree, which is removed afterwards. A client shows its
model either the text of an answer or the structured content, so the tokens of both are estimated. There is one call of
`list_graphs`, and there are two calls of `get_schema` for each graph. For each question, `get_filtered_schema` and
`ground_question` are called; `find_entities` is called with the question, with the first name in the gold query, and
with that name misspelt; `validate_cypher` and `execute_cypher` are called with the gold query, and with the gold query
after the same misspelling.

The last column is the least number of tokens that the answer could have. It counts the structured content with empty
messages: the fields that clients rely on, and the rows or the suggested query. For a filtered schema it counts only the
elements of the gold query and the names of all other elements.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parents[2]
BASE = "b202f07"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--each", type=int, default=100, help="number of questions of each graph")
    parser.add_argument("--base", default=BASE, help="the commit to compare with")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--examples", type=int, default=0, help="number of answers of each kind to print")
    options = parser.parse_args()
    if options.worker:
        answer_all(options.folder, options.worker)
        return
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary) / "calls.json"
        call_list = list(calls(options.each))
        file.write_text(json.dumps([call[:3] for call in call_list]), encoding="utf-8")
        base = Path(temporary) / "base"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(base), options.base], cwd=HERE, check=True)
        try:
            subprocess.run([sys.executable, "bootstrap.py", "link"], cwd=base, check=True, stderr=subprocess.DEVNULL)
            before, after = (answers(tree, options.folder, file) for tree in (base, HERE))
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(base)], cwd=HERE, check=True)
    least = [
        least_tokens(tool, json.loads(entry[2]), gold)
        for (_, tool, _, gold), entry in zip(call_list, after, strict=True)
    ]
    report(before, after, least, options.examples)


def calls(each: int) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Yield the kind, the tool and the arguments of each call, and the gold query of its question."""
    from benchmarks.engines.graphs_for_queries import TRAIN, records
    from benchmarks.entities.mention_errors import typing_error

    rng = random.Random(16)
    yield "list_graphs", "list_graphs", {}, ""
    for graph in TRAIN:
        yield "get_schema", "get_schema", {"graph": graph}, ""
        yield "get_schema, enhanced", "get_schema", {"graph": graph, "form": "enhanced"}, ""
        tasks = [task for task in records("cypherbench_tasks/train.jsonl.gz") if task["graph"] == graph]
        for task in rng.sample(tasks, min(each, len(tasks))):
            question, gold = str(task["nl_question"]), str(task["gold_cypher"])
            names = names_in(gold)
            yield "get_filtered_schema", "get_filtered_schema", {"graph": graph, "question": question}, gold
            yield "find_entities, question", "find_entities", {"graph": graph, "question": question}, gold
            yield "ground_question", "ground_question", {"graph": graph, "question": question}, gold
            for name in names[:1]:
                wrong = typing_error(name, rng)
                misspelt = gold.replace(f"'{name}'", f"'{wrong}'")
                yield "find_entities, exact name", "find_entities", {"graph": graph, "mentions": [name]}, gold
                yield "find_entities, misspelt", "find_entities", {"graph": graph, "mentions": [wrong]}, gold
                yield "validate_cypher, misspelt", "validate_cypher", {"graph": graph, "query": misspelt}, gold
                yield "execute_cypher, misspelt", "execute_cypher", {"graph": graph, "query": misspelt}, gold
            yield "validate_cypher, gold", "validate_cypher", {"graph": graph, "query": gold}, gold
            yield "execute_cypher, gold", "execute_cypher", {"graph": graph, "query": gold}, gold


def names_in(query: str) -> list[str]:
    """Return the texts in the property maps of a query, such as `{name: 'Aristide Maillol'}`."""
    from graphground.cypher import parse
    from graphground.cypher import tree as t

    entries = parse(query).find(t.MapEntry)
    return [entry.value.value for entry in entries if isinstance(entry.value, t.StringLiteral)]


def least_tokens(tool: str, answer: dict[str, Any], gold: str) -> int | None:
    """Return the least tokens that an answer could have; None for tools without such an estimate."""
    from graphground.graphs.schemas.token_count import estimate_tokens

    if tool == "get_filtered_schema":
        answer = of_gold_elements(answer["graph"], gold)
    elif tool not in ("list_graphs", "validate_cypher", "execute_cypher"):
        return None
    for diagnostic in answer.get("diagnostics", ()):
        diagnostic["message"] = ""
    return estimate_tokens(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def of_gold_elements(graph: str, gold: str) -> dict[str, Any]:
    """Return an answer of `get_filtered_schema` that has only a gold query's elements, and the names of all others."""
    from benchmarks.schemas.gold_elements import elements_of
    from graphground.cypher.schema import PropertyGraphSchema
    from graphground.graphs.filtering.selection import left_out_of
    from graphground.graphs.schemas.forms import base_form
    from tests.support.shared_data import SHARED

    schema = PropertyGraphSchema.from_cypherbench((SHARED / "schemas" / f"{graph}.json").read_bytes())
    used = elements_of(gold)
    labels = {
        name: replace(
            label,
            properties={
                key: type_ for key, type_ in label.properties.items() if key == "name" or (name, key) in used.properties
            },
        )
        for name, label in schema.labels.items()
        if name in used.labels
    }
    patterns = tuple(
        replace(
            pattern,
            properties={
                key: type_ for key, type_ in pattern.properties.items() if (pattern.type, key) in used.type_properties
            },
        )
        for pattern in schema.patterns
        if (pattern.type, pattern.start, pattern.end) in used.patterns
    )
    part = replace(schema, labels=labels, patterns=patterns)
    return {"graph": graph, "schema": base_form(part), "left_out": left_out_of(schema, part).names()}


def answers(tree: Path, folder: Path, file: Path) -> list[tuple[str, str, str]]:
    """Make the calls of `file` with the code in `tree`; return each answer's kind, text and structured content."""
    process = subprocess.run(
        [sys.executable, __file__, str(folder), "--worker", str(file)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "HF_HUB_OFFLINE": "1"},
        check=True,
        stdout=subprocess.PIPE,
    )
    return [tuple(entry) for entry in json.loads(process.stdout)]


def answer_all(folder: Path, file: Path) -> None:
    """Make the calls of `file`, and print the answers as JSON; run in a worker process for each version."""
    from graphground.server.application import Application
    from graphground.server.commands.command_line import open_graphs
    from graphground.server.settings import read_settings

    application = Application(partial(open_graphs, read_settings({"home": str(folder)})))
    answers = []
    for kind, tool, arguments in json.loads(file.read_text(encoding="utf-8")):
        outcome = application.call(tool, arguments)
        answers.append((kind, outcome.text, outcome.payload.decode()))
    application.close()
    sys.stdout.write(json.dumps(answers))


def report(
    before: list[tuple[str, str, str]], after: list[tuple[str, str, str]], least: list[int | None], examples: int
) -> None:
    """Print for each kind of call the mean tokens of its answers, with the older and with the current code.

    Then print `examples` answers of each kind, from the current code.
    """
    from graphground.graphs.schemas.token_count import estimate_tokens

    print(
        f"{'tokens, mean (most)':28}{'calls':>6}{'text: before':>18}{'after':>14}{'structured: before':>22}{'after':>14}{'least':>8}"
    )
    kinds = list(dict.fromkeys(kind for kind, *_ in before))
    tools = list(dict.fromkeys(kind.partition(",")[0] for kind in kinds))
    for kind in [*kinds, *(f"{tool}, all" for tool in tools)]:
        chosen = [
            place
            for place, entry in enumerate(after)
            if entry[0] == kind or kind == f"{entry[0].partition(',')[0]}, all"
        ]
        cells = []
        for part in (1, 2):
            for answers in (before, after):
                counts = [estimate_tokens(answers[place][part]) for place in chosen]
                cells.append(f"{np.mean(counts):.0f} ({max(counts)})")
        lowest = [tokens for place in chosen if (tokens := least[place]) is not None]
        line = f"{kind:28}{len(chosen):>6}{cells[0]:>18}{cells[1]:>14}{cells[2]:>22}{cells[3]:>14}"
        print(line + (f"{np.mean(lowest):8.0f}" if lowest else ""))
    for kind in kinds if examples else ():
        for entry in [entry for entry in after if entry[0] == kind][:examples]:
            print(f"\n{kind}\n{entry[2][:3000]}")


if __name__ == "__main__":
    main()
