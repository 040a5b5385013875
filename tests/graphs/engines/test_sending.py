"""A database receives canonical text, as a recording fake server shows; errors have positions in the original query."""

import pytest

from graphground.cypher import parse
from graphground.graphs.engines.address import BoltAddress
from graphground.graphs.engines.bolt import BoltEngine, in_places_of, to_send
from graphground.graphs.engines.dialects import ARCADEDB, MEMGRAPH, NEO4J
from graphground.graphs.engines.engine import QueryFailed
from graphground.graphs.graph import Graph
from graphground.graphs.opening.open_graphs import GraphSource, OpenGraphs
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure
from tests.support.documents import schema
from tests.support.fake_bolt_server import Call, Refusal, Rows, stand_in

AGENTS = {
    "neo4j": "Neo4j/5.26.0",
    "arcadedb": "Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)",
    "memgraph": "Neo4j/v5.11.0 compatible graph database server - Memgraph",
}


def answer(call: Call) -> Rows | Refusal:
    if "wrong" in call.query:
        line = call.query.count("\n", 0, call.query.index("wrong")) + 1
        column = call.query.index("wrong") - call.query.rfind("\n", 0, call.query.index("wrong"))
        return Refusal(
            "Neo.ClientError.Statement.SyntaxError",
            f'Variable `wrong` not defined (line {line}, column {column} (offset: 3))\n"shown"\n  ^',
        )
    return Rows(["sent"], [[1]])


def graphs_on(engine: BoltEngine) -> OpenGraphs:
    films = schema("open", {"Film": {"x": "str"}})
    return OpenGraphs([GraphSource("open", "", "bolt", lambda: Graph("open", films, engine=engine))])


@pytest.mark.parametrize("dialect", AGENTS)
def test_a_text_that_is_invalid_or_parsed_differently_is_not_sent(dialect: str) -> None:
    deep = "MATCH (n) DETACH DELETE n RETURN " + "(" * 70 + "1" + ")" * 70
    long = "MATCH (n) DETACH DELETE n RETURN " + "1+" * 30_000 + "1"
    with stand_in(AGENTS[dialect], answer) as server:
        engine = BoltEngine(BoltAddress(server.uri))
        graphs = graphs_on(engine)
        engine.capabilities()
        before = len(server.calls)
        for query in (
            deep,
            long,
            "MATCH (n) DETACH DELETE n RETURN ((((",
            r"RETURN '\u0027 AS a DELETE n //'",
            "MATCH (n) WHERE foo.bar(n) RETURN n",
            "MATCH (n) RETURN evaluate('x')",
            "RETURN 1; RETURN 2",
            "DUMP DATABASE",
            "CREATE TRIGGER x EXECUTE CREATE (n)",
            "SHOW USER indexes PRIVILEGES",
        ):
            with pytest.raises(ToolFailure):
                execute_cypher(graphs, ExecuteCypherRequest(query=query))
        assert [call.query for call in server.calls[before:]] == []
        with pytest.raises(QueryFailed):
            engine.run(r"RETURN '\u0027'")
        assert len(server.calls) == before
        graphs.close()


def test_canonical_text_is_sent_and_columns_keep_their_names() -> None:
    with stand_in(AGENTS["neo4j"], answer) as server:
        graphs = graphs_on(BoltEngine(BoltAddress(server.uri)))
        request = ExecuteCypherRequest(query="MATCH (set) /* x */ RETURN size(set.x) // '")
        assert execute_cypher(graphs, request).columns == ["size(set.x)"]
        assert server.calls[-1].query == "MATCH (`set`)         RETURN size(`set`.x)     "
        graphs.close()


def test_a_refusal_has_the_position_in_the_original_query() -> None:
    with stand_in(AGENTS["neo4j"], answer) as server:
        engine = BoltEngine(BoltAddress(server.uri))
        with pytest.raises(QueryFailed) as failure:
            engine.run("MATCH (set {x: '\\d\\d'})\nRETURN set.x, '\\w', wrong")
        assert (failure.value.line, failure.value.column) == (2, 21)
        assert str(failure.value) == "Variable `wrong` not defined (line 2, column 21)"
        engine.close()


def test_a_refusal_of_a_rewritten_query_has_no_wrong_position() -> None:
    query = "MATCH (c:Company) WHERE NOT ()-[:owns]->(c) RETURN c.name"
    assert not to_send(ARCADEDB, query).text.startswith(query)
    refusal = QueryFailed("no viable alternative (line 1, column 30)", "x", 1, 30)
    found = in_places_of(query, refusal, ARCADEDB)
    assert (str(found), found.line) == ("no viable alternative", None)
    assert in_places_of(query, refusal, NEO4J) is refusal


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("CYPHER 5 MATCH (f:Film) RETURN f.x AS x", "         MATCH (f:Film) RETURN f.x AS x"),
        ("EXPLAIN CYPHER 5 MATCH (f) RETURN f", "EXPLAIN          MATCH (f) RETURN f"),
        ("/* CYPHER 5 */ MATCH (CYPHER) RETURN CYPHER", "               MATCH (CYPHER) RETURN CYPHER"),
    ],
)
def test_only_neo4j_receives_a_version_and_options_and_the_others_the_same_positions(query: str, sent: str) -> None:
    for dialect in (ARCADEDB, MEMGRAPH):
        assert to_send(dialect, query).text == sent
        assert to_send(dialect, parse(query)).text == sent
    assert "/*" in query or to_send(NEO4J, query).text == query
    refusal = QueryFailed("wrong (line 1, column 20)", "x", 1, 20)
    assert in_places_of(query, refusal, MEMGRAPH).column == 20
