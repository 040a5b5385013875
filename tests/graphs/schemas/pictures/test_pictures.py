"""Pictures of schemas: every name is drawn, no text extends beyond its box, and boxes do not overlap."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.schemas.pictures.drawing import MAX_LABELS, Arrow, Box, Drawing, readable, schema_drawing
from graphground.graphs.schemas.pictures.svg import mermaid, places, svg

SVG = "{http://www.w3.org/2000/svg}"
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


def texts_of(picture: str) -> list[str]:
    return ["".join(element.itertext()) for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_a_schema_is_drawn_with_its_properties_and_counts() -> None:
    texts = texts_of(svg(schema_drawing(films())))
    assert {"Movie (1,200)", "runtime_minute: float", "Person (40)", "directedBy (1,300)", "Award (0)"} <= set(texts)


def test_empty_labels_have_a_dashed_border_and_symmetric_relationships_have_no_arrowhead() -> None:
    root = ElementTree.fromstring(svg(schema_drawing(films())))
    dashed = [
        box.get("data-box") for box in root.iter(f"{SVG}g") if box.find(f"{SVG}rect[@stroke-dasharray]") is not None
    ]
    assert dashed == ["2"]
    arrows = {
        text.text: next(path.get("marker-end") for path in group.iter(f"{SVG}path"))
        for group in root.iter(f"{SVG}g")
        if group.get("class") == "arrow"
        for text in group.iter(f"{SVG}text")
    }
    assert arrows["spouseOf (3)"] is None
    assert arrows["likes (7)"] == arrows["directedBy (1,300)"] == "url(#head)"


def test_a_schema_is_drawn_as_a_mermaid_flowchart() -> None:
    assert mermaid(schema_drawing(films(), properties=False)).splitlines() == [
        "flowchart LR",
        '  n0["Movie (1,200)"]',
        '  n1["Person (40)"]',
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
    drawing = Drawing((Box(text, text, (text,), kind=text), Box("b", "B")), (Arrow(text, "b", text),), title=text)
    root = ElementTree.fromstring(svg(drawing))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "style", "defs", "marker", "path", "rect", "g", "text")
    }
    assert not any(name.startswith("on") or "href" in name for element in root.iter() for name in element.attrib)
    assert {"\u202e", "\x00", "\x1b"}.isdisjoint("".join(root.itertext()))
    lines = mermaid(drawing).splitlines()
    assert len(lines) == 4
    for line in lines[1:]:
        inside = re.search(r'"([^"]*)"', line)
        assert inside is not None
        assert line.count('"') == 2
        assert re.fullmatch(r"(#\d+;|<br/>|[^<>`*#&\\])*", inside[1])


def test_text_is_shortened_to_one_line_of_bounded_length() -> None:
    assert readable("a\n\tb  c") == "a b c"
    assert len(readable("x" * 10_000)) == 40


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_boxes_do_not_overlap_and_the_same_drawing_has_the_same_layout(count: int) -> None:
    sizes = [(70.0 + 13 * (box % 7), 30.0 + 17 * (box % 5)) for box in range(count)]
    links = [(box, box * 7 % count) for box in range(count)] + [(0, box) for box in range(0, count, 3)]
    placed = places(sizes, links)
    assert placed == places(sizes, links)
    for first in range(count):
        for second in range(first):
            apart = [abs(a - b) for a, b in zip(placed[first], placed[second], strict=True)]
            needed = [(a + b) / 2 for a, b in zip(sizes[first], sizes[second], strict=True)]
            assert apart[0] >= needed[0] or apart[1] >= needed[1]


@pytest.mark.parametrize(
    "links", [[], [(box, box // 25 * 25) for box in range(500) if box % 25]], ids=["none", "stars"]
)
def test_five_hundred_crowded_boxes_do_not_overlap(links: list[tuple[int, int]]) -> None:
    sizes = np.array([(70.0 + 29 * (box % 7), 46.0) for box in range(500)])
    placed = np.array(places([(width, height) for width, height in sizes], links))
    apart, needed = np.abs(placed[:, None] - placed[None]), (sizes[:, None] + sizes[None]) / 2
    assert not np.triu((apart < needed).all(axis=2), 1).any()


def test_boxes_without_links_fill_a_screen_below_those_with_links() -> None:
    sizes = [(120.0, 40.0)] * 300
    placed = np.array(places(sizes, []))
    width, height = placed.max(axis=0) + np.array(sizes[0]) / 2
    assert 1.3 < width / height < 2
    assert width * height < 2.5 * 300 * 120 * 40
    mixed = np.array(places(sizes, [(0, 7), (7, 9), (4, 4)]))
    linked = np.isin(np.arange(300), [0, 7, 9])
    assert mixed[linked, 1].max() + 40 <= mixed[~linked, 1].min()


def test_the_picture_of_a_very_large_schema_states_how_many_labels_are_omitted() -> None:
    labels = {f"L{number}": Label(f"L{number}") for number in range(MAX_LABELS + 25)}
    drawing = schema_drawing(PropertyGraphSchema("large", labels, ()))
    assert (len(drawing.boxes), drawing.left_out) == (MAX_LABELS, 25)
    assert "… and 25 more, not drawn" in texts_of(svg(drawing))
    assert mermaid(drawing).endswith("%% … and 25 more, not drawn")
