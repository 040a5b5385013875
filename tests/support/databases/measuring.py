"""Measures the tools on an example database: fixes, claims in diagnostics, names, filtered schemas, suggested queries.

with opened(server, ERP, folder) as trial:
    print(fixes(trial), names(trial), filtered(trial), suggestions(trial))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import neo4j

from graphground.cypher import parse
from graphground.cypher.outline import outline_of
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.graphs.schemas.forms import base_form, estimate_tokens
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.find_entities import FindEntitiesRequest, find_entities
from graphground.tools.get_filtered_schema import GetFilteredSchemaRequest, get_filtered_schema
from graphground.tools.ground_question import GroundQuestionRequest, ground_question
from graphground.tools.tool import ToolFailure
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.databases.example import ExampleDatabase, Question, driver_of, rows_of
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
def opened(server: Neo4jServer, database: ExampleDatabase, folder: Path, write: bool = True) -> Iterator[Trial]:
    """Write the database into the server, and open it without any preparation."""
    if write:
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


def statements(trial: Trial) -> Statements:
    """Check the claims of diagnostics against the data: for gold queries, wrong attempts and queries with mistakes."""
    found = Statements()
    for question in trial.database.questions():
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


def names(trial: Trial) -> Tally:
    """Count the mentions whose correct name is the first candidate."""
    tally = Tally("names found first")
    for question in trial.database.questions():
        for mention in question.mentions:
            answer = find_entities(trial.graphs, FindEntitiesRequest(mentions=[mention.text]))
            first = answer.mentions[0].candidates[:1]
            tally.add(
                bool(first) and first[0].name == mention.value,
                f"{mention} {[(near.name, near.label, near.score) for near in answer.mentions[0].candidates[:3]]}",
            )
    return tally


def filtered(trial: Trial) -> tuple[Tally, float]:
    """Count questions whose filtered schema contains every element that the gold query uses.

    The second value is the mean size of the filtered schemas, as a share of the tokens of the whole schema.
    """
    tally, shares = Tally("filtered schemas that hold all of the gold query"), []
    whole = estimate_tokens(base_form(trial.graph.schema))
    for question in trial.database.questions():
        answer = get_filtered_schema(trial.graphs, GetFilteredSchemaRequest(question=question.text))
        shares.append(estimate_tokens(answer.schema_) / whole)
        missing = [element for element in used(question.gold, trial.graph.schema) if not shown(element, answer.schema_)]
        tally.add(not missing, f"{question.text} misses {missing}")
    return tally, sum(shares) / len(shares)


def shown(element: str, schema: str) -> bool:
    """Whether a schema's text contains an element; labels or types that share a line are separated by `|`."""
    if element[0] not in ":[":
        return element in schema
    before = r"\[:(?:[^]{]*\|)?" if element[0] == "[" else "[:|]"
    return re.search(rf"{before}`?{re.escape(element.lstrip('[:'))}\b", schema) is not None


def used(query: str, schema: PropertyGraphSchema) -> list[str]:
    """Return the schema elements in a query, written as in a schema's base form: `:Order`, `[:ORDERS`, `freight`."""
    facts = outline_of(parse(query), schema)
    found = [f":{use.name.name.text}" for use in facts.labels]
    found += [f"[:{type_}" for link in facts.links for type_ in link.types or ()]
    found += [use.key for use in facts.properties]
    return list(dict.fromkeys(found))


def suggestions(trial: Trial, within: int = 3) -> Tally:
    """Count questions for which one of the first `within` suggested queries returns the gold query's rows.

    Questions without mentions, without hops or with more than two hops are left out. Repeated rows are ignored.
    """
    tally = Tally(f"questions answered by one of the first {within} suggested queries")
    for question in trial.database.questions():
        hops = question.gold.count("]->") + question.gold.count("]-(")
        if not question.mentions or not 0 < hops <= 2:
            continue
        gold = trial.answer(question.gold)
        try:
            answer = ground_question(trial.graphs, GroundQuestionRequest(question=question.text, limit=within))
            candidates = [query.cypher for query in answer.queries]
        except ToolFailure as error:
            candidates = [f"({error})"]
        tally.add(
            any(values(trial, candidate) == without_repeats(gold) for candidate in candidates[:within]),
            f"{question.text}\n      gold {question.gold}\n      " + "\n      ".join(candidates[:within]),
        )
    return tally


def values(trial: Trial, query: str) -> list[str] | None:
    """Return the distinct rows of a suggested query, sorted; None if it does not begin with MATCH or is refused."""
    return without_repeats(trial.answer(query)) if query.startswith("MATCH") else None


def without_repeats(rows: list[str] | None) -> list[str] | None:
    """Return each row once, sorted; None if `rows` is None, as for a refused query."""
    return sorted(set(rows)) if rows is not None else None


__all__ = ["Question", "Tally", "Trial", "filtered", "fixes", "names", "opened", "statements", "suggestions", "used"]
