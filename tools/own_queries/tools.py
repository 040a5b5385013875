"""Offers the owner's queries as additional tools: `OwnTools(queries).offered()`; a query with problems is left out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.tools.execute_cypher import ExecuteCypherAnswer, ExecuteCypherRequest, execute_cypher
from graphground.tools.failure import ToolFailure
from graphground.tools.own_queries.definition import OwnQuery
from graphground.tools.own_queries.problems import Problem, problems_of, wrong_graph
from graphground.tools.own_queries.request import given_values, request_model
from graphground.tools.tool import Graphs, Request, Tool, graph_named

logger = logging.getLogger(__name__)


class OwnTools:
    """The tools for the owner's queries; records which of them are broken.

    `check` opens the graph of each query and checks the query. Each call checks its query again, because a database may
    change.
    """

    def __init__(self, queries: Sequence[OwnQuery] = ()) -> None:
        self.queries = {own.name: own for own in queries}
        self._tools: dict[str, Tool[Any, Any]] = {}
        self._broken: dict[str, list[Problem]] = {}
        self._lock = threading.Lock()

    def all(self) -> Mapping[str, Tool[Any, Any]]:
        """Return every tool, including the broken ones."""
        with self._lock:
            if not self._tools:
                self._tools = {name: self._tool(own) for name, own in self.queries.items()}
            return self._tools

    def offered(self) -> dict[str, Tool[Any, Any]]:
        """Return the tools that are not known to be broken."""
        return {name: tool for name, tool in self.all().items() if name not in self._broken}

    def names(self) -> list[str]:
        """Return the names of the tools that are not known to be broken, without creating the tools."""
        return [name for name in self.queries if name not in self._broken]

    def check(self, graphs: Graphs, *, quietly: bool = False) -> dict[str, list[Problem]]:
        """Check every query, opening its graph; return the problems of the broken queries.

        Newly found problems are logged unless `quietly`. A query whose graph cannot be opened now keeps its state.
        """
        for own in self.queries.values():
            names = list(graphs.names())
            wrong = wrong_graph(own, names)
            if wrong is not None:
                self._note(own, [wrong], quietly)
            elif names:
                try:
                    self._note(own, problems_of(own, graphs.get(own.graph or names[0])), quietly)
                except EngineError as error:
                    logger.info("the query %r is not checked: %s", own.name, error)
        return dict(self._broken)

    def _note(self, own: OwnQuery, problems: list[Problem], quietly: bool = False) -> None:
        """Store the problems of a query; when it becomes broken, log the first problem, unless `quietly`."""
        if not problems:
            self._broken.pop(own.name, None)
            return
        if own.name not in self._broken and not quietly:
            first = problems[0]
            logger.warning(
                "%s: %s %s The tool %r is left out; `graphground doctor` has the details.",
                first.place,
                first.message,
                first.fix,
                own.name,
            )
        self._broken[own.name] = problems

    def _tool(self, own: OwnQuery) -> Tool[Any, Any]:
        return Tool(
            own.name,
            own.title or own.name.replace("_", " ").replace("-", " ").capitalize(),
            own.description,
            request_model(own),
            ExecuteCypherAnswer,
            partial(self._run, own),
        )

    def _run(self, own: OwnQuery, graphs: Graphs, request: Request) -> ExecuteCypherAnswer:
        """Run the query like a query of `execute_cypher`, with the arguments as its parameters."""
        graph: Graph = graph_named(graphs, own.graph)
        problems = problems_of(own, graph)
        self._note(own, problems)
        if problems:
            raise ToolFailure(
                "broken_query",
                f"The query behind the tool {own.name!r} is broken: {problems[0].message}",
                diagnostics=[problem.diagnostic for problem in problems if problem.diagnostic is not None],
                next="Write the query yourself and call execute_cypher; the server's owner can run `graphground doctor`.",
            )
        return execute_cypher(
            graphs,
            ExecuteCypherRequest(
                query=own.cypher,
                graph=own.graph,
                parameters=given_values(request),
                limit=own.limit,
                timeout_s=own.timeout_s,
            ),
        )
