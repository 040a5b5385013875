"""The recorder keeps a bounded number of calls and never raises an exception; a trace on disk is private, shared by
processes, and readable while it grows.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from graphground.server.application import Outcome
from graphground.server.settings import SettingsError
from graphground.server.traces.event import UNREADABLE, Event, TraceFile, event_in, follow_events, read_events
from graphground.server.traces.recorder import CUT, MAX_ANSWER_BYTES, MAX_ARGUMENT_BYTES, Caller, Recorder

ADA = Caller("5f1c02aa", "ada 1.0")


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    recorder = Recorder()
    yield recorder
    recorder.close()


def record(recorder: Recorder, name: str = "list_graphs", text: str = "{}") -> None:
    recorder.record(ADA, name, {}, Outcome(text.encode(), text), 0.002)


def require(condition: bool) -> None:
    assert condition


def test_a_call_is_kept_with_its_client_its_time_and_its_tokens(recorder: Recorder) -> None:
    arguments = {"query": "MATCH (n) RETURN n.name"}
    answer = {"columns": ["n.name"], "rows": [["Heat"]], "diagnostics": [{"code": "no_limit"}]}
    payload = orjson.dumps(answer)
    recorder.record(ADA, "execute_cypher", arguments, Outcome(payload, payload.decode()), 0.25)
    recorder.settle()
    last, [(_, line)] = recorder.lines()
    event = event_in(line)
    expected = (1, "tool_call", "5f1c02aa", "ada 1.0", "execute_cypher")
    assert (last, event.kind, event.session, event.client, event.name) == expected
    assert event.arguments == arguments
    assert event.answer == answer
    assert event.diagnostics == [{"code": "no_limit"}]
    assert event.seconds == 0.25
    assert event.tokens_in is not None
    assert 5 < event.tokens_in < 20
    assert event.tokens_out is not None
    assert event.tokens_out > 10
    assert event.time.endswith("Z")


def test_the_oldest_calls_are_dropped_if_the_calls_are_too_many_or_too_long() -> None:
    few, small = Recorder(max_events=3), Recorder(max_bytes=2_000)
    for number in range(10):
        for recorder in (few, small):
            record(recorder, f"tool_{number}", '{"text": "' + "x" * 500 + '"}')
    for recorder in (few, small):
        recorder.settle()
        last, lines = recorder.lines()
        assert last == 10
        assert event_in(lines[-1][1]).name == "tool_9"
        assert len(lines) <= 3
        recorder.close()


def test_a_long_answer_is_recorded_with_fewer_rows_and_marked(recorder: Recorder) -> None:
    answer = {"columns": ["n"], "rows": [["x" * 100] for _ in range(10_000)], "row_count": 10_000}
    text = orjson.dumps(answer).decode()
    recorder.record(ADA, "execute_cypher", {}, Outcome(text.encode(), text), 1)
    recorder.settle()
    line = recorder.lines()[1][0][1]
    event = event_in(line)
    assert len(line) < 1.1 * MAX_ANSWER_BYTES
    assert 100 < len(event.answer["rows"]) < 10_000
    assert event.answer["row_count"] == 10_000
    assert event.more["cut"]
    assert event.tokens_out is not None
    assert event.tokens_out > 100_000


def test_arguments_that_cannot_be_encoded_are_left_out_of_the_event(recorder: Recorder) -> None:
    recorder.record(ADA, "list_graphs", {"graph": "\ud800"}, Outcome(b"{}", "{}"), 0)
    recorder.settle()
    [(_, line)] = recorder.lines()[1]
    assert "not recorded" in event_in(line).arguments[CUT]


def test_the_number_of_waiting_calls_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    free = threading.Event()
    monkeypatch.setattr(TraceFile, "append", lambda file, line: require(free.wait(30)))
    recorder = Recorder(TraceFile(tmp_path / "calls.jsonl"))
    for _ in range(1_500):
        record(recorder)
    assert recorder.dropped >= 400
    free.set()
    recorder.settle()
    record(recorder)
    recorder.settle()
    assert recorder.lines()[0] + recorder.dropped == 1_501
    recorder.close()


def test_closing_writes_every_call_to_the_file(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recorder = Recorder(TraceFile(path))
    for number in range(50):
        record(recorder, f"tool_{number}")
    recorder.close()
    assert [event.name for event in read_events(path)] == [f"tool_{number}" for number in range(50)]


def test_a_file_that_can_no_longer_be_written_stops_only_the_recording(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = TraceFile(tmp_path / "calls.jsonl")
    recorder = Recorder(file)
    file.close()
    record(recorder)
    record(recorder)
    recorder.settle()
    assert recorder.lines()[0] == 2
    assert len([line for line in caplog.messages if "recording has stopped" in line]) == 1


DEEP: Any = {}
for _ in range(10_000):
    DEEP = {"a": DEEP, "b": [DEEP]} if DEEP == {} else {"a": DEEP}


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "-----BEGIN PRIVATE KEY-----" * 40_000},
        {"parameters": {f"key {number}": number for number in range(100_000)}},
        {"parameters": {"list": ["password='x'"] * 100_000}},
        {"parameters": {"k" * 1_000_000: 1}},
        {"parameters": DEEP},
        {"parameters": {"list": [[[]]] * 300_000}},
        {"question": "é" * 1_000_000},
    ],
    ids=["keys", "many keys", "many texts", "long name", "deep", "empty lists", "not ASCII"],
)
def test_long_arguments_are_cut_before_they_are_searched(recorder: Recorder, arguments: dict[str, Any]) -> None:
    recorder.record(ADA, "list_graphs", arguments, Outcome(b"{}", "{}"), 0)
    recorder.settle()
    [(_, line)] = recorder.lines()[1]
    assert len(line) < 4 * MAX_ARGUMENT_BYTES
    assert CUT in line.decode()


def test_a_client_sees_its_own_calls_and_an_operator_sees_all(recorder: Recorder) -> None:
    for number, owner in enumerate(["ada", "bob", "ada", ""]):
        recorder.record(Caller("5f", owner=owner), f"tool_{number}", {}, Outcome(b"{}", "{}"), 0)
    recorder.settle()
    names = {of: [event_in(line).name for _, line in recorder.lines(owner=of)[1]] for of in ("ada", "bob", "eve", None)}
    assert names == {
        "ada": ["tool_0", "tool_2"],
        "bob": ["tool_1"],
        "eve": [],
        None: ["tool_0", "tool_1", "tool_2", "tool_3"],
    }
    last, [(number, _)] = recorder.lines(after=1, owner="ada", max_bytes=1)
    assert (last, number) == (3, 3)


def test_a_running_call_is_listed_without_secrets_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder(secrets=["battery-staple"])
    arguments = {"query": "MATCH (n) RETURN n", "parameters": {"password": "correct-horse", "note": "battery-staple"}}
    with recorder.running(ADA, "execute_cypher", arguments):
        assert recorder.running_lines() == [], "short calls are shown when they are over"
        monkeypatch.setattr("graphground.server.traces.recorder.SHOWN_AFTER_SECONDS", 0.0)
        assert recorder.running_lines() == [], "the recorder's thread writes the line"
        recorder.settle()
        [line] = recorder.running_lines()
        event = event_in(line)
        assert (event.kind, event.name, event.query) == ("running", "execute_cypher", "MATCH (n) RETURN n")
        assert b"correct-horse" not in line
        assert b"battery-staple" not in line
    assert recorder.running_lines() == []
    assert recorder.lines() == (0, [])
    recorder.close()


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
