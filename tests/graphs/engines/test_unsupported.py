"""The hints about constructs of Neo4j that another database does not support."""

import re

import pytest

from graphground.cypher import parse
from graphground.graphs.engines.dialects import ARCADEDB_UNSUPPORTED, MEMGRAPH_UNSUPPORTED, find_unsupported
from graphground.graphs.graph import Graph


@pytest.mark.parametrize(
    ("call", "rows"),
    [
        ("db.schema.nodeTypeProperties", [["Film"], "runtime_minute"]),
        ("DB.schema.relTypeProperties", ["writtenBy", "year"]),
    ],
)
def test_the_query_that_replaces_a_schema_procedure_runs_on_arcadedb(
    film_graph: Graph, call: str, rows: list[object]
) -> None:
    (hint,) = find_unsupported(parse(f"CALL {call}()"), ARCADEDB_UNSUPPORTED)
    assert call.split(".")[-1] in hint.message
    query = re.search(r"write (MATCH .*)\.$", hint.message)
    assert query is not None
    assert rows in film_graph.run(query[1]).rows


def test_the_hint_about_a_path_selector_says_that_memgraph_has_none() -> None:
    query = parse("MATCH p = ANY SHORTEST (a:Film)-[*]-(b:Film) RETURN p")
    (hint, *_) = find_unsupported(query, MEMGRAPH_UNSUPPORTED)
    assert hint.message.startswith("Memgraph has no SHORTEST or ANY before a path: for the 3 shortest paths, write")
