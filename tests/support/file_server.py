"""A file server that behaves like the host of a data set (redirects, ranges, checksums), with faults on request."""

import hashlib
from collections.abc import Callable, Iterable, Iterator

from tests.support.local_http import LocalHandler, LocalServer

Fault = Callable[[LocalHandler, bytes], bool]
"""A function that sends a wrong response and returns True, or returns False so that the correct response is sent."""


class FileServer(LocalServer):
    """A server of files: `with FileServer({"/graphs/nba.json": b"…"}) as server: server.url`."""

    def __init__(self, files: dict[str, bytes], faults: Iterable[Fault] = ()) -> None:
        self.files, self.faults = files, iter(faults)
        self.requests: list[tuple[str, str | None]] = []
        server = self

        class Handler(LocalHandler):
            def do_GET(self) -> None:
                byte_range = self.headers.get("Range")
                server.requests.append((self.path, byte_range))
                body = server.files.get(self.path.removeprefix("/store"))
                if body is None:
                    self.reply(404, b"Entry not found")
                elif not self.path.startswith("/store"):
                    digest = hashlib.sha256(body).hexdigest()
                    self.reply(
                        302,
                        b"",
                        {
                            "Location": f"{server.url}/store{self.path}",
                            "X-Linked-Size": str(len(body)),
                            "X-Linked-Etag": f'"{digest}"',
                        },
                    )
                elif not next(server.faults, lambda handler, content: False)(self, body):
                    self.file(body, byte_range)

            def file(self, body: bytes, byte_range: str | None) -> None:
                if byte_range is None:
                    self.reply(200, body)
                    return
                start = first_byte(byte_range)
                if start >= len(body):
                    self.reply(416, b"", {"Content-Range": f"bytes */{len(body)}"})
                    return
                self.reply(206, body[start:], {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"})

        super().__init__(Handler)
        self.url = self.address


def first_byte(header: str) -> int:
    """Return the first byte that a Range header requests: 7 for `bytes=7-`."""
    return int(header.removeprefix("bytes=").rstrip("-"))


def status(code: int, **headers: str) -> Fault:
    """Return a fault that sends an error in place of the file; `Retry_After="1"` is the header Retry-After."""

    def answer(handler: LocalHandler, body: bytes) -> bool:
        handler.reply(code, b"no", {name.replace("_", "-"): value for name, value in headers.items()})
        return True

    return answer


def cut(size: int) -> Fault:
    """Return a fault that sends the first bytes of the requested range and then closes the connection."""

    def answer(handler: LocalHandler, body: bytes) -> bool:
        byte_range = handler.headers.get("Range")
        start = first_byte(byte_range) if byte_range else 0
        headers = {"Content-Length": str(len(body) - start)}
        if byte_range:
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        handler.reply(206 if byte_range else 200, body[start : start + size], headers)
        return True

    return answer


def damaged(handler: LocalHandler, body: bytes) -> bool:
    """Send the file with one wrong byte."""
    handler.reply(200, body[:-1] + b"?")
    return True


def forever(fault: Fault) -> Iterator[Fault]:
    """Yield the same fault for every request."""
    while True:
        yield fault
