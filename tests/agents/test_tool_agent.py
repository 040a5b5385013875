from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from graphground.agents.conversation import Question
from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.runs import Agent
from graphground.agents.session import Bounds
from graphground.agents.tool_agent import REPEATED, ToolAgent
from graphground.agents.zero_shot import SchemaForm, ZeroShot
from tests.support.asked_agents import TEAMS, Run, run_agent
from tests.support.scripted_endpoint import Answer, Asked, say, use

QUERY = "MATCH (t:Team) RETURN count(t) AS teams"


def answered(address: str, script: Callable[[Asked], Answer], agent: Agent | None = None, **options: Any) -> Run:
    return run_agent(address, agent or ToolAgent(), script, **options)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_the_model_calls_tools_until_it_answers(nba_server: str, provider: str) -> None:
    def script(request: Asked) -> Answer:
        steps = [
            use("get_schema", graph="nba"),
            use("execute_cypher", graph="nba", query=QUERY),
            say(f"There are 30.\n```cypher\n{QUERY}\n```"),
        ]
        return steps[request.results]

    run = answered(nba_server, script, provider=provider)
    record = run.record
    assert (record["cypher"], record["stopped"]) == (QUERY, "answered")
    assert [call["tool"] for call in record["trace"]] == ["get_schema", "execute_cypher"]
    assert "30" in run.requests[-1].last
    offered = {tool.get("name") or tool["function"]["name"] for tool in run.requests[0].body["tools"]}
    assert {"get_schema", "find_entities", "execute_cypher"} <= offered
    assert record["usage"]["input_tokens"] == 300
    assert [line["kind"] for line in run.trace.lines] == ["model", "tool", "model", "tool", "model", "prediction"]


@pytest.mark.parametrize(
    ("graph", "words"),
    [("nba", "the property graph nba; name that graph in every call."), ("", "leave out the argument `graph`.")],
)
def test_the_instructions_say_how_to_name_the_graph(nba_server: str, graph: str, words: str) -> None:
    question = Question("q1", graph, "How many teams?")
    run = answered(nba_server, lambda request: say("There are 30."), question=question)
    assert words in run.requests[0].text


def test_an_endless_loop_of_one_call_makes_the_call_once_and_ends(nba_server: str) -> None:
    def script(request: Asked) -> Answer:
        return use("execute_cypher", graph="nba", query=QUERY) if request.body.get("tools") else say("I do not know.")

    run = answered(nba_server, script, ToolAgent(turns=5))
    record = run.record
    assert len(run.requests) == 6
    assert len(record["trace"]) == 1
    assert run.requests[2].last == REPEATED
    assert (record["cypher"], record["stopped"]) == (QUERY, "calls")


@pytest.mark.parametrize(("bounds", "bound"), [(Bounds(tool_calls=3), "calls"), (Bounds(tokens=300), "tokens")])
def test_an_endless_loop_of_new_calls_ends_at_the_limit(nba_server: str, bounds: Bounds, bound: str) -> None:
    def script(request: Asked) -> Answer:
        return use("execute_cypher", graph="nba", query=f"RETURN {request.results}")

    run = answered(nba_server, script, bounds=bounds)
    record = run.record
    assert record["stopped"] == bound
    assert len(run.requests) <= 5
    assert record["cypher"].startswith("RETURN")


def test_invalid_json_arguments_and_failing_tools_are_reported_to_the_model(nba_server: str) -> None:
    def script(request: Asked) -> Answer:
        steps = [
            Answer(uses=(("get_schema", '{"graph": '),)),
            use("get_schema", graph="nbb"),
            say("STANCE: not_in_graph"),
        ]
        return steps[request.results]

    run = answered(nba_server, script)
    record = run.record
    assert "not a JSON object" in run.requests[1].last
    assert "nba" in run.requests[2].last
    assert record["stance"] == "not_in_graph"
    assert "error" not in record


def test_an_invented_tool_is_named_to_the_model_with_the_tools_that_exist(nba_server: str) -> None:
    def script(request: Asked) -> Answer:
        return say(f"```cypher\n{QUERY}\n```") if request.results else use("run_cypher", query=QUERY)

    run = answered(nba_server, script)
    record = run.record
    assert record["cypher"] == QUERY
    assert "There is no tool 'run_cypher'. The tools are: " in run.requests[-1].last
    assert "execute_cypher" in run.requests[-1].last
    assert record["trace"] == []


@pytest.mark.parametrize("agent", [ToolAgent(), ZeroShot("exact"), MultiAgentLoop(LoopSettings(rounds=1))])
def test_a_query_cut_at_the_limit_of_tokens_is_no_query(nba_server: str, agent: Agent) -> None:
    cut = Answer(f"Here it is:\n```cypher\n{QUERY}", finish="length")
    record = answered(nba_server, lambda request: cut, agent).record
    assert "cypher" not in record
    assert "the reply was cut at the limit of tokens (--max-tokens)" in record["error"]
    whole = Answer(f"```cypher\n{QUERY}\n```\nIt counts", finish="length")
    assert answered(nba_server, lambda request: whole, agent).record["cypher"] == QUERY


def test_prose_without_any_call_causes_an_error(nba_server: str) -> None:
    record = answered(nba_server, lambda request: say("There are thirty.")).record
    assert record["error"] == "the model answered without a query"
    assert record["text"] == "There are thirty."


@pytest.mark.parametrize("form", get_args(SchemaForm))
def test_the_zero_shot_prompt_shows_each_form_of_the_schema(nba_server: str, form: Any) -> None:
    run = answered(nba_server, lambda request: say(f"```\n{QUERY}\n```"), ZeroShot(form))
    record = run.record
    [request] = run.requests
    assert record["cypher"] == QUERY
    assert ("Team" if form == "json" else ":Team") in request.text
    assert TEAMS.text in request.text
    assert run.trace.lines[0]["name"] == (
        "get_schema" if form in ("enhanced", "base", "json") else "get_filtered_schema"
    )


def test_the_zero_shot_agent_reports_a_reply_without_a_query(nba_server: str) -> None:
    record = answered(nba_server, lambda request: say("SELECT count(*) FROM teams"), ZeroShot()).record
    assert record["error"] == "the model wrote no query: 'SELECT count(*) FROM teams'"
