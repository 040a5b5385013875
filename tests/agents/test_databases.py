"""The multi-agent loop on connected databases: a real Neo4j, and a Bolt server that responds as Memgraph does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from graphground.agents.conversation import Question
from graphground.agents.model_settings import ModelSettings
from graphground.agents.models import Model
from graphground.agents.multi_agent_loop import MultiAgentLoop
from graphground.agents.runs import ask
from graphground.agents.server_connection import connect
from graphground.agents.trace import Trace
from tests.support.fake_memgraph import memgraph_stand_in
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.scripted_endpoint import ScriptedEndpoint
from tests.support.scripted_roles import Replies, role_of, script_of
from tests.support.serving import environment


def loop(
    home: Path, variables: Mapping[str, str], roles: Mapping[str, Replies]
) -> tuple[dict[str, Any], list[str], str]:
    """Run the multi-agent loop on a question, with a scripted model.

    Returns:
        The prediction, the states of the run, and the prompts of the role `instructions`.
    """

    async def run_agent() -> dict[str, Any]:
        with anyio.fail_after(110):
            async with (
                connect(environment=environment(home, variables)) as server,
                Model(ModelSettings("scripted", endpoint=endpoint.openai, retries=0)) as model,
            ):
                question = Question("q1", "", "Who directed Heat?")
                return await ask(MultiAgentLoop(), question, server, {"": model}, trace=trace)

    trace = Trace()
    with ScriptedEndpoint(script_of(roles)) as endpoint:
        record = anyio.run(run_agent)
    states = [f"{line['name']} → {line['output']}" for line in trace.lines if line["kind"] == "state"]
    shown = [request.text for request in endpoint.requests if role_of(request) == "instructions"]
    return record, states, "\n".join(shown)


def test_on_neo4j_a_misspelled_name_is_found_and_the_second_query_is_accepted(
    neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    seeded(neo4j_5, "CREATE (:Movie {name: 'Heat', released: 1995})-[:DIRECTED_BY]->(:Person {name: 'Michael Mann'})")
    query = "MATCH (:Movie {name: '%s'})-[:DIRECTED_BY]->(p:Person) RETURN p.name"
    roles = {
        "generator": [query % "Haet", query % "Heat"],
        "evaluator": ["GRADE: error\nREASON: no rows", "GRADE: accept"],
        "extractor": ['[{"value": "Haet", "label": "Movie", "property": "name"}]'],
        "interpreter": ["Michael Mann."],
    }
    variables = {"NEO4J_URI": neo4j_5.uri, "NEO4J_USERNAME": neo4j_5.user, "NEO4J_PASSWORD": neo4j_5.password}
    record, states, shown = loop(tmp_path, variables, roles)
    findings = shown.partition("Checks:")[2].count("\n- ")
    assert states == [
        "generate → execute",
        "execute → rows: 0",
        "evaluate → error",
        "extract → values: 1",
        f"verify → findings: {findings}",
        "instruct → aggregate",
        "aggregate → generate",
        "generate → execute",
        "execute → rows: 1",
        "evaluate → accept",
        "interpret → done",
    ]
    assert "'Haet' (Movie.name) does not exist. Nearest: 'Heat'" in shown
    assert (record["cypher"], record["text"], record["rounds"]) == (query % "Heat", "Michael Mann.", 2)


def test_on_a_server_that_responds_as_memgraph_its_refusal_is_graded_and_the_next_query_accepted(
    tmp_path: Path,
) -> None:
    right = "MATCH (m:Movie) RETURN count(m) AS movies"
    roles = {
        "generator": ["MATCH (m:Movie) WHERE COUNT { (m)-[:directedBy]->() } > 1 RETURN count(m) AS movies", right],
        "evaluator": ["GRADE: accept"],
        "extractor": ["[]"],
        "interpreter": ["Three."],
    }
    with memgraph_stand_in() as (server, _):
        record, states, shown = loop(
            tmp_path, {"NEO4J_URI": server.uri, "NEO4J_USERNAME": "", "NEO4J_PASSWORD": ""}, roles
        )
    assert states[:4] == ["generate → execute", "execute → failed", "evaluate → error", "extract → values: 0"]
    assert states[-3:] == ["execute → rows: 1", "evaluate → accept", "interpret → done"]
    [failure] = [line for line in shown.splitlines() if line.startswith("- The query failed: ")]
    assert "no viable alternative at input 'COUNT {'" in failure
    assert (record["cypher"], record["text"], record["grade"]) == (right, "Three.", "accept")
