"""Reading a definition: every problem is reported with its line, its position and the fix."""

from pathlib import Path
from typing import Any

import pytest

from graphground.graphs.definitions.read import (
    Definition,
    DefinitionError,
    Node,
    Property,
    Relationship,
    check_text,
    read_definition,
    read_part,
)

GOOD = """\
name = "films"
languages = ["de", "en"]

[nodes.Movie]
wikidata = "Q11424"
[nodes.Movie.properties]
runtime_minute = { type = "float", wikidata = "P2047", unit = "minute" }

[nodes.Person]
wikidata = "Q5"
subclasses = false
from_relationships = ["directedBy"]

[[relationships]]
type = "directedBy"
start = "Movie"
end = "Person"
wikidata = "P57"
[relationships.properties]
year = { type = "int", wikidata = "P585" }

[types.directedBy]
cardinality = "many-to-many"
"""


def problems_of(text: str) -> list[str]:
    return [str(problem) for problem in check_text(text)[1]]


def test_a_valid_definition_is_read_with_its_schema() -> None:
    definition, problems = check_text(GOOD)
    assert problems == []
    assert definition is not None
    assert [str(pattern) for pattern in definition.property_graph_schema().patterns] == [
        "(:Movie)-[:directedBy]->(:Person)"
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('wikidata = "Q11424"', 'wikidata = "11424"', "line 5: nodes.Movie.wikidata: must look like 'Q5', not '11424'"),
        ('"float"', '"flaot"', "line 7: nodes.Movie.properties.runtime_minute.type: 'flaot' is not allowed"),
        (
            'unit = "minute"',
            'units = "minute"',
            "line 7: nodes.Movie.properties.runtime_minute.units: is not a known key; did you mean 'unit'?",
        ),
        (
            'end = "Person"',
            'end = "Persn"',
            "line 17: relationships[0].end: there is no node label 'Persn'; did you mean 'Person'?",
        ),
        ("subclasses = false\n", "", "line 9: nodes.Person: people are instances of Q5 itself: set subclasses = false"),
        (
            '["directedBy"]',
            '["directed"]',
            "line 12: nodes.Person.from_relationships[0]: there is no relationship type "
            "'directed'; did you mean 'directedBy'?",
        ),
        ('from_relationships = ["directedBy"]\n', "", "line 9: nodes.Person: selects all people in Wikidata"),
        ('"many-to-many"', '"many-to-some"', "line 23: types.directedBy.cardinality: 'many-to-some' is not allowed"),
        ("[types.directedBy]", "[types.directed]", "line 22: types.directed: there is no relationship of this type"),
        ('"de", "en"', '"German"', "line 2: languages[0]: must look like 'en', not 'German'"),
        ('name = "films"', 'name = "my films"', "line 1: name: must look like 'films', not 'my films'"),
        ("[[relationships]]", "[[relationships", "line 14: not TOML"),
        (
            'wikidata = "P57"',
            'wikidata = "identical"',
            'line 14: relationships[0]: a relationship with wikidata = "identical" has no statement',
        ),
    ],
)
def test_each_problem_is_reported_with_its_line_and_the_fix(old: str, new: str, expected: str) -> None:
    assert old in GOOD
    found = problems_of(GOOD.replace(old, new, 1))
    assert any(expected in problem for problem in found), found


@pytest.mark.parametrize(
    ("model", "document", "place", "message"),
    [
        (Node, [], (), "must be a table, not []"),
        (Node, {"wikidata": ["Q5", "P5"]}, ("wikidata", 1), "must look like 'Q5', not 'P5'"),
        (Node, {"wikidata": "Q5\n"}, ("wikidata",), "must look like 'Q5', not 'Q5\\n'"),
        (Node, {"has_property": "P1"}, ("has_property",), "must be a list, not 'P1'"),
        (Node, {"properties": {"a b": {"type": "str", "wikidata": "P1"}}}, ("properties", "a b"), "cannot be used"),
        (Property, {"type": ["str"], "wikidata": "P1"}, ("type",), "['str'] is not allowed"),
        (Relationship, {"type": "a", "start": "A", "end": "B", "wikidata": "identicall"}, ("wikidata",), "like 'P31'"),
        (Definition, {"name": "x", "nodes": {}}, ("nodes",), "must not be empty"),
    ],
)
def test_an_invalid_part_of_a_document_is_reported_with_its_path(
    model: type, document: Any, place: tuple[str | int, ...], message: str
) -> None:
    _, ((path, problem),) = read_part(model, document)
    assert path[: len(place)] == place
    assert message in problem


def test_an_unknown_label_at_the_other_end_of_a_selecting_relationship_is_reported() -> None:
    assert problems_of(GOOD.replace('start = "Movie"', 'start = "Movi"')) == [
        "line 16: relationships[0].start: there is no node label 'Movi'; did you mean 'Movie'?"
    ]


def test_all_problems_are_reported_at_once_in_the_order_of_their_lines() -> None:
    text = GOOD.replace('"Q11424"', '"x"').replace('"float"', '"flaot"').replace('"P57"', '"57"')
    lines = [int(problem.split()[1].rstrip(":")) for problem in problems_of(text)]
    assert lines == [5, 7, 18]


def test_an_ambiguous_relationship_type_is_reported_with_the_pattern_to_write() -> None:
    text = GOOD + '[[relationships]]\ntype = "directedBy"\nstart = "Person"\nend = "Movie"\nwikidata = "P57"\n'
    assert any(
        "ambiguous" in problem and "(:Movie)-[:directedBy]->(:Person)" in problem for problem in problems_of(text)
    )


def test_the_error_about_a_missing_file_names_the_nearest_domain(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="did you mean 'geography'"):
        read_definition("geografy")
    binary = tmp_path / "x.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(DefinitionError, match="cannot be read"):
        read_definition(binary)
