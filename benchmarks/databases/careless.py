"""Measures what `execute_cypher` says to careless first queries, and whether the second query is right.

    python -m benchmarks.databases.careless HOME [--question] [--graphs port hospital] [--show FILE] [--record]

HOME is a data folder in which `port`, `hospital` and `festival` of `benchmarks/strangers` are loaded as written. Every
third query is held out: it is counted, and `--show` does not write it.

- explained: the first answer has a diagnostic that is not about style and not the database's own words;
- offered: it has a `suggested_query` (or a failure has a `nearest` query); wrong: the rows of that query are not the
  gold query's;
- second right: the rows are the gold query's after a client follows the offer, or else puts the first suggestion of
  each error and warning in its place.

Rows are compared without duplicates. Right queries are the gold queries of the dev questions, run without a question.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.results import Figure, record
from graphground.cypher.diagnostics import Edit, LineIndex, applied
from graphground.evals.metrics.execution_accuracy import tables_match
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.tools.diagnostics import DiagnosticAnswer
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import Graphs, ToolFailure

FOLDER = Path(__file__).parents[1] / "strangers"
GRAPHS = ("port", "hospital", "festival")
NO_EXPLANATION = frozenset(
    [
        "distinct_merges_entities",
        "extra_sort_column",
        "returns_node",
        "no_limit",
        "question_not_covered",
        "refused_by_database",
    ]
)
"""Diagnostics about a query's form, which explain no wrong answer."""


@dataclass(frozen=True)
class First:
    """The first answer to a query: its rows (None if it failed), what it says, and the query that it offers."""

    rows: list[list[Any]] | None
    findings: list[DiagnosticAnswer]
    offered: str | None


@dataclass
class Tally:
    """Counts over a set of careless queries."""

    counts: Counter[str] = field(default_factory=Counter)

    def share(self, what: str, of: str = "asked") -> float:
        """Return a percentage of the queries that were `asked`, or of another count."""
        return 100 * self.counts[what] / max(1, self.counts[of])

    def line(self) -> str:
        """Return the counts as a row of the table."""
        c = self.counts
        return (
            f"{c['asked']:5} | {self.share('explained'):8.1f} | {c['offered']:4} ({self.share('offered'):4.1f} %) | "
            f"{c['wrong']:3} ({self.share('wrong', 'offered'):4.1f} %) | {self.share('second'):8.1f}"
        )


HEAD = f"{'set':24} | asked | explained % | offered     | wrong fix    | second right %"


def first_answer(graphs: Graphs, graph: str, query: str, question: str | None) -> First:
    """Run a query through the tool; a failure is read as an agent reads it."""
    call = {"query": query, "graph": graph, "limit": 10_000} | ({"question": question} if question else {})
    try:
        answer = execute_cypher(graphs, ExecuteCypherRequest.model_validate(call))
    except ToolFailure as failure:
        offered = next((text for text in failure.nearest if "RETURN" in text.upper()), None)
        return First(None, [DiagnosticAnswer.of(finding) for finding in failure.diagnostics], offered)
    return First(answer.rows, answer.diagnostics, answer.suggested_query)


def followed(query: str, first: First) -> str:
    """Return the query that the answer advises: its offer, or the query with the first suggestions in place."""
    if first.offered:
        return first.offered
    starts, edits = LineIndex(query).starts, []
    for finding in sorted(first.findings, key=lambda finding: ("error", "warning", "hint").index(finding.severity)):
        start = starts[finding.line - 1] + finding.column - 1
        end = starts[finding.end_line - 1] + finding.end_column - 1
        free = all(end <= edit.start or edit.end <= start for edit in edits)
        if finding.suggestions and free and (finding.severity != "hint"):
            edits.append(Edit(start, end, finding.suggestions[0]))
    return applied(query, edits)


def same_rows(rows: Sequence[Sequence[Any]] | None, gold: Sequence[Sequence[Any]]) -> bool:
    """Whether two answers have the same rows, apart from duplicates and order."""
    return rows is not None and tables_match(_distinct(rows), _distinct(gold), ordered=False)


def _distinct(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return list({json.dumps(row, default=str): list(row) for row in rows}.values())


def rows_of(graph: Graph, query: str) -> list[list[Any]] | None:
    """Return the rows of a query; None if the database refuses it."""
    try:
        return graph.run(query, timeout=10, limit=20_000).rows
    except (EngineError, ValueError):
        return None


def lines_of(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Read the records of a file of questions or queries."""
    yield from map(json.loads, (folder / f"{name}.jsonl").read_text("utf-8").splitlines())


def measure_careless(graphs: Graphs, folder: Path, name: str, asking: bool, shown: list[str]) -> tuple[Tally, Tally]:
    """Return the counts for one graph: of the queries that may be read, and of those held out."""
    tallies, graph = (Tally(), Tally()), graphs.get(name)
    for number, item in enumerate(lines_of(folder, f"{name}_careless")):
        gold = rows_of(graph, item["gold_raw"])
        first = first_answer(graphs, name, item["query"], item["question"] if asking else None)
        if gold is None or same_rows(first.rows, gold):
            continue  # nothing to explain: the mistake does not change the answer
        held = number % 3 == 2
        counts = tallies[held].counts
        explained = first.offered is not None or any(finding.code not in NO_EXPLANATION for finding in first.findings)
        wrong = first.offered is not None and not same_rows(rows_of(graph, first.offered), gold)
        advised = followed(item["query"], first)
        second = advised != item["query"] and same_rows(rows_of(graph, advised), gold)
        counts.update({"asked": 1, "explained": explained, "offered": first.offered is not None})
        counts.update({"wrong": wrong, "second": second})
        if not held and (wrong or not explained or not second):
            marks = [word for word, on in (("WRONG", wrong), ("SILENT", not explained), ("second", not second)) if on]
            said = "".join(f"\n     {f.severity} {f.code}: {f.message} {f.suggestions}" for f in first.findings)
            shown.append(
                f"{name} {number} [{item['mistake']}] {' '.join(marks)}\n   Q {item['query']}\n   G {item['gold_raw']}"
                f"\n   > {first.offered or ('edits: ' + advised if advised != item['query'] else '-')}{said}"
            )
    return tallies


def measure_right(graphs: Graphs, folder: Path, name: str, shown: list[str]) -> Counter[str]:
    """Count the right queries of one graph, and those with a hint, a warning or an error."""
    counts: Counter[str] = Counter()
    for item in lines_of(folder, f"{name}_dev"):
        query = item.get("cypher_raw") or item["cypher"]
        if not query:
            continue
        first = first_answer(graphs, name, query, None)
        counts["asked"] += 1
        counts["touched"] += bool(first.findings)
        counts["offered"] += first.offered is not None
        if first.findings:
            counts.update({finding.code for finding in first.findings})
            said = "".join(f"\n     {f.severity} {f.code}: {f.message} {f.suggestions}" for f in first.findings)
            shown.append(f"{name} RIGHT {query}\n   > {first.offered or '-'}{said}")
    return counts


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("home", type=Path)
    arguments.add_argument("--graphs", nargs="+", default=list(GRAPHS))
    arguments.add_argument(
        "--folder", type=Path, default=FOLDER, help="the folder of GRAPH_careless.jsonl and GRAPH_dev.jsonl"
    )
    arguments.add_argument("--question", action="store_true", help="also give the question")
    arguments.add_argument("--show", type=Path, help="a file for the misses that may be read")
    arguments.add_argument("--record", action="store_true", help="write the figures for docs/figures.md")
    options = arguments.parse_args()
    graphs, shown = OpenGraphs(stored_sources(Home(options.home.absolute()))), list[str]()
    whole, held, right = Tally(), Tally(), Counter[str]()
    try:
        print(HEAD)
        for name in options.graphs:
            tallies = measure_careless(graphs, options.folder, name, options.question, shown)
            both = Tally(tallies[0].counts + tallies[1].counts)
            print(f"{name:24} | {both.line()}", flush=True)
            whole.counts += both.counts
            held.counts += tallies[1].counts
            right += measure_right(graphs, options.folder, name, shown)
    finally:
        graphs.close()
    print(f"{'all':24} | {whole.line()}\n{'held out':24} | {held.line()}")
    print(f"right queries: {right['touched']} of {right['asked']} with a diagnostic; {right.most_common()}")
    if options.show:
        options.show.write_text("\n".join(shown) + "\n", "utf-8")
    if options.record:
        record_figures(whole, held, right, options.question)


def record_figures(whole: Tally, held: Tally, right: Counter[str], asking: bool) -> None:
    """Record the shares for the page of figures."""
    command = f"benchmarks.databases.careless HOME{' --question' if asking else ''}"
    with_question = ", with the question" if asking else ""
    figures = []
    shown = [(whole, "", "explained"), (whole, "", "wrong"), (whole, "", "second"), (held, " held out,", "second")]
    for tally, part, key in shown if not asking else shown[1:2]:
        what, of, bar = {
            "explained": ("explained in execute's first answer", "asked", ">= 95"),
            "wrong": ("offered fixes that are wrong", "offered", "<= 5"),
            "second": ("the second call is right", "asked", ">= 90"),
        }[key]
        data = f"three databases,{part} {tally.counts['asked']} queries{with_question}"
        figures.append(Figure(f"careless query: {what}", data, round(tally.share(key, of), 1), "%", bar, command))
    if not asking:
        share, data = round(100 * right["touched"] / right["asked"], 1), f"three databases, {right['asked']} queries"
        figures.append(Figure("right query with a diagnostic", data, share, "%", "<= 10", command))
    record("queries", *figures)


if __name__ == "__main__":
    main()
