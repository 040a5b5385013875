"""The routes of the page: `/ui/` and its files without a token; `/ui/api/…` with the token, if one is required."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import Field, ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.server.application import Application
from graphground.server.middleware.errors import other_graphs
from graphground.server.threads import WorkerThreads
from graphground.server.ui.answers import arguments_in, of_failure, of_outcome, of_value, page_of
from graphground.server.ui.files import file
from graphground.server.ui.headers import GuardedPage
from graphground.server.ui.health import health
from graphground.server.ui.work import Work
from graphground.tools.execute_cypher import LONGEST_QUERY
from graphground.tools.failure import ToolFailure
from graphground.tools.tool import Request as Arguments
from graphground.tools.tool import graph_named

if TYPE_CHECKING:
    from graphground.server.ui.model import PageModel

PREFIX = "/ui"


class OfGraph(Arguments):
    """The body of a request about a graph: `{"graph": "nba"}`."""

    graph: str | None = None


class Matches(OfGraph):
    """The body of a request about a query: `{"graph": "nba", "query": "MATCH …", "most": 100}`."""

    query: str = Field(min_length=1, max_length=LONGEST_QUERY)
    parameters: dict[str, Any] | None = None
    most: int = Field(100, ge=1)


logger = logging.getLogger(__name__)

ResultT = TypeVar("ResultT")


class Page:
    """The handlers of the page for one application: `Page(application, WorkerThreads()).routes(security, None)`."""

    def __init__(
        self,
        application: Application,
        workers: WorkerThreads,
        when_opened: Callable[[], None] | None = None,
        model: PageModel | None = None,
    ) -> None:
        """Call `when_opened` once, when the page makes its first tool call; `model`, if given, answers questions."""
        self.application, self._workers, self._when_opened = application, workers, when_opened
        self._model = model

    def routes(self, security: TransportSecuritySettings, auth: AuthSettings | None) -> list[BaseRoute]:
        """Return the routes of the page; `security` and `auth` are the checks that MCP requests pass too."""
        work = Work(self.application.recorder) if self.application.recorder is not None else None
        data: ASGIApp = Starlette(
            routes=[
                *(
                    [Route("/work", work.events), Route("/export", self._reporting(work.export), methods=["POST"])]
                    if work
                    else []
                ),
                Route("/call/{tool}", self._reporting(self.call), methods=["POST"]),
                Route("/health", self._reporting(self.health), methods=["GET"]),
                Route("/schema", self._reporting(self.schema), methods=["POST"]),
                Route("/matches", self._reporting(self.matches), methods=["POST"]),
                Route("/pattern", self._reporting(self.pattern), methods=["POST"]),
                *self._routes_of_model(),
            ]
        )
        if auth is not None:
            data = RequireAuthMiddleware(data, auth.required_scopes or [])
        page = Starlette(routes=[Mount("/api", data), Route("/{path:path}", file, methods=["GET"])])
        return [Route("/", _to_page, methods=["GET"]), Mount(PREFIX, GuardedPage(page, security))]

    def _routes_of_model(self) -> list[BaseRoute]:
        model = self._model
        if model is None:
            return [Route("/model", self._reporting(_no_model), methods=["GET"])]
        return [
            Route("/model", self._reporting(model.about), methods=["GET"]),
            Route("/model/query", self._reporting(model.query), methods=["POST"]),
            Route("/model/words", self._reporting(model.words), methods=["POST"]),
        ]

    async def call(self, request: Request) -> Response:
        """Handle `POST /ui/api/call/TOOL`: run a tool as an MCP client does, and return its answer."""
        work, self._when_opened = self._when_opened, None
        if work is not None:
            work()
        tool, arguments, caller = request.path_params["tool"], await arguments_in(request), page_of(request)
        return of_outcome(
            await self._workers.run(caller, tool, arguments, partial(self.application.call, tool, arguments, caller))
        )

    async def health(self, request: Request) -> Response:
        """Handle `GET /ui/api/health`: return the state of each graph."""
        return of_value(await self.in_thread(request, "resource", lambda: health(self.application.graphs())))

    async def schema(self, request: Request) -> Response:
        """Handle `POST /ui/api/schema` with `{"graph": "nba"}`: return a schema with its statistics and picture."""
        from graphground.server.ui.schema import schema_with_picture  # loaded with the first schema

        name = OfGraph.model_validate(await arguments_in(request)).graph
        return of_value(await self.in_thread(request, "get_schema", self._with_graph(name, schema_with_picture)))

    async def matches(self, request: Request) -> Response:
        """Handle `POST /ui/api/matches`: return the nodes and relationships that the rows of a query come from."""
        from graphground.server.ui.picture import matches

        arguments = Matches.model_validate(await arguments_in(request))
        return of_value(
            await self.in_thread(
                request,
                "execute_cypher",
                self._with_graph(
                    arguments.graph, lambda graph: matches(graph, arguments.query, arguments.parameters, arguments.most)
                ),
            )
        )

    async def pattern(self, request: Request) -> Response:
        """Handle `POST /ui/api/pattern`: return the pattern that makes a query's result empty, with counts."""
        from graphground.server.ui.picture import pattern

        arguments = Matches.model_validate(await arguments_in(request))
        return of_value(
            await self.in_thread(
                request,
                "execute_cypher",
                self._with_graph(arguments.graph, lambda graph: pattern(graph, arguments.query, arguments.parameters)),
            )
        )

    def _with_graph(self, name: str | None, work: Callable[[Graph], ResultT]) -> Callable[[], ResultT]:
        """Return a function that runs `work` on a graph, which it opens if necessary.

        The function raises `ToolFailure` if there is no graph of this name, or if it is not available; the failure
        names the other graphs.
        """

        def run() -> ResultT:
            try:
                return work(graph_named(self.application.graphs(), name))
            except EngineError as error:
                raise self._unavailable(error, name) from error

        return run

    def _unavailable(self, error: EngineError, name: str | None) -> ToolFailure:
        others = other_graphs(self.application.graphs, name)
        message = self.application.hide(str(error))
        if message != str(error):
            logger.warning("a request of the page failed: %s", error)
        next_step = "Choose another graph." if others else ""
        return ToolFailure("graph_unavailable", message, nearest=others, next=next_step)

    async def in_thread(self, request: Request, what: str, work: Callable[[], ResultT]) -> ResultT:
        """Run `work`, which may wait for a database, in a worker thread and return its result; see `WorkerThreads`."""
        return await self._workers.run(page_of(request), what, {}, work)

    def _reporting(self, handle: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Wrap a handler: a tool failure, invalid arguments or a database error become a response to the page."""

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except ToolFailure as failure:
                return of_failure(failure)
            except ValidationError as error:
                return of_failure(ToolFailure("wrong_argument", str(error.errors()[0]["msg"]), next="Reload the page."))
            except EngineError as error:
                return of_failure(self._unavailable(error, None))

        return handled


async def _no_model(_: Request) -> Response:
    return of_value(None)


async def _to_page(_: Request) -> Response:
    return RedirectResponse(f"{PREFIX}/")
