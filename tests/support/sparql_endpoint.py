"""A SPARQL endpoint on this machine: pyoxigraph, a whole SPARQL 1.1 engine, behind a small HTTP server.

`faults` makes it misbehave: each query takes the next one, a function that answers in its place or returns None.
"""

import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

import pyoxigraph

JSON = "application/sparql-results+json"
PREFIXES = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "pqv": "http://www.wikidata.org/prop/qualifier/value/",
    "wikibase": "http://wikiba.se/ontology#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""What the public endpoint predefines."""
Answer = tuple[int, dict[str, str], bytes]
Fault = Callable[[str, bytes], Answer | None]
"""Is given the query and the right answer; returns what is sent instead, or None for the right one."""


class SparqlEndpoint:
    """`with SparqlEndpoint(lines) as endpoint: endpoint.url`."""

    def __init__(self, lines: Iterable[str], faults: Iterable[Fault] = ()) -> None:
        self.store = pyoxigraph.Store()
        self.store.bulk_load("\n".join(lines).encode(), format=pyoxigraph.RdfFormat.N_TRIPLES, lenient=True)
        self.faults = iter(faults)
        self.queries: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                self._answer(parse_qs(body)["query"][0])

            def do_GET(self) -> None:
                self._answer(parse_qs(urlsplit(self.path).query)["query"][0])

            def _answer(self, query: str) -> None:
                with endpoint._lock:
                    status, headers, body = endpoint.answer(query, dict(self.headers))
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                if "Content-Length" in headers:  # a promise that is not kept
                    self.close_connection = True

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/sparql"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def answer(self, query: str, headers: dict[str, str]) -> Answer:
        self.queries.append(query)
        self.headers.append(headers)
        try:
            solutions = self.store.query(query, prefixes=PREFIXES)
            assert isinstance(solutions, pyoxigraph.QuerySolutions)
            body = solutions.serialize(format=pyoxigraph.QueryResultsFormat.JSON)
            assert body is not None
        except SyntaxError as error:
            return 400, {}, f"SyntaxError: {error}".encode()
        fault = next(self.faults, None)
        return (fault(query, body) if fault else None) or (200, {"Content-Type": JSON}, body)

    def __enter__(self) -> "SparqlEndpoint":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
