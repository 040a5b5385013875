"""Sessions of streamable HTTP with limits: they expire, and beyond the limit a new session replaces an idle session."""

from __future__ import annotations

import asyncio
import logging
import math
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any

import anyio
import orjson
import pydantic_core
from mcp.server.runner import ServerRunner
from mcp.server.streamable_http import (
    MCP_SESSION_ID_HEADER,
    REQUEST_CANCELLED,
    StreamableHTTPServerTransport,
    check_accept_headers,
)
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared import jsonrpc_dispatcher
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.transport_context import TransportContext
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

IDLE_SECONDS = 30 * 60.0
MOST_SESSIONS = 1_000
MOST_BODY_BYTES = 1_048_576
"""The maximum size of a request in bytes: enough for a query of 100,000 characters and its parameters."""
USED = 50
"""A number of requests; sessions with this number of requests or more count as equally used."""

IN_JSON, OUTCOME, SESSION = "graphground.in_json", "graphground.outcome", "graphground.session"
"""Keys of a request's scope: whether it is answered as JSON; the outcome of its call, which is encoded already; and the
`PlainAnswers` of its session."""
OF_SDK = {"_InFlight", "_JSONRPCDispatchContext", "handler_exception_to_error_data"}
"""Names that the SDK does not document: a version without them runs calls in its own, slower way."""
logger = logging.getLogger(__name__)
_scope: ContextVar[Scope | None] = ContextVar("graphground_scope", default=None)
"""The scope of the current request."""


class PlainAnswers(StreamableHTTPServerTransport):
    """A session that answers a request as JSON, unless the client wants to receive progress or log messages with it.

    The SDK opens an event stream for every answer, which takes a third of the time of a quick call. It also copies the
    rows of an answer three times and encodes them again; here they are encoded once, by the call's thread. The SDK
    passes a call through three queues and two more tasks, which takes another third; here its request's task runs it.
    """

    wants_log = False
    requests = 0
    _runner: ServerRunner[Any] | None = None
    """The SDK's handler of the session's requests, known after the first."""

    def importance(self) -> tuple[int, float]:
        """Return the number of requests, up to `USED`, and the time at which the session expires."""
        assert self.idle_scope is not None
        return min(USED, self.requests), self.idle_scope.deadline

    def greet(self, runner: ServerRunner[Any]) -> None:
        """Let the tasks of requests run calls with `runner`."""
        self._runner, self._calls = runner, set[anyio.CancelScope]()

    async def terminate(self) -> None:
        """End the session and its calls."""
        for scope in list(self._calls) if self._runner is not None else ():
            scope.cancel()
        await super().terminate()

    async def _answer_call(self, request: Request, body: bytes) -> Response | None:
        """Run a call of a tool, and return its response; None for other requests, and for what the SDK must refuse."""
        runner = self._runner
        if runner is None or not check_accept_headers(request)[0] or not self._check_content_type(request):
            return None
        try:
            message = jsonrpc_message_adapter.validate_python(pydantic_core.from_json(body), by_name=False)
        except ValueError:
            return None
        if not isinstance(message, JSONRPCRequest) or message.method != "tools/call":
            return None
        dispatcher: Any = runner.connection.outbound
        transport = TransportContext(kind="jsonrpc", can_send_request=False)
        context = jsonrpc_dispatcher._JSONRPCDispatchContext(
            transport, dispatcher, message.id, self._message_metadata(request)
        )
        number = coerce_request_id(message.id)
        error = ErrorData(code=REQUEST_CANCELLED, message="Request cancelled")
        with anyio.CancelScope() as scope:
            self._calls.add(scope)
            # `notifications/cancelled` finds the call here.
            flight = dispatcher._in_flight[number] = jsonrpc_dispatcher._InFlight(scope, context)
            try:
                result = await runner.on_request(context, message.method, message.params)
                if not context.cancel_requested.is_set():
                    return self._create_json_response(JSONRPCResponse(jsonrpc="2.0", id=message.id, result=result))
            except Exception as raised:
                found = jsonrpc_dispatcher.handler_exception_to_error_data(raised)
                if found is None:
                    logger.exception("the request %r failed", message.method)
                error = found or ErrorData(code=0, message=str(raised))
            finally:
                context.close()
                self._calls.discard(scope)
                if dispatcher._in_flight.get(number) is flight:
                    del dispatcher._in_flight[number]
        if self.is_terminated:
            return self._create_error_response(
                "Session terminated before the request completed", HTTPStatus.INTERNAL_SERVER_ERROR, INTERNAL_ERROR
            )
        return self._create_json_response(JSONRPCError(jsonrpc="2.0", id=message.id, error=error))

    @property
    def is_json_response_enabled(self) -> bool:  # type: ignore[override]
        scope = _scope.get()
        return scope is not None and bool(scope.get(IN_JSON))

    def _create_json_response(
        self, response_message: Any, status_code: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
    ) -> Response:
        outcome = (_scope.get() or {}).pop(OUTCOME, None)
        if outcome is None or not isinstance(response_message, JSONRPCResponse):
            return super()._create_json_response(response_message, status_code, headers)
        result = {
            **response_message.result,
            "content": [{"type": "text", "text": outcome.text}],
            "structuredContent": orjson.Fragment(outcome.payload),
        }
        return Response(
            orjson.dumps({"jsonrpc": "2.0", "id": response_message.id, "result": result}),
            status_code,
            {MCP_SESSION_ID_HEADER: self.mcp_session_id} if self.mcp_session_id else None,
            "application/json",
        )

    async def _handle_post_request(self, scope: Scope, request: Request, receive: Receive, send: Send) -> None:
        body = await request.body()  # the request keeps it for the SDK
        self.requests += 1
        self.wants_log = self.wants_log or b"logging/setLevel" in body
        in_json = not self.wants_log and b"progressToken" not in body
        scope[IN_JSON] = in_json  # `Reporting` sends nothing then: it would be taken for the answer
        scope[SESSION] = self
        _scope.set(scope)
        try:
            answer = await self._answer_call(request, body) if in_json and b"tools/call" in body else None
            if answer is None:
                await super()._handle_post_request(scope, request, receive, send)
            else:
                await answer(scope, receive, send)
        except asyncio.CancelledError:  # the server stops during the call; uvicorn would log a traceback
            stopping = PlainTextResponse("The server is stopping.", status_code=503)
            await stopping(scope, receive, send)


class BoundedSessions(StreamableHTTPSessionManager):
    """A session manager that closes an idle session to make room for a new one; the SDK's manager refuses new sessions.

    The idle session with the fewest requests is closed; of several such sessions, the session that has been idle
    longest. A session with a request in progress is never closed.
    """

    async def _serve_opening_request(
        self, http_transport: StreamableHTTPServerTransport, scope: Scope, receive: Receive, send: Send
    ) -> None:
        http_transport.__class__ = PlainAnswers  # the SDK cannot create it
        sessions: Any = self._server_instances
        if len(sessions) > MOST_SESSIONS:
            others = (entry for entry in sessions.items() if entry[1] is not http_transport)
            if idle := [entry for entry in others if entry[1].idle_scope.deadline < math.inf]:
                await self._discard_session(*min(idle, key=lambda entry: entry[1].importance()))
        await super()._serve_opening_request(http_transport, scope, receive, send)


def make_room(manager: StreamableHTTPSessionManager) -> None:
    """Turn a session manager that the SDK has created into a `BoundedSessions`, which the SDK cannot create."""
    manager.__class__ = BoundedSessions
    server = manager.app

    async def greet(ctx: Any, call_next: Any) -> Any:
        """Handle a request; the first of a session shows its connection."""
        session = ctx.request.scope.get(SESSION) if ctx.request is not None else None
        if session is not None and session._runner is None and vars(jsonrpc_dispatcher).keys() >= OF_SDK:
            session.greet(ServerRunner(server, ctx.session._connection, ctx.lifespan_context))
        return await call_next(ctx)

    server.middleware.append(greet)
