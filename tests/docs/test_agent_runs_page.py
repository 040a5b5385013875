"""The page with recorded runs of the agents: its commands, and the form of its transcripts.

The words of the model are not compared, since another build of llama.cpp may choose other words.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from benchmarks.agents.recorded_runs import BLOCK, ENDPOINT, steps
from graphground.server.commands.agent import parser

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "agent-runs.md").read_text(encoding="utf-8")
RUNS = [(found[1], found[2].splitlines()) for found in BLOCK.finditer(PAGE)]
CHOSEN = {"zero-shot": "zero_shot", "tools": "tool_agent", "loop": "generator"}
"""The role that chooses the query, for each agent."""


def test_each_agent_is_shown_with_free_and_with_suggested_queries_by_commands_that_exist() -> None:
    shown = []
    for command, _ in RUNS:
        parsed = parser().parse_args(shlex.split(command)[3:])
        assert parsed.endpoint == ENDPOINT
        shown.append((parsed.agent, bool(parsed.suggested)))
    assert shown == [(agent, restricted) for agent in CHOSEN for restricted in (False, True)]


@pytest.mark.parametrize(("command", "lines"), RUNS, ids=[command.split('"')[0] for command, _ in RUNS])
def test_each_transcript_has_the_calls_of_a_run_and_its_end(command: str, lines: list[str]) -> None:
    agent, restricted = command.split()[3], "--suggested" in command
    kinds = [line for line in lines if line.startswith("[")]
    assert kinds, "run: python -m benchmarks.agents.recorded_runs"
    assert any(line.startswith(f"[model, {CHOSEN[agent]}: ") for line in kinds)
    assert any(line.startswith("[tool, suggest_queries: ") for line in kinds) >= restricted
    [end] = [line for line in kinds if line.startswith("[ended: ")]
    assert re.fullmatch(r"\[ended: (answered|accepted|rounds|calls|tokens|time)(, no query)?\]", end)
    if restricted:
        assert "no query" not in end
        assert any(line.startswith("MATCH ") for line in lines[lines.index(end) :])


def test_a_transcript_shows_the_calls_of_the_model_and_of_tools_and_how_the_run_ended() -> None:
    trace = [
        {"kind": "tool", "name": "get_schema", "arguments": {"graph": "nba"}, "answer": "(:Team)\n```", "failed": True},
        {"kind": "model", "name": "tool_agent", "tokens_in": 9, "tokens_out": 4, "output": "",
         "tool_calls": [{"tool": "get_schema", "arguments": "{}"}]},
        {"kind": "state", "name": "evaluate", "output": "accept"},
        {"kind": "prediction", "name": "tools", "output": {"stopped": "calls", "error": "none"}},
    ]  # fmt: skip
    assert list(steps(trace)) == [
        "[tool, get_schema, failed: graph=nba]",
        "  (:Team) '''",
        "[model, tool_agent: 9 tokens in, 4 out]",
        "  calls get_schema {}",
        "[evaluate: accept]",
        "[ended: calls, no query]",
    ]
