"""The routes of the page: `/ui/` and its files without a token; `/ui/api/…` with the token, if one is required.

Answers are `{"ok": true, "answer": …}`, or `{"ok": false, "failure": …}` with the fields of a tool failure. The HTTP
status is 200 in both cases: a failure such as an unknown graph is shown on the page and is not an HTTP error.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import anyio
import orjson
from mcp.server.auth.middleware.bearer_auth import RequireAuthMiddleware
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from pydantic import Field, ValidationError
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from graphground.cypher.diagnostics import LONGEST_SPAN, cut
from graphground.cypher.functions import FUNCTIONS
from graphground.cypher.quoting import quoted_name
from graphground.cypher.schema import PropertyGraphSchema
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph
from graphground.graphs.schemas.matches import with_elements
from graphground.graphs.schemas.statistics import PropertyStatistics, Statistics
from graphground.server.application import Application, encode, other_graphs
from graphground.server.threads import WorkerThreads, caller_of, owner_of, token_client
from graphground.server.traces.event import event_in
from graphground.server.traces.recorder import Recorder
from graphground.server.traces.transcript import transcript
from graphground.server.transports.authorization import OPERATOR
from graphground.tools.execute_cypher import LONGEST_QUERY, check_query, refuse_missing_parameters
from graphground.tools.tool import Graphs, ToolFailure, graph_named, note_on
from graphground.tools.tool import Request as Arguments


def drawn_queries(graph: Graph, query: str, parameters: dict[str, Any] | None) -> list[str]:
    """Return queries that find the rows of this query, each row with the nodes and relationships from which it comes.

    Raises:
        ToolFailure: `execute_cypher` would refuse the query.
    """
    tree, _ = check_query(graph, query, parameters)
    return with_elements(tree, graph.language)


def pattern(graph: Graph, query: str, parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the first MATCH after which no row is left, with the counts of its parts; None if not found in time.

    Raises:
        ToolFailure: `execute_cypher` would refuse the query.
    """
    from graphground.graphs.why_empty.explain import counted_pattern  # needs rapidfuzz

    tree, _ = check_query(graph, query, parameters)
    refuse_missing_parameters(tree, parameters or {})
    found = counted_pattern(graph, tree, parameters)
    return None if found is None else asdict(found)


LONGEST_VALUE, MOST_VALUES = 80, 5


def schema_for_page(graph: Graph) -> dict[str, Any]:
    """Return a graph's schema: `{"labels": [{"name": "Team", "count": 30, …}], "patterns": […], …}`.

    `statistics` is false until statistics have been collected. `note` says why the schema may be incomplete or
    outdated; it is empty for a current schema.
    """
    # The note is read first: if the schema is completed in between, the note is outdated, but never missing.
    note = note_on(graph)
    facts = graph.statistics()
    return {
        **names_of(graph.schema, facts),
        "statistics": facts is not None,
        "expected": graph.statistics_reader is not None,
        "note": note,
    }


def names_of(schema: PropertyGraphSchema, facts: Statistics | None) -> dict[str, Any]:
    """Return the labels and patterns of a schema, with properties and statistics, and the names of all functions."""
    return {
        "labels": [
            {
                "name": label.name,
                "quoted": quoted_name(label.name),
                "description": label.description,
                "count": facts.nodes(label.name) if label.count is None and facts is not None else label.count,
                "naming": label.name_property,
                "namesakes": facts.namesakes(label.name) if facts is not None else None,
                "properties": properties_of(label.name, label.properties, facts),
                "reserved": sorted(label.reserved - {label.name_property}),
            }
            for label in schema.labels.values()
        ],
        "patterns": [
            {
                "type": pattern.type,
                "quoted": quoted_name(pattern.type),
                "start": pattern.start,
                "end": pattern.end,
                "description": pattern.description,
                "count": facts.relationships(pattern.type, pattern.start, pattern.end)
                if pattern.count is None and facts is not None
                else pattern.count,
                "symmetric": pattern.symmetric,
                "properties": properties_of(pattern.type, pattern.properties, facts),
            }
            for pattern in schema.patterns
        ],
        "functions": sorted(FUNCTIONS),
    }


def properties_of(owner: str, types: Mapping[str, str], facts: Statistics | None) -> list[dict[str, Any]]:
    """Return each property with its type and, if known, its share of filled values, its extremes and common values."""
    return [
        {
            "name": key,
            "quoted": quoted_name(key),
            "type": type_,
            **(values_of(known) if facts is not None and (known := facts.property(owner, key)) is not None else {}),
        }
        for key, type_ in types.items()
    ]


def values_of(known: PropertyStatistics) -> dict[str, Any]:
    """Return the statistics of a property's values; long values are cut."""
    return {
        "fill": round(known.fill, 4),
        "distinct": known.distinct,
        "least": cut_value(known.least),
        "greatest": cut_value(known.greatest),
        "common": [[cut_value(value), count] for value, count in known.common[:MOST_VALUES]],
        "exact": known.exact,
    }


def cut_value(value: Any) -> str | None:
    """Return a value as a short text: `cut_value(1995)` is `"1995"`; None for null."""
    if value is None:
        return None
    text = f"[{', '.join(map(str, value))}]" if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",  # images inside the style sheet
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-cache",
}
SAME_SITE = ("same-origin", "none")
"""The values of Sec-Fetch-Site that browsers send for the page's own requests and for addresses typed by the user."""


class GuardedPage:
    """An ASGI application that refuses requests for hosts that are not allowed, and other sites' requests for data.

    Only the page itself may request data, which are under /api/. Other sites may link to the page.
    """

    def __init__(self, app: ASGIApp, security: TransportSecuritySettings) -> None:
        self._app, self._checks = app, TransportSecurityMiddleware(security)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request or pass it on; add the security headers to the response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        request = Request(scope, receive)
        refusal = await self._checks.validate_request(request, is_post=request.method == "POST")
        if (
            refusal is None
            and "/api/" in scope["path"]
            and request.headers.get("sec-fetch-site", "none") not in SAME_SITE
        ):
            refusal = PlainTextResponse("only the page itself may request this address", status_code=403)
        await (refusal or self._app)(scope, receive, send_with_headers)


FOLDER = Path(__file__).parent / "static"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
PAGE = "page.html"


async def send_file(request: Request) -> Response:
    """Handle `GET /ui/PATH`: return the file or, without a path, the page itself."""
    name = request.path_params.get("path", "") or PAGE
    known = files().get(name)
    if known is None:
        return PlainTextResponse(f"there is no file {cut(name, LONGEST_SPAN)!r}", status_code=404)
    content, tag = known
    headers = {"ETag": tag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["Content-Encoding"] = _compressed(content), "gzip"
    return Response(content, media_type=TYPES[Path(name).suffix], headers=headers)


_compressed = cache(gzip.compress)
"""A file's content as gzip, made when it is first requested: the libraries take a third of the bytes."""


@cache
def files() -> dict[str, tuple[bytes, str]]:
    """Return the content and the ETag of each file in the folder, by path; no other file can be requested."""
    paths = [path for path in FOLDER.rglob("*") if path.suffix in TYPES and path.is_file()]
    contents = {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in paths}
    return {name: (content, f'"{hashlib.sha256(content).hexdigest()[:24]}"') for name, content in contents.items()}


MOST_BYTES = 1_048_576
"""The maximum number of bytes of a request's body; MCP requests have the same limit."""


def of_value(value: Any) -> Response:
    """Return the response for an answer made of plain values and answer models."""
    return Response(b'{"ok":true,"answer":' + encode(value) + b"}", media_type="application/json")


def of_failure(failure: ToolFailure) -> Response:
    """Return the response for a tool failure."""
    return Response(b'{"ok":false,"failure":' + encode(failure.as_dict()) + b"}", media_type="application/json")


async def arguments_in(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises:
        ToolFailure: the body is too long, or is not a JSON object.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise ToolFailure(
                "request_too_long", f"A request may have at most {MOST_BYTES:,} bytes.", next="Shorten the query."
            )
    try:
        value = orjson.loads(bytes(body) or b"{}")
    except orjson.JSONDecodeError as error:
        raise ToolFailure("invalid_json", f"The request is not JSON: {error}.", next="Reload the page.") from None
    if not isinstance(value, dict):
        raise ToolFailure("invalid_json", "The arguments must be a JSON object.", next="Reload the page.")
    return value


def read_health(graphs: Graphs) -> list[dict[str, Any]]:
    """Return the state of each graph: `[{"name": "nba", "problem": None, "opened": True, …}]`; opens no graph."""
    states = []
    for summary in graphs.summaries():
        graph = graphs.opened(summary.name)
        info = graph.entities.info if graph is not None and graph.entities is not None else None
        states.append(
            {
                "name": summary.name,
                "problem": summary.problem,
                "opened": graph is not None,
                "index": info.texts if info is not None else None,
                "statistics": graph.statistics() is not None
                if graph is not None and graph.statistics_reader is not None
                else None,
                "write_protected": summary.write_protected,
            }
        )
    return states


ALIVE_SECONDS = 15.0
"""Seconds between the comments that are sent to detect a disconnected browser."""
POLL_SECONDS = 0.1
MAX_STREAMS, MAX_BATCH_BYTES = 32, 500_000
"""The maximum number of open streams, and of bytes sent at once, so that a long history does not hold other calls."""


class Work:
    """The handlers of the view of calls: `Work(recorder).events`.

    With tokens, each client sees its own calls; a token with the scope of an operator shows all.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._streams = recorder, 0

    async def events(self, request: Request) -> Response:
        """Handle `GET /ui/api/work?after=N&of=RECORDER`: send the events after number N, then each new event.

        `of` is the recorder's label that the page has received before; for another label, N is ignored.
        """
        if self._streams >= MAX_STREAMS:
            return Response("too many pages are open", status_code=503)
        number = request.query_params.get("after", "0")
        known = request.query_params.get("of") == self._recorder.label
        after = int(number) if known and number.isdecimal() and len(number) < 20 else 0
        return StreamingResponse(self._stream(after, viewer_of(request)), media_type="text/event-stream")

    async def _stream(self, after: int, viewer: str | None) -> AsyncIterator[bytes]:
        self._streams += 1
        try:
            yield b"event: recorder\ndata: " + self._recorder.label.encode() + b"\n\n"
            quiet, running = 0.0, b"[]"
            while True:
                lines = self._recorder.running_lines(viewer)
                now_running = b"[" + b",".join(line.rstrip(b"\n") for line in lines) + b"]"
                if now_running != running:
                    yield b"event: running\ndata: " + now_running + b"\n\n"
                    running, quiet = now_running, 0.0
                after, new = self._recorder.lines(after, viewer, MAX_BATCH_BYTES)
                if new:
                    yield b"".join(b"id: %d\ndata: %s\n" % each for each in new)
                    quiet = 0.0
                elif quiet >= ALIVE_SECONDS:
                    yield b": alive\n\n"
                    quiet = 0.0
                await anyio.sleep(POLL_SECONDS)
                quiet += POLL_SECONDS
        finally:
            self._streams -= 1

    async def export(self, request: Request) -> Response:
        """Handle `POST /ui/api/export` with `{"session": …, "form": "jsonl"}`: return a session as the text of a file.

        `form` is `jsonl` or `markdown`. Without `session`, the file contains all sessions that the viewer may see.
        """
        arguments, viewer = await arguments_in(request), viewer_of(request)
        session, form = arguments.get("session"), arguments.get("form")

        def work() -> str:
            events = [event_in(line) for _, line in self._recorder.lines(owner=viewer)[1]]
            chosen = [event for event in events if session is None or event.session == session]
            if form == "markdown":
                return transcript(chosen)
            return b"".join(event.as_line() for event in chosen).decode()

        return of_value({"text": await anyio.to_thread.run_sync(work)})


def viewer_of(request: Request) -> str | None:
    """Return the client whose calls a request may see; None if it may see all, as without tokens or for an operator."""
    token = getattr(request.scope.get("user"), "access_token", None)
    if token is None or OPERATOR in token.scopes:
        return None
    return token_client(request)


PREFIX = "/ui"


class OfGraph(Arguments):
    """The body of a request about a graph: `{"graph": "nba"}`."""

    graph: str | None = None


class AboutQuery(OfGraph):
    """The body of a request about a query: `{"graph": "nba", "query": "MATCH …"}`."""

    query: str = Field(min_length=1, max_length=LONGEST_QUERY)
    parameters: dict[str, Any] | None = None


logger = logging.getLogger(__name__)


class Page:
    """The handlers of the page for one application: `Page(application, WorkerThreads()).routes(security, None)`."""

    def __init__(
        self, application: Application, workers: WorkerThreads, when_opened: Callable[[], None] | None = None
    ) -> None:
        """Call `when_opened` once, when the page makes its first tool call."""
        self.application, self._workers, self._when_opened = application, workers, when_opened

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
                Route("/drawn", self._reporting(self.drawn), methods=["POST"]),
                Route("/pattern", self._reporting(self.pattern), methods=["POST"]),
            ]
        )
        if auth is not None:
            data = RequireAuthMiddleware(data, auth.required_scopes or [])
        page = Starlette(routes=[Mount("/api", data), Route("/{path:path}", send_file, methods=["GET"])])
        return [Route("/", RedirectResponse(f"{PREFIX}/"), methods=["GET"]), Mount(PREFIX, GuardedPage(page, security))]

    async def call(self, request: Request) -> Response:
        """Handle `POST /ui/api/call/TOOL`: run a tool as an MCP client does, and return its answer."""
        work, self._when_opened = self._when_opened, None
        if work is not None:
            work()
        tool, arguments = request.path_params["tool"], await arguments_in(request)
        number = request.headers.get("x-graphground-page", "")[:64]
        owner = f"page {number} {owner_of(request)}"  # each browser page owns its kept rows
        call = partial(self.application.call, tool, arguments, owner)
        # The tool's JSON is not encoded again.
        outcome = await self._workers.run(caller_of(request), tool, arguments, call)
        field = b'{"ok":false,"failure":' if outcome.is_error else b'{"ok":true,"answer":'
        return Response(field + outcome.payload + b"}", media_type="application/json")

    async def health(self, request: Request) -> Response:
        """Handle `GET /ui/api/health`: return the state of each graph."""
        return await self._answer(request, None, "resource", lambda: read_health(self.application.graphs()))

    async def schema(self, request: Request) -> Response:
        """Handle `POST /ui/api/schema` with `{"graph": "nba"}`: return a schema with its statistics."""
        arguments = OfGraph.model_validate(await arguments_in(request))
        return await self._about_graph(request, arguments.graph, "get_schema", schema_for_page)

    async def drawn(self, request: Request) -> Response:
        """Handle `POST /ui/api/drawn`: return the queries whose rows hold what a query's rows come from."""
        return await self._about_query(request, "validate_cypher", drawn_queries)

    async def pattern(self, request: Request) -> Response:
        """Handle `POST /ui/api/pattern`: return the pattern that makes a query's result empty, with counts."""
        return await self._about_query(request, "execute_cypher", pattern)

    async def _about_query(self, request: Request, what: str, work: Callable[..., Any]) -> Response:
        arguments = AboutQuery.model_validate(await arguments_in(request))
        work = partial(work, query=arguments.query, parameters=arguments.parameters)
        return await self._about_graph(request, arguments.graph, what, work)

    async def _about_graph(
        self, request: Request, name: str | None, what: str, work: Callable[[Graph], Any]
    ) -> Response:
        return await self._answer(request, name, what, lambda: work(graph_named(self.application.graphs(), name)))

    async def _answer(self, request: Request, name: str | None, what: str, work: Callable[[], Any]) -> Response:
        """Return the response with the result of `work`, which runs in a worker thread and may open a graph.

        Raises:
            ToolFailure: there is no graph of this name, or it is not available; the failure names the other graphs.
        """

        def run() -> Any:
            try:
                return work()
            except EngineError as error:
                others = other_graphs(self.application.graphs, name)
                message = self.application.hide(str(error))
                if message != str(error):
                    logger.warning("a request of the page failed: %s", error)
                next_step = "Choose another graph." if others else ""
                raise ToolFailure("graph_unavailable", message, nearest=others, next=next_step) from error

        return of_value(await self._workers.run(caller_of(request), what, {}, run))

    def _reporting(self, handle: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Wrap a handler: a tool failure or invalid arguments become a response to the page."""

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except ToolFailure as failure:
                return of_failure(failure)
            except ValidationError as error:
                return of_failure(ToolFailure("wrong_argument", str(error.errors()[0]["msg"]), next="Reload the page."))

        return handled
