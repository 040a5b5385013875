"""Downloads a file over HTTP: resumable, verified, retried and cached.

    fetch("https://huggingface.co/datasets/…/nba_simplekg.json", Path("nba.json"))

Received bytes are kept in `nba.json.part`, and a later call requests only the rest. The file is renamed to
`nba.json` when its size and checksum match those that the server announced, if any. The SHA-256 is stored in
`nba.json.sha256`, so that a later call can verify the file without network access.

`pull_graph` and `pull_tasks` download the graphs and questions of CypherBench, as its authors published them.
"""

from __future__ import annotations

import datetime
import email.utils
import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2
from filelock import Timeout

from graphground import __version__
from graphground.cypher.names.nearest import did_you_mean
from graphground.graphs.definitions.read import DOMAINS
from graphground.graphs.storage.home import Home, alone

Progress = Callable[[str, int, int | None], None]
"""A function called with the step (`downloading`), the bytes received, and the file's size (None if unknown)."""
TRIES, FIRST_PAUSE, MAX_WAIT_SECONDS = 5, 1.0, 300.0
AT_ONCE = 1 << 18
_CHECKSUM = re.compile(r'(?:W/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?')
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class DownloadError(RuntimeError):
    """A file could not be downloaded; the message gives the reason."""


class _Again(Exception):
    """A failure that may be temporary; `pause` is the wait in seconds that the server requested, or 0."""

    def __init__(self, message: str, pause: float = 0.0) -> None:
        super().__init__(message)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class Announced:
    """The size and the SHA-256 (or SHA-1 of a git blob) that a server announced for a file; a missing value is None."""

    size: int | None
    checksum: str | None


def fetch(
    addresses: str | Sequence[str],
    path: Path,
    progress: Progress | None = None,
    *,
    offline: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Download a file from the first address that provides it; return its SHA-256.

    An existing file that matches its stored checksum is not downloaded again. `sleep` waits before a retry.

    Raises:
        DownloadError: no address provides the file undamaged, the disk is full, or another process is downloading the
            file. With `offline`, the file has not been downloaded yet.
    """
    path = Path(path)
    try:
        with alone(path):
            checksum = _stored_checksum(path)
            if checksum is not None:
                return checksum
            if offline:
                raise DownloadError(f"{path.name} has not been downloaded yet; run once without --offline")
            problems = []
            for address in [addresses] if isinstance(addresses, str) else addresses:
                try:
                    return _download(address, path, progress, sleep)
                except DownloadError as error:
                    problems.append(str(error))
            raise DownloadError("; ".join(problems))
    except Timeout:
        raise DownloadError(f"another process is downloading {path.name}; wait for it, or try again later") from None


def _stored_checksum(path: Path) -> str | None:
    note = path.with_name(path.name + ".sha256")
    try:
        noted = note.read_text("ascii").strip()
        return noted if _sha256(path) == noted else None
    except OSError:
        return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(address: str, path: Path, progress: Progress | None, sleep: Callable[[float], None]) -> str:
    part = path.with_name(path.name + ".part")
    problem, failures = "", 0
    with httpx2.Client(
        follow_redirects=True,
        timeout=httpx2.Timeout(60.0, connect=30.0),
        headers={"User-Agent": f"graphground/{__version__}", "Accept-Encoding": "identity"},
    ) as client:
        while failures < TRIES:
            before = part.stat().st_size if part.exists() else 0
            try:
                announced = _receive(client, address, part, progress)
                return _finish(announced, part, path)
            except _Again as error:
                # An attempt that received more of the file is not a failure: a connection may break often.
                failures = 0 if part.exists() and part.stat().st_size > before > 0 else failures + 1
                problem = str(error)
                if failures < TRIES:
                    sleep(min(max(error.pause, FIRST_PAUSE * 2 ** max(failures - 1, 0)), MAX_WAIT_SECONDS))
    raise DownloadError(
        f"{address}: gave up after {TRIES} failed attempts in a row: {problem}; run the same command again to resume"
    )


def _receive(client: httpx2.Client, address: str, part: Path, progress: Progress | None) -> Announced:
    """Receive the file, or the missing rest of it, into `part`; return what the server announced."""
    have = part.stat().st_size if part.exists() else 0
    note = part.with_name(part.name + ".from")
    earlier = _noted(note)
    headers = {"Range": f"bytes={have}-"} if have else {}
    try:
        with client.stream("GET", address, headers=headers) as answer:
            announced = _announced(answer)
            if answer.status_code == 416 or (
                have and answer.status_code == 206 and (earlier != announced or not _continues(answer, have))
            ):
                part.unlink(missing_ok=True)  # the file has changed on the server, or the complete part is damaged
                raise _Again("the file changed while it was downloaded")
            if answer.status_code not in (200, 206):
                raise _refusal(answer, address)
            if answer.status_code == 200:
                have = 0
            note.write_text(json.dumps([announced.size, announced.checksum]))
            with part.open("ab" if have else "wb") as file:
                for piece in answer.iter_raw():  # unbuffered: a larger piece would be lost with the connection
                    file.write(piece)
                    have += len(piece)
                    if progress is not None:
                        progress("downloading", have, announced.size)
    except httpx2.TransportError as error:
        raise _Again(f"the connection failed ({error})") from None
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise DownloadError(f"{address}: {error}") from None
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DownloadError(
            f"the disk of {part.parent} is full; make room and run the same command again to resume"
        ) from None
    if announced.size is not None and have < announced.size:
        raise _Again(f"the response ended after {have:,} of {announced.size:,} bytes")
    return announced


def _noted(note: Path) -> Announced | None:
    try:
        return Announced(*json.loads(note.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _announced(answer: httpx2.Response) -> Announced:
    """Return the size and checksum that the response, or a redirect before it, announces.

    Hugging Face announces the SHA-256 of a large file in `X-Linked-Etag` of the redirect, and its file store in `ETag`.
    """
    size, checksum = None, None
    for response in (*answer.history, answer):
        for name in ("ETag", "X-Linked-Etag"):
            match = _CHECKSUM.fullmatch(response.headers.get(name, ""))
            if match and (checksum is None or len(match[1]) >= len(checksum)):
                checksum = match[1]
        linked = response.headers.get("X-Linked-Size", "")
        size = int(linked) if linked.isdigit() else size
    total = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    length = answer.headers.get("Content-Length", "")
    if size is None and total and total[2].isdigit():
        size = int(total[2])
    elif size is None and length.isdigit() and answer.status_code == 200:
        size = int(length)
    return Announced(size, checksum)


def _continues(answer: httpx2.Response, have: int) -> bool:
    match = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    return match is not None and int(match[1]) == have


def _refusal(answer: httpx2.Response, address: str) -> Exception:
    status = answer.status_code
    if status in (408, 425, 429, 500, 502, 503, 504):
        reason = {429: "the server limits requests", 503: "the server is busy"}.get(status, "the server failed")
        return _Again(f"status {status}: {reason}", retry_after(answer.headers.get("Retry-After")))
    reason = {
        401: "access requires a login",
        403: "access is refused",
        404: "the server has no such file",
        410: "the server no longer has the file",
    }.get(status, "the request was refused")
    return DownloadError(f"{address}: status {status}: {reason}")


def _finish(announced: Announced, part: Path, path: Path) -> str:
    size = part.stat().st_size
    digest = _sha256(part)
    expected = announced.checksum
    is_right = announced.size in (None, size) and (
        expected is None or expected == (digest if len(expected) == 64 else _git_blob(part, size))
    )
    if not is_right:
        part.unlink()
        part.with_name(part.name + ".from").unlink(missing_ok=True)
        raise _Again("the downloaded file is damaged (its size or checksum differs from what the server announced)")
    os.replace(part, path)
    part.with_name(part.name + ".from").unlink(missing_ok=True)
    path.with_name(path.name + ".sha256").write_text(digest + "\n", "ascii")
    return digest


def _git_blob(path: Path, size: int) -> str:
    """Return the SHA-1 of a file as a git blob, which Hugging Face sends as the ETag of small files."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


PUBLISHED = "https://huggingface.co/datasets/megagonlabs/cypherbench/resolve/main"
MIRRORS = "GRAPHGROUND_MIRROR"
TASKS = ("train.json", "test.json")


def mirrors(given: Sequence[str] = ()) -> list[str]:
    """Return the servers to download from: `given`, else those in GRAPHGROUND_MIRROR, else the authors' server."""
    named = list(given) or os.environ.get(MIRRORS, "").split()
    return [address.rstrip("/") for address in named] or [PUBLISHED]


def pull_graph(
    name: str, home: Home, given: Sequence[str] = (), progress: Progress | None = None, *, offline: bool = False
) -> tuple[Path, str]:
    """Return the path and the SHA-256 of a domain's SimpleKG file, downloaded if it is missing.

    Raises:
        DownloadError: CypherBench has no domain `name`, or the download failed; the message gives the reason.
    """
    if name not in DOMAINS:
        hint = did_you_mean(name, DOMAINS) or "."
        raise DownloadError(f"CypherBench has no graph {name!r}{hint} It has {', '.join(DOMAINS)}.")
    path = home.downloads / f"{name}_simplekg.json"
    addresses = [f"{mirror}/graphs/simplekg/{path.name}" for mirror in mirrors(given)]
    return path, fetch(addresses, path, progress, offline=offline)


def pull_tasks(
    home: Home, given: Sequence[str] = (), progress: Progress | None = None, *, offline: bool = False
) -> list[Path]:
    """Return the paths of the files with CypherBench's questions and gold Cypher, downloaded if missing."""
    paths = [home.downloads / name for name in TASKS]
    for path in paths:
        fetch([f"{mirror}/{path.name}" for mirror in mirrors(given)], path, progress, offline=offline)
    return paths


def retry_after(value: str | None) -> float:
    """Return the wait in seconds that a Retry-After header states, as a number or a date; 0 without a valid header."""
    if not value:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return max(0.0, (moment - datetime.datetime.now(datetime.UTC)).total_seconds())
