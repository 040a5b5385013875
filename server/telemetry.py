"""What an operator sees of a running server: metrics for Prometheus, spans of OpenTelemetry, logs as JSON, readiness.

None of it holds the text of a query or a value of a graph; only spans do, if `--telemetry-queries` asks for it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground import __version__, install_command
from graphground.graphs.engines import client_context

if TYPE_CHECKING:
    from graphground.server.application import Application
    from graphground.server.threads import WorkerThreads

REQUEST_ID: ContextVar[str] = ContextVar("graphground_request_id", default="")
"""The identifier of the current request, which its client knows: `X-Request-Id`, or over stdio the JSON-RPC id."""
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The upper bounds, in seconds, of the histogram of latencies."""
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
READY_SECONDS = 1.0
"""The time for which an answer about readiness is repeated: strangers must not make the server ask its databases."""
Sample = tuple[str, Mapping[str, str], float]
logger = logging.getLogger(__name__)


class Metrics:
    """Counts of calls: `METRICS.observe("execute_cypher", "", 0.004)`, and `write_metrics(METRICS.samples())`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._results: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}

    def observe(self, tool: str, error: str, seconds: float) -> None:
        """Count a call of `tool` that took `seconds`; `error` is the code of its failure, or empty."""
        with self._lock:
            self._results[tool, error or "ok"] += 1
            self._seconds[tool] += seconds  # type: ignore[assignment]
            self._buckets.setdefault(tool, [0] * (len(BUCKETS) + 1))[bisect_left(BUCKETS, seconds)] += 1

    def samples(self) -> Iterator[Sample]:
        """Yield the samples: calls by tool and result, and the histogram of the latencies of each tool."""
        with self._lock:
            results, seconds = dict(self._results), dict(self._seconds)
            buckets = {tool: list(counts) for tool, counts in self._buckets.items()}
        for (tool, result), count in sorted(results.items()):
            yield "graphground_calls_total", {"tool": tool, "result": result}, count
        for tool, counts in sorted(buckets.items()):
            total = 0
            for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                total += count
                yield "graphground_call_seconds_bucket", {"tool": tool, "le": bound}, total
            yield "graphground_call_seconds_sum", {"tool": tool}, seconds[tool]
            yield "graphground_call_seconds_count", {"tool": tool}, total


METRICS = Metrics()
HELP = {
    "graphground_calls_total": ("counter", "Tool calls, by the code of their failure, or ok."),
    "graphground_call_seconds": ("histogram", "Duration of tool calls."),
    "graphground_calls_running": ("gauge", "Calls that run now."),
    "graphground_calls_waiting": ("gauge", "Calls that wait for a thread."),
    "graphground_engine_memory_bytes": ("gauge", "Resident memory of the embedded engine."),
    "graphground_index_age_seconds": ("gauge", "Age of the entity index of an open graph."),
    "graphground_info": ("gauge", "The version of graphground."),
}


def write_metrics(samples: Iterable[Sample]) -> str:
    r"""Return samples in the text format of Prometheus.

    >>> print(write_metrics([("graphground_calls_running", {}, 2)]), end="")
    # HELP graphground_calls_running Calls that run now.
    # TYPE graphground_calls_running gauge
    graphground_calls_running 2
    """
    lines, last = [], ""
    for name, labels, value in samples:
        family = name if name in HELP else name.rpartition("_")[0]
        if family != last:
            kind, text = HELP[family]
            lines += [f"# HELP {family} {text}", f"# TYPE {family} {kind}"]
            last = family
        pairs = ",".join(f"{key}={json.dumps(text, ensure_ascii=False)}" for key, text in labels.items())
        lines.append(f"{name}{{{pairs}}} {value}" if pairs else f"{name} {value}")
    return "\n".join(lines) + "\n"


def gauges(application: Application, workers: WorkerThreads, home: Path) -> Iterator[Sample]:
    """Yield what is measured when it is asked for: calls in progress, memory of the engine, age of open indexes."""
    running, waiting = workers.load()
    yield "graphground_info", {"version": __version__}, 1
    yield "graphground_calls_running", {}, running
    yield "graphground_calls_waiting", {}, waiting
    if (memory := _engine_memory(home)) is not None:
        yield "graphground_engine_memory_bytes", {}, memory
    for name in application.known_names() or ():  # a graph that nobody has asked for is not opened
        graph = application.graphs().opened(name)
        info = graph.entities.info if graph is not None and graph.entities is not None else None
        if info is not None:
            age = datetime.now(UTC) - datetime.fromisoformat(info.built_at).astimezone(UTC)
            yield "graphground_index_age_seconds", {"graph": name}, round(age.total_seconds(), 1)


def _engine_memory(home: Path) -> int | None:
    """Return the resident memory of the data folder's engine in bytes; None if none runs, or not on Linux."""
    try:
        number = json.loads((home / "engine" / "state.json").read_bytes())["pid"]
        pages = int(Path(f"/proc/{int(number)}/statm").read_text().split()[1])
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


class Readiness:
    """Whether a server can answer: `Readiness(application).look()`; being alive is a matter of `GET /health`."""

    def __init__(self, application: Application) -> None:
        self._application, self._lock = application, threading.Lock()
        self._looked, self._answer = 0.0, (False, "")

    def look(self) -> tuple[bool, str]:
        """Return whether at least one graph can be used now, and how many can: `(True, "2 of 3 graphs")`."""
        with self._lock:
            if not self._looked or time.monotonic() - self._looked > READY_SECONDS:
                self._answer, self._looked = self._ask(), time.monotonic()
            return self._answer

    def _ask(self) -> tuple[bool, str]:
        try:
            summaries = self._application.graphs().summaries()
        except Exception as error:
            logger.warning("the graphs cannot be listed: %s", error)
            return False, "no list of graphs"
        for summary in summaries:
            if summary.problem is not None:
                logger.warning("graph %r: %s", summary.name, summary.problem)
        able = sum(summary.problem is None for summary in summaries)
        return able > 0, f"{able} of {len(summaries)} graphs"


def start_tracing(with_queries: bool = False) -> Callable[[], None]:
    """Send spans to the collector that the variables of OpenTelemetry name; return a function that sends the last ones.

    Without such a variable nothing is loaded. The span of a request is the SDK's; engines add one for each query, with
    its text if `with_queries`.
    """
    client_context.spans_have_queries = with_queries
    if not any(map(os.environ.get, ENDPOINTS)):
        return lambda: None
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logger.warning("spans are not sent; they need the extra telemetry: %s", install_command("telemetry"))
        return lambda: None
    name = os.environ.get("OTEL_SERVICE_NAME", "graphground")
    provider = TracerProvider(resource=Resource.create({"service.name": name, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider.shutdown


def describe_call(graph: Any, error: str) -> None:
    """Add the graph, the request's identifier and the code of a failure to the span of the current call."""
    if "opentelemetry.sdk.trace" not in sys.modules:
        return
    from opentelemetry.trace import get_current_span

    span = get_current_span()
    span.set_attribute("graphground.request_id", REQUEST_ID.get())
    if isinstance(graph, str):
        span.set_attribute("graphground.graph", graph[:100])
    if error:
        span.set_attribute("graphground.error", error)


class JsonLines(logging.Formatter):
    """Formats a log record as a line of JSON: time, level, logger, message, request, and the traceback of an error."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request": REQUEST_ID.get(),
            "error": self.formatException(record.exc_info) if record.exc_info else "",
        }
        return json.dumps({key: value for key, value in fields.items() if value}, ensure_ascii=False)
