"""A trace on disk: private, shared by processes, and readable while it grows, even if another program writes it."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import orjson
import pytest

from graphground.server.call import Outcome
from graphground.server.settings import SettingsError
from graphground.server.traces.event import UNREADABLE, Event, TraceFile, event_in, follow_events, read_events
from graphground.server.traces.recorder import Caller, Recorder

needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@needs_modes
def test_only_its_owner_can_read_a_trace(tmp_path: Path) -> None:
    new, old = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    old.write_text("")
    old.chmod(0o644)
    for path in (new, old):
        TraceFile(path).close()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@needs_modes
def test_a_pipe_a_device_or_a_missing_folder_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/null"), Path("/dev/stdout"), tmp_path, tmp_path / "no" / "calls.jsonl"):
        with pytest.raises(SettingsError, match="--record"):
            TraceFile(path)


def test_two_writers_share_a_file_without_mixing_lines(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    files = [TraceFile(path), TraceFile(path)]
    line = Event(name="x" * 5_000).as_line()
    threads = [threading.Thread(target=lambda file=file: [file.append(line) for _ in range(100)]) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for file in files:
        file.close()
    assert [event.name for event in read_events(path)] == ["x" * 5_000] * 200


LINES = [
    ('{"kind": "model", "name": "generator", "input": "Who?", "output": "MATCH …"}', "model", "generator"),
    ('{"kind": "vote", "of": ["a", "b"]}', "vote", ""),
    ('{"kind": 7, "name": {"x": 1}, "session": null, "seconds": "long", "tokens_out": true}', "unknown", ""),
    ("{}", "unknown", ""),
    ("[1, 2]", UNREADABLE, ""),
    ('{"kind": "tool_call", "na', UNREADABLE, ""),
    ('{"seconds": NaN}', UNREADABLE, ""),
]


@pytest.mark.parametrize(("line", "kind", "name"), LINES)
def test_a_line_of_any_kind_is_read_and_written_back_unchanged(line: str, kind: str, name: str) -> None:
    event = event_in(line)
    assert (event.kind, event.name) == (kind, name)
    assert event_in(event.as_line()).as_dict() == event.as_dict()
    if kind not in (UNREADABLE, "unknown"):
        assert "input" not in event.more


def test_an_agents_step_is_read_with_its_input_and_output() -> None:
    event = event_in(LINES[0][0])
    assert (event.arguments, event.answer) == ("Who?", "MATCH …")


def test_unknown_fields_are_kept() -> None:
    event = event_in('{"kind": "vote", "of": ["a", "b"]}')
    assert event.as_dict() == {"kind": "vote", "of": ["a", "b"]}


def test_a_file_with_bytes_that_are_not_text_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b'\xff\xfe{"a"\n\n{"name": "list_graphs"}\n{"name": "cut o')
    assert [event.kind for event in read_events(path)] == [UNREADABLE, "unknown", UNREADABLE]


def test_a_growing_file_is_followed_through_creation_incomplete_lines_and_replacement(tmp_path: Path) -> None:
    path, found, stop, seen = tmp_path / "calls.jsonl", [], threading.Event(), threading.Semaphore(0)

    def follow() -> None:
        for event in follow_events(path, stop.is_set, poll=0.005):
            found.append(event.name)
            seen.release()

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        with path.open("w") as file:
            file.write('{"name": "first"}\n{"name": "sec')
            file.flush()
            assert seen.acquire(timeout=20)
            file.write('ond"}\n')
            file.flush()
            assert seen.acquire(timeout=20)
        other = tmp_path / "other.jsonl"
        other.write_text('{"name": "third"}\n')
        os.replace(other, path)
        assert seen.acquire(timeout=20)
    finally:
        stop.set()
        thread.join(20)
    assert found == ["first", "second", "third"]


def test_a_full_file_ends_with_a_mark_and_is_not_opened_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "calls.jsonl"
    recorder = Recorder(TraceFile(path, 2_000))
    for number in range(50):
        recorder.record(
            Caller("5f1c02aa"), f"tool_{number}", {}, Outcome(orjson.dumps({"text": "x" * 100}), "{}"), 0.001
        )
    recorder.settle()
    recorder.close()
    *events, mark = read_events(path)
    assert path.stat().st_size <= 2_000
    assert [event.name for event in events] == [f"tool_{number}" for number in range(len(events))]
    assert 3 < len(events) < 20
    assert mark.kind == "end"
    assert "limit of 2,000 bytes" in mark.answer
    assert caplog.text.count("recording has stopped") == 1
    assert recorder.lines()[0] == 50, "the calls go on, and so does the page"
    with pytest.raises(SettingsError, match="it is full; move it"):
        TraceFile(path, 2_000)
