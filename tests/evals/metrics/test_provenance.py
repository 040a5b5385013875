"""Provenance queries: their nodes on a small graph, and their differences from the published implementation."""

import pytest

from graphground.cypher import CypherSyntaxError, validate
from graphground.evals import psjs
from graphground.evals.metrics.provenance_similarity import jaccard, provenance_nodes, provenance_queries
from graphground.graphs.engines.engine import EngineError
from graphground.graphs.graph import Graph

QUERIES = [
    "match (n) optional match (n)--(:A)--() return n",
    "MATCH (n)-->(m) WITH n, count(m) AS c WHERE c > 2 MATCH (n)--(k) RETURN k",
    "MATCH (n)-->(m) WITH DISTINCT n LIMIT 3 MATCH (n)-[*1..2]-(k) RETURN k",
    "CALL { MATCH (n)-->(m0) RETURN n, m0 AS m UNION MATCH (n)<--(m1) RETURN n, m1 AS m } WITH n RETURN count(n)",
    "MATCH (a) CALL (a) { MATCH (a)--(b) RETURN count(b) AS c ORDER BY c LIMIT 1 } RETURN a.name, c",
    "MATCH (a) CALL { WITH a MATCH (a)--(b) RETURN DISTINCT b.name AS name } RETURN a.name, name",
    "MATCH p = shortestPath((a:A)-[*..4]-(b:B)) RETURN length(p)",
    "MATCH (a)-[:R]->{1,3}(b) RETURN b.name",
    "MATCH (a:`odd label`) WITH a AS `odd name` MATCH (`odd name`)--() RETURN 1 AS one",
    "MATCH (n) WITH *, n.y AS k WITH k, collect(n) AS ns UNWIND ns AS m MATCH (m)--(q) RETURN q.name",
    "MATCH (a), (b) WHERE EXISTS { (a)--(c) } AND NOT (a)--(b) RETURN a.name, b.name",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_provenance_query_is_read_only_cypher(query: str) -> None:
    found = provenance_queries(query)
    assert found
    for text in found:
        assert validate(text, read_only=True).diagnostics == ()


def test_each_part_of_a_union_has_its_own_query_and_a_query_without_matches_has_no_provenance() -> None:
    assert len(provenance_queries("MATCH (a) RETURN a.name AS x UNION MATCH (b) RETURN b.name AS x")) == 2
    assert provenance_queries("UNWIND [1, 2] AS x RETURN x") == []
    with pytest.raises(CypherSyntaxError):
        provenance_queries("MATCH (n")


def names(small: Graph, query: str) -> set[str]:
    assert small.dialect is not None
    known = {str(key): name for key, name in small.run(f"MATCH (n) RETURN {small.dialect.own_id}, n.name").rows}
    return {known[node] for node in provenance_nodes(query, small)}


HEAT, RONIN, MANN, DE_NIRO = "Heat", "Ronin", "Michael Mann", "Robert De Niro"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (m:Movie)-[:directedBy]->(:Person) RETURN count(m)", {HEAT, MANN}),
        ("MATCH (m:Movie) OPTIONAL MATCH (m)-[:directedBy]->(p) RETURN m.name, p.name", {HEAT, RONIN, MANN}),
        ("MATCH (m:Movie) WHERE EXISTS { (m)-[:directedBy]->(p) } RETURN m.name", {HEAT}),
        ("MATCH (m:Movie) WITH DISTINCT m WHERE NOT (m.name IN ['Heat']) RETURN m.name", {RONIN}),
        (
            "MATCH (m:Movie)-[:directedBy]->(p) WITH m AS film MATCH (film)-[:`has cast`]->(a) RETURN a.name",
            {HEAT, MANN, DE_NIRO},
        ),
        (
            "MATCH (a:Person)<-[:`has cast`]-(m) WITH a, count(m) AS films WHERE films > 5 RETURN a.name",
            {HEAT, RONIN, DE_NIRO},
        ),
        (
            "CALL { MATCH (m:Movie)-[:directedBy]->(p) RETURN m UNION MATCH (m:Movie {name: 'Ronin'}) RETURN m } "
            "WITH m WHERE m.name = 'Ronin' RETURN count(m)",
            {RONIN},
        ),
        ("MATCH (p:Person {name: 'Michael Mann'})-[*2]-(q) RETURN q.name", {MANN, HEAT, DE_NIRO}),
        ("MATCH (m:Movie) WITH m ORDER BY m.runtime_minute LIMIT 1 RETURN m.name", {HEAT, RONIN}),
        ("MATCH (m:Movie) WITH m ORDER BY m.runtime_minute LIMIT 1 MATCH (m)--(x) RETURN x.name", {RONIN, DE_NIRO}),
        ("MATCH (a {name: 'Heat'}), (b {name: 'Ronin'}) RETURN a.runtime_minute > b.runtime_minute", {HEAT, RONIN}),
    ],
)
def test_the_nodes_that_a_query_matches_equal_those_worked_out_by_hand(
    small: Graph, query: str, expected: set[str]
) -> None:
    assert names(small, query) == expected


def test_similarity_is_the_jaccard_index_of_the_matched_nodes(small: Graph) -> None:
    gold = "MATCH (m:Movie)-[:directedBy]->(p:Person) RETURN m.name"
    assert psjs("MATCH (m:Movie)-[:directedBy]->(p:Person) RETURN p.name", gold, small) == 1.0
    assert psjs("MATCH (m:Movie)-[:`has cast`]->(p:Person) RETURN p.name", gold, small) == 0.25
    assert psjs("MATCH (m:Movie RETURN m", gold, small) == 0.0
    assert psjs("UNWIND [1] AS x RETURN x", gold, small) == 0.0
    assert psjs(gold, gold, small) == 1.0


def test_two_empty_subgraphs_score_zero_as_published_and_the_error_of_a_failing_gold_query_is_raised(
    small: Graph,
) -> None:
    assert psjs("MATCH (m:Movie {name: 'x'}) RETURN m", "MATCH (m:Movie {name: 'y'}) RETURN m", small) == 0.0
    assert jaccard([], []) == 0.0
    with pytest.raises(EngineError):
        psjs("MATCH (m:Movie) RETURN m", "MATCH (m:Movie) SET m.x = 1 RETURN m", small)


@pytest.mark.parametrize(
    ("predicted", "paper", "published"),
    [
        ("MATCH (m:Movie)-[:directedBy]->(p:Person) RETURN m.name UNIQUE", 0.0, 1.0),
        ("MATCH (m:Movie)-[:directedBy]->(p:Person) WITH p RETURN m.name", 0.0, 1.0),
        ("MATCH (m:Movie)-[:directedBy]->(p:Person) WHERE count(m) > 1 RETURN m.name", 0.0, 0.0),
        ("match (m:Movie)-[:directedBy]->(p:Person) return m.name", 1.0, 0.0),
        ("MATCH (m:Movie)-[:directedBy]->(p:Person) WHERE p.name STARTS WITH 'M' RETURN m.name", 1.0, 0.0),
        ("MATCH (m:Movie)-[:directedBy]->(p {name: 'Michael Mann'}) RETURN m.name", 1.0, 0.5),
        ("CALL { MATCH (m:Movie)-[:directedBy]->(p:Person) RETURN m } RETURN count(m)", 1.0, 1.0),
        ("MATCH (m:Movie {name: 'Heat'}) RETURN m.name AS x UNION ALL MATCH (p:Person {name: 'Michael Mann'}) RETURN p.name AS x",
         1.0, 0.5),
    ],
)  # fmt: skip
def test_the_published_rule_differs_where_the_published_text_processing_does(
    small: Graph, predicted: str, paper: float, published: float
) -> None:
    gold = "MATCH (m:Movie)-[:directedBy]->(p:Person) RETURN m.name"
    assert psjs(predicted, gold, small) == paper
    assert psjs(predicted, gold, small, rule="published") == published


def test_a_gold_query_that_fails_scores_zero_under_the_published_rule(small: Graph) -> None:
    gold = "MATCH (m:Movie) WHERE m.name STARTS WITH 'H' RETURN m"
    assert psjs("MATCH (m:Movie {name: 'Heat'}) RETURN m", gold, small, rule="published") == 0.0
    assert psjs("MATCH (m:Movie {name: 'Heat'}) RETURN m", gold, small) == 1.0


def test_no_text_that_the_published_rule_extracts_can_write(small: Graph) -> None:
    gold = "MATCH (m:Movie) RETURN m"
    assert psjs("MATCH (m:Movie) WITH m WHERE m.name = 'Heat' DETACH DELETE m", gold, small, rule="published") == 0.0
    assert psjs(gold, "MATCH (m:Movie) RETURN count(m)", small) == 1.0
