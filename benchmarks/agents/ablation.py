"""Does grounding pay? A scripted model makes the commonest mistakes of real predictions; how often does it recover?

    graphground graphs load nba --home FOLDER           # once
    python -m benchmarks.agents.ablation FOLDER [--graph nba] [--tasks 60] [--seed 3] [--shown 2]

The script writes a right query with one or two mistakes, runs it, and then only follows the answer: it takes the
suggested query, or puts the first suggestion in place of what it belongs to, at most `MAX_CALLS` times. It knows
neither the schema nor the question, so what recovers is the server's doing. A query whose answer the mistake does not
change is left out. The same script over a bare `execute` has nothing to follow, so it recovers never.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.cypher.mutations import STRINGS, Mutator
from benchmarks.results import Figure, record
from graphground.evals.generation.generate import generate
from graphground.evals.metrics.execution_accuracy import orders, tables_match
from graphground.graphs.engines.embedded.launcher import end_engine
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.opening.stored import stored_sources
from graphground.graphs.storage.home import Home
from graphground.tools.diagnostics import DiagnosticAnswer
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import Graphs, ToolFailure

MAX_CALLS = 2
"""The maximum number of further calls after the first."""
SECONDS = 20.0
SYNTAX = frozenset(("syntax of SQL", "variable that is not defined", "bracket that is not closed"))
"""Mistakes of the language, which need no schema. A SELECT … FROM, a HAVING and a LIKE change what the query asks, so
that its rows cannot be those of the right query."""


def mistakes(mutator: Mutator) -> dict[str, Callable[[str], str | None]]:
    """Return a function for each kind of mistake, which makes the mistake in a query, or returns None."""
    rng = mutator.rng

    def text(method: str, *arguments: object) -> Callable[[str], str | None]:
        def change(query: str) -> str | None:
            mutant = getattr(mutator, method)(query, *arguments)
            return mutant.text if mutant is not None else None

        return change

    def replaced(pattern: str, change: Callable[[re.Match[str]], str]) -> Callable[[str], str | None]:
        def changed(query: str) -> str | None:
            found = list(re.finditer(pattern, query))
            if not found:
                return None
            match = rng.choice(found)
            return query[: match.start()] + change(match) + query[match.end() :]

        return changed

    def misspell(match: re.Match[str]) -> str:
        name, place = match[1], rng.randrange(1, len(match[1]) - 1)
        return f"name: '{name[:place]}{name[place + 1]}{name[place]}{name[place + 2 :]}'"

    return {
        "reversed relationship": text("reversed"),
        "misspelt label": text("misspelt", "label", 1),
        "misspelt relationship type": text("misspelt", "type", 1),
        "misspelt property": text("misspelt", "property", 1),
        "misspelt name": replaced(r"name: '([^'\\]{5,})'", misspell),
        "name in lower case": replaced(r"name: '([^'\\]{5,})'", lambda match: f"name: '{match[1].lower()}'"),
        "syntax of SQL": text("sql_habit"),
        "date as text": replaced(r"date\(('[^']+')\)", lambda match: match[1]),
        "number as text": replaced(r"(?<=[<>=] )(\d+(?:\.\d+)?)\b", lambda match: f"'{match[1]}'"),
        "list compared as a value": replaced(r"('[^']+') IN (n\.\w+)", lambda match: f"{match[2]} = {match[1]}"),
        "variable that is not defined": replaced(r"(?<=RETURN )n(?=\.)", lambda match: "x"),
        "bracket that is not closed": replaced(r"\)(?= WITH| RETURN| WHERE)", lambda match: ""),
    }


def follow(query: str, answer_query: str | None, findings: list[DiagnosticAnswer]) -> str | None:
    """Return the query that an answer advises; None if it advises none."""
    if answer_query:
        return answer_query
    for finding in sorted(findings, key=lambda finding: finding.severity):  # "error" is before "hint" and "warning"
        if finding.suggestions and finding.severity != "hint":
            lines = query.split("\n")
            start = sum(len(line) + 1 for line in lines[: finding.line - 1]) + finding.column - 1
            end = sum(len(line) + 1 for line in lines[: finding.end_line - 1]) + finding.end_column - 1
            return query[:start] + finding.suggestions[0] + query[end:]
    return None


def recover(graphs: Graphs, graph: Graph, wrong: str, gold: str, gold_rows: list[list[object]]) -> int:
    """Return the number of further calls after which the script has the gold rows; -1 if it never has."""
    query = wrong
    for calls in range(MAX_CALLS + 1):
        request = ExecuteCypherRequest.model_validate({"query": query, "graph": graph.name, "limit": 10_000})
        try:
            answer = execute_cypher(graphs, request)
        except ToolFailure as failure:
            findings = [DiagnosticAnswer.of(finding) for finding in failure.diagnostics]
            advised = follow(query, next(iter(failure.nearest), None), findings)
        else:
            if tables_match(answer.rows, gold_rows, ordered=orders(gold)):
                return calls
            advised = follow(query, answer.suggested_query, answer.diagnostics)
        if advised is None or advised == query:
            return -1
        query = advised
    return -1


def rows_of(graph: Graph, query: str) -> list[list[object]] | None:
    """Return the rows of a query; None if it fails."""
    try:
        return graph.run(query, timeout=SECONDS).rows
    except EngineError:
        return None


def measure(graphs: Graphs, name: str, count: int, seed: int, shown: int) -> None:
    """Print the share of single and double mistakes after which the script recovers, by kind."""
    graph, rng = graphs.get(name), random.Random(seed)
    tasks = generate(graph, count, seed).tasks
    kinds = mistakes(Mutator(rng, graph.schema))
    totals: Counter[str] = Counter()
    found: Counter[tuple[str, int]] = Counter()
    for task in tasks:
        gold_rows = rows_of(graph, task.gold)
        if not gold_rows:
            continue
        pairs = [(kind, kind) for kind in kinds] + [tuple(rng.sample(list(kinds), 2)) for _ in range(len(kinds) // 2)]
        for first, second in pairs:
            wrong = kinds[first](task.gold)
            if wrong is not None and second != first:
                wrong = kinds[second](wrong)
            if wrong is None or wrong == task.gold or STRINGS.sub("", wrong) == "":
                continue
            rows = rows_of(graph, wrong)
            if rows is not None and tables_match(rows, gold_rows, ordered=orders(task.gold)):
                continue
            kind = first if first == second else "two mistakes"
            calls = recover(graphs, graph, wrong, task.gold, gold_rows)
            totals[kind] += 1
            found[kind, calls] += 1
            if calls < 0 and found[kind, -1] <= shown:
                print(f"  not recovered ({first}, {second}):\n    {task.gold}\n    {wrong}")
    single = sum(totals[kind] for kind in kinds)
    for kind in [*kinds, "two mistakes"]:
        if totals[kind]:
            print(line(kind, totals[kind], [found[kind, calls] for calls in range(MAX_CALLS + 1)]))
    by_calls = [sum(found[kind, calls] for kind in kinds) for calls in range(MAX_CALLS + 1)]
    print(line("one mistake", single, by_calls))
    syntax = [kind for kind in kinds if kind in SYNTAX]
    named = single - sum(totals[kind] for kind in syntax)
    named_found = sum(by_calls) - sum(found[kind, calls] for kind in syntax for calls in range(MAX_CALLS + 1))
    command = f"benchmarks.agents.ablation FOLDER --tasks {count}"
    data = f"{graph.name}, {count} generated tasks"
    record(
        "queries",
        figure("a wrong name, direction or value: the script recovers", data, named_found, named, ">= 85", command),
        figure("one mistake of any kind: the script recovers", data, sum(by_calls), single, ">= 85", command),
        figure(
            "two mistakes: the script recovers",
            data,
            sum(found["two mistakes", calls] for calls in range(MAX_CALLS + 1)),
            totals["two mistakes"],
            ">= 60",
            command,
        ),
    )


def figure(what: str, data: str, recovered: int, total: int, bar: str, command: str) -> Figure:
    """Return a share as a figure for the page of figures."""
    return Figure(what, f"{data}, {total} wrong queries", round(100 * recovered / total, 1), "%", bar, command)


def line(kind: str, total: int, by_calls: list[int]) -> str:
    """Return a row of the table: the share that recovered within one call, and within all."""
    recovered = sum(by_calls)
    mean = sum(calls * count for calls, count in enumerate(by_calls)) / recovered if recovered else 0.0
    within_one = sum(by_calls[:2]) / total
    return f"{kind:<30}{total:>6}{within_one:>9.1%}{recovered / total:>9.1%}{mean:>7.2f} calls"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--graph", default="nba")
    arguments.add_argument("--tasks", type=int, default=60)
    arguments.add_argument("--seed", type=int, default=3)
    arguments.add_argument("--shown", type=int, default=0)
    options = arguments.parse_args()
    home = Home(options.folder.absolute())
    graphs = OpenGraphs(stored_sources(home))
    try:
        measure(graphs, options.graph, options.tasks, options.seed, options.shown)
    finally:
        graphs.close()
        end_engine(home, kill=True)


if __name__ == "__main__":
    main()
