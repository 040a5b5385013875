import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema
from tests.support.checked_graphs import COMPANY, findings


def costs(query: str, graph: PropertyGraphSchema = COMPANY) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity) for finding in findings(query, graph)]


def test_patterns_without_a_common_variable_are_a_cartesian_product() -> None:
    assert costs("MATCH (n:Person), (c:Company) RETURN count(*)") == [("cartesian_product", "warning")]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Person {name: 'x'}), (m:Person {name: 'y'}) RETURN n.gender = m.gender",
        "MATCH (n:Person {name: 'x'}), (m:Person) RETURN count(*)",
        "MATCH (n:Person)<-[:hasCEO]-(c), (c)-[:basedIn]->(k) RETURN count(*)",
        "MATCH (n:Person), (m:Person) WHERE n.date_of_birth = m.date_of_birth RETURN count(*)",
        "MATCH (n:Person), (m:Person {gender: n.gender}) RETURN count(*)",
    ],
)
def test_joined_or_anchored_patterns_cause_no_warning_about_a_cartesian_product(query: str) -> None:
    assert costs(query) == []


def test_a_path_without_a_bound_causes_a_warning() -> None:
    assert costs("MATCH (c:Company {name: 'x'})-[:subsidiaryOf*]->(d) RETURN d.name") == [("unbounded_path", "warning")]
    assert costs("MATCH (c:Company {name: 'x'})-[:subsidiaryOf]->+(d) RETURN d.name") == [("unbounded_path", "warning")]


def test_a_bounded_or_shortest_path_causes_no_warning() -> None:
    assert costs("MATCH (c:Company {name: 'x'})-[:subsidiaryOf*..3]->(d) RETURN d.name") == []
    assert (
        costs(
            "MATCH p = shortestPath((a:Company {name: 'x'})-[:subsidiaryOf*]->(b:Company {name: 'y'})) RETURN length(p)"
        )
        == []
    )


def test_a_result_without_condition_or_limit_causes_a_hint() -> None:
    assert costs("MATCH (p:Person) RETURN p.name") == [("no_limit", "hint")]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:Person) RETURN p.name LIMIT 5",
        "MATCH (p:Person) RETURN count(p)",
        "MATCH (p:Person) RETURN p.gender, count(*) AS n",
        "MATCH (p:Person {name: 'x'}) RETURN p.gender",
        "MATCH (p:Person) WHERE p.gender IN ['male'] RETURN p.name",
        "MATCH (p:Person) WHERE p.date_of_birth > date('1990-01-01') RETURN p.name",
        "RETURN 1 AS one",
        "MATCH (p:Person) WITH p LIMIT 5 RETURN p.name",
        "MATCH (p:Person) WITH count(p) AS n RETURN n",
        "MATCH (p:Person)<--(c) WITH p, count(c) AS n ORDER BY n DESC LIMIT 1 RETURN p.name",
        "MATCH (p:Person) WITH * LIMIT 1 MATCH (p)<--(c) RETURN c.name",
        "CALL { MATCH (p:Person) RETURN p LIMIT 5 } MATCH (p)<--(c) RETURN c.name",
    ],
)
def test_a_restricted_result_without_limit_causes_no_hint(query: str) -> None:
    assert costs(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (p:Person)<--(c) WITH p, count(c) AS n RETURN p.name, n",
        "MATCH (p:Person) WITH p LIMIT 1 MATCH (c:Company) RETURN c.name",
        "MATCH (p:Person) WITH collect(p) AS people UNWIND people AS p RETURN p.name",
        "CALL { MATCH (p:Person) RETURN p } RETURN p.name",
        "MATCH (p:Person) CALL (p) { MATCH (p)<--(c) RETURN c LIMIT 1 } RETURN c.name",
    ],
)
def test_a_result_that_later_clauses_may_multiply_causes_a_hint(query: str) -> None:
    assert costs(query) == [("no_limit", "hint")]


def test_a_label_known_to_have_few_nodes_causes_no_hint_about_a_missing_limit() -> None:
    small = PropertyGraphSchema("small", {"A": Label("A", {"name": "str"}, count=12)}, ())
    assert costs("MATCH (a:A) RETURN a.name", small) == []
