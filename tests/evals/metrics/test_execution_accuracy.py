"""Execution accuracy: when two tables are the same answer, and which queries run."""

import random
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphground.evals import executable, execution_accuracy, tables_match
from graphground.evals.metrics.executable import attempt
from graphground.evals.metrics.execution_accuracy import orders
from graphground.graphs.engines.engine import EngineUnavailable, Table
from graphground.graphs.graph import Graph
from tests.support.films import FILMS


def test_rows_and_columns_may_be_in_any_order() -> None:
    assert execution_accuracy([["a", 1], ["b", 2]], [[2, "b"], [1, "a"]]) == 1.0
    assert execution_accuracy([["a", 2], ["b", 1]], [[2, "b"], [1, "a"]]) == 0.0


def test_the_order_of_rows_counts_if_the_gold_query_sorts() -> None:
    rows = [["a", 1], ["b", 2]]
    assert execution_accuracy([[1, "a"], [2, "b"]], rows, ordered=True) == 1.0
    assert execution_accuracy([[2, "b"], [1, "a"]], rows, ordered=True) == 0.0


def test_duplicates_count_and_do_not_compensate_for_each_other() -> None:
    assert not tables_match([["a"], ["a"], ["b"]], [["a"], ["b"], ["b"]])
    assert not tables_match([["a"]], [["a"], ["a"]])


def test_two_empty_answers_are_equal_and_one_empty_answer_is_wrong() -> None:
    assert execution_accuracy(Table(["x"], [], False, 0.0), Table([], [], False, 0.0)) == 1.0
    assert execution_accuracy([], [["a"]]) == 0.0
    assert execution_accuracy([["a"]], []) == 0.0


def test_tables_with_equal_columns_and_equal_rows_differ_if_no_order_of_columns_fits_all_rows() -> None:
    # Each column has an equal column, and each row a row with the same values; then all rows have the same values.
    assert not tables_match([[1, 0, 2], [2, 2, 0], [1, 0, 2]], [[2, 0, 2], [2, 0, 1], [0, 2, 1]])
    assert not tables_match([[0, 1, 2], [1, 0, 2], [2, 1, 0]], [[0, 1, 2], [1, 0, 2], [2, 0, 1]])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2, 2], [2, 1, 2]),
        (1, 1.0),
        (0.1 + 0.2, 0.3),
        (None, None),
        (date(1999, 1, 1), "1999-01-01"),
        ({"a": 1, "b": [2, None]}, {"b": [None, 2.0], "a": 1}),
        ({"id": "1", "labels": ["A"], "properties": {"name": "x"}}, {"name": "x"}),
        (float("nan"), "NaN"),
        ([1, "a", None], [None, "a", 1]),
        ([{"a": 1}, {"b": 2}], [{"b": 2}, {"a": 1}]),
    ],
)
def test_values_with_the_same_meaning_are_equal(first: object, second: object) -> None:
    assert tables_match([[first]], [[second]])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1, 2], [1, 2, 2]),
        (True, 1),
        ("1", 1),
        (None, ""),
        (None, "None"),
        ([1], 1),
        (1e-12, 0.0),
        (1.0, 1.0001),
        ({"a": 1}, {"a": 1, "b": None}),
        ("a", ["a"]),
        ("1999-01-01", "1999-01-02"),
        (10**18, 10**18 + 1),
    ],
)
def test_values_with_different_meanings_differ(first: object, second: object) -> None:
    assert not tables_match([[first]], [[second]])


NEAR = 3 * (1 - 1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [([[[3]]], [[[NEAR]]]), ([[{"a": 3}]], [[{"a": NEAR}]]), ([[3, [0.5]]], [[NEAR, [0.5]]]), ([[3]], [[NEAR]])],
)
def test_an_integer_equals_a_float_beside_it_wherever_the_two_stand(
    first: list[list[object]], second: list[list[object]]
) -> None:
    assert tables_match(first, second)
    assert tables_match(second, first)
    assert not tables_match(first, second, rule="published")


def test_the_published_rule_equates_true_and_1_and_compares_floats_exactly() -> None:
    assert tables_match([[True]], [[1]], rule="published")
    assert not tables_match([[0.1 + 0.2]], [[0.3]], rule="published")
    assert not tables_match([[[1, "a"]]], [[[1, "a"]]], rule="published")


VALUES = st.one_of(
    st.none(),
    st.integers(0, 3),
    st.sampled_from(["a", "b"]),
    st.booleans(),
    st.sampled_from([0.5, 1.5]),
    st.lists(st.sampled_from(["x", "y"]), max_size=2),
)


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(st.lists(VALUES, min_size=width, max_size=width), min_size=1, max_size=8)
    ),
    st.randoms(),
)
def test_any_shuffle_of_rows_and_columns_is_the_same_table(rows: list[list[object]], rng: random.Random) -> None:
    columns = list(range(len(rows[0])))
    rng.shuffle(columns)
    shuffled = [[row[place] for place in columns] for row in rows]
    assert tables_match(shuffled, rows, ordered=True)
    rng.shuffle(shuffled)
    assert tables_match(shuffled, rows)


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=2, max_size=6), st.randoms())
def test_the_search_agrees_with_trying_every_permutation(rows: list[list[int]], rng: random.Random) -> None:
    from itertools import permutations

    other = [list(row) for row in rows]
    rng.shuffle(other)
    place = rng.randrange(len(other))
    other[place][0], other[place][1] = other[place][1], other[place][0]
    expected = any(
        sorted([row[place] for place in order] for row in other) == sorted(rows) for order in permutations(range(4))
    )
    assert tables_match(other, rows) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (n) RETURN n.name ORDER BY n.name", True),
        ("MATCH (n) RETURN n.name order\n by n.name", True),
        ("MATCH (n {name: 'order by'}) RETURN n.name", False),
        ("MATCH (n) WITH n ORDER BY n.x LIMIT 3 RETURN n.name", True),
        ("MATCH (n) WITH n ORDER BY n.x LIMIT 3 RETURN count(n)", False),
        ("MATCH (n) WITH n ORDER BY n.x MATCH (n)--(m) RETURN m", False),
        ("MATCH (n) RETURN n.a AS a ORDER BY a UNION MATCH (n) RETURN n.b AS a", False),
        ("MATCH (n) WITH n ORDER BY n.x RETURN DISTINCT n.name", False),
    ],
)
def test_whether_a_query_sorts_is_determined_from_its_tree(query: str, expected: bool) -> None:
    assert orders(query) is expected


def test_the_published_rule_looks_for_the_words_order_by() -> None:
    assert orders("MATCH (n {name: 'order by'}) RETURN n.name", rule="published")


def test_queries_without_a_graph_are_refused() -> None:
    with pytest.raises(ValueError, match="give two queries with the graph"):
        execution_accuracy("RETURN 1", "RETURN 1")


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
