"""A SPARQL endpoint over HTTP, which may be slow, busy or temporarily unavailable.

    with Endpoint("https://query.wikidata.org/sparql") as endpoint:
        endpoint.select("SELECT ?item WHERE { ?item wdt:P31 wd:Q3032333 }")

Temporary failures are retried after a pause that doubles each time. If the endpoint requests a longer pause, that pause
is kept, up to `LONGEST_PAUSE` seconds. A query that exceeds the time limit raises `QueryTooLong`, so that the caller
can split the query.

Several threads may send queries at the same time, up to a limit. After status 429 (too many requests) queries are sent
one at a time, and the limit rises again slowly.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import quote_plus

from graphground import __version__
from graphground.cypher.wording import counted
from graphground.graphs.loading.retry_after import retry_after
from graphground.graphs.wikidata.answers import TIMEOUT_SIGNS, AnswerError, Binding, bindings
from graphground.graphs.wikidata.traffic import Traffic, queries_at_once
from graphground.graphs.wikidata.transport import (
    Answer,
    FullTransport,
    NoAnswer,
    NoConnection,
    Transport,
    Unusable,
    transport_for,
)

USER_AGENT = f"graphground/{__version__} (Wikidata to property graph)"
ACCEPT = "application/sparql-results+json"
TOO_MANY = 429
BUSY = frozenset({408, 425, TOO_MANY, 500, 502, 503, 504})
LONGEST_PAUSE = 120.0
HINT = "To resume the build, run the same command again."


_QUOTED = {place: quote_plus(chr(place)) for place in range(128)}


def form_of(query: str) -> bytes:
    """Return a query as the body of an HTML form: `form_of("SELECT ?s")` is `b"query=SELECT+%3Fs"`."""
    # `urlencode` would take ten times as long, which is as long as all other steps of a request.
    return b"query=" + (query.translate(_QUOTED) if query.isascii() else quote_plus(query)).encode()


class EndpointError(RuntimeError):
    """An endpoint that cannot be used, or still fails after all retries; the message gives the reason and advice."""


class QueryTooLong(RuntimeError):
    """A query that the endpoint did not answer within the time limit, or answered only in part."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits for requests to an endpoint; all times are in seconds."""

    answer: float = 90.0
    """The time limit for a response."""
    tries: int = 6
    """The maximum number of times that a query is sent before it fails."""
    pause: float = 1.0
    """The pause after the first try; it doubles after each further try."""
    between: float = 0.0
    """The pause between two queries; with a pause, queries are sent one at a time."""
    cuts: int = 1
    """The number of truncated responses that are tolerated for a query; after one more, `QueryTooLong` is raised."""
    at_once: int | None = None
    """The maximum number of queries at the same time; None for the default of the address (see `queries_at_once`)."""


class Endpoint:
    """A client that sends SELECT queries to the endpoint at `url`.

    `agent` is the User-Agent header; `sleep` is called for each pause, with its length in seconds.
    """

    def __init__(
        self,
        url: str,
        patience: Patience | None = None,
        *,
        agent: str = USER_AGENT,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise EndpointError(f"{url!r} is not an endpoint address: it must begin with http:// or https://")
        self.url, self.patience = url, patience or Patience()
        self._stopped = threading.Event()
        self._sleep = sleep or self._stopped.wait
        self.asked = 0
        self.traffic = Traffic(1 if self.patience.between else self.patience.at_once or queries_at_once(url))
        self._limits = {"connecting": min(30.0, self.patience.answer), "answering": self.patience.answer}
        self._headers = {"User-Agent": agent, "Accept": ACCEPT}
        self._transports: list[Transport] = [transport_for(url, self._headers, **self._limits)]

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stop(self) -> None:
        """Send no more queries; a query that pauses between two tries fails immediately."""
        self._stopped.set()

    def close(self) -> None:
        """Close the connections."""
        for transport in self._transports:
            transport.close()

    def select(self, query: str) -> list[Binding]:
        """Send a query and return its solutions; wait first while too many other queries are in progress.

        Raises:
            QueryTooLong: the query was not answered completely within the time limit; split the query.
            EndpointError: the endpoint refused the query, or still failed after all retries.
        """
        with self.traffic.turn():
            found = self._select(query)
            self.traffic.answered()
        return found

    def _select(self, query: str) -> list[Binding]:
        problem, cuts, pause = "", 0, 0.0
        for attempt in range(self.patience.tries):
            if attempt or (self.asked and self.patience.between):
                self._sleep(self.patience.between if not attempt else pause)
            if self._stopped.is_set():
                raise EndpointError(f"{self.url}: the build was stopped. {HINT}")
            self.asked += 1
            pause = min(self.patience.pause * 2**attempt, LONGEST_PAUSE)
            try:
                answer = self._post(query)
            except NoConnection as error:
                problem = f"the connection failed ({error})"
                continue
            except NoAnswer:
                raise QueryTooLong(f"no answer within {self.patience.answer:g} s") from None
            except Unusable as error:
                raise EndpointError(f"{self.url}: {error}") from None
            if answer.status == 200:
                try:
                    return bindings(answer.body)
                except AnswerError as error:
                    cuts += error.cut
                    if error.timed_out or cuts > self.patience.cuts:
                        raise QueryTooLong(str(error)) from None
                    problem = str(error)
                    continue
            problem = self._refusal(answer)
            if answer.status == TOO_MANY:
                self.traffic.refused()
            pause = max(pause, min(retry_after(answer.retry_after), LONGEST_PAUSE))
        raise EndpointError(
            f"{self.url} gave no usable answer in {counted(self.patience.tries, 'try', 'tries')}: {problem}. {HINT}"
        )

    def _post(self, query: str) -> Answer:
        body = form_of(query)
        answer = self._transports[-1].post(body)
        if answer.is_redirect:
            self._transports.append(FullTransport(self.url, self._headers, **self._limits))
            answer = self._transports[-1].post(body)
        return answer

    def _refusal(self, answer: Answer) -> str:
        """Return a description of an error status if it may be temporary; otherwise raise an error.

        Raises:
            QueryTooLong: the query exceeds the endpoint's time limit.
            EndpointError: a retry is useless; the message gives advice.
        """
        status, body = answer.status, answer.body
        if (status in (500, 503, 504) and any(sign in body for sign in TIMEOUT_SIGNS)) or status == 504:
            raise QueryTooLong(f"status {status}: the endpoint's time limit was exceeded")
        excerpt = " ".join(body[:400].decode("utf-8", "replace").split())[:200]
        if status in BUSY:
            return f"status {status}" + (f" ({excerpt})" if excerpt else "")
        advice = {
            400: "the query was refused",
            401: "it requires a password",
            403: "access is refused; a contact in the User-Agent may help (--agent)",
            404: "there is no endpoint at this address",
            405: "it does not accept POST",
        }.get(status, "the request was refused")
        raise EndpointError(f"{self.url}: status {status}: {advice}" + (f": {excerpt}" if excerpt else ""))
