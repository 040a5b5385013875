"""Requests on connections that stay open: a closed connection is replaced,
and special addresses use the HTTP library."""

import threading

import pytest

from graphground.graphs.wikidata.transport import FullTransport, NoAnswer, NoConnection, PlainTransport, transport_for
from tests.support.local_http import LocalHandler, LocalServer

LIMITS = {"connecting": 10.0, "answering": 10.0}


class Echo(LocalHandler):
    """A handler that returns the request's body and the client's port.

    The body `close` closes the connection after the answer; the body `hang` delays the answer.
    """

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if body == b"hang":
            released.wait(20)
        self.reply(200, body + b" %d" % self.client_address[1])
        self.close_connection = body == b"close"


released = threading.Event()


def test_a_connection_is_used_again_and_replaced_when_the_server_has_closed_it() -> None:
    with LocalServer(Echo) as server:
        transport = transport_for(server.address, {}, **LIMITS)
        assert isinstance(transport, PlainTransport)
        ports = [transport.post(body).body.split()[1] for body in (b"a", b"close", b"b", b"c")]
        transport.close()
    assert ports[0] == ports[1] != ports[2] == ports[3]


def test_both_transports_give_the_same_answers() -> None:
    with LocalServer(Echo) as server:
        for kind in (PlainTransport, FullTransport):
            transport = kind(f"{server.address}/a?b=c", {"Accept": "text/plain"}, **LIMITS)
            answer = transport.post(b"query=x")
            assert (answer.status, answer.body[:8], answer.retry_after) == (200, b"query=x ", None)
            transport.close()


def test_both_transports_report_a_server_that_is_gone_or_hangs() -> None:
    with LocalServer(Echo) as server:
        for kind in (PlainTransport, FullTransport):
            transport = kind(server.address, {}, connecting=10.0, answering=0.2)
            with pytest.raises(NoAnswer):
                transport.post(b"hang")
            transport.close()
        released.set()
    for kind in (PlainTransport, FullTransport):
        transport = kind(server.address, {}, **LIMITS)
        with pytest.raises(NoConnection):
            transport.post(b"x")
        transport.close()


@pytest.mark.parametrize(
    "url", ["https://example.org/sparql", "http://user:word@localhost/sparql", "http://bücher.example/", "http://a/b c"]
)
def test_addresses_that_need_more_than_plain_http_use_the_http_library(url: str) -> None:
    assert isinstance(transport_for(url, {}, **LIMITS), FullTransport)


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://localhost:1")
    assert isinstance(transport_for("http://localhost:7878/query", {}, **LIMITS), FullTransport)
