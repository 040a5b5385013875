"""The agents of the papers, step by step beside what was published: requests, schema, reply and scores."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.runs import agent_of
from graphground.agents.zero_shot import published_query, published_schema
from graphground.prompts.agents import agent_messages
from tests.support.asked_agents import TEAMS, run_agent
from tests.support.scripted_endpoint import say
from tests.support.scripted_roles import OPENINGS, script_of
from tests.support.shared_data import SHARED

QUERY = "MATCH (t:Team) RETURN count(t) AS teams"
SCHEMA = {
    "name": "films",
    "entities": [
        {"label": "Person", "description": "A person.", "properties": {"gender": "str"}},
        {"label": "Movie", "description": "A film.", "properties": {"year": "int", "aliases": "list[str]"}},
    ],
    "relations": [
        {"label": "hasCastMember", "subj_label": "Movie", "obj_label": "Person", "properties": {"role": "str"}},
        {"label": "directedBy", "subj_label": "Movie", "obj_label": "Person", "properties": {}},
    ],
}


def test_cypherbench_shows_its_rules_the_whole_json_schema_and_the_question_in_one_message(nba_server: str) -> None:
    run = run_agent(nba_server, agent_of("cypherbench"), lambda request: say(f"```cypher\n{QUERY}\n```"))
    [request] = run.requests
    [message] = request.body["messages"]
    assert (message["role"], request.body["temperature"]) == ("user", 0.0)
    rules = ("on a single line", "nothing else", "`MATCH` clause", "more than once", "repeat the name", "not nodes")
    assert [rule for rule in rules if rule not in message["content"]] == []
    shown = message["content"].partition("Schema:\n")[2].partition("\n\nQuestion: ")
    schema = json.loads(shown[0])
    assert list(schema) == ["name", "entities", "relations"]
    assert all("name" in entity["properties"] and "description" not in entity for entity in schema["entities"])
    assert shown[2].strip() == f"{TEAMS.text}\nCypher:"
    assert (run.record["cypher"], [call["tool"] for call in run.record["trace"]]) == (QUERY, ["get_schema"])


def test_the_schema_is_the_text_that_the_published_code_shows() -> None:
    file = SHARED.parent / "reference" / "cypherbench" / "cypherbench" / "schema.py"
    if not file.exists():
        pytest.skip(f"needs {file}")
    spec = importlib.util.spec_from_file_location("published_schema_module", file)
    assert spec is not None
    assert spec.loader is not None
    published = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(published)
    graph = published.PropertyGraphSchema.from_json(SCHEMA).to_sorted().to_json(exclude_description=True)
    assert json.loads(published_schema(json.dumps(SCHEMA))) == graph
    assert published_schema(json.dumps(SCHEMA)) == json.dumps(graph, indent=2)


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        (QUERY, QUERY),
        (f"```cypher\n{QUERY}\n```", QUERY),
        (f"```cypher\n{QUERY}\n```\nIt counts the teams.", QUERY),
        (f"```\n{QUERY}", QUERY),
        ("I cannot say.", "I cannot say."),
    ],
)
def test_the_whole_reply_is_the_query_as_in_the_published_code(reply: str, query: str) -> None:
    stopped = reply.split("\n```")[0]  # the stop sequence of the published request
    assert published_query(reply) == stopped.replace("```cypher", "").replace("```", "").strip() == query


def test_every_role_of_the_multi_agent_loop_has_a_system_message_and_a_message_with_the_data(nba_server: str) -> None:
    roles = {
        "generator": ["MATCH (t:Team {name: 'Chicago Buls'}) RETURN t.name", QUERY],
        "evaluator": ["GRADE: error\nREASON: no rows", "GRADE: accept"],
    }
    run = run_agent(nba_server, MultiAgentLoop(LoopSettings.paper()), script_of(roles))
    assert set(run.roles) == set(OPENINGS) - {"zero_shot", "tool_agent"}
    for request in run.requests:
        assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
        assert TEAMS.text not in request.body["messages"][0]["content"]


def test_a_prompt_of_ones_own_may_have_a_system_message(tmp_path: Path, nba_server: str) -> None:
    (tmp_path / "zero_shot.md").write_text("---\ntitle: Mine\ndescription: Mine.\n---\nBe brief.\n+++\n{{question}}\n")
    assert agent_messages("zero_shot", tmp_path, question="Who?") == [("system", "Be brief."), ("user", "Who?\n")]
    run = run_agent(nba_server, agent_of("zero-shot", tmp_path), lambda request: say(QUERY))
    assert [message["role"] for message in run.requests[0].body["messages"]] == ["system", "user"]


def test_the_refinements_of_algorithm_1_are_four(nba_server: str) -> None:
    script = script_of({"generator": [QUERY], "evaluator": ["GRADE: incorrect\nREASON: it counts too much"]})
    run = run_agent(nba_server, agent_of("multi-agent"), script)
    assert run.roles == ["generator", "evaluator"] * 5 + ["interpreter"]
    assert (run.record["rounds"], run.record["stopped"]) == (5, "rounds")
    for request in run.requests[2:10:2]:
        assert "it counts too much" in request.last
