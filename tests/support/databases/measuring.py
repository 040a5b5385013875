"""Checks the tools on an example database: that fixes do no harm, and that the claims in diagnostics are true.

with opened(server, ERP, folder) as trial:
    print(fixes(trial), statements(trial).false)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import neo4j

from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.databases.example import ExampleDatabase, driver_of, rows_of
from tests.support.databases.statements import Statements, mistaken
from tests.support.neo4j_server import Neo4jServer


@dataclass
class Trial:
    """An example database, written into a server and opened like a user's own database."""

    database: ExampleDatabase
    graphs: OpenGraphs
    driver: neo4j.Driver

    @property
    def graph(self) -> Graph:
        return self.graphs.get(None)

    def answer(self, query: str) -> list[str] | None:
        """Return the rows of a query as a sorted list of texts, or None if the database refuses the query."""
        try:
            rows = rows_of(self.driver, query)
        except neo4j.exceptions.Neo4jError:
            return None
        return sorted(repr([comparable(value) for value in row]) for row in rows)


def comparable(value: Any) -> Any:
    """Return a value in comparable form: floats are rounded, because sums of floats differ in their last digits."""
    return round(value, 6) if isinstance(value, float) else value


@contextmanager
def opened(server: Neo4jServer, database: ExampleDatabase, folder: Path) -> Iterator[Trial]:
    """Write the database into the server, and open it without any preparation."""
    database.write(server)
    graphs = graph_sources(
        Settings(uri=server.uri, user=server.user, password=server.password, name=database.name, home=str(folder))
    )
    try:
        assert graphs.get(None).schema.labels
        with driver_of(server) as driver:
            yield Trial(database, graphs, driver)
    finally:
        graphs.close()


@dataclass
class Tally:
    """The number of successes among all cases, with the cases that failed; `fixes` lists attempts without a fix too."""

    what: str
    right: int = 0
    of: int = 0
    missed: list[str] = field(default_factory=list)
    note: str = ""

    def add(self, right: bool, missed: str) -> None:
        self.of += 1
        self.right += right
        if not right:
            self.missed.append(missed)

    def __str__(self) -> str:
        return f"{self.what}: {self.right} of {self.of}{f' ({self.note})' if self.note else ''}"


def fixes(trial: Trial) -> tuple[Tally, Tally]:
    """Count wrong attempts and gold queries for which following the suggestion of `validate_cypher` does no harm.

    A suggested query must return the gold query's rows. The first tally has the wrong attempts (attempts without a
    suggestion count as correct, and are listed), the second the gold queries, which must also have no error.
    """
    wrong_attempts, harmed = Tally("attempts fixed, or left without a fix"), Tally("gold queries left as they are")
    fixed = 0
    for question in trial.database.questions():
        gold = trial.answer(question.gold)
        report = validate_cypher(trial.graphs, ValidateCypherRequest(query=question.gold))
        same = report.suggested_query is None or trial.answer(report.suggested_query) == gold
        errors = [diagnostic.message for diagnostic in report.diagnostics if diagnostic.severity == "error"]
        harmed.add(same and not errors, f"{question.gold}\n      -> {report.suggested_query} {errors}")
        for attempt in question.attempts:
            report = validate_cypher(trial.graphs, ValidateCypherRequest(query=attempt))
            suggested = report.suggested_query
            good = suggested is None or trial.answer(suggested) == gold
            fixed += suggested is not None and good
            wrong_attempts.add(good, f"{attempt}\n      -> {suggested}")
            if suggested is None:
                wrong_attempts.missed.append(
                    f"(no fix) {attempt} {[diagnostic.code for diagnostic in report.diagnostics]}"
                )
    wrong_attempts.note = f"{fixed} fixed"
    return wrong_attempts, harmed


def statements(trial: Trial, every: int = 1) -> Statements:
    """Check the claims of diagnostics against the data: for gold queries, wrong attempts and queries with mistakes.

    With `every=4` only a quarter of the questions are asked.
    """
    found = Statements()
    for question in trial.database.questions()[::every]:
        for query in (question.gold, *question.attempts, *mistaken(question.gold)):
            for diagnostic in validate_cypher(trial.graphs, ValidateCypherRequest(query=query)).diagnostics:
                found.check(trial.driver, query, diagnostic.message)
            try:
                answer = execute_cypher(trial.graphs, ExecuteCypherRequest(query=query, limit=5))
            except ToolFailure:
                continue
            for diagnostic in answer.diagnostics:
                found.check(trial.driver, query, diagnostic.message)
    return found
