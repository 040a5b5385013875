"""The metrics of a run. To add a metric, add a record to `METRICS`: score records, figures, report and docs read it.

METRICS["psjs"].title, METRICS["psjs"].source          # ("PSJS", "CypherBench, §5.1")
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphground.cypher import CypherSyntaxError, access, parse
from graphground.evals.metrics.executable import Attempt
from graphground.evals.metrics.execution_accuracy import Rule, orders, tables_match
from graphground.evals.metrics.provenance_similarity import jaccard, provenance_nodes, provenance_queries, psjs
from graphground.graphs.engines.engine import QueryUnanswered, Table
from graphground.graphs.graph import Graph


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold query's table and the ids of its matched nodes; `failure` says why the gold query cannot be run."""

    table: Table
    nodes: frozenset[str]
    failure: str = ""

    @property
    def empty(self) -> bool:
        """Whether the answer holds nothing, so that queries about anything that does not exist give it too.

        It has no value but nulls and empty lists, or nothing was matched and it has no value but these and 0.
        """
        nothing: tuple[Any, ...] = (None, [], {}, "") if self.nodes else (None, [], {}, "", 0)
        return not self.failure and all(value in nothing for row in self.table.rows for value in row)


@dataclass(frozen=True, slots=True)
class Case:
    """A prediction with all that a metric may compare: `outcome` holds the prediction's table, or why it has none."""

    query: str
    gold_query: str
    graph: Graph
    gold: Gold
    outcome: Attempt
    timeout: float
    """The time limit of each further query, in seconds."""
    rule: Rule = "paper"
    """Whether scores follow the paper's definitions, or the published implementation where the two differ."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its name in records and figures, its title, its definition in words, and the function that scores."""

    name: str
    title: str
    definition: str
    source: str
    score: Callable[[Case], float]
    """Returns a score from 0 to 1. It may raise `EngineUnavailable`: the task can then be scored later."""


def _execution_accuracy(case: Case) -> float:
    table, gold, rule = case.outcome.table, case.gold, case.rule
    if rule == "published" and case.query == case.gold_query:
        return 1.0
    if table is None or gold.failure:
        return 0.0
    ordered = orders(case.gold_query, case.graph.language, rule)
    return float(tables_match(table.rows, gold.table.rows, ordered=ordered, rule=rule))


def _psjs(case: Case) -> float:
    if case.query == case.gold_query:
        return 1.0
    if case.rule == "published":
        return psjs(case.query, case.gold_query, case.graph, timeout=case.timeout, rule="published")
    # A query that takes too long may still have matched the right nodes; one that does not compile has matched none.
    if not case.query.strip() or case.outcome.failure not in ("", "timeout"):
        return 0.0
    try:
        # Equal provenance queries need not be run again.
        queries = partial(provenance_queries, language=case.graph.language)
        reads = access(parse(case.query, case.graph.language)) == "read"
        if reads and queries(case.query) == queries(case.gold_query):
            return jaccard(case.gold.nodes, case.gold.nodes)
        return jaccard(provenance_nodes(case.query, case.graph, timeout=case.timeout), case.gold.nodes)
    except (CypherSyntaxError, QueryUnanswered):
        return 0.0


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "execution_accuracy",
            "execution accuracy",
            "the answer equals the gold answer; the order of columns is ignored, and the order of rows too if the gold "
            "query has no ORDER BY",
            "CypherBench, arXiv 2412.18702, §5.1",
            _execution_accuracy,
        ),
        Metric(
            "psjs",
            "PSJS",
            "provenance subgraph Jaccard similarity: the number of nodes matched by the MATCH clauses of both queries, "
            "divided by the number matched by at least one of the two",
            "CypherBench, §5.1",
            _psjs,
        ),
        Metric(
            "executable",
            "executable",
            "the query compiles, is read-only, and finishes within its time limit",
            "CypherBench, §5.1",
            lambda case: float(case.outcome.table is not None),
        ),
    )
}
