"""An endpoint that is slow, busy or broken: temporary failures are retried, other failures are reported."""

import datetime
import email.utils
import gzip
import itertools
import json
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest

from graphground.graphs.loading.download import retry_after
from graphground.graphs.wikidata.endpoint import (
    AnswerError,
    Endpoint,
    EndpointError,
    Patience,
    QueryTooLong,
    bindings,
    queries_at_once,
)
from graphground.graphs.wikidata.statements import value_of_term
from tests.support.local_http import LocalHandler, LocalServer
from tests.support.shared_data import SHARED, needs
from tests.support.sparql_endpoint import Answer, Fault, SparqlEndpoint, capped

QUERY = "SELECT ?s WHERE { ?s ?p ?o }"
TRIPLE = "<http://a/s> <http://a/p> <http://a/o> ."
HTML = b"<!DOCTYPE html><html><title>502 Bad Gateway</title></html>"
TIMED_OUT = b'{"head": {"vars": []}, "results": {"bindings": [ {\njava.util.concurrent.TimeoutException'


def status(code: int, body: bytes = b"", **headers: str) -> Fault:
    return lambda query, right: (code, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def right(query: str, body: bytes) -> Answer | None:
    return None


def cut_in_the_middle(query: str, body: bytes) -> Answer:
    return 200, {}, body[: len(body) // 2]


def connection_lost(query: str, body: bytes) -> Answer:
    return 200, {"Content-Length": str(len(body) + 10)}, body


def answer_and_pauses(faults: Iterable[Fault], patience: Patience | None = None) -> tuple[list[object], list[float]]:
    """Return the answer to a query from a faulty endpoint, and the pauses between the attempts in seconds."""
    waited: list[float] = []
    with (
        SparqlEndpoint([TRIPLE], faults) as server,
        Endpoint(server.url, patience or Patience(answer=5, pause=0.25), sleep=waited.append) as endpoint,
    ):
        return list(endpoint.select(QUERY)), waited


@pytest.mark.parametrize(
    "fault",
    [
        status(429),
        status(500),
        status(502, HTML),
        status(503),
        status(200, HTML),
        status(200, b'{"error": 1}'),
        cut_in_the_middle,
        connection_lost,
    ],
)
def test_a_temporary_failure_is_retried(fault: Fault) -> None:
    answer, waited = answer_and_pauses([fault])
    assert len(answer) == 1
    assert waited == [0.25]


def test_the_pause_doubles_unless_the_endpoint_states_its_own() -> None:
    _, waited = answer_and_pauses([status(500), status(500), status(429, Retry_After="7"), status(503)])
    assert waited == [0.25, 0.5, 7.0, 2.0]


def test_an_endpoint_that_does_not_recover_is_reported_with_its_message() -> None:
    with pytest.raises(EndpointError, match=r"gave no usable answer in 3 tries: status 500 \(out of memory\).*again"):
        answer_and_pauses([status(500, b"out of memory")] * 3, Patience(answer=5, tries=3))


@pytest.mark.parametrize(
    "fault", [status(504), status(500, b"java.util.concurrent.TimeoutException"), status(200, TIMED_OUT)]
)
def test_a_query_that_times_out_at_the_endpoint_is_reported_as_too_long(fault: Fault) -> None:
    with pytest.raises(QueryTooLong):
        answer_and_pauses([fault])


def test_a_query_whose_answer_is_truncated_twice_is_reported_as_too_long() -> None:
    with pytest.raises(QueryTooLong, match="is truncated"):
        answer_and_pauses([cut_in_the_middle, cut_in_the_middle])


@pytest.mark.parametrize(
    ("code", "message"), [(400, "the query was refused"), (403, "User-Agent"), (404, "no endpoint")]
)
def test_a_refused_query_is_not_retried(code: int, message: str) -> None:
    with pytest.raises(EndpointError, match=message):
        answer_and_pauses([status(code)] * 2)


@pytest.mark.parametrize(
    "rows",
    [
        b"[1]",
        b'[{"x": 1}]',
        b'[{"x": {"type": "uri"}}]',
        b'[{"x": {"value": "a"}}]',
        b'[{"x": {"type": "uri", "value": 1}}]',
    ],
)
def test_an_answer_with_a_malformed_row_in_any_position_is_refused(rows: bytes) -> None:
    right = b'{"x": {"type": "uri", "value": "a"}}'
    assert bindings(b'{"results": {"bindings": [%b]}}' % right) == [json.loads(right)]
    for several in (rows, rows.replace(b"[", b"[" + right + b", ", 1)):
        with pytest.raises(AnswerError, match="not a SPARQL result"):
            bindings(b'{"results": {"bindings": %b}}' % several)


@pytest.mark.parametrize("text", ["".join(map(chr, range(1, 128))), "Zürich 100 % + 1 & 2 = 3; 日本"])
def test_a_query_arrives_as_it_was_written(text: str) -> None:
    query = f"{QUERY} # {text.translate({10: None, 13: None})}"
    with SparqlEndpoint([TRIPLE]) as server, Endpoint(server.url) as endpoint:
        assert len(endpoint.select(query)) == 1
        assert server.queries == [query]


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    later = email.utils.format_datetime(datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=30))
    assert retry_after("12") == 12
    assert 25 < retry_after(later) <= 30
    assert retry_after("soon") == retry_after(None) == retry_after("-4") == 0


def test_stopping_ends_the_pauses_of_other_threads() -> None:
    requested = threading.Event()

    def busy(query: str, body: bytes) -> Answer | None:
        requested.set()
        return 503, {"Retry-After": "100"}, b""

    with (
        SparqlEndpoint([TRIPLE], itertools.repeat(busy)) as server,
        ThreadPoolExecutor(1) as threads,
        Endpoint(server.url) as endpoint,
    ):
        answer = threads.submit(endpoint.select, QUERY)
        assert requested.wait(20)
        endpoint.stop()
        with pytest.raises(EndpointError, match="stopped"):
            answer.result(20)


def test_public_endpoints_get_fewer_queries_at_the_same_time() -> None:
    assert queries_at_once("https://query.wikidata.org/sparql") == 2
    assert queries_at_once("http://localhost:7878/query") == queries_at_once("https://wikidata.org.example/") == 4
    with Endpoint("http://localhost:1", Patience(between=1.0, at_once=3)) as endpoint:
        assert endpoint.at_once == 1


class Redirect(LocalHandler):
    """A handler that redirects every request; `status` and `target` are set on a subclass."""

    status, target = 307, ""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.reply(self.status, b"", {"Location": self.target})


def redirect(code: int, to: str) -> type[Redirect]:
    return type("Moved", (Redirect,), {"status": code, "target": to})


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_the_address_to_which_an_endpoint_has_moved_is_named(code: int) -> None:
    with (
        LocalServer(redirect(code, "/elsewhere")) as server,
        Endpoint(f"{server.address}/sparql") as endpoint,
        pytest.raises(EndpointError, match=rf"has moved to {server.address}/elsewhere; give that address"),
    ):
        endpoint.select(QUERY)


def test_a_server_that_does_not_answer_in_time_and_one_that_is_gone_are_told_apart() -> None:
    with SparqlEndpoint([TRIPLE], latency=1.0) as server:
        with (
            Endpoint(server.url, Patience(answer=0.2)) as endpoint,
            pytest.raises(QueryTooLong, match=r"within 0\.2 s"),
        ):
            endpoint.select(QUERY)
        gone = server.url
    with Endpoint(gone, Patience(tries=1)) as endpoint, pytest.raises(EndpointError, match="the connection failed"):
        endpoint.select(QUERY)


@pytest.mark.parametrize(("rows", "limit"), [(8, 8), (10_000, 10_000), (10_100, None), (1_000_000, None)])
def test_the_number_of_rows_at_which_an_endpoint_cuts_its_answers_is_measured(rows: int, limit: int | None) -> None:
    with SparqlEndpoint([TRIPLE], itertools.repeat(capped(rows))) as server, Endpoint(server.url) as endpoint:
        endpoint.measure_row_limit()
        assert endpoint.row_limit == limit
        assert len(endpoint.select(QUERY)) == 1


def test_a_long_answer_is_counted_before_it_is_taken_for_complete() -> None:
    triples = [f"<http://a/{number}> <http://a/p> <http://a/o> ." for number in range(12_000)]

    def cut_long_answers(query: str, body: bytes) -> Answer | None:
        document = json.loads(body)
        if len(document["results"]["bindings"]) < 11_000:
            return None
        document["results"]["bindings"] = document["results"]["bindings"][:11_000]
        return 200, {}, json.dumps(document).encode()

    with SparqlEndpoint(triples) as server, Endpoint(server.url) as endpoint:
        assert len(endpoint.select(QUERY)) == 12_000
        server.faults = itertools.repeat(cut_long_answers)
        with pytest.raises(QueryTooLong, match=r"returned only 11,000 rows of the answer"):
            endpoint.select(QUERY)


@needs("wdqs_sparql_json", "results.jsonl.gz")
def test_every_real_answer_of_the_public_endpoint_is_read() -> None:
    answers = solutions = 0
    kinds: set[str] = set()
    with gzip.open(SHARED / "wdqs_sparql_json" / "results.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            document = json.loads(line)
            if "results" not in document:
                with pytest.raises(AnswerError):
                    bindings(line.encode())
                continue
            for found in bindings(line.encode()):
                solutions += 1
                kinds.update(value_of_term(term)[0] for term in found.values())
            answers += 1
    assert answers >= 138
    assert solutions >= 1444
    assert {"item", "text", "time"} <= kinds
