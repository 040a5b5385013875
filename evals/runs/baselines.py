"""The baselines without a model: the first query of `suggest_queries`, and the repair of `validate_cypher`."""

from __future__ import annotations

import time

from graphground.cypher import validate
from graphground.evals.runs.prediction import Prediction, ToolCall
from graphground.evals.tasks.task import Task
from graphground.graphs.engines.engine import EngineError
from graphground.tools.failure import ToolFailure
from graphground.tools.suggest_queries import SuggestQueriesRequest, suggest_queries
from graphground.tools.tool import Graphs


class FirstSuggestion:
    """A predictor that returns the first query of `suggest_queries`, or abstains without an entity or a query."""

    name = "suggest_queries"

    def __init__(self, graphs: Graphs) -> None:
        self._graphs = graphs

    def predict(self, task: Task) -> Prediction:
        started = time.monotonic()
        try:
            answer = suggest_queries(
                self._graphs,
                SuggestQueriesRequest.model_validate(
                    {"question": task.question[:2_000], "graph": task.graph, "limit": 1}
                ),
            )
        except ToolFailure as failure:
            seconds = time.monotonic() - started
            calls = (ToolCall("suggest_queries", seconds),)
            if failure.error == "no_entity_found":
                return Prediction(task.qid, stance="not_in_graph", text=str(failure), seconds=seconds, trace=calls)
            return Prediction(task.qid, error=str(failure), seconds=seconds, trace=calls)
        except EngineError as error:
            return Prediction(task.qid, error=str(error), seconds=time.monotonic() - started)
        seconds = time.monotonic() - started
        calls = (ToolCall("suggest_queries", seconds),)
        if not answer.candidates:
            return Prediction(
                task.qid, stance="not_in_graph", text="no suggested query returns rows", seconds=seconds, trace=calls
            )
        return Prediction(task.qid, answer.candidates[0].cypher, seconds=seconds, trace=calls)

    def close(self) -> None:
        pass


def repair(graphs: Graphs, name: str, query: str) -> str | None:
    """Return the correction that `validate_cypher` suggests for a wrong query; None if there is no suggestion."""
    graph = graphs.get(name)
    report = validate(query, graph.schema, entities=graph.indexed_entities, language=graph.language, read_only=True)
    return report.suggested_query
