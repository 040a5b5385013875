"""Two thousand generated attacks on each kind of database: a recording fake server shows that none can take effect.

A text that contains an attack is accepted only if every parser takes the attack for a part of a string, a name or a
comment. The text is then sent as canonical text, in which a separate scanner finds no writing word, no comment and no
escape.
"""

import gzip
import json
from collections.abc import Callable

import pytest
from pydantic import ValidationError

from graphground.cypher import validate
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure
from tests.support.attacking import COUNTS, SECRET, Surroundings, through_the_tool
from tests.support.documents import schema
from tests.support.fake_bolt_server import Call, Refusal, Rows, stand_in
from tests.support.hostile_texts import QUOTED, HostileTexts, unclean
from tests.support.shared_data import SHARED, needs

COUNT = 2_000
SCHEMA = schema("films", {"Film": {"year": "int"}, "Person": {}}, ["Film directedBy Person"])
PARAMETERS = {
    "p": 1,
    "key": "name` = 1 // ",
    "url": "file:///etc/hostname",
    "map": {"Film": "x` CREATE (:Attacked) //"},
}
AGENTS = {
    "neo4j-5.26": ("Neo4j/5.26.30", False),
    "neo4j-2026-cypher-5": ("Neo4j/2026.08.1", False),
    "neo4j-2026-cypher-25": ("Neo4j/2026.08.1", True),
    "arcadedb": ("Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)", False),
    "memgraph": ("Neo4j/v5.11.0 compatible graph database server - Memgraph", False),
}
REFUSALS = {"not_read_only", "multiple_statements", "two_readings", "invalid_query"}


@pytest.mark.parametrize(
    "name", ["neo4j-5.26", *(pytest.param(name, marks=pytest.mark.slow) for name in AGENTS if name != "neo4j-5.26")]
)
def test_no_attack_reaches_a_database_as_code(name: str) -> None:
    agent, cypher25 = AGENTS[name]

    def answer(call: Call) -> Rows | Refusal:
        if "LET x" in call.query and not cypher25:
            return Refusal("Neo.ClientError.Statement.SyntaxError", "Invalid input 'LET'")
        return Rows(["x"], [[1]])

    source, sent, refused = HostileTexts(12 + len(name)), 0, 0
    with stand_in(agent, answer) as server:
        engine = BoltEngine(BoltAddress(server.uri))
        graph = Graph("films", SCHEMA, engine=engine, language=engine.capabilities().language)
        graphs = OpenGraphs([GraphSource("films", "", "bolt", lambda: graph)])
        assert (graph.language == "cypher25") == cypher25
        for _ in range(COUNT):
            text, before = source.attack(), len(server.calls)
            try:
                execute_cypher(graphs, ExecuteCypherRequest(query=text, parameters=PARAMETERS))
            except ToolFailure as failure:
                if failure.error not in REFUSALS:
                    raise
                refused += 1
            except ValidationError:  # a lone surrogate is no valid text, so no request can contain it
                refused += 1
            new = server.calls[before:]
            sent += bool(new)
            for call in new:
                assert unclean(call.query) is None, (text, call.query)
                assert not {"LOAD", "CALL"} & words(call.query), (text, call.query)
        graphs.close()
    assert refused > COUNT * 0.8
    assert sent < COUNT * 0.2


def words(query: str) -> set[str]:
    """Return the words outside strings and names, in upper case."""
    return set(QUOTED.sub("''", query).upper().replace("(", " ").split())


def test_no_attack_changes_the_embedded_engine(film_graph: Graph, surroundings: Surroundings) -> None:
    attempt: Callable[[str, dict[str, str]], str] = through_the_tool(film_graph)
    before = [film_graph.run(query).rows for query in COUNTS]
    source = HostileTexts(99)
    for _ in range(COUNT):
        text = source.attack()
        if "\ud800" not in text:
            assert SECRET not in attempt(text, {"p": "1", "key": "x", "url": surroundings.secret.as_uri()})
    assert [film_graph.run(query).rows for query in COUNTS] == before
    assert not surroundings.calls


@needs("cypherbench_tasks", "train.jsonl.gz")
def test_no_gold_query_is_refused() -> None:
    with gzip.open(SHARED / "cypherbench_tasks" / "train.jsonl.gz", "rt") as file:
        queries = [json.loads(line)["gold_cypher"] for line in file]
    assert len(queries) > 8_000
    refused = [query for query in queries[::4] if not validate(query, read_only=True).valid]
    assert refused == []
