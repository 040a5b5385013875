"""Measures questions of strangers in one table: how often the first candidate, or one of five, has the gold rows.

    python -m benchmarks.tools.strangers --cypherbench FOLDER --metaqa HOME:metaqa \
        --questions HOME:messy=/questions/messy.jsonl HOME:port=/questions/port.jsonl [--each 60] [--misses 5]

`--cypherbench` is a folder of stand-in graphs (`python -m benchmarks.engines.graphs_for_queries FOLDER`), of which
three that nothing is learned from are asked; `--metaqa` a data folder and the name of MetaQA's graph in it, whose
questions are those of ../shared/data; `--questions` a data folder, a graph and a file with a question and its gold
query on each line (`question`, `cypher`, `mentions`).

A candidate is right if it returns the gold query's rows, for MetaQA if it names the answers with F1 of at least 0.9.
`confident` is the share of right ones among the first candidates of at least `CONFIDENT` and how many those are.
Questions that the graph cannot answer have a row of their own, in which it is right not to be sure: below `CLEAR` the
tool asks back. The first question of each graph is not timed, since it starts the engine; the next dozen are slower
than later ones too. Of up to 100 questions, the slowest is the p99.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphground.cypher import parse
from graphground.cypher import tree as t
from graphground.evals.metrics.execution_accuracy import orders, tables_match
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.opening.stored import open_stored
from graphground.graphs.question.read import read
from graphground.graphs.schemas.forms import estimate_tokens
from graphground.graphs.storage.home import Home
from graphground.graphs.suggestions import suggest
from graphground.tools.ground_question import CLEAR

SHARED = Path(__file__).resolve().parents[3] / "shared/data"
HELD_OUT = ("company", "fictional_character", "flight_accident")
"""The graphs of CypherBench from whose questions nothing is learned."""
WITHIN = 5
CONFIDENT = 0.9


@dataclass(frozen=True)
class Asked:
    """A question with its gold query, or with the names that answer it; `names` are the names that it mentions."""

    question: str
    gold: str = ""
    answer: frozenset[str] = frozenset()
    names: tuple[str, ...] | None = None
    group: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the graph has an answer."""
        return bool(self.gold or self.answer)


def cypherbench_questions(graph: str, count: int, seed: int = 17) -> list[Asked]:
    """Return a sample of CypherBench's questions about a graph, with their gold queries."""
    gold_by_question: dict[str, str] = {}
    for name, key in (
        ("cypherbench_tasks/train", "nl_question"),
        ("predictions/cypherbench_scored", "question"),
        ("predictions/cypherbench_unscored", "question"),
    ):
        with gzip.open(SHARED / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                if record["graph"] == graph:
                    gold_by_question.setdefault(str(record[key]), str(record["gold_cypher"]))
    pairs = sorted(gold_by_question.items())
    return [
        Asked(question, gold, names=names_of(gold), group="CypherBench")
        for question, gold in random.Random(seed).sample(pairs, min(count, len(pairs)))
    ]


def metaqa_questions(count: int, seed: int = 5) -> list[Asked]:
    """Return a sample of MetaQA's dev questions: `count` of each number of hops."""
    by_kind: dict[str, list[Asked]] = defaultdict(list)
    with gzip.open(SHARED / "metaqa/dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            group = f"MetaQA {record['kind']} hops"
            asked = Asked(record["question"], "", frozenset(record["names"]), (record["name"],), group)
            by_kind[record["kind"]].append(asked)
    return [asked for kind in sorted(by_kind) for asked in random.Random(seed).sample(by_kind[kind], count)]


def file_questions(file: Path, group: str) -> list[Asked]:
    """Return the questions of a JSON Lines file."""
    found = []
    for record in map(json.loads, file.read_text("utf-8").splitlines()):
        names = tuple(mention[1] for mention in record["mentions"]) if "mentions" in record else None
        found.append(Asked(record["question"], record["cypher"] or "", names=names, group=group))
    return found


def names_of(gold: str) -> tuple[str, ...]:
    """Return the texts in the property maps of a gold query's nodes, which are names."""
    return tuple(
        entry.value.value
        for node in parse(gold).find(t.NodePattern)
        if isinstance(node.properties, t.MapLiteral)
        for entry in node.properties.entries
        if isinstance(entry.value, t.StringLiteral)
    )


class Judge:
    """Says which queries answer a question on one graph; the rows of queries are kept."""

    def __init__(
        self, graph: Graph, timeout: float = 10.0, known: dict[str, list[list[Any]] | None] | None = None
    ) -> None:
        self._graph, self._timeout = graph, timeout
        self.known = {} if known is None else known
        """The rows of each query, None for one that the database refuses or does not end in time."""

    def rows(self, query: str) -> list[list[Any]] | None:
        """Return the rows of a query; None if the database refuses it or does not end in time."""
        if query not in self.known:
            try:
                self.known[query] = list(self._graph.run(query, timeout=self._timeout, limit=20_000).rows)
            except (EngineError, ValueError, AttributeError):
                self.known[query] = None
        return self.known[query]

    def askable(self, asked: Asked) -> bool:
        """Whether the gold query has an answer here, or the question is known to have none."""
        return not asked.answerable or bool(asked.answer) or bool(self.rows(asked.gold))

    def right(self, query: str, asked: Asked) -> bool:
        """Whether a query returns the right answer."""
        rows = self.rows(query) if asked.answerable else None
        if rows is None:
            return False
        if asked.answer:
            named = {str(row[0]) for row in rows if len(row) == 1}
            common = len(named & asked.answer)
            return common > 0 and 2 * common / (len(named) + len(asked.answer)) >= 0.9
        gold = self.rows(asked.gold)
        return gold is not None and tables_match(rows, gold, ordered=orders(asked.gold, self._graph.language))


@dataclass
class Tally:
    """The figures of one set."""

    asked: int = 0
    first: int = 0
    within: int = 0
    confident: int = 0
    confident_right: int = 0
    wrong_mentions: int = 0
    missing_mentions: int = 0
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the figures as a row of the table."""
        number = max(1, self.asked)
        seconds = sorted(self.seconds) or [0.0]
        confident = f"{self.confident_right}/{self.confident}" if self.confident else "-"
        tokens = f"{sum(self.tokens) / len(self.tokens):.0f}" if self.tokens else "-"
        return (
            f"{self.asked:4} | {100 * self.first / number:5.1f} | {100 * self.within / number:5.1f} | {confident:>8} | "
            f"{tokens:>6} | {1000 * seconds[len(seconds) // 2]:5.0f} | {1000 * seconds[int(0.99 * len(seconds))]:5.0f} | "
            f"{self.wrong_mentions / number:.2f} | {self.missing_mentions / number:.2f}"
        )


HEAD = "set | asked | first % | in five % | confident right | tokens | ms | ms p99 | wrong names | missing"


@dataclass(frozen=True)
class Candidate:
    """A candidate query as a tool returns it."""

    cypher: str
    confidence: float


def ask(graph: Graph, question: str) -> tuple[list[Candidate], list[tuple[str, str]] | None, int]:
    """Return the candidates for a question, the names found (text, name of the best node), and the answer's tokens."""
    reading = read(question, graph)
    found = suggest(graph, reading, limit=WITHIN)
    names = [(m.text, m.nodes[0].name) for m in reading.mentions if m.verdict != "not_found" and m.nodes]
    candidates = [Candidate(suggestion.cypher, suggestion.confidence) for suggestion in found]
    return candidates, names, sum(estimate_tokens(candidate.cypher) for candidate in candidates)


def measure(graph: Graph, questions: Sequence[Asked], misses: int = 0) -> dict[str, Tally]:
    """Ask all questions; return the figures by group."""
    judge = Judge(graph)
    tallies: dict[str, Tally] = {}
    for asked in questions:
        if not judge.askable(asked):
            continue
        tally = tallies.setdefault(asked.group + " without an answer" * (not asked.answerable), Tally())
        start = time.perf_counter()
        candidates, names, tokens = ask(graph, asked.question)
        if tally.asked or len(tallies) > 1:
            tally.seconds.append(time.perf_counter() - start)
        hits = [judge.right(candidate.cypher, asked) for candidate in candidates]
        if not asked.answerable:
            hits = [candidates[0].confidence < CLEAR] if candidates else [True]
        tally.asked += 1
        tally.first += hits[:1] == [True]
        tally.within += any(hits)
        tally.tokens.append(tokens)
        if candidates and candidates[0].confidence >= CONFIDENT:
            tally.confident += 1
            tally.confident_right += hits[0]
        if names is not None and asked.names is not None:
            tally.wrong_mentions += sum(name not in asked.names for _, name in names)
            tally.missing_mentions += sum(all(name != found for _, found in names) for name in asked.names)
        if hits[:1] != [True] and len(tally.misses) < misses:
            shown = "".join(
                f"\n      {c.confidence:.2f} {'+' if hit else '-'} {c.cypher}"
                for c, hit in zip(candidates[:3], hits, strict=False)
            )
            tally.misses.append(
                f"  {asked.question}\n    = {asked.gold or sorted(asked.answer)[:6]}\n    names {names}{shown}"
            )
    return tallies


def sets(options: argparse.Namespace) -> Iterator[tuple[Graph, list[Asked]]]:
    """Open each graph in turn, with its questions."""
    if options.cypherbench:
        for name in HELD_OUT:
            yield open_stored(name, Home(options.cypherbench)), cypherbench_questions(name, options.each)
    if options.metaqa:
        home, _, name = options.metaqa.rpartition(":")
        yield open_stored(name, Home(Path(home))), metaqa_questions(options.each)
    for text in options.questions:
        place, _, file = text.partition("=")
        home, _, name = place.rpartition(":")
        yield open_stored(name, Home(Path(home))), file_questions(Path(file), Path(file).stem)[: options.first]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cypherbench", type=Path)
    arguments.add_argument("--metaqa", metavar="HOME:NAME")
    arguments.add_argument("--questions", nargs="*", default=[], metavar="HOME:NAME=FILE")
    arguments.add_argument("--each", type=int, default=60, help="questions of each graph, or of each number of hops")
    arguments.add_argument("--first", type=int, default=None, help="only the first questions of each file")
    arguments.add_argument("--misses", type=int, default=0, help="misses to print for each set")
    options = arguments.parse_args()
    whole: dict[str, Tally] = {}
    print(HEAD)
    for graph, questions in sets(options):
        for group, tally in measure(graph, questions, options.misses).items():
            print(f"{group}: {graph.name} | {tally.line()}", flush=True)
            print(*tally.misses, sep="\n")
            known = whole.setdefault(group, Tally())
            for name in Tally.__dataclass_fields__:
                setattr(known, name, getattr(known, name) + getattr(tally, name))
        if graph.engine is not None:
            graph.engine.close()
    print(HEAD)
    for group, tally in whole.items():
        print(f"{group} | {tally.line()}", flush=True)


if __name__ == "__main__":
    main()
