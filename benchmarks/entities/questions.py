"""Measures how many names `find_entities` finds in whole train questions, as written and misspelt.

    python -m benchmarks.entities.questions [--each 400] [--misses 20]

A graph's index holds the names in its train questions. The gold names of a question are the texts in property maps of
its gold query (`{name: 'Heat'}`) that also occur in the question. A mention is spurious, whatever its verdict, if it
belongs to no text of the gold query (`same`). In the second round each gold name of at least four letters has one
typing error.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.engines.graphs_for_queries import TRAIN, records, schema_of
from benchmarks.entities.mention_errors import typing_error
from benchmarks.entities.verdict_mentions import train_records
from benchmarks.tools.tokens import names_in
from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.folding import fold
from graphground.graphs.entities.index import open_index
from graphground.graphs.entities.question import QuestionMention, mentions_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=400, help="number of questions of each graph")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--misses",
        type=int,
        default=0,
        help="number of questions to print with missed or spurious names, for each graph",
    )
    options = parser.parse_args()
    for misspelt in (False, True):
        total = np.zeros(4)
        for graph in TRAIN:
            counted = np.array(asked(graph, options.each, options.seed, misspelt, options.misses))
            total += counted
            print(f"{graph:18}{line(counted)}", flush=True)
        print(f"{'misspelt' if misspelt else 'as written':18}{line(total)}\n", flush=True)


def line(counted: np.ndarray) -> str:
    questions, names, found, spurious = counted[:4]
    return f"{int(questions):>6} questions, {100 * found / names:.2f} % of {int(names)} names, {spurious / questions:.3f} spurious"


def asked(graph: str, each: int, seed: int, misspelt: bool, misses: int) -> tuple[int, int, int, int]:
    """Return the numbers of questions, gold names, found names and spurious mentions.

    Print at most `misses` questions with a missed name or a spurious mention.
    """
    rng = random.Random(f"{graph}{seed}")
    tasks = [task for task in records("cypherbench_tasks/train.jsonl.gz") if task["graph"] == graph]
    schema, names, found, spurious, seconds = schema_of(graph), 0, 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        build_index(Path(folder) / "index", train_records(graph))
        index = open_index(Path(folder) / "index")
        chosen = rng.sample(tasks, min(each, len(tasks)))
        for task in chosen:
            question, gold = str(task["nl_question"]), {}
            for name in names_in(str(task["gold_cypher"])):
                place = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question)
                if place:
                    written = typing_error(name, rng) if misspelt and len(name) > 3 else name
                    question = question[: place.start()] + written + question[place.end() :]
                    gold[name] = written
            literals = [literal.value for literal in parse(str(task["gold_cypher"])).find(t.StringLiteral)]
            start = time.perf_counter()
            mentions = mentions_of(question, index, schema)
            seconds.append(time.perf_counter() - start)
            answers = {
                candidate.name
                for mention in mentions
                if mention.judgement.verdict != "not_found"
                for candidate in mention.judgement.candidates
            }
            missed = [written for name, written in gold.items() if name not in answers]
            extra = [
                mention.text
                for mention in mentions
                if not any(same(mention, name) for name in [*literals, *gold.values()])
            ]
            names += len(gold)
            found += len(gold) - len(missed)
            spurious += len(extra)
            if (missed or extra) and misses > 0:
                misses -= 1
                print(f"  {question}\n     missed {missed}, spurious {extra}, found {[m.text for m in mentions]}")
    print(f"  {1000 * float(np.median(seconds)):.1f} ms for a question")
    return len(chosen), names, found, spurious


def same(mention: QuestionMention, name: str) -> bool:
    """Whether a mention is part of a name, contains the name, or has the name as a candidate: `firearms`, `firearm`."""
    text, folded_name = fold(mention.text), fold(name)
    return (
        text in folded_name
        or folded_name in text
        or any(candidate.name == name for candidate in mention.judgement.candidates)
    )


if __name__ == "__main__":
    main()
