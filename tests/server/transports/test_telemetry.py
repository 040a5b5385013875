"""What an operator sees over HTTP: metrics, readiness, request identifiers, logs as JSON, and spans without queries."""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from starlette.testclient import TestClient

from graphground import install_command
from graphground.graphs.engines import client_context
from graphground.graphs.engines.client_context import setting
from graphground.server.application import Application
from graphground.server.commands.command_line import set_up_logging
from graphground.server.protocol import Protocol
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from graphground.server.telemetry import REQUEST_ID, Metrics, Readiness, start_tracing, write_metrics
from graphground.server.threads import WorkerThreads
from graphground.server.transports.http import http_app, operation_routes
from tests.support.http_calls import INITIALIZE
from tests.support.serving import http_server

Serve = Callable[..., tuple[str, int]]
ADDRESS = "http://127.0.0.1:8300"
TRACE = "0af7651916cd43dd8448eb211c80319c"
QUERY = "MATCH (t:Team {name: 'Los Angeles Lakers'}) RETURN t.name"


def call(address: str, tool: str, arguments: dict[str, Any], **meta: str) -> dict[str, Any]:
    """Call a tool in a session of its own; return the response."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    for message in (
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params},
    ):
        request = urllib.request.Request(address, json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            headers |= {"Mcp-Session-Id": response.headers["mcp-session-id"], "Mcp-Protocol-Version": "2025-06-18"}
            text = response.read()
    answer = json.loads(text)
    assert answer["id"] == 2
    return dict(answer)


def client(**settings: Any) -> TestClient:
    """Return a client of the HTTP application with these settings."""
    given, workers = Settings(**settings), WorkerThreads()
    application = Application(lambda: graph_sources(given))
    server, operations = Protocol(application, workers=workers).server, operation_routes(application, workers, given)
    return TestClient(http_app(server, given, f"{ADDRESS}/mcp", operations=operations), base_url=ADDRESS)


def test_calls_are_counted_by_tool_and_error_without_their_content(tmp_path: Path) -> None:
    with http_server(tmp_path, "--metrics") as address:
        call(address, "list_graphs", {})
        call(address, "get_schema", {"graph": "secret name"})
        with urllib.request.urlopen(address.replace("/mcp", "/metrics"), timeout=30) as answer:
            text = answer.read().decode()
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'graphground_calls_total{tool="list_graphs",result="ok"} 1' in text
    assert 'graphground_calls_total{tool="get_schema",result="unknown_graph"} 1' in text
    assert 'graphground_call_seconds_bucket{tool="list_graphs",le="+Inf"} 1' in text
    assert "graphground_calls_running 0" in text
    assert "secret name" not in text
    for line in text.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+', line), line


def test_metrics_need_a_token_if_calls_do_and_are_off_by_default(tmp_path: Path) -> None:
    token, guarded = "a-token-of-24-characters", client(home=tmp_path, metrics=True, token="a-token-of-24-characters")
    assert guarded.get("/metrics").status_code == 401
    assert guarded.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert guarded.get("/metrics", headers={"Authorization": f"Bearer {token}"}).status_code == 200
    assert client(home=tmp_path).get("/metrics").status_code == 404


def test_a_server_without_a_usable_graph_is_alive_but_not_ready(tmp_path: Path) -> None:
    answer = client(home=tmp_path, uri="bolt://127.0.0.1:1", name="films").get("/ready")
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready", "graphs": "0 of 1 graphs"})
    app = client(home=tmp_path)
    assert app.get("/health").json() == {"status": "ok"}
    assert app.get("/ready").json() == {"status": "ready", "graphs": "1 of 1 graphs"}


def test_every_response_names_its_request_and_a_client_may_name_it(tmp_path: Path) -> None:
    app = client(home=tmp_path)
    first, second = (app.get("/health").headers["x-request-id"] for _ in range(2))
    assert first != second
    for given, kept in (("agent-7.1", True), ('a"b', False)):
        answer = app.get("/health", headers={"X-Request-Id": given})
        assert (answer.headers["x-request-id"] == given) is kept


def test_the_histogram_counts_each_call_in_every_bucket_above_its_time() -> None:
    metrics = Metrics()
    for seconds in (0.0005, 0.004, 90.0):
        metrics.observe("get_schema", "", seconds)
    text = write_metrics(metrics.samples())
    counts = {bound: int(count) for bound, count in re.findall(r'le="([^"]+)"} (\d+)', text)}
    assert (counts["0.001"], counts["0.005"], counts["60.0"], counts["+Inf"]) == (1, 2, 2, 3)
    assert text.count("# TYPE") == 2


def test_readiness_is_looked_for_once_a_second_at_most() -> None:
    asked = []
    application = Application(lambda: asked.append(1) or graph_sources(Settings()))  # type: ignore[func-returns-value]
    readiness = Readiness(application)
    assert len({readiness.look() for _ in range(20)}) == 1
    assert len(asked) == 1


def test_a_log_line_as_json_and_the_failure_of_a_call_name_the_same_request(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("warning", "json")

    def broken() -> object:
        raise RuntimeError("the disk is gone")

    with setting(REQUEST_ID, "agent-7.1"):
        outcome = Application(broken).call("list_graphs", {})  # type: ignore[arg-type]
    [line] = capsys.readouterr().err.splitlines()
    record = json.loads(line)
    assert (record["level"], record["request"]) == ("error", "agent-7.1")
    assert "RuntimeError: the disk is gone" in record["error"]
    assert "under request agent-7.1" in outcome.text
    set_up_logging("warning")


def test_without_the_extra_a_collector_in_the_environment_is_only_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start_tracing()()
    assert not caplog.messages
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    start_tracing()()
    assert install_command("telemetry") in caplog.text


@pytest.fixture
def spans() -> Iterator[Any]:
    """Yield the spans of this process, which are collected from here on."""
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs the extra telemetry")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider: Any = trace.get_tracer_provider()
    if not isinstance(provider, sdk.TracerProvider):
        trace.set_tracer_provider(provider := sdk.TracerProvider())
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield exporter
    exporter.shutdown()


@pytest.mark.engine
@pytest.mark.parametrize("with_queries", [False, True])
def test_the_span_of_a_query_lies_in_the_span_of_its_call_and_in_the_trace_of_the_client(
    data_folder: Path, serve: Serve, spans: Any, monkeypatch: pytest.MonkeyPatch, with_queries: bool
) -> None:
    monkeypatch.setattr(client_context, "spans_have_queries", with_queries)
    settings = Settings(home=str(data_folder))
    application, workers = Application(lambda: graph_sources(settings)), WorkerThreads()
    server = Protocol(application, workers=workers).server
    host, port = serve(
        http_app(server, settings, "http://x/mcp", operations=operation_routes(application, workers, settings))
    )
    meta = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
    with closing(application):
        answer = call(f"http://{host}:{port}/mcp", "execute_cypher", {"query": QUERY}, **meta)
    assert answer["result"]["structuredContent"]["rows"] == [["Los Angeles Lakers"]]
    found = {span.name: span for span in spans.get_finished_spans()}
    outer, inner = found["tools/call execute_cypher"], found["query"]
    contexts = [outer.context, inner.context, inner.parent]
    assert [format(context.trace_id, "032x") for context in contexts if context is not None] == [TRACE] * 3
    assert inner.parent == outer.context
    assert (outer.attributes or {})["graphground.request_id"]
    assert (QUERY in str([span.attributes for span in found.values()])) is with_queries
