"""`graphground trace`: a trace as lines, as a transcript and as events."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphground.server.commands.command_line import run
from graphground.server.traces.event import Event, event_in


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "calls.jsonl"
    events = [
        Event(
            session="aa", client="ada 1.0", name="get_schema", answer={"schema": "(:Movie)"}, seconds=0.01, tokens_out=5
        ),
        Event(session="bb", name="execute_cypher", arguments={"query": "MATCH (n)\nRETURN n"}, failed=True),
        Event(session="aa", name="execute_cypher", arguments={"query": "RETURN 1"}, answer={"rows": [[1]]}),
    ]
    path.write_bytes(b"".join(event.as_line() for event in events))
    return str(path)


def test_each_event_is_a_line(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("trace", ["show", trace]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("aa get_schema ok 10.0 ms 0+5 tokens")
    assert lines[1] == "bb execute_cypher failed MATCH (n) RETURN n"


def test_events_are_filtered_by_session_tool_and_failure(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    for options, count in ((["--session", "aa"], 2), (["--tool", "execute_cypher"], 2), (["--failed"], 1)):
        assert run("trace", ["show", trace, "--form", "jsonl", *options]) == 0
        events = [event_in(line) for line in capsys.readouterr().out.splitlines()]
        assert len(events) == count


def test_a_transcript_of_a_session_is_markdown(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("trace", ["show", trace, "--form", "markdown", "--session", "aa"]) == 0
    printed = capsys.readouterr().out
    assert "## Session `aa` of `ada 1.0`" in printed
    assert "bb" not in printed


def test_a_missing_file_is_reported_with_the_option_that_writes_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run("trace", ["show", str(tmp_path / "none.jsonl")])
    assert ended.value.code == 2
    assert "serve --record" in capsys.readouterr().err
