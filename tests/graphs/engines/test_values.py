"""The driver's values are converted to plain JSON values, including dates that Python cannot represent."""

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import Record
from neo4j.graph import Graph, Node
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, Duration

from graphground.graphs.engines.temporal import iso_date, iso_structure
from graphground.graphs.engines.values import plain, plain_rows


def rows(*many: tuple[Any, ...]) -> list[list[Any]]:
    return plain_rows([Record(zip("abcdef", values, strict=False)) for values in many])


def test_columns_of_plain_values_are_unchanged_and_other_columns_are_converted() -> None:
    assert rows() == []
    assert rows((1, "x"), (None, "y")) == [[1, "x"], [None, "y"]]
    assert rows((1.5, Date(1995, 12, 15)), (2.0, Date(2000, 1, 1))) == [[1.5, "1995-12-15"], [2.0, "2000-01-01"]]
    assert rows((float("nan"), 1), (2.0, 2)) == [["NaN", 1], [2.0, 2]]
    assert rows((1, [1, "x"]), (2.5, [None])) == [[1, [1, "x"]], [2.5, [None]]]
    assert rows(([Date(1995, 12, 15)],), ([],)) == [[["1995-12-15"]], [[]]]
    assert rows(({"a": [float("-inf")]},)) == [[{"a": ["-Infinity"]}]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (2**63 - 1, 2**63 - 1),
        (b"\x00\xff", "AP8="),
        (bytearray(b"\x00\xff"), "AP8="),
        (WGS84Point((2.35, 48.85)), {"srid": 4326, "x": 2.35, "y": 48.85}),
        (CartesianPoint((1.0, 2.0, 3.0)), {"srid": 9157, "x": 1.0, "y": 2.0, "z": 3.0}),
        (Duration(months=14, days=3, seconds=4), "P1Y2M3DT4S"),
        ((1, 2), [1, 2]),
        ({"x"}, ["x"]),
        (datetime.date(1995, 12, 15), "1995-12-15"),
    ],
)
def test_each_kind_of_value_has_one_plain_form(value: Any, expected: Any) -> None:
    assert plain(value) == expected


@given(st.dates())
def test_dates_from_year_1_on_equal_those_of_python(date: datetime.date) -> None:
    assert iso_date((date - datetime.date(1970, 1, 1)).days) == date.isoformat()


def test_dates_before_year_1_and_after_9999_are_iso_too() -> None:
    assert iso_date(-735_525) == "-0044-03-15"
    assert iso_date(-719_528) == "0000-01-01"
    assert iso_date(-719_529) == "-0001-12-31"
    assert iso_date(3_652_059 - 719_163 + 1) == "+10000-01-01"
    assert iso_structure(b"d", [0, 5]) == "1970-01-01T00:00:00.000000005"
    assert iso_structure(b"I", [-62_167_219_200, 0, -18_000]) == "-0001-12-31T19:00:00-05:00"
    assert iso_structure(b"i", [0, 0, "Mars/Olympus"]) == "1970-01-01T00:00:00Z[Mars/Olympus]"


def test_a_relationship_has_the_ids_of_its_end_nodes_even_if_nothing_else_is_known() -> None:
    graph = Graph()
    start, end = (Node(graph, f"4:x:{number}", number, [], {}) for number in (7, 8))
    edge = graph.relationship_type("playsFor")(graph, "5:x:1", 1, {"start_year": 1984})
    edge._start_node, edge._end_node = start, end
    expected = {"id": "5:x:1", "type": "playsFor", "start": "4:x:7", "end": "4:x:8", "properties": {"start_year": 1984}}
    assert plain(edge) == expected
