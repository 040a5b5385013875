"""Sends queries to an endpoint over HTTP, on connections that stay open.

    transport = transport_for("http://localhost:7878/query", headers, connecting=30, answering=90)
    transport.post(b"query=SELECT…").status  →  200

Plain HTTP requests are sent with the standard library. HTTPS, proxies, passwords and redirects need httpx2, which takes
longer to load than a small graph takes to build, so it is loaded only when it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

REDIRECTS = frozenset({301, 302, 303, 307, 308})
PROXIES = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")


class NoConnection(OSError):
    """A connection that failed, or broke before the whole response arrived; the message is the reason."""


class _Closed(NoConnection):
    """A connection that the server had closed before the request arrived."""


class NoAnswer(OSError):
    """A request to which no response arrived within the time limit."""


class Unusable(ValueError):
    """A request that can never succeed, for example because of its address; the message is the reason."""


class Answer(NamedTuple):
    """A response: `Answer(503, b"", retry_after="30")`; `is_redirect` is true if it refers to another address."""

    status: int
    body: bytes
    retry_after: str | None = None
    is_redirect: bool = False


class Transport(Protocol):
    """A client for one address, which several threads may use at the same time."""

    def post(self, body: bytes) -> Answer:
        """Send a form and return the response.

        Raises:
            NoConnection, NoAnswer: a failure that may be temporary.
            Unusable: a permanent failure.
        """

    def close(self) -> None:
        """Close the connections."""


def transport_for(url: str, headers: Mapping[str, str], *, connecting: float, answering: float) -> Transport:
    """Return the transport for an address, with time limits for connections and responses in seconds."""
    all_headers = {**headers, "Content-Type": "application/x-www-form-urlencoded"}
    is_plain = url.startswith("http://") and url.isascii() and url.isprintable() and " " not in url
    if is_plain and "@" not in urlsplit(url).netloc and not any(map(os.environ.get, PROXIES)):
        return PlainTransport(url, all_headers, connecting, answering)
    return FullTransport(url, all_headers, connecting, answering)


class PlainTransport:
    """A transport for http:// addresses that need no proxy and no password."""

    def __init__(self, url: str, headers: Mapping[str, str], connecting: float, answering: float) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._headers, self._connecting, self._answering = dict(headers), connecting, answering
        self._idle: list[HTTPConnection] = []

    def post(self, body: bytes) -> Answer:
        """Send a form on an idle connection, or on a new connection if no idle connection is still open."""
        while self._idle:
            try:
                return self._posted(self._idle.pop(), body)
            except (IndexError, _Closed):  # IndexError: another thread took the connection
                continue
        connection = HTTPConnection(self._host, self._port, timeout=self._connecting)
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            reason = f"no connection within {self._connecting:g} s" if isinstance(error, TimeoutError) else str(error)
            raise NoConnection(reason) from None
        connection.sock.settimeout(self._answering)
        return self._posted(connection, body)

    def _posted(self, connection: HTTPConnection, body: bytes) -> Answer:
        is_open, has_begun = False, False
        try:
            connection.request("POST", self._path, body, self._headers)
            response = connection.getresponse()
            has_begun = True
            content = response.read()
            is_open = not response.will_close
        except TimeoutError:
            raise NoAnswer from None
        except (OSError, HTTPException) as error:
            kind = _Closed if isinstance(error, ConnectionError) and not has_begun else NoConnection
            raise kind(str(error) or type(error).__name__) from None
        finally:
            if is_open:
                self._idle.append(connection)
            else:
                connection.close()
        is_redirect = response.status in REDIRECTS and "Location" in response.headers
        return Answer(response.status, content, response.headers.get("Retry-After"), is_redirect)

    def close(self) -> None:
        """Close the connections."""
        while self._idle:
            self._idle.pop().close()


class FullTransport:
    """A transport for all addresses; it supports HTTPS, passwords, proxies and redirects."""

    def __init__(self, url: str, headers: Mapping[str, str], connecting: float, answering: float) -> None:
        import httpx2

        self._url, self._errors, self._connecting = url, httpx2, connecting
        self._client = httpx2.Client(
            headers=headers, follow_redirects=True, timeout=httpx2.Timeout(answering, connect=connecting)
        )

    def post(self, body: bytes) -> Answer:
        """Send a form, and follow redirects."""
        try:
            response = self._client.post(self._url, content=body)
        except self._errors.ConnectTimeout:
            raise NoConnection(f"no connection within {self._connecting:g} s") from None
        except self._errors.TimeoutException:
            raise NoAnswer from None
        except self._errors.TransportError as error:
            raise NoConnection(str(error)) from None
        except self._errors.HTTPError as error:
            raise Unusable(str(error)) from None
        return Answer(response.status_code, response.content, response.headers.get("Retry-After"))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
