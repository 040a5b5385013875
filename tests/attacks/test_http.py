"""Hostile requests over HTTP: names of other sites, false lengths, other clients' sessions, paths outside the page."""

import json
import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from graphground.server.transports.http import HOST, ORIGIN
from tests.support.http_calls import INITIALIZE
from tests.support.serving import http_server

FIRST, SECOND = "the-first-token-of-two", "the-second-token-of-two"
LEAKS = ("Traceback", "site-packages", str(Path.home()), str(Path(__file__).parents[2]), FIRST, SECOND)
BODY = json.dumps(INITIALIZE)
PING = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"})


@pytest.fixture(scope="module")
def port(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Yield the port of a server with the page and two tokens."""
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text(f"{FIRST}\n{SECOND}\n", encoding="utf-8")
    with http_server(data_folder, "--ui", "--token-file", str(tokens)) as address:
        yield urlsplit(address).port or 0


def exchanged(port: int, request: bytes, *, cut_short: bool = False) -> tuple[int, str]:
    """Send bytes and return the status (0 without a response) and the whole text of the response.

    With `cut_short`, the client ends its side of the connection after the bytes.
    """
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        try:
            connection.sendall(request)
            if cut_short:
                with suppress(OSError):  # the server may have refused the request and closed the connection already
                    connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65_536):
                answer += part
        except ConnectionError:
            pass  # a server that refuses a request need not read it to its end
    text = answer.decode("latin-1")
    assert not [leak for leak in LEAKS if leak in text], text
    found = re.match(r"HTTP/1.1 (\d+)", text)
    return int(found[1]) if found else 0, text


def request(port: int, body: str = BODY, *, method: str = "POST", path: str = "/mcp", **headers: str) -> bytes:
    fields = {
        "host": f"127.0.0.1:{port}",
        "authorization": f"Bearer {FIRST}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "connection": "close",
        "content-length": str(len(body)),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", body]
    return "\r\n".join(lines).encode("latin-1")


NAMES = [
    "evil.example",
    "localhost.evil.example",
    "localhost:1@evil.example",
    "localhost:evil",
    "localhost:1, evil",
    "",
]
NAMES += ["evil.example#localhost", "localhost:1:2", "[::1].evil", "0.0.0.0", "LOCALHOST."]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["/mcp", "/ui/", "/ui/api/"])
def test_a_request_for_another_host_or_from_another_site_is_refused(port: int, name: str, path: str) -> None:
    assert exchanged(port, request(port, path=path, host=name))[0] in (400, 421)
    assert exchanged(port, request(port, path=path, origin=f"http://{name}"))[0] in (400, 403)


def test_host_names_that_clients_and_browsers_send_are_accepted(port: int) -> None:
    for name in (
        "localhost",
        "graphs.example.org:8300",
        "[::1]:8300",
        "[fe80::1%25en0]",
        "my_service:80",
        "bücher.example",
    ):
        assert HOST.fullmatch(name), name
    for origin in ("null", "http://localhost:6274", "https://[::1]:8300", "vscode-webview://0abc-def", "file://"):
        assert ORIGIN.fullmatch(origin), origin
    assert exchanged(port, request(port, origin=f"http://localhost:{port}"))[0] == 200


LYING = [
    (b"content-length: 10\r\n", b"{}"),
    (b"content-length: 1000000000000000000\r\n", b"{}"),
    (b"content-length: -5\r\n", b"{}"),
    (b"content-length: ten\r\n", b"{}"),
    (b"content-length: 2\r\ncontent-length: 3\r\n", b"{}"),
    (b"content-length: 2\r\ntransfer-encoding: chunked\r\n", b"0\r\n\r\nGET /health HTTP/1.1\r\n\r\n"),
    (b"transfer-encoding: gzip, chunked\r\n", b"0\r\n\r\n"),
    (b"transfer-encoding: chunked\r\n", b"zz\r\n{}\r\n"),
    (b"transfer-encoding: chunked\r\n", b"ffffffffffffffff\r\n{}\r\n"),
    (b"transfer-encoding: chunked\r\n", b"1;" + b"a" * 200_000 + b"\r\n{\r\n"),
    (b"transfer-encoding: chunked\r\n", (b"10000\r\n" + b"x" * 65_536 + b"\r\n") * 17 + b"0\r\n\r\n"),
    (b"x: " + b"a" * 1_000_000 + b"\r\n", b""),
    (b"".join(b"x-%d: a\r\n" % number for number in range(20_000)), b""),
    (b"host: evil.example\r\ncontent-length: 2\r\n", b"{}"),
    (b"authorization: Bearer \0\r\n", b""),
]


@pytest.mark.parametrize(("headers", "body"), LYING, ids=lambda part: repr(part)[:40])
def test_a_request_with_a_wrong_length_is_refused_and_the_next_request_is_answered(
    port: int, headers: bytes, body: bytes
) -> None:
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {FIRST}\r\n"
        "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
    )
    status, answer = exchanged(port, head.encode() + headers + b"\r\n" + body, cut_short=True)
    assert status in (0, 400, 413, 431), answer
    assert "ok" not in answer
    assert exchanged(port, request(port))[0] == 200


@pytest.mark.parametrize("path", ["/ui/../settings.py", "/ui/%2e%2e/page.html", "/ui/..%2fui/page.html", "/ui/%00"])
def test_no_path_leads_outside_the_files_of_the_page(port: int, path: str) -> None:
    assert exchanged(port, request(port, "", method="GET", path=path))[0] == 404
    assert len(exchanged(port, request(port, "", method="GET", path="/ui/" + "a" * 30_000))[1]) < 2_000


@pytest.mark.parametrize("token", ["", FIRST[:-1], FIRST + "x", FIRST.upper(), "x" * 60_000, "é", f"{FIRST},{SECOND}"])
def test_a_token_that_differs_from_every_configured_token_is_refused(port: int, token: str) -> None:
    for path in ("/mcp", "/ui/api/graphs"):
        assert exchanged(port, request(port, path=path, authorization=f"Bearer {token}"))[0] == 401
    assert exchanged(port, request(port, path=f"/mcp?access_token={FIRST}", authorization="Basic x"))[0] == 401


def test_a_session_belongs_to_the_token_that_opened_it(port: int) -> None:
    opened = exchanged(port, request(port))[1]
    found = re.search(r"mcp-session-id: (\S+)", opened)
    assert found
    own = {"mcp_session_id": found[1], "mcp_protocol_version": "2025-06-18"}
    others = {**own, "authorization": f"Bearer {SECOND}"}
    assert exchanged(port, request(port, PING, **others))[0] == 404
    assert exchanged(port, request(port, "", method="GET", **others))[0] == 404
    assert exchanged(port, request(port, "", method="DELETE", **others))[0] == 404
    assert exchanged(port, request(port, PING, **{**own, "mcp_session_id": found[1][:-1]}))[0] == 404
    assert exchanged(port, request(port, PING, **own))[0] == 200


def test_a_request_for_missed_events_opens_a_new_stream(port: int) -> None:
    opened = exchanged(port, request(port))[1]
    found = re.search(r"mcp-session-id: (\S+)", opened)
    assert found
    headers = {"mcp_session_id": found[1], "mcp_protocol_version": "2025-06-18", "last_event_id": "1"}
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request(port, "", method="GET", accept="text/event-stream", **headers))
        assert connection.recv(1_000).startswith(b"HTTP/1.1 200 ")
