"""Downloading: the file is correct and complete, or the problem is reported and the next call resumes."""

import errno
import hashlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from graphground.graphs.loading.download import DownloadError, fetch
from tests.support.file_server import Fault, FileServer, cut, damaged, forever, status

BODY = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(BODY).hexdigest()


def fetched(
    path: Path, faults: Iterable[Fault] = (), name: str = "/nba.json"
) -> tuple[list[tuple[str, str | None]], list[float]]:
    """Fetch a file from a faulty server; return the requests (path and Range header) and the pauses in seconds."""
    waited: list[float] = []
    with FileServer({"/nba.json": BODY}, faults) as server:
        assert fetch(server.url + name, path, sleep=waited.append) == SHA256
        assert path.read_bytes() == BODY
        assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}.sha256"]
        return server.requests, waited


def test_a_file_is_fetched_through_a_redirect_with_progress(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    with FileServer({"/nba.json": BODY}) as server:
        fetch(f"{server.url}/nba.json", tmp_path / "nba.json", lambda *progress: seen.append(progress))
    assert seen[-1] == ("downloading", len(BODY), len(BODY))


def test_a_file_fetched_before_is_not_requested_again(tmp_path: Path) -> None:
    fetched(tmp_path / "nba.json")
    assert fetch("http://127.0.0.1:9/nba.json", tmp_path / "nba.json") == SHA256
    assert fetch("http://127.0.0.1:9/nba.json", tmp_path / "nba.json", offline=True) == SHA256


def test_a_downloaded_file_that_was_changed_is_fetched_again(tmp_path: Path) -> None:
    fetched(tmp_path / "nba.json")
    (tmp_path / "nba.json").write_bytes(b"{}")
    requests, _ = fetched(tmp_path / "nba.json")
    assert requests


def test_a_truncated_response_is_continued_where_it_ended(tmp_path: Path) -> None:
    requests, _ = fetched(tmp_path / "nba.json", [cut(300_000), cut(500_000)])
    expected = [None, "bytes=300000-", "bytes=800000-"]
    assert [byte_range for path, byte_range in requests if path.startswith("/store")] == expected


def test_a_later_call_resumes_the_download(tmp_path: Path) -> None:
    path = tmp_path / "nba.json"
    with FileServer({"/nba.json": BODY}, [cut(300_000), *[status(500)] * 5]) as server:
        with pytest.raises(DownloadError, match="resume"):
            fetch(f"{server.url}/nba.json", path, sleep=lambda seconds: None)
        assert not path.exists()
        server.requests.clear()
        fetch(f"{server.url}/nba.json", path)
        assert ("/store/nba.json", "bytes=300000-") in server.requests
    assert path.read_bytes() == BODY


def test_a_file_that_changed_meanwhile_is_fetched_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "nba.json"
    with FileServer({"/nba.json": b"old" * 500_000}, [cut(300_000), *[status(500)] * 5]) as server:
        with pytest.raises(DownloadError):
            fetch(f"{server.url}/nba.json", path, sleep=lambda seconds: None)
        server.files["/nba.json"] = BODY
        assert fetch(f"{server.url}/nba.json", path, sleep=lambda seconds: None) == SHA256


def test_a_damaged_file_is_fetched_again_and_never_kept(tmp_path: Path) -> None:
    fetched(tmp_path / "nba.json", [damaged])
    with FileServer({"/nba.json": BODY}, forever(damaged)) as server, pytest.raises(DownloadError, match="is damaged"):
        fetch(f"{server.url}/nba.json", tmp_path / "other.json", sleep=lambda seconds: None)
    assert not (tmp_path / "other.json").exists()


def test_an_etag_that_is_a_git_blob_hash_is_checked_too(tmp_path: Path) -> None:
    from graphground.graphs.loading.download import Announced, _finish

    (tmp_path / "x.part").write_bytes(b"hello\n")
    blob = "ce013625030ba8dba906f756967f9e9ca394464a"  # the hash that `git hash-object` computes for that text
    assert _finish(Announced(6, blob), tmp_path / "x.part", tmp_path / "x")
    (tmp_path / "y.part").write_bytes(b"hullo\n")
    with pytest.raises(Exception, match="damaged"):
        _finish(Announced(6, blob), tmp_path / "y.part", tmp_path / "y")


def test_after_a_rate_limit_the_download_waits_as_long_as_the_server_asks(tmp_path: Path) -> None:
    _, waited = fetched(tmp_path / "nba.json", [status(429, Retry_After="42"), status(503)])
    assert waited == [42.0, 2.0]


@pytest.mark.parametrize(
    ("name", "fault", "message"),
    [
        ("/nbb.json", None, "status 404: the server has no such file"),
        ("/nba.json", status(403), "status 403: access is refused"),
        (
            "/nba.json",
            status(429),
            "gave up after 5 failed attempts in a row: status 429: the server limits requests; run",
        ),
    ],
)
def test_a_refusal_is_reported(name: str, fault: Fault | None, message: str, tmp_path: Path) -> None:
    with (
        FileServer({"/nba.json": BODY}, forever(fault) if fault else ()) as server,
        pytest.raises(DownloadError, match=message),
    ):
        fetch(server.url + name, tmp_path / "nba.json", sleep=lambda seconds: None)


def test_the_next_mirror_is_tried_if_a_mirror_fails(tmp_path: Path) -> None:
    with FileServer({"/nba.json": BODY}) as server:
        addresses = [f"{server.url}/missing.json", f"{server.url}/nba.json"]
        assert fetch(addresses, tmp_path / "nba.json", sleep=lambda seconds: None) == SHA256
        with pytest.raises(DownloadError, match=r"a\.json: status 404.*b\.json: status 404"):
            fetch([f"{server.url}/a.json", f"{server.url}/b.json"], tmp_path / "other.json")


def test_a_full_disk_is_reported_and_the_received_part_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FullDisk(io.FileIO):
        def write(self, piece: Any) -> int:
            if self.tell() + len(piece) > 300_000:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(piece)

    opened = Path.open

    def on_full_disk(path: Path, mode: str = "r", *more: Any, **options: Any) -> Any:
        if path.suffix == ".part" and mode in ("wb", "ab"):
            return FullDisk(str(path), mode.replace("b", ""))
        return opened(path, mode, *more, **options)

    monkeypatch.setattr(Path, "open", on_full_disk)
    with FileServer({"/nba.json": BODY}) as server, pytest.raises(DownloadError, match=r"the disk of .* is full"):
        fetch(f"{server.url}/nba.json", tmp_path / "nba.json")
    assert (tmp_path / "nba.json.part").stat().st_size > 0


def test_two_processes_do_not_download_the_same_file_at_once(tmp_path: Path) -> None:
    with FileLock(tmp_path / "nba.json.lock"), pytest.raises(DownloadError, match="another process is downloading"):
        fetch("http://127.0.0.1:9/nba.json", tmp_path / "nba.json")
