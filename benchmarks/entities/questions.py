"""Measures how many names the reading of whole questions finds, and how many wrong ones beside them.

    python -m benchmarks.entities.questions [--each 400] [--misses 20] [--home FOLDER]
    python -m benchmarks.entities.questions --graph messy --home FOLDER --questions FILE.jsonl …

Without `--graph`: train questions of CypherBench, as written and misspelt. A graph's index holds the names in its train
questions. The gold names of a question are the texts in property maps of its gold query (`{name: 'Heat'}`) that also
occur in the question; in the second round each of at least four letters has one typing error. With `--home`, a data
folder of stand-in graphs (`benchmarks.engines.graphs_for_queries`), each graph's own index and database are read.

With `--graph`: questions in a file, as in `../shared/data/wd50k_labelled/questions_example.jsonl` (`mentions` holds
triples of the written text, the name and the kind) or in MetaQA (`name`), on a loaded graph and its database.

A name is found if it is the first candidate of a mention at its place; a mention is wrong, whatever its verdict, if no
gold name is at its place or among its candidates. A name of the gold query that the question writes in another form
(`firearms`) is not looked for, but it is not wrong.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.engines.graphs_for_queries import TRAIN, records, schema_of
from benchmarks.entities.mention_errors import typing_error
from benchmarks.entities.verdict_mentions import train_records
from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.graphs.entities.build import build_index
from graphground.graphs.entities.folding import fold
from graphground.graphs.entities.index import open_index
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.question.model import Mention, Question
from graphground.graphs.question.read import read, read_text
from graphground.graphs.storage.home import Home

Asked = tuple[str, list[tuple[str, str]], list[str]]
"""A question, its gold names (as written in the question, and as stored), and all names of its gold query."""


def names_in(query: str) -> list[str]:
    """Return the texts in the property maps of a query, such as `{name: 'Aristide Maillol'}`."""
    return [entry.value.value for entry in parse(query).find(t.MapEntry) if isinstance(entry.value, t.StringLiteral)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=400, help="number of questions of each graph or file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=int, default=0, help="number of questions to print with missed or wrong names")
    parser.add_argument("--graph", help="a loaded graph")
    parser.add_argument("--home", type=Path, help="the data folder of the loaded graph")
    parser.add_argument("--questions", type=Path, nargs="+")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    if options.graph:
        graph = open_stored(options.graph, Home(options.home.absolute()))
        asked = [item for file in options.questions for item in asked_in(file)]
        asked = rng.sample(asked, min(options.each, len(asked)))
        read(asked[0][0], graph)  # the model is loaded at the first question
        print(f"{options.graph:18}{line(measure(asked, lambda text: read(text, graph), options.misses))}")
        graph.close()
        return
    for misspelt in (False, True):
        total = np.zeros(5)
        for name in TRAIN:
            asked = list(train_questions(name, options.each, options.seed, misspelt))
            if options.home:
                graph = open_stored(name, Home(options.home.absolute()))
                counted = measure(asked, partial(read, graph=graph), options.misses)
                graph.close()
            else:
                with tempfile.TemporaryDirectory() as folder:
                    build_index(Path(folder) / "index", train_records(name))
                    index = open_index(Path(folder) / "index")
                    reading = partial(read_text, schema=schema_of(name), lookup=index)
                    counted = measure(asked, reading, options.misses)
            total += counted
            print(f"{name:18}{line(counted)}", flush=True)
        print(f"{'misspelt' if misspelt else 'as written':18}{line(total)}\n", flush=True)


def asked_in(file: Path) -> Iterator[Asked]:
    """Yield the questions of a file with their gold names."""
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            mentions = row["mentions"] if "mentions" in row else [(row["name"], row["name"])]
            yield row["question"], [(mention[0], mention[1]) for mention in mentions], []


def train_questions(graph: str, each: int, seed: int, misspelt: bool) -> Iterator[Asked]:
    """Yield random train questions of a graph; if `misspelt`, with a typing error in each name."""
    rng = random.Random(f"{graph}{seed}")
    tasks = [task for task in records("cypherbench_tasks/train.jsonl.gz") if task["graph"] == graph]
    for task in rng.sample(tasks, min(each, len(tasks))):
        question, gold = str(task["nl_question"]), []
        names = names_in(str(task["gold_cypher"]))
        for name in names:
            place = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question)
            if place:
                written = typing_error(name, rng) if misspelt and len(name) > 3 else name
                question = question[: place.start()] + written + question[place.end() :]
                gold.append((written, name))
        yield question, gold, names


def measure(asked: Sequence[Asked], reading: Callable[[str], Question], misses: int) -> np.ndarray:
    """Return the numbers of questions, gold names, names found first and wrong mentions, and the median time in ms."""
    names, found, wrong, seconds = 0, 0, 0, []
    for text, gold, others in asked:
        start = time.perf_counter()
        mentions = reading(text).mentions
        seconds.append(time.perf_counter() - start)
        missed = [
            written
            for written, name in gold
            if not any(is_first(mention, name) for mention in mentions if is_at(mention, written, text))
        ]
        known = [*gold, *((name, name) for name in others)]
        extra = [mention.text for mention in mentions if not any(belongs(mention, *pair, text) for pair in known)]
        names, found, wrong = names + len(gold), found + len(gold) - len(missed), wrong + len(extra)
        if (missed or extra) and misses > 0:
            misses -= 1
            print(f"  {text}\n     missed {missed}, wrong {extra}, found {[mention.text for mention in mentions]}")
    return np.array([len(asked), names, found, wrong, 1000 * float(np.median(seconds))])


def line(counted: np.ndarray) -> str:
    questions, names, found, wrong, milliseconds = counted
    return (
        f"{int(questions):>6} questions, {100 * found / max(names, 1):.2f} % of {int(names)} names first, "
        f"{wrong / questions:.3f} wrong, {milliseconds:.0f} ms"
    )


def is_at(mention: Mention, written: str, text: str) -> bool:
    """Whether a mention overlaps the place of a gold name."""
    start = text.find(written) if written in text else text.lower().find(written.lower())
    return start >= 0 and mention.start < start + len(written) and start < mention.end


def is_first(mention: Mention, name: str) -> bool:
    return mention.verdict != "not_found" and fold(mention.nodes[0].name) == fold(name)


def belongs(mention: Mention, written: str, name: str, text: str) -> bool:
    """Whether a mention belongs to a gold name: by its place, or because it may mean the same node."""
    return is_at(mention, written, text) or any(fold(node.name) == fold(name) for node in mention.nodes)


if __name__ == "__main__":
    main()
