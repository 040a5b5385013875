"""An HTTP server on this machine, for tests: a handler with the method `reply`, served by a thread during a block."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class LocalHandler(BaseHTTPRequestHandler):
    """A request handler of `LocalServer`: subclasses define `do_GET`, `do_POST`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def reply(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """Send a response; a Content-Length in `headers` may be wrong, and the connection is then closed."""
        fields = headers or {}
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if "Content-Length" in fields:
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Suppress the log messages."""


class _QuietServer(ThreadingHTTPServer):
    """A server that does not report clients that disconnect before their answer, which tests do on purpose."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class LocalServer:
    """A local server, `with Server() as server: server.address`; subclasses pass their handler to `__init__`."""

    def __init__(self, handler: type[LocalHandler]) -> None:
        self._server = _QuietServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)
