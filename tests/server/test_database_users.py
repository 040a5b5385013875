"""Callers over HTTP who are different users of a database: nothing read as one user reaches another."""

from pathlib import Path

import anyio
import pytest

from graphground.graphs.engines.client_context import calling_as
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.server.settings import Settings, SettingsError, read_settings, secrets_in, token_subject
from graphground.server.sources import graph_sources
from graphground.server.transports.authorization import FixedTokens, fixed_tokens
from tests.support.neo4j_server import Neo4jServer, seeded
from tests.support.serving import http_server, with_token

ALICE = "a token for alice alone"
SETTINGS = """
[graphs.films]
uri = "{uri}"
username = "{user}"
password_variable = "READER_PASSWORD"
[graphs.films.users.alice]
token_variable = "ALICE_TOKEN"
password_variable = "ALICE_PASSWORD"
[graphs.films.users.bert]
subject = "bert@example.org"
password_variable = "BERT_PASSWORD"
"""
ENVIRONMENT = {"ALICE_TOKEN": ALICE, "ALICE_PASSWORD": "alices own", "BERT_PASSWORD": "berts own"}


def settings(folder: object, text: str, **environment: str) -> Settings:
    file = f"{folder}/settings.toml"
    with open(file, "w", encoding="utf-8") as output:
        output.write(text)
    return read_settings({"settings": file, "home": f"{folder}/home"}, ENVIRONMENT | environment)


def as_client(subject: str) -> str:
    return f'client ["token-1", "{subject}"]'


def test_a_fixed_token_or_the_subject_of_a_signed_token_names_a_database_user(tmp_path: object) -> None:
    text = SETTINGS.format(uri="bolt://127.0.0.1:1", user="reader")
    found = settings(tmp_path, text, READER_PASSWORD="readers own")
    (films,) = found.databases
    users = {subject: (its.username, its.password) for subject, its in films.users.items()}
    assert users == {token_subject(ALICE): ("alice", "alices own"), "bert@example.org": ("bert", "berts own")}
    assert len({films.key, *(its.key for its in films.users.values())}) == 3  # three schemas in the cache
    assert {ALICE, "alices own", "berts own"} <= set(secrets_in(found))
    assert fixed_tokens(found) == [ALICE]
    access = anyio.run(FixedTokens([ALICE, "another token of somebody"]).verify_token, ALICE)
    assert access is not None
    assert access.subject == token_subject(ALICE)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('username = "x"', "needs token_variable"),
        ('token_variable = "MISSING_TOKEN"', "MISSING_TOKEN is not set"),
        ('subjct = "x"', "did you mean subject|subject"),
        ('subject = "bert@example.org"', "two users have the same subject"),
    ],
)
def test_a_wrong_user_is_reported_with_its_place(tmp_path: object, table: str, message: str) -> None:
    text = SETTINGS.format(uri="bolt://127.0.0.1:1", user="reader") + f"[graphs.films.users.carla]\n{table}\n"
    with pytest.raises(SettingsError, match=message):
        settings(tmp_path, text, READER_PASSWORD="readers own")


def graph_of(graphs: OpenGraphs, subject: str) -> Graph:
    with calling_as(as_client(subject)):
        return graphs.get("films")


@pytest.mark.neo4j
@pytest.mark.timeout(240)
def test_each_caller_queries_a_real_neo4j_as_their_own_user_with_their_own_schema(
    neo4j_5: Neo4jServer, tmp_path: object
) -> None:
    seeded(
        neo4j_5,
        "MATCH (n) DETACH DELETE n",
        "CREATE (:Film {name: 'Heat'})",
        "CREATE OR REPLACE USER alice SET PASSWORD 'alices own' CHANGE NOT REQUIRED",
        "CREATE OR REPLACE USER bert SET PASSWORD 'berts own' CHANGE NOT REQUIRED",
    )
    text = SETTINGS.format(uri=neo4j_5.uri, user=neo4j_5.user)
    graphs = graph_sources(settings(tmp_path, text, READER_PASSWORD=neo4j_5.password))
    try:
        subjects = {"alice": token_subject(ALICE), "bert": "bert@example.org", neo4j_5.user: "somebody else"}
        opened = {user: graph_of(graphs, subject) for user, subject in subjects.items()}
        for user, graph in opened.items():
            assert graph.name == "films"
            assert graph.run("SHOW CURRENT USER YIELD user RETURN user").rows == [[user]]
            assert list(graph.schema.labels) == ["Film"]
        for part in ("engine", "schema_source", "entities", "statistics_reader"):
            assert len({id(getattr(graph, part)) for graph in opened.values()}) == 3, part
        assert graphs.get("films") is opened[neo4j_5.user]
        assert graph_of(graphs, token_subject(ALICE)) is opened["alice"]
        assert graphs.names() == ["films"]
        with calling_as(as_client("bert@example.org")):
            assert graphs.summaries()[0].name == "films"
    finally:
        graphs.close()
        seeded(neo4j_5, "DROP USER alice", "DROP USER bert")


@pytest.mark.anyio
@pytest.mark.neo4j
@pytest.mark.timeout(240)
async def test_over_http_the_token_of_a_call_decides_as_which_database_user_it_runs(
    neo4j_5: Neo4jServer, tmp_path: Path
) -> None:
    seeded(
        neo4j_5,
        "MATCH (n) DETACH DELETE n",
        "CREATE (:Film {name: 'Heat'})",
        "CREATE OR REPLACE USER alice SET PASSWORD 'alices own' CHANGE NOT REQUIRED",
    )
    bert, nobody = "a token for bert alone", "a token of nobody special"
    text = SETTINGS.replace('subject = "bert@example.org"', 'token_variable = "BERT_TOKEN"')
    (tmp_path / "settings.toml").write_text(text.format(uri=neo4j_5.uri, user=neo4j_5.user))
    (tmp_path / "tokens").write_text(f"{nobody}\n")
    secrets = ENVIRONMENT | {"BERT_TOKEN": bert, "READER_PASSWORD": neo4j_5.password}
    options = ("--settings", str(tmp_path / "settings.toml"), "--token-file", str(tmp_path / "tokens"))
    try:
        with http_server(tmp_path / "home", *options, more=secrets) as address, anyio.fail_after(120):

            async def answered(token: str) -> str:
                async with with_token(address, token) as client:
                    arguments = {"graph": "films", "query": "MATCH (f:Film) RETURN f.name"}
                    return str((await client.call_tool("execute_cypher", arguments)).content)

            assert "Heat" in await answered(ALICE)
            refused = await answered(bert)  # the database has no such user
            assert "refused the user" in refused
            assert "Heat" not in refused
            assert "berts own" not in refused
            assert "Heat" in await answered(nobody)  # as the user of the graph
    finally:
        seeded(neo4j_5, "DROP USER alice")
