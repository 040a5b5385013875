"""The multi-agent loop on connected databases: a real Neo4j, and a Bolt server that responds as Memgraph does."""

from __future__ import annotations

from pathlib import Path

from graphground.agents.conversation import Question
from graphground.agents.multi_agent_loop import MultiAgentLoop
from tests.support.asked_agents import run_agent
from tests.support.fake_memgraph import memgraph_stand_in
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.scripted_roles import script_of
from tests.support.serving import environment

QUESTION = Question("q1", "", "Who directed Heat?")


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
    run = run_agent(environment(tmp_path, variables), MultiAgentLoop(), script_of(roles), QUESTION)
    shown = "\n".join(run.prompts("instructions"))
    findings = shown.partition("Checks:")[2].count("\n- ")
    assert run.states == [
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
    assert (run.record["cypher"], run.record["text"], run.record["rounds"]) == (query % "Heat", "Michael Mann.", 2)


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
        variables = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": "", "NEO4J_PASSWORD": ""}
        run = run_agent(environment(tmp_path, variables), MultiAgentLoop(), script_of(roles), QUESTION)
    shown = "\n".join(run.prompts("instructions"))
    assert run.states[:4] == ["generate → execute", "execute → failed", "evaluate → error", "extract → values: 0"]
    assert run.states[-3:] == ["execute → rows: 1", "evaluate → accept", "interpret → done"]
    [failure] = [line for line in shown.splitlines() if line.startswith("- The query failed: ")]
    assert "no viable alternative at input 'COUNT {'" in failure
    assert (run.record["cypher"], run.record["text"], run.record["grade"]) == (right, "Three.", "accept")
