"""Agents whose model may only choose among suggested queries, as the grammar in the request demands."""

from __future__ import annotations

import pytest

from graphground.agents.conversation import Question
from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.replies import write_gbnf, write_lark
from graphground.agents.runs import Agent
from graphground.agents.tool_agent import ToolAgent
from graphground.agents.zero_shot import ZeroShot
from tests.support.asked_agents import run_agent
from tests.support.scripted_endpoint import Answer, Asked, say

QUESTION = Question("q1", "nba", "Which team drafted Stephen Curry?")
RESTRICTED = (ZeroShot("exact", suggested=5), ToolAgent(suggested=5), MultiAgentLoop(LoopSettings(suggested=5)))


def obedient(request: Asked) -> Answer:
    """Reply as llama.cpp's server does: with the first text of its grammar if there is one, else with prose."""
    if "grammar" not in request.body:
        return say("I would ask a librarian.")
    assert not request.body.get("tools"), "llama.cpp's server refuses a grammar beside tools"
    first = request.body["grammar"].removeprefix('root ::= "').partition('"')[0]
    assert "\\" not in first
    return say(first)


def test_quotes_line_ends_and_control_characters_are_escaped_in_grammars() -> None:
    queries = ['RETURN "a\\n"', "RETURN\n1", "RETURN 'é\x01'", "RETURN\n1"]
    alternatives = '"RETURN \\"a\\\\n\\"" | "RETURN\\n1" | "RETURN \'é\\x01\'"'
    assert write_gbnf(queries) == f"root ::= {alternatives}"
    assert write_lark(queries) == f"start: {alternatives}"


@pytest.mark.parametrize("agent", RESTRICTED, ids=lambda agent: agent.name)
def test_each_agent_lets_a_model_that_only_writes_prose_choose_a_suggested_query(nba_server: str, agent: Agent) -> None:
    run = run_agent(nba_server, agent, obedient, QUESTION)
    assert "error" not in run.record
    assert run.record["cypher"].startswith("MATCH")
    assert "Stephen Curry" in run.record["cypher"]
    assert [bool(request.body.get("grammar")) for request in run.requests].count(True) == 1


def test_without_suggestions_the_model_writes_freely(nba_server: str) -> None:
    question = Question("q2", "nba", "Why is the sky blue?")
    run = run_agent(nba_server, ZeroShot("exact", suggested=5), obedient, question)
    assert "the model wrote no query" in run.record["error"]
    assert "grammar" not in run.requests[0].body


def test_no_request_is_sent_to_an_api_that_does_not_accept_grammars(nba_server: str) -> None:
    run = run_agent(nba_server, ZeroShot("exact", suggested=5), obedient, QUESTION, provider="anthropic")
    assert "does not accept a grammar" in run.record["error"]
    assert not run.requests
