import pytest

from graphground.evals import executable, execution_accuracy
from graphground.evals.metrics.executable import attempt
from graphground.graphs.engines.engine import EngineUnavailable
from graphground.graphs.graph import Graph
from tests.support.films import FILMS


@pytest.mark.parametrize(
    ("query", "failure"),
    [
        ("MATCH (m:Movie) RETURN m.name", ""),
        ("MATCH (m:Movie) RETURN m.nothing", ""),
        ("MATCH (m:Movi) RETURN m", ""),
        ("MATCH (m:Movie", "not_cypher"),
        ("MATCH (m:Movie) RETURN n", "not_cypher"),
        ("", "not_cypher"),
        ("The answer is Heat.", "not_cypher"),
        ("MATCH (m:Movie) DETACH DELETE m", "not_read_only"),
        ("LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row", "not_read_only"),
        ("RETURN 1 / 0", "refused"),
    ],
)
def test_a_query_runs_or_the_reason_is_given(small: Graph, query: str, failure: str) -> None:
    outcome = attempt(small, query)
    assert (outcome.failure, outcome.table is None) == (failure, bool(failure))
    assert executable(query, small) == float(not failure)
    assert bool(outcome.message) == bool(failure)


def test_a_query_that_takes_too_long_is_not_executable(small: Graph) -> None:
    slow = "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b UNWIND range(1, 3000) AS c RETURN count(*)"
    assert attempt(small, slow, timeout=0.5).failure == "timeout"


def test_an_unavailable_graph_causes_no_verdict_on_the_query() -> None:
    with pytest.raises(EngineUnavailable):
        executable("MATCH (m:Movie) RETURN m.name", Graph("films", FILMS))


def test_execution_accuracy_compares_the_order_of_rows_only_if_the_gold_query_sorts(small: Graph) -> None:
    ordered = "MATCH (m:Movie) RETURN m.name ORDER BY m.name"
    turned = "MATCH (m:Movie) RETURN m.name ORDER BY m.name DESC"
    assert execution_accuracy(turned, ordered, small) == 0.0
    assert execution_accuracy(turned, "MATCH (m:Movie) RETURN m.name", small) == 1.0
    assert execution_accuracy("MATCH (m:Movie", ordered, small) == 0.0
