"""A SPARQL endpoint over HTTP, which may be slow, busy or temporarily unavailable.

    with Endpoint("https://query.wikidata.org/sparql") as endpoint:
        endpoint.select("SELECT ?item WHERE { ?item wdt:P31 wd:Q3032333 }")

Temporary failures are retried after a pause that doubles each time. If the endpoint requests a longer pause, that pause
is kept, up to `LONGEST_PAUSE` seconds. A query that exceeds the time limit, or whose answer has more rows than the
endpoint returns, raises `QueryTooLong`, so that the caller can split the query.

Several threads may send queries at the same time: `at_once` is the number that the endpoint is meant to get. After
status 429 (too many requests) each of them pauses.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

import httpx2
import orjson

from graphground import __version__
from graphground.cypher.diagnostics import counted
from graphground.graphs.loading.download import retry_after

USER_AGENT = f"graphground/{__version__} (Wikidata to property graph)"
ACCEPT = "application/sparql-results+json"
TOO_MANY = 429
BUSY = frozenset({408, 425, TOO_MANY, 500, 502, 503, 504})
LONGEST_PAUSE = 120.0
HINT = "To resume the build, run the same command again."
PROBE_ROWS = 10_100
"""The rows of the answer that shows whether an endpoint limits its answers: above the usual limit of 10,000."""
PROBE = "SELECT ?row WHERE {{ VALUES ?row {{ {} }} VALUES ?other {{ {} }} }}".format(
    " ".join(f'"{number}"' for number in range(100)), " ".join(f'"{number}"' for number in range(PROBE_ROWS // 100))
)
AT_ONCE, AT_ONCE_IN_PUBLIC = 4, 2
"""The maximum number of queries at the same time: by default, and for Wikimedia's endpoints.

Wikimedia allows each client 60 seconds of processing per minute, and each IP address five queries at a time.
"""
PUBLIC = (".wikidata.org", ".wikimedia.org")
TOLERATED_CUTS = 1
"""The number of truncated responses that are tolerated for a query; one more means that the query is too long."""
TIMEOUT_SIGNS = (b"TimeoutException", b"QueryTimeout", b"timed out", b"Timeout", b"timeout")
SHOWN = 160
Binding = dict[str, dict[str, Any]]


class EndpointError(RuntimeError):
    """An endpoint that cannot be used, or still fails after all retries; the message gives the reason and advice."""


class QueryTooLong(RuntimeError):
    """A query that the endpoint did not answer within the time limit, or answered only in part."""


class AnswerError(ValueError):
    """A response that is not a SPARQL result."""


class AnswerCut(AnswerError):
    """A response that ends early, for an unknown reason."""


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
    at_once: int | None = None
    """The maximum number of queries at the same time; None for the default of the address (see `queries_at_once`)."""


class Endpoint:
    """A client that sends SELECT queries to the endpoint at `url`.

    `agent` is the User-Agent header. `sleep` is called for each pause, with its length in seconds, and `waiting` before
    it, with a sentence for the user: `waiting 30 s: http://localhost/sparql answered with status 429`.
    """

    def __init__(
        self,
        url: str,
        patience: Patience | None = None,
        *,
        agent: str = USER_AGENT,
        sleep: Callable[[float], object] | None = None,
        waiting: Callable[[str], object] | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise EndpointError(f"{url!r} is not an endpoint address: it must begin with http:// or https://")
        self.url, self.patience = url, patience or Patience()
        self._stopped = threading.Event()
        self._sleep, self._waiting = sleep or self._stopped.wait, waiting
        self.asked = 0
        self.row_limit: int | None = None
        """The number of rows at which the endpoint cuts its answers; None if `measure_row_limit` has found no limit."""
        self.at_once = 1 if self.patience.between else self.patience.at_once or queries_at_once(url)
        self._connecting = min(30.0, self.patience.answer)
        try:
            httpx2.URL(url)
            self._client = httpx2.Client(
                headers={"User-Agent": agent, "Accept": ACCEPT},
                timeout=httpx2.Timeout(self.patience.answer, connect=self._connecting),
            )
        except (httpx2.InvalidURL, ValueError) as error:
            raise EndpointError(f"{url!r} is not an endpoint address: {error}") from None

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def stop(self) -> None:
        """Send no more queries; a query that pauses between two tries fails immediately."""
        self._stopped.set()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def measure_row_limit(self) -> None:
        """Find out whether the endpoint cuts long answers without a word, with a query whose row count is known.

        Raises:
            EndpointError: the endpoint cannot be used.
        """
        try:
            rows = len(self.select(PROBE))
        except QueryTooLong:
            return  # such an endpoint reports long answers
        if rows > PROBE_ROWS or not rows:
            raise EndpointError(
                f"{self.url} is not a SPARQL 1.1 endpoint: it gave {counted(rows, 'row')} for a query with "
                f"{PROBE_ROWS:,} rows"
            )
        self.row_limit = rows if rows < PROBE_ROWS else None

    def select(self, query: str) -> list[Binding]:
        """Send a query and return its solutions.

        Raises:
            QueryTooLong: the query was not answered completely: not within the time limit, or not with all its rows.
                Split the query.
            EndpointError: the endpoint refused the query, or still failed after all retries.
        """
        found = self._select(query)
        if self.row_limit is not None and len(found) >= self.row_limit and query != PROBE:
            raise QueryTooLong(f"the endpoint returns at most {counted(self.row_limit, 'row')}")
        # A limit above the probe's size is visible only by counting.
        if len(found) >= PROBE_ROWS and query != PROBE and self._count(query) != len(found):
            raise QueryTooLong(f"the endpoint returned only {counted(len(found), 'row')} of the answer")
        return found

    def _count(self, query: str) -> int:
        """Return the number of rows of a query, counted by the endpoint."""
        start = query.index("SELECT")
        found = self._select(f"{query[:start]}SELECT (COUNT(*) AS ?count) WHERE {{ {{ {query[start:]} }} }}")
        try:
            return int(found[0]["count"]["value"])
        except (IndexError, KeyError, ValueError):
            raise QueryTooLong("the endpoint does not count the rows of an answer") from None

    def _select(self, query: str) -> list[Binding]:
        problem, cuts, pause = "", 0, 0.0
        for attempt in range(self.patience.tries):
            if attempt:
                if self._waiting is not None:
                    self._waiting(f"waiting {pause:.3g} s before the query is sent again: {self.url}: {problem}")
                self._sleep(pause)
            elif self.asked and self.patience.between:
                self._sleep(self.patience.between)
            if self._stopped.is_set():
                raise EndpointError(f"{self.url}: the build was stopped. {HINT}")
            self.asked += 1
            pause = min(self.patience.pause * 2**attempt, LONGEST_PAUSE)
            try:
                # Redirects are not followed: the client would turn the POST into a GET without its query.
                answer = self._client.post(self.url, data={"query": query})
            except httpx2.ConnectTimeout:
                problem = f"the connection failed (no connection within {self._connecting:g} s)"
                continue
            except httpx2.TimeoutException:
                raise QueryTooLong(f"no answer within {self.patience.answer:g} s") from None
            except httpx2.TransportError as error:
                problem = f"the connection failed ({error})"
                continue
            except httpx2.HTTPError as error:
                raise EndpointError(f"{self.url}: {error}") from None
            if answer.status_code == 200:
                try:
                    return bindings(answer.content)
                except AnswerError as error:
                    cuts += isinstance(error, AnswerCut)
                    if cuts > TOLERATED_CUTS:
                        raise QueryTooLong(str(error)) from None
                    problem = str(error)
                    continue
            problem = self._refusal(answer)
            pause = max(pause, min(retry_after(answer.headers.get("Retry-After")), LONGEST_PAUSE))
        raise EndpointError(
            f"{self.url} gave no usable answer in {counted(self.patience.tries, 'try', 'tries')}: {problem}. {HINT}"
        )

    def _refusal(self, answer: httpx2.Response) -> str:
        """Return a description of an error status if it may be temporary; otherwise raise an error.

        Raises:
            QueryTooLong: the query exceeds the endpoint's time limit.
            EndpointError: a retry is useless; the message gives advice.
        """
        status, body = answer.status_code, answer.content
        if (status in (500, 503, 504) and any(sign in body for sign in TIMEOUT_SIGNS)) or status == 504:
            raise QueryTooLong(f"status {status}: the endpoint's time limit was exceeded")
        excerpt = " ".join(body[:400].decode("utf-8", "replace").split())[:200]
        if status in BUSY:
            reason = " (too many requests)" if status == TOO_MANY else ""
            return f"status {status}{reason}" + (f" ({excerpt})" if excerpt else "")
        if "Location" in answer.headers:
            target = answer.request.url.join(answer.headers["Location"])
            raise EndpointError(f"{self.url} has moved to {target}; give that address instead")
        advice = {
            400: "the query was refused",
            401: "it requires a password",
            403: "access is refused; a contact in the User-Agent may help (--agent)",
            404: "there is no endpoint at this address",
            405: "it does not accept POST",
        }.get(status, "the request was refused")
        raise EndpointError(f"{self.url}: status {status}: {advice}" + (f": {excerpt}" if excerpt else ""))


def queries_at_once(url: str) -> int:
    """Return how many queries to send to an endpoint at the same time: 2 for `https://query.wikidata.org/sparql`."""
    return AT_ONCE_IN_PUBLIC if f".{urlsplit(url).hostname or ''}".endswith(PUBLIC) else AT_ONCE


def bindings(body: bytes) -> list[Binding]:
    """Return the solutions in a result, each a map from variables to terms.

    Raises:
        AnswerError: the response is cut off, is an HTML page, or has another shape.
        QueryTooLong: the endpoint's time limit cut the response off.
    """
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise _problem(body) from None
    try:
        found = document["results"]["bindings"]
    except (KeyError, TypeError):
        raise AnswerError(f"JSON, but not a SPARQL result: {_beginning(body)}") from None
    if not isinstance(found, list) or not _are_bindings(found):
        raise AnswerError(f"JSON, but not a SPARQL result: {_beginning(body)}")
    return found


def _are_bindings(found: list[Any]) -> bool:
    # No loop in Python: a loop would take as long as all other steps of reading an answer.
    try:
        terms = list(chain.from_iterable(map(dict.values, found)))
        values, types = map(itemgetter("value"), terms), map(itemgetter("type"), terms)
        return set(map(type, values)) | set(map(type, types)) <= {str}
    except (KeyError, TypeError):
        return False


def _problem(body: bytes) -> AnswerError | QueryTooLong:
    beginning = body.lstrip()[:200].lower()
    if beginning.startswith((b"<!doctype", b"<html", b"<?xml")):
        return AnswerError(f"a web page, not a SPARQL result: {_beginning(body)}")
    if any(sign in body[-4000:] for sign in TIMEOUT_SIGNS):
        return QueryTooLong("the response was cut off by the endpoint's time limit")
    if beginning.startswith(b"{"):
        return AnswerCut("the response is truncated")
    return AnswerError(f"not JSON: {_beginning(body)}")


def _beginning(body: bytes) -> str:
    text = " ".join(body[: 4 * SHOWN].decode("utf-8", "replace").split())
    return repr(text[:SHOWN]) + ("…" if len(text) > SHOWN else "")
