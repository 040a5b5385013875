import pytest

from graphground.cypher import parse, validate
from graphground.graphs.engines.dialects import ARCADEDB, NEO4J
from graphground.graphs.engines.rewriting import rewrite_for

# fmt: off
MOVED = {
    "CALL { MATCH (m:Movie)-[:directedBy]->(p:Person), (m)-[:hasGenre]->(g:Genre {name: 'noir'}) RETURN m } RETURN m":
        "CALL { MATCH (g:Genre {name: 'noir'})<-[:hasGenre]-(m), (m:Movie)-[:directedBy]->(p:Person) RETURN m } "
        "RETURN m",
    "CALL { MATCH (a:Movie)-[r]->(:Person {name: 'x'})<-[s:b]-(c) RETURN a UNION MATCH (a)<-[:t]-(q) WHERE q.name = $n "
    "RETURN a } WITH DISTINCT a RETURN a.name":
        "CALL { MATCH (anchor0:Person {name: 'x'})<-[s:b]-(c), (anchor0)<-[r]-(a:Movie) RETURN a UNION "
        "MATCH (q)-[:t]->(a) WHERE q.name = $n RETURN a } WITH DISTINCT a RETURN a.name",
    "MATCH (m:Movie)-[*1..3]-(p:Person {name: 'x'}) RETURN count(*)":
        "MATCH (p:Person {name: 'x'})-[*1..3]-(m:Movie) RETURN count(*)",
    "MATCH (m)-[:directedBy]->(p:Person {name: 'x'}), (:Genre {name: 'y'})<-[:hasGenre]-(m) RETURN m.name":
        "MATCH (p:Person {name: 'x'})<-[:directedBy]-(m), (m)-[:hasGenre]->(:Genre {name: 'y'}) RETURN m.name",
    "MATCH (p:Person) WHERE EXISTS { MATCH (m:Movie)-[:directedBy]->(p) } RETURN p.name":
        "MATCH (p:Person) WHERE EXISTS { MATCH (p)<-[:directedBy]-(m:Movie) } RETURN p.name",
    "UNWIND $names AS one MATCH (m:Movie)-[:directedBy {a: ']->'}]->(p:Person {name: one}) RETURN m.name":
        "UNWIND $names AS one MATCH (p:Person {name: one})<-[:directedBy {a: ']->'}]-(m:Movie) RETURN m.name",
}

CONDITIONS = {
    "MATCH (c:Company) WHERE NOT ()-[:subsidiaryOf]->(c) RETURN c.name":
        "MATCH (c:Company) WHERE NOT (c)<-[:subsidiaryOf]-() RETURN c.name",
    "MATCH (c:Company) WITH c WHERE (:Company)-[:a]->()<-[:b]-(c) AND c.x > 1 RETURN c.name":
        "MATCH (c:Company) WITH c WHERE (c)-[:b]->()<-[:a]-(:Company) AND c.x > 1 RETURN c.name",
    "MATCH (a)-[r:x]->(b)<-[r:x]-(a) RETURN count(*) AS c":
        "MATCH (a)-[r:x]->(b)<-[anchor0:x]-(a) WHERE false RETURN count(*) AS c",
    "MATCH (a)-[r]->(b), (c)-[r]->(d) WHERE a.x = 1 OR b.x = 1 RETURN a.name":
        "MATCH (a)-[r]->(b), (c)-[anchor0]->(d) WHERE false AND (a.x = 1 OR b.x = 1) RETURN a.name",
}
DISTINCT = {
    "MATCH (n:A) RETURN n UNION MATCH (n:B) RETURN n":
        "CALL { MATCH (n:A) RETURN n UNION MATCH (n:B) RETURN n } WITH DISTINCT n RETURN n",
    "CALL { MATCH (n:A) RETURN n UNION MATCH (n:B) RETURN n } RETURN count(n) AS c":
        "CALL { CALL { MATCH (n:A) RETURN n UNION MATCH (n:B) RETURN n } WITH DISTINCT n RETURN n } "
        "RETURN count(n) AS c",
    "UNWIND [1] AS x CALL (x) { MATCH (n:A {x: x}) RETURN n UNION MATCH (n:B {x: x}) RETURN n } RETURN x, n":
        "UNWIND [1] AS x CALL (x) { CALL (x) { MATCH (n:A {x: x}) RETURN n UNION MATCH (n:B {x: x}) RETURN n } "
        "WITH DISTINCT n RETURN n } RETURN x, n",
    "UNWIND [1] AS x CALL { WITH x MATCH (n:A) RETURN n UNION WITH x MATCH (n:B) RETURN n } RETURN n":
        "UNWIND [1] AS x CALL { WITH x CALL { WITH x MATCH (n:A) RETURN n UNION WITH x MATCH (n:B) RETURN n } "
        "WITH DISTINCT n RETURN n } RETURN n",
}
# fmt: on

UNTOUCHED = [
    "CALL { MATCH (n:A) RETURN n UNION MATCH (n:B) RETURN n } WITH DISTINCT n RETURN n.name",
    "MATCH (n:A) RETURN n UNION ALL MATCH (n:B) RETURN n",
    "MATCH (n:A) RETURN n.name AS name UNION MATCH (n:B) RETURN n.name AS name",
    "MATCH (m:Movie)-[:directedBy]->(p:Person {name: 'x'}) RETURN m.name",
    "CALL { MATCH way = (m:Movie)-[:directedBy]->(p:Person {name: 'x'}) RETURN way } RETURN way",
    "MATCH (m:Movie)-[r*1..3]-(p:Person {name: 'x'}) RETURN r",
    "CALL { MATCH (a:Movie)-->(:Person {name: 'x'})<--(c) RETURN * } RETURN *",
    "CALL { MATCH (p:Person {name: 'x'})<-[:directedBy]-(m:Movie) RETURN m } RETURN m.name",
    "MATCH (m:Movie",
]


@pytest.mark.parametrize(("written", "sent"), [*CONDITIONS.items(), *DISTINCT.items()])
def test_conditions_begin_at_bound_nodes_impossible_ones_are_false_and_unions_are_distinct_again(
    written: str, sent: str
) -> None:
    assert rewrite_for(ARCADEDB, written) == sent
    assert validate(sent).valid


@pytest.mark.parametrize(("written", "sent"), MOVED.items())
def test_the_most_restricted_node_is_written_first(written: str, sent: str) -> None:
    assert rewrite_for(ARCADEDB, written) == sent
    assert len(list(parse(sent).walk())) >= len(list(parse(written).walk()))
    assert rewrite_for(ARCADEDB, sent) == sent, "a second time changes nothing"


@pytest.mark.parametrize("query", UNTOUCHED)
def test_a_rewrite_that_would_be_visible_or_useless_is_not_made(query: str) -> None:
    assert rewrite_for(ARCADEDB, query) == query


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("MATCH (n:A) RETURN n.name", "MATCH (n:A) RETURN n.name LIMIT 11"),
        (
            "MATCH (n:A) RETURN n.name ORDER BY n.x DESC SKIP 3 // end",
            "MATCH (n:A) RETURN n.name ORDER BY n.x DESC SKIP 3 LIMIT 11 // end",
        ),
        ("MATCH (n:A) RETURN n.name LIMIT 3;", "MATCH (n:A) RETURN n.name LIMIT 3;"),
        ("MATCH (n:A) RETURN n.name;", "MATCH (n:A) RETURN n.name LIMIT 11;"),
        (
            "MATCH (n:A) RETURN n.x AS x UNION MATCH (n:B) RETURN n.x AS x",
            "MATCH (n:A) RETURN n.x AS x UNION MATCH (n:B) RETURN n.x AS x",
        ),
        (
            "MATCH (n:A) RETURN n.x AS x UNION ALL MATCH (n:B) RETURN n.x AS x ORDER BY x UNION ALL RETURN 1 AS x LIMIT 1",
            "MATCH (n:A) RETURN n.x AS x LIMIT 11 UNION ALL MATCH (n:B) RETURN n.x AS x ORDER BY x LIMIT 11 "
            "UNION ALL RETURN 1 AS x LIMIT 1",
        ),
    ],
)
def test_one_more_row_than_the_limit_is_requested(written: str, sent: str) -> None:
    assert rewrite_for(ARCADEDB, written, 10) == sent
    assert rewrite_for(ARCADEDB, written) == written
    assert rewrite_for(NEO4J, written, 10) == written


@pytest.mark.parametrize("operator", ["OR", "AND", "XOR"])
def test_thousands_of_conditions_are_rewritten_in_the_same_way_as_two(operator: str) -> None:
    def written(count: int) -> str:
        conditions = f" {operator} ".join(f"p.name = 'x{number}'" for number in range(count))
        query = f"MATCH (m:Movie)-[*1..3]-(p:Person {{name: 'x'}}) WHERE {conditions} RETURN count(*)"
        return rewrite_for(ARCADEDB, parse(query))

    assert written(4_000).partition("WHERE")[0] == written(2).partition("WHERE")[0]
    assert written(2).startswith("MATCH (p:Person {name: 'x'})-[*1..3]-(m:Movie)")
