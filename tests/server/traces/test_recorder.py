"""The recorder keeps a bounded number of calls, never raises an exception, and adds hardly any time to a call."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import orjson
import pytest

from graphground.server.call import Outcome
from graphground.server.traces.event import TraceFile, event_in, read_events
from graphground.server.traces.recorder import CUT, MAX_ANSWER_BYTES, MAX_ARGUMENT_BYTES, Caller, Recorder

ADA = Caller("5f1c02aa", "ada 1.0")


def record(recorder: Recorder, name: str = "list_graphs", text: str = "{}") -> None:
    recorder.record(ADA, name, {}, Outcome(text.encode(), text), 0.002)


def require(condition: bool) -> None:
    assert condition


def test_a_call_is_kept_with_its_client_its_time_and_its_tokens() -> None:
    recorder = Recorder()
    arguments = {"query": "MATCH (n) RETURN n.name"}
    answer = {"columns": ["n.name"], "rows": [["Heat"]], "diagnostics": [{"code": "no_limit"}]}
    payload = orjson.dumps(answer)
    recorder.record(ADA, "execute_cypher", arguments, Outcome(payload, payload.decode()), 0.25)
    recorder.settle()
    last, [line] = recorder.lines()
    event = event_in(line)
    assert (last, event.kind, event.session, event.client, event.name) == (
        1,
        "tool_call",
        "5f1c02aa",
        "ada 1.0",
        "execute_cypher",
    )
    assert event.arguments == arguments
    assert event.answer == answer
    assert event.diagnostics == [{"code": "no_limit"}]
    assert event.seconds == 0.25
    assert event.tokens_in is not None
    assert 5 < event.tokens_in < 20
    assert event.tokens_out is not None
    assert event.tokens_out > 10
    assert event.time.endswith("Z")
    recorder.close()


def test_the_oldest_calls_are_dropped_if_the_calls_are_too_many_or_too_long() -> None:
    few, small = Recorder(max_events=3), Recorder(max_bytes=2_000)
    for number in range(10):
        for recorder in (few, small):
            record(recorder, f"tool_{number}", '{"text": "' + "x" * 500 + '"}')
    for recorder in (few, small):
        recorder.settle()
        last, lines = recorder.lines()
        assert last == 10
        assert event_in(lines[-1]).name == "tool_9"
        assert len(lines) <= 3
        recorder.close()


def test_calls_after_a_given_number_are_returned_and_a_listener_is_notified_of_every_call() -> None:
    recorder, heard = Recorder(), threading.Semaphore(0)
    end = recorder.listen(heard.release)
    for number in range(4):
        record(recorder, f"tool_{number}")
    recorder.settle()
    assert all(heard.acquire(timeout=10) for _ in range(4))
    assert [event_in(line).name for line in recorder.lines(after=2)[1]] == ["tool_2", "tool_3"]
    assert recorder.lines(after=9)[1] == []
    end()
    record(recorder)
    recorder.settle()
    assert not heard.acquire(blocking=False)
    recorder.close()


def test_a_long_answer_is_recorded_with_fewer_rows_and_marked() -> None:
    recorder = Recorder()
    answer = {"columns": ["n"], "rows": [["x" * 100] for _ in range(10_000)], "row_count": 10_000}
    text = orjson.dumps(answer).decode()
    recorder.record(ADA, "execute_cypher", {}, Outcome(text.encode(), text), 1)
    recorder.settle()
    line = recorder.lines()[1][0]
    event = event_in(line)
    assert len(line) < 1.1 * MAX_ANSWER_BYTES
    assert 100 < len(event.answer["rows"]) < 10_000
    assert event.answer["row_count"] == 10_000
    assert event.more["cut"]
    assert event.tokens_out is not None
    assert event.tokens_out > 100_000
    recorder.close()


def test_arguments_that_cannot_be_encoded_are_left_out_of_the_event() -> None:
    recorder = Recorder()
    recorder.record(ADA, "list_graphs", {"graph": "\ud800"}, Outcome(b"{}", "{}"), 0)
    recorder.settle()
    [line] = recorder.lines()[1]
    assert "not recorded" in event_in(line).arguments[CUT]
    recorder.close()


def test_the_number_of_waiting_calls_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, free = Recorder(), threading.Event()
    recorder.listen(lambda: require(free.wait(30)))
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
def test_long_arguments_are_cut_before_they_are_searched(arguments: dict[str, Any]) -> None:
    recorder = Recorder()
    recorder.record(ADA, "list_graphs", arguments, Outcome(b"{}", "{}"), 0)
    recorder.settle()
    [line] = recorder.lines()[1]
    assert len(line) < 4 * MAX_ARGUMENT_BYTES
    assert CUT in line.decode()
    recorder.close()


def test_a_client_sees_its_own_calls_and_an_operator_sees_all() -> None:
    recorder = Recorder()
    for number, owner in enumerate(["ada", "bob", "ada", ""]):
        recorder.record(Caller("5f", owner=owner), f"tool_{number}", {}, Outcome(b"{}", "{}"), 0)
    recorder.settle()
    names = {of: [event_in(line).name for line in recorder.lines(owner=of)[1]] for of in ("ada", "bob", "eve", None)}
    assert names == {
        "ada": ["tool_0", "tool_2"],
        "bob": ["tool_1"],
        "eve": [],
        None: ["tool_0", "tool_1", "tool_2", "tool_3"],
    }
    last, [(number, _)] = recorder.numbered_lines(after=1, owner="ada", max_bytes=1)
    assert (last, number) == (3, 3)
    recorder.close()


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
