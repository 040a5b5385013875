"""A SPARQL endpoint on this machine: pyoxigraph, a complete SPARQL 1.1 engine, behind a small HTTP server.

`faults` are functions, one per query: each replaces the answer, or returns None for the correct answer. `latency`
delays each answer by a number of seconds, and the first answer of a connection by as much again, as across a network.
Queries that arrive at the same time are evaluated at the same time.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable
from urllib.parse import parse_qs, urlsplit

import pyoxigraph

from graphground.graphs.wikidata.sparql_source import PREFIXES
from tests.support.local_http import LocalHandler, LocalServer

JSON = "application/sparql-results+json"
Answer = tuple[int, dict[str, str], bytes]
Fault = Callable[[str, bytes], Answer | None]
"""A function that takes the query and the correct answer, and returns another answer to send,
or None for the correct one."""


class SparqlEndpoint(LocalServer):
    """The running endpoint: `with SparqlEndpoint(lines) as endpoint: endpoint.url`."""

    def __init__(self, lines: Iterable[str], faults: Iterable[Fault] = (), latency: float = 0.0) -> None:
        self.store = pyoxigraph.Store()
        self.store.bulk_load("\n".join(lines).encode(), format=pyoxigraph.RdfFormat.N_TRIPLES, lenient=True)
        self.faults = iter(faults)
        self.latency = latency
        self.queries: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._lock = threading.Lock()
        endpoint = self

        class Handler(LocalHandler):
            def setup(self) -> None:
                super().setup()
                time.sleep(endpoint.latency)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                self._answer(parse_qs(body)["query"][0])

            def do_GET(self) -> None:
                self._answer(parse_qs(urlsplit(self.path).query)["query"][0])

            def _answer(self, query: str) -> None:
                status, headers, body = endpoint.answer(query, dict(self.headers))
                time.sleep(endpoint.latency)
                self.reply(status, body, headers)

        super().__init__(Handler)
        self.url = f"{self.address}/sparql"

    def answer(self, query: str, headers: dict[str, str]) -> Answer:
        with self._lock:
            self.queries.append(query)
            self.headers.append(headers)
        try:
            solutions = self.store.query(query, prefixes=PREFIXES)
            assert isinstance(solutions, pyoxigraph.QuerySolutions)
            body = solutions.serialize(format=pyoxigraph.QueryResultsFormat.JSON)
            assert body is not None
        except SyntaxError as error:
            return 400, {}, f"SyntaxError: {error}".encode()
        with self._lock:
            fault = next(self.faults, None)
        return (fault(query, body) if fault else None) or (200, {"Content-Type": JSON}, body)


def capped(rows: int) -> Fault:
    """Return a fault that cuts every answer to a number of rows, as some endpoints do, without a word."""

    def cut(query: str, body: bytes) -> Answer:
        document = json.loads(body)
        document["results"]["bindings"] = document["results"]["bindings"][:rows]
        return 200, {"Content-Type": "application/sparql-results+json"}, json.dumps(document).encode()

    return cut
