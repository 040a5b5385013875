"""The addresses of the page: `/ui/` and its files for everyone, `/ui/api/…` with the token where one is required."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from graphground.graphs.engines.engine import EngineError
from graphground.server.application import Application
from graphground.server.threads import WorkerThreads
from graphground.server.ui.answers import arguments_in, of_failure, of_outcome, of_value, page_of
from graphground.server.ui.files import file
from graphground.server.ui.headers import GuardedPage
from graphground.server.ui.health import health
from graphground.tools.failure import ToolFailure

PREFIX = "/ui"
ResultT = TypeVar("ResultT")


class Page:
    """The handlers of the page, on one application: `Page(application, WorkerThreads()).routes(security, None)`."""

    def __init__(self, application: Application, workers: WorkerThreads) -> None:
        self.application, self._workers = application, workers

    def routes(self, security: TransportSecuritySettings, auth: AuthSettings | None) -> list[BaseRoute]:
        """The routes, guarded as MCP is."""
        data: ASGIApp = Starlette(
            routes=[
                Route("/call/{tool}", self._reporting(self.call), methods=["POST"]),
                Route("/health", self._reporting(self.health), methods=["GET"]),
            ]
        )
        if auth is not None:
            data = RequireAuthMiddleware(data, auth.required_scopes or [])
        page = Starlette(routes=[Mount("/api", data), Route("/{path:path}", file, methods=["GET"])])
        return [Route("/", _to_page, methods=["GET"]), Mount(PREFIX, GuardedPage(page, security))]

    async def call(self, request: Request) -> Response:
        """Handle `POST /ui/api/call/TOOL`: run a tool as for an MCP client."""
        tool, arguments, caller = request.path_params["tool"], await arguments_in(request), page_of(request)
        return of_outcome(
            await self._workers.run(caller, tool, arguments, partial(self.application.call, tool, arguments, caller))
        )

    async def health(self, request: Request) -> Response:
        """Handle `GET /ui/api/health`: the state of each graph."""
        return of_value(await self.in_thread(request, "resource", lambda: health(self.application.graphs())))

    async def in_thread(self, request: Request, what: str, work: Callable[[], ResultT]) -> ResultT:
        """The result of `work`, which may wait for a database."""
        return await self._workers.run(page_of(request), what, {}, work)

    def _reporting(self, handle: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """A handler whose failures become answers."""

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except ToolFailure as failure:
                return of_failure(failure)
            except EngineError as error:
                return of_failure(ToolFailure("graph_unavailable", str(error), next="Choose another graph."))

        return handled


async def _to_page(_: Request) -> Response:
    return RedirectResponse(f"{PREFIX}/")
