"""The score record of one task: scores, the reason for a failure, both answers and both subgraphs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphground.cypher import CypherSyntaxError, parse
from graphground.cypher import tree as t
from graphground.cypher.diagnostics import Diagnostic
from graphground.cypher.outline import outline_of
from graphground.cypher.outline.model import Facts, PropertyUse, Symbol
from graphground.cypher.schema import PropertyGraphSchema
from graphground.evals.metrics.executable import Attempt, attempt, check
from graphground.evals.metrics.execution_accuracy import Rule
from graphground.evals.metrics.registry import METRICS, Case, Gold
from graphground.evals.runs.prediction import Prediction
from graphground.evals.tasks.classify import COMBINED, classify
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import Table
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.matches import subgraph

MAX_ROWS_SHOWN = 20
"""The maximum number of rows of an answer that a record keeps for the report; scores are computed from all rows."""


def score(
    task: Task, prediction: Prediction, graph: Graph, gold: Gold, *, timeout: float, rule: Rule = "paper"
) -> dict[str, Any]:
    """Score one prediction and return its score record; `timeout` is the time limit of each query, in seconds.

    Raises:
        EngineUnavailable: the graph cannot be queried; the task can be scored later.
    """
    outcome = _run_prediction(prediction.query, task, graph, gold, timeout)
    rows = outcome.table.rows if outcome.table is not None else []
    case = Case(prediction.query, task.gold, graph, gold, outcome, timeout, rule)
    scores = {name: metric.score(case) for name, metric in METRICS.items()}
    correct = scores["execution_accuracy"] == 1
    diagnostics = check(graph, prediction.query).diagnostics if prediction.query.strip() else ()
    pattern, template = classify(task.gold)
    categories = (
        []
        if correct
        else categories_of(prediction.query, task.gold, outcome.failure, diagnostics, rows, gold.table.rows)
    )
    # Equal in two runs over the same data: it ignores ids, and the order of rows.
    gold_rows = sorted(
        json.dumps([_without_ids(value) for value in row], sort_keys=True, default=str) for row in gold.table.rows
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
        **scores,
        "rule": rule,
        "category": categories[0] if categories else "",
        "categories": categories,
        "failure": outcome.failure,
        "message": prediction.error or outcome.message,
        "gold_failure": gold.failure,
        "gold_empty": gold.empty,
        "gold_digest": hashlib.sha256("\n".join(gold_rows).encode()).hexdigest()[:16],
        "behaviour": behaviour(task, prediction, correct, outcome.table),
        "diagnostics": [diagnostic.as_dict() for diagnostic in diagnostics],
        "gold_answer": _keep_first_rows(gold.table),
        "predicted_answer": _keep_first_rows(outcome.table),
        "query_ms": round(outcome.table.elapsed_ms, 2) if outcome.table is not None else None,
    }
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
    answerable = task.expected == "answer"
    if prediction.stance != "answer":
        return "right" if prediction.stance == task.expected else "declined"
    if answerable and correct:
        return "right"
    if table is None:
        return "failed"
    if not table.rows:
        return "empty"
    return "wrong" if answerable else "invented"


def _run_prediction(query: str, task: Task, graph: Graph, gold: Gold, timeout: float) -> Attempt:
    """Return the outcome of a prediction: without a table for an empty query, else its table or the failure.

    A prediction equal to the gold query is not run if the gold answer was found within `timeout` seconds.
    """
    if not query.strip():
        return Attempt(None)
    if query == task.gold and not gold.failure and gold.table.elapsed_ms < timeout * 1_000:
        return Attempt(gold.table)
    return attempt(graph, query, timeout=timeout)


def _without_ids(value: Any) -> Any:
    match value:
        case float():
            return float(f"{value:.9g}")  # a database sums the rows of avg() in no fixed order
        case list():
            return sorted((_without_ids(item) for item in value), key=str)
        case dict():
            return {key: _without_ids(inner) for key, inner in value.items() if key not in ("id", "start", "end")}
    return value


def _keep_first_rows(table: Table | None) -> Mapping[str, Any] | None:
    if table is None:
        return None
    return {"columns": table.columns, "rows": table.rows[:MAX_ROWS_SHOWN], "row_count": len(table.rows)}


CATEGORIES: Mapping[str, str] = {
    "no_answer": "The agent gave no query.",
    "syntax": "The text does not compile as Cypher, is not read-only, or was refused by the database.",
    "timeout": "The query did not finish within its time limit.",
    "schema_violation": "A label, relationship type, property or pattern is not in the schema.",
    "reversed_direction": "A relationship is followed in the wrong direction.",
    "entity_linking": "The query names other entities than the gold query.",
    "pattern": "The labels or relationships differ from the gold query's.",
    "filtering": "The right pattern with the wrong conditions.",
    "deduplication": "The right rows with the wrong multiplicities: duplicates are missing or superfluous.",
    "results": "The right pattern and conditions, but the wrong columns, order or aggregation.",
}

_BY_CODE = {
    **dict.fromkeys(("unknown_label", "unknown_relationship_type", "unknown_property"), "schema_violation"),
    "impossible_pattern": "schema_violation",
    "reversed_direction": "reversed_direction",
}
_NO_SCHEMA = PropertyGraphSchema("", {}, (), open=True)
_FAILED = {"not_cypher": "syntax", "not_read_only": "syntax", "refused": "syntax", "timeout": "timeout"}


def categories_of(
    predicted: str,
    gold: str,
    failure: str,
    diagnostics: Iterable[Diagnostic],
    rows: Sequence[Sequence[Any]],
    gold_rows: Sequence[Sequence[Any]],
) -> list[str]:
    """Return the categories of a wrong prediction, keys of `CATEGORIES`; the first explains most of the others.

    The categories are those of CypherBench's error analysis (arXiv 2412.18702, §5.4, Figure 6), where people assigned
    one or several to a prediction; here the checks of `cypher` and a comparison of the two trees assign them.

    >>> categories_of("MATCH (m:Movie) RETURN m.name", "MATCH (m:Movie {name: 'Heat'}) RETURN m.name", "", [], [], [])
    ['entity_linking']
    """
    if not predicted.strip():
        return ["no_answer"]
    codes = [diagnostic.code for diagnostic in diagnostics if diagnostic.severity == "error"]
    found = {_BY_CODE[code] for code in codes if code in _BY_CODE}
    if failure:
        found.add(_FAILED.get(failure, "syntax"))
    try:
        predicted_shape, gold_shape = _ComparedParts(parse(predicted)), _ComparedParts(parse(gold))
    except CypherSyntaxError:
        return [category for category in CATEGORIES if category in found] or ["results"]
    if predicted_shape.names != gold_shape.names:
        found.add("entity_linking")
    if predicted_shape.types == gold_shape.types and predicted_shape.links != gold_shape.links:
        found.add("reversed_direction")
    if "schema_violation" not in found:  # a name that is not in the schema explains the other differences
        if predicted_shape.types != gold_shape.types or predicted_shape.labels != gold_shape.labels:
            found.add("pattern")
        if predicted_shape.conditions != gold_shape.conditions:
            found.add("filtering")
    if not found:
        distinct_rows, distinct_gold_rows = (
            {repr(sorted(map(repr, row))) for row in table} for table in (rows, gold_rows)
        )
        found.add("deduplication" if distinct_gold_rows and distinct_rows == distinct_gold_rows else "results")
    return [category for category in CATEGORIES if category in found]


class _ComparedParts:
    """The compared parts of a query: its names, labels, relationships (with and without direction) and conditions."""

    def __init__(self, query: t.Query) -> None:
        facts = outline_of(query, _NO_SCHEMA)
        compared = list(_list_comparisons(facts))
        self.names = {value for key, value in compared if key == "name"}
        self.conditions = Counter(pair for pair in compared if pair[0] != "name")
        self.conditions.update(("null", repr(node.negated)) for node in query.find(t.IsNull))
        self.labels = {use.name.name.text for use in facts.labels}
        self.links: set[tuple[str, bool]] = set()
        self.types: set[str] = set()
        for link in facts.links:
            if link.pattern.types is not None:
                ends = [_end(facts, link.left, link.left_node), _end(facts, link.right, link.right_node)]
                start, end = reversed(ends) if link.pattern.direction == "left" else ends
                types = "|".join(sorted(name.text for name in link.pattern.types.find(t.Name)))
                self.types.add(types)
                self.links.add((f"{start}-{types}-{end}", link.pattern.direction == "both"))


def _end(facts: Facts, symbol: Symbol, node: t.NodePattern) -> str:
    """Return the text for one end of a link: the node's labels, with `*` if the node has a property map."""
    same = {id(symbol), id(symbol.parent)}
    labels = {use.name.name.text for use in facts.labels if id(use.symbol) in same}
    return "|".join(sorted(labels)) + ("*" if isinstance(node.properties, t.MapLiteral) else "")


def _list_comparisons(facts: Facts) -> Iterable[tuple[str, str]]:
    """Yield each compared property with its value as text, which begins with the operator unless it is a name."""
    for comparison in facts.comparisons:
        for use, other in ((comparison.left, comparison.right_node), (comparison.right, comparison.left_node)):
            if isinstance(use, PropertyUse) and not isinstance(other, t.Property):
                value = other.value if isinstance(other, t.StringLiteral) else facts.query.source(other)
                yield use.key, value if use.key == "name" else f"{comparison.operator} {value}"
