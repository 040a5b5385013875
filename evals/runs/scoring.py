"""The score record of one task: scores, the reason for a failure, both answers and both subgraphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphground.cypher import CypherSyntaxError, access, parse, validate
from graphground.evals.metrics.executable import Attempt, attempt
from graphground.evals.metrics.execution_accuracy import tables_match
from graphground.evals.metrics.ordering import orders
from graphground.evals.metrics.provenance import provenance_queries
from graphground.evals.metrics.provenance_similarity import jaccard, provenance_nodes
from graphground.evals.runs.categories import category_of
from graphground.evals.runs.gold import Gold
from graphground.evals.runs.prediction import Prediction
from graphground.evals.tasks.classify import COMBINED, classify
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import EngineError, EngineUnavailable
from graphground.graphs.engines.table import Table
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.pictures.of_query import subgraph

SHOWN_ROWS = 20
"""The maximum number of rows of an answer that a record keeps for the report; scores are computed from all rows."""


def score(
    task: Task, prediction: Prediction, graph: Graph, gold: Gold, *, timeout: float, draw: bool = True
) -> dict[str, Any]:
    """Score one prediction and return its score record; `timeout` is the time limit of each query, in seconds.

    Raises:
        EngineUnavailable: the graph cannot be queried; the task can be scored later.
    """
    outcome = _outcome(prediction.query, task, graph, gold, timeout)
    rows = outcome.table.rows if outcome.table is not None else []
    correct = (
        outcome.table is not None
        and not gold.failure
        and tables_match(rows, gold.table.rows, ordered=orders(task.gold, graph.language))
    )
    report = (
        validate(
            prediction.query, graph.schema, entities=graph.indexed_entities, language=graph.language, read_only=True
        )
        if prediction.query.strip()
        else None
    )
    diagnostics = report.diagnostics if report is not None else ()
    pattern, template = classify(task.gold)
    category = (
        "" if correct else category_of(prediction.query, task.gold, outcome.failure, diagnostics, rows, gold.table.rows)
    )
    record: dict[str, Any] = {
        "qid": task.qid,
        "graph": task.graph,
        "question": task.question,
        "gold": task.gold,
        "prediction": prediction.query,
        "pattern": task.pattern or pattern,
        "template": COMBINED.get(task.template, task.template) or template,
        "variant": task.variant,
        "expected": task.expected,
        "stance": prediction.stance,
        "text": prediction.text,
        "execution_accuracy": float(correct),
        "psjs": _similarity(prediction, task, graph, gold, timeout),
        "executable": float(outcome.table is not None),
        "category": category,
        "failure": outcome.failure,
        "message": prediction.error or outcome.message,
        "gold_failure": gold.failure,
        "behaviour": behaviour(task, prediction, bool(correct), outcome.table),
        "diagnostics": [diagnostic.as_dict() for diagnostic in diagnostics],
        "gold_answer": _shown(gold.table),
        "predicted_answer": _shown(outcome.table),
        "query_ms": round(outcome.table.elapsed_ms, 2) if outcome.table is not None else None,
    }
    if draw:
        record["gold_subgraph"] = subgraph(task.gold, graph, timeout=timeout)
        record["predicted_subgraph"] = (
            subgraph(prediction.query, graph, timeout=timeout) if outcome.table is not None and not correct else None
        )
    return record


def behaviour(task: Task, prediction: Prediction, correct: bool, table: Table | None) -> str:
    """Classify how the agent behaved, compared with the task's expected reaction.

    `right`: the right answer, refusal or clarifying question. `wrong`: an answer with rows that differ from the gold
    answer. `empty`: an answer from a query without rows, where the gold answer has rows or another reaction was right.
    `declined`: "not in the graph" or a clarifying question, where another reaction was right. `invented`: an answer
    with rows although the graph has no answer, or although the agent should have asked a clarifying question.
    `failed`: no query, or a query that cannot be run.
    """
    if task.expected != "answer":
        if prediction.stance == task.expected:
            return "right"
        if prediction.stance != "answer":
            return "declined"
        if table is None:
            return "failed"
        return "invented" if table.rows else "empty"
    if prediction.stance != "answer":
        return "declined"
    if correct:
        return "right"
    if table is None:
        return "failed"
    return "wrong" if table.rows else "empty"


def _outcome(query: str, task: Task, graph: Graph, gold: Gold, timeout: float) -> Attempt:
    """Return the outcome of a prediction: without a table for an empty query, else its table or the failure.

    A prediction equal to the gold query is not run if the gold answer was found within `timeout` seconds.
    """
    if not query.strip():
        return Attempt(None)
    if query == task.gold and not gold.failure and gold.table.elapsed_ms < timeout * 1_000:
        return Attempt(gold.table)
    return attempt(graph, query, timeout=timeout)


def _similarity(prediction: Prediction, task: Task, graph: Graph, gold: Gold, timeout: float) -> float:
    if prediction.query == task.gold:
        return 1.0
    if not prediction.query.strip():
        return 0.0
    try:
        if _same_provenance(prediction.query, task.gold, graph):
            return jaccard(gold.nodes, gold.nodes)
        return jaccard(provenance_nodes(prediction.query, graph, timeout=timeout), gold.nodes)
    except EngineUnavailable:
        raise
    except (CypherSyntaxError, EngineError):
        return 0.0


def _same_provenance(query: str, gold: str, graph: Graph) -> bool:
    """Whether a query only reads, and has the same provenance queries as the gold query: both match the same nodes.

    Raises:
        CypherSyntaxError: one of the texts is not a query.
    """
    return access(parse(query, graph.language)) == "read" and provenance_queries(
        query, graph.language
    ) == provenance_queries(gold, graph.language)


def _shown(table: Table | None) -> Mapping[str, Any] | None:
    if table is None:
        return None
    return {"columns": table.columns, "rows": table.rows[:SHOWN_ROWS], "row_count": len(table.rows)}
