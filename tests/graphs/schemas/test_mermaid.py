"""Flowcharts: every name is drawn, and text from a graph stays text."""

from __future__ import annotations

import re

import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.schemas.mermaid import MAX_LABELS, draw_schema, quoted

HOSTILE = [
    "<script>alert(1)</script>",
    "]]>--><img src=x onerror=alert(1)>",
    '"] ; click n0 href "javascript:alert(1)"',
    "**bold** `code` [link](http://example.com)",
    "right\u202eto left",
    "two\nlines\x00and\x1bmore",
    "&lt;b&gt; #60;i#62;",
    "n" * 10_000,
    "\ud800 alone",
]


def films() -> PropertyGraphSchema:
    labels = [
        Label("Movie", {"name": "str", "runtime_minute": "float"}, count=1200),
        Label("Person", {"name": "str"}, count=40),
        Label("Award", {}, count=0),
    ]
    patterns = (
        RelationshipPattern("directedBy", "Movie", "Person", count=1300),
        RelationshipPattern("likes", "Person", "Movie", count=7),
        RelationshipPattern("spouseOf", "Person", "Person", symmetric=True, count=3),
        RelationshipPattern("wins", "Movie", "Award", count=0),
    )
    return PropertyGraphSchema("films", {label.name: label for label in labels}, patterns)


def test_a_schema_is_drawn_as_a_mermaid_flowchart() -> None:
    assert draw_schema(films()).splitlines() == [
        "flowchart LR",
        '  n0["Movie (1,200)<br/>name: str<br/>runtime_minute: float"]',
        '  n1["Person (40)<br/>name: str"]',
        '  n2["Award (0)"]',
        '  n0 -->|"directedBy (1,300)"| n1',
        '  n1 -->|"likes (7)"| n0',
        '  n1 ---|"spouseOf (3)"| n1',
        '  n0 -.->|"wins (0)"| n2',
        "  classDef empty stroke-dasharray: 4 3",
        "  class n2 empty",
    ]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_from_a_graph_stays_text(text: str) -> None:
    schema = PropertyGraphSchema("x", {text: Label(text, {text: "str"})}, (RelationshipPattern(text, text, text),))
    lines = draw_schema(schema).splitlines()
    assert len(lines) == 3
    for line in lines[1:]:
        inside = re.search(r'"([^"]*)"', line)
        assert inside is not None
        assert line.count('"') == 2
        assert re.fullmatch(r"(#\d+;|<br/>|[^<>`*#&\\])*", inside[1])
        assert {"\u202e", "\x00", "\x1b"}.isdisjoint(inside[1])


def test_text_is_shortened_to_one_line_of_bounded_length() -> None:
    assert quoted("a\n\tb  c") == "a b c"
    assert len(quoted("x" * 10_000)) == 48


def test_the_flowchart_of_a_very_large_schema_states_how_many_labels_are_omitted() -> None:
    labels = {f"L{number}": Label(f"L{number}") for number in range(MAX_LABELS + 25)}
    lines = draw_schema(PropertyGraphSchema("large", labels, ())).splitlines()
    assert len(lines) == MAX_LABELS + 2
    assert lines[-1] == "  %% … and 25 more, not drawn"
