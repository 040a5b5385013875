"""Every transition of the loop's state diagram, on the real server, with a model that follows a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio
import pytest

from graphground.agents.model_settings import ModelSettings
from graphground.agents.models import Model
from graphground.agents.multi_agent_loop import LoopSettings, MultiAgentLoop
from graphground.agents.runs import ask
from graphground.agents.server_connection import connect
from graphground.agents.session import Bounds, Trace
from tests.support.asked_agents import TEAMS, Run, run_agent
from tests.support.scripted_endpoint import ScriptedEndpoint
from tests.support.scripted_roles import Replies, role_of, script_of

RIGHT = "```cypher\nMATCH (t:Team) RETURN count(t) AS teams\n```"
OTHER = "```cypher\nMATCH (p:Player) RETURN count(p) AS players\n```"
MISSPELT = "MATCH (t:Team {name: 'Chicago Buls'}) RETURN t.name"
BROKEN = "MATCH (t:Team RETURN t.name"
PROSE = "There are thirty teams in the league."


def loop(
    address: str, roles: Mapping[str, Replies], settings: LoopSettings | None = None, bounds: Bounds | None = None
) -> Run:
    return run_agent(address, MultiAgentLoop(settings), script_of(roles), bounds=bounds)


def test_an_accepted_query_is_interpreted_at_once(nba_server: str) -> None:
    run = loop(nba_server, {"generator": [RIGHT], "evaluator": ["GRADE: accept"], "interpreter": ["There are 30."]})
    assert run.states == ["generate → execute", "execute → rows: 1", "evaluate → accept", "interpret → done"]
    assert run.roles == ["generator", "evaluator", "interpreter"]
    assert run.record["cypher"] == "MATCH (t:Team) RETURN count(t) AS teams"
    assert (run.record["text"], run.record["rounds"], run.record["stopped"]) == ("There are 30.", 1, "accepted")
    assert "[[30]]" in run.prompts("evaluator")[0]
    assert "[[30]]" in run.prompts("interpreter")[0]
    assert "(:Player)-[:playsFor]->(:Team)" in run.prompts("generator")[0]


def test_the_papers_algorithm_grades_failures_feeds_back_directly_and_sees_none_of_our_advice(nba_server: str) -> None:
    roles = {
        "generator": [BROKEN, OTHER, MISSPELT, RIGHT],
        "evaluator": ["GRADE: error", "GRADE: incorrect\nREASON: it counts players", "GRADE: error", "GRADE: accept"],
        "extractor": ['["Chicago Buls"]'],
        "instructions": ["Close the bracket.", "Use the stored name."],
        "aggregator": ["First close the bracket.", "Then use the stored name."],
    }
    run = loop(nba_server, roles, LoopSettings.paper())
    refinement = ["extractor", "instructions", "aggregator"]
    generation = ["generator", "evaluator"]
    # 1. a query that fails is graded too; 2. what is incorrect goes straight back; 3. what is empty is verified.
    assert run.roles == [*generation, *refinement, *generation, *generation, *refinement, *generation, "interpreter"]
    assert "it counts players" in run.prompts("generator")[2]
    assert "'Chicago Bulls' (Team.name, fuzzy" in run.prompts("instructions")[1]
    seen = "\n".join(run.prompts("evaluator") + run.prompts("generator") + run.prompts("aggregator"))
    assert "suggested_query" not in seen
    assert "diagnostics" not in seen
    assert "Probably meant" not in "\n".join(run.prompts("instructions"))
    expected = {"get_schema", "execute_cypher", "find_entities"}
    assert {line["name"] for line in run.trace.lines if line["kind"] == "tool"} == expected
    assert LoopSettings.paper().rounds == 5


def test_an_incorrect_query_gets_feedback_without_verification(nba_server: str) -> None:
    roles = {
        "generator": [OTHER, RIGHT],
        "evaluator": ["GRADE: incorrect\nREASON: it counts players", "GRADE: accept"],
        "aggregator": ["Count the teams."],
    }
    run = loop(nba_server, roles)
    assert run.states[2:5] == ["evaluate → incorrect", "aggregate → generate", "generate → execute"]
    assert run.roles == ["generator", "evaluator", "aggregator", "generator", "evaluator", "interpreter"]
    assert "it counts players" in run.prompts("aggregator")[0]
    assert "Count the teams." in run.prompts("generator")[1]
    assert (run.record["grade"], run.record["rounds"]) == ("accept", 2)


def test_an_error_is_verified_against_the_graph_before_the_feedback(nba_server: str) -> None:
    roles = {
        "generator": [MISSPELT, RIGHT],
        "evaluator": ["GRADE: error\nREASON: no such team", "GRADE: accept"],
        "extractor": ['[{"value": "Chicago Buls", "label": "Team", "property": "name"}]'],
        "instructions": ["1. Write 'Chicago Bulls'."],
    }
    run = loop(nba_server, roles)
    assert [state.split(" → ")[0] for state in run.states[2:8]] == [
        "evaluate", "extract", "verify", "instruct", "aggregate", "generate",
    ]  # fmt: skip
    [findings] = run.prompts("instructions")
    assert "'Chicago Buls' (Team.name) does not exist. Nearest: 'Chicago Bulls'" in findings
    assert "similarity 0.92" in findings
    assert "1. Write 'Chicago Bulls'." in run.prompts("aggregator")[0]
    assert run.record["rounds"] == 2


def test_a_query_that_fails_causes_an_error_without_a_call_to_the_judge(nba_server: str) -> None:
    run = loop(nba_server, {"generator": [f"```cypher\n{BROKEN}\n```", RIGHT], "evaluator": ["GRADE: accept"]})
    assert run.states[:3] == ["generate → execute", "execute → failed", "evaluate → error"]
    assert run.roles[:2] == ["generator", "extractor"]
    assert "line 1" in run.prompts("instructions")[0]
    assert run.record["grade"] == "accept"


def test_after_four_rounds_the_best_attempt_is_kept(nba_server: str) -> None:
    roles = {"generator": [PROSE, OTHER, f"```cypher\n{BROKEN}\n```", PROSE], "evaluator": ["GRADE: incorrect"]}
    run = loop(nba_server, roles)
    assert run.roles.count("generator") == 4
    assert run.states[-1] == "interpret → done"
    assert run.record["cypher"] == "MATCH (p:Player) RETURN count(p) AS players"
    assert (run.record["grade"], run.record["rounds"], run.record["stopped"]) == ("incorrect", 4, "rounds")


def test_a_run_with_a_model_that_never_writes_a_query_ends_in_an_error_that_says_so(nba_server: str) -> None:
    run = loop(nba_server, {"generator": [PROSE]})
    assert run.record["error"].startswith("no query was written")
    assert run.roles.count("generator") == 4
    assert "interpreter" not in run.roles


@pytest.mark.parametrize(("query", "grade"), [(RIGHT, "accept"), (MISSPELT, "error")])
def test_if_the_reply_of_the_judge_has_no_grade_the_result_decides_the_grade(
    nba_server: str, query: str, grade: str
) -> None:
    run = loop(nba_server, {"generator": [query], "evaluator": [PROSE]}, LoopSettings(rounds=1))
    assert run.record["grade"] == grade
    assert f"evaluate → {grade}" in run.states


def test_each_ablation_leaves_its_part_out(nba_server: str) -> None:
    wrong: dict[str, Replies] = {"generator": [MISSPELT, RIGHT], "evaluator": ["GRADE: error", "GRADE: accept"]}
    unverified = loop(nba_server, wrong, LoopSettings(verification=False))
    assert unverified.roles == ["generator", "evaluator", "aggregator", "generator", "evaluator", "interpreter"]
    unjudged = loop(nba_server, wrong, LoopSettings(judge=False))
    assert "evaluator" not in unjudged.roles
    assert unjudged.record["rounds"] == 2
    single = loop(nba_server, wrong, LoopSettings(rounds=1, judge=False, verification=False))
    assert single.roles == ["generator", "interpreter"]


@pytest.mark.parametrize(
    ("bounds", "bound"), [(Bounds(tool_calls=2), "calls"), (Bounds(tokens=400), "tokens"), (Bounds(seconds=0), "time")]
)
def test_a_limit_ends_the_rounds_and_is_named(nba_server: str, bounds: Bounds, bound: str) -> None:
    run = loop(nba_server, {"generator": [OTHER], "evaluator": ["GRADE: incorrect"]}, bounds=bounds)
    assert run.record["stopped"] == bound
    assert len(run.requests) <= 5
    assert bool(run.record.get("cypher")) == (bound != "time")


def test_each_role_can_have_its_own_model_and_prompt(nba_server: str, tmp_path: Any) -> None:
    (tmp_path / "evaluator.md").write_text(
        "---\ntitle: T\ndescription: D\n---\nJudge whether a query and its result answer, in French: {{query}}",
        encoding="utf-8",
    )

    async def run_agent() -> None:
        async with connect(nba_server) as server, Model(common) as model, Model(strict) as judge:
            loop = MultiAgentLoop(LoopSettings(prompts=tmp_path))
            await ask(loop, TEAMS, server, {"": model, "evaluator": judge}, trace=trace)

    trace = Trace()
    with ScriptedEndpoint(script_of({"generator": [RIGHT], "evaluator": ["GRADE: accept"]})) as endpoint:
        common = ModelSettings("scripted", endpoint=endpoint.openai, retries=0)
        strict = replace(common, name="strict")
        anyio.run(run_agent)
    models = {role_of(request): request.body["model"] for request in endpoint.requests}
    assert models == {"generator": "scripted", "evaluator": "strict", "interpreter": "scripted"}
    assert "in French: MATCH" in endpoint.requests[1].text
    assert [line["name"] for line in trace.lines if line["kind"] == "model"] == list(models)
