"""A server of files that speaks as a data set's host does: redirects, ranges, checksums; and misbehaves on request."""

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

Fault = Callable[["BaseHTTPRequestHandler", bytes], bool]
"""Answers in the place of the server and returns True, or returns False for the right answer."""


class FileServer:
    """`with FileServer({"/graphs/nba.json": b"…"}) as server: server.url`."""

    def __init__(self, files: dict[str, bytes], faults: Iterable[Fault] = ()) -> None:
        self.files, self.faults = files, iter(faults)
        self.requests: list[tuple[str, str | None]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                asked = self.headers.get("Range")
                server.requests.append((self.path, asked))
                body = server.files.get(self.path.removeprefix("/store"))
                if body is None:
                    self.reply(404, b"Entry not found")
                elif not self.path.startswith("/store"):
                    self.reply(
                        302,
                        b"",
                        Location=f"{server.url}/store{self.path}",
                        X_Linked_Size=str(len(body)),
                        X_Linked_Etag=f'"{hashlib.sha256(body).hexdigest()}"',
                    )
                elif not next(server.faults, lambda handler, content: False)(self, body):
                    self.file(body, asked)

            def file(self, body: bytes, asked: str | None) -> None:
                if asked is None:
                    self.reply(200, body)
                    return
                start = int(asked.removeprefix("bytes=").rstrip("-"))
                if start >= len(body):
                    self.reply(416, b"", Content_Range=f"bytes */{len(body)}")
                    return
                self.reply(206, body[start:], Content_Range=f"bytes {start}-{len(body) - 1}/{len(body)}")

            def reply(self, status: int, body: bytes, **headers: str) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                if "Content_Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> "FileServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)


def status(code: int, **headers: str) -> Fault:
    """An error in the place of the file."""

    def answer(handler: BaseHTTPRequestHandler, body: bytes) -> bool:
        handler.reply(code, b"no", **headers)  # type: ignore[attr-defined]
        return True

    return answer


def cut(size: int) -> Fault:
    """The first bytes of what was asked for, then the end of the connection."""

    def answer(handler: BaseHTTPRequestHandler, body: bytes) -> bool:
        asked = handler.headers.get("Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        headers = {"Content_Range": f"bytes {start}-{len(body) - 1}/{len(body)}"} if asked else {}
        handler.reply(
            206 if asked else 200,
            body[start : start + size],  # type: ignore[attr-defined]
            Content_Length=str(len(body) - start),
            **headers,
        )
        handler.close_connection = True
        return True

    return answer


def damaged(handler: BaseHTTPRequestHandler, body: bytes) -> bool:
    """The file with one wrong byte."""
    handler.reply(200, body[:-1] + b"?")  # type: ignore[attr-defined]
    return True


def without_ranges(handler: BaseHTTPRequestHandler, body: bytes) -> bool:
    """The whole file, whatever range was asked for."""
    handler.reply(200, body)  # type: ignore[attr-defined]
    return True


def forever(fault: Fault) -> Iterator[Fault]:
    while True:
        yield fault
