import json
import re
from dataclasses import replace

import pytest

from graphground.cypher import parse, validate
from graphground.cypher.schema import Label, PropertyGraphSchema, RelationshipPattern
from graphground.graphs.schemas.forms import base_form, enhanced_form, json_form, property_map, show_value, unit_of
from graphground.graphs.schemas.statistics import (
    LabelStatistics,
    PatternStatistics,
    PropertyStatistics,
    Statistics,
    TypeStatistics,
)
from tests.support.shared_data import SHARED, needs

MOVIES = PropertyGraphSchema(
    "movies",
    {
        "Movie": Label("Movie", {"name": "str", "runtime_minute": "float"}, description="A film", count=1234),
        "Box Office": Label("Box Office", {"name": "str"}),
        "Person": Label("Person", {"name": "str", "date_of_birth": "date"}),
    },
    (
        RelationshipPattern("hasCastMember", "Movie", "Person", {"character_role": "str"}),
        RelationshipPattern("hasCEO", "Box Office", "Person", {"start_year": "int", "end_year": "int"}),
        RelationshipPattern("marriedTo", "Person", "Person", symmetric=True),
    ),
)


def test_the_base_form_states_common_properties_once_and_quotes_names():
    assert base_form(MOVIES).splitlines() == [
        "Every node has name: str",
        "(:Movie {runtime_minute: float})",
        "(:Person {date_of_birth: date})",
        "(:Movie)-[:hasCastMember {character_role: str}]->(:Person)",
        "(:`Box Office`)-[:hasCEO {start_year, end_year: int}]->(:Person)",
        "(:Person)-[:marriedTo]-(:Person) (symmetric)",
        "end_year: NULL while the relationship lasts",
    ]


FACTS = Statistics(
    {
        "Movie": LabelStatistics("Movie", 1684, {"runtime_minute": PropertyStatistics(0, 1684)}),
        "Box Office": LabelStatistics("Box Office", 0, {"name": PropertyStatistics(0, 0)}),
        "Person": LabelStatistics("Person", 50, {"date_of_birth": PropertyStatistics(34, 50)}),
    },
    {"hasCEO": TypeStatistics("hasCEO", 0), "marriedTo": TypeStatistics("marriedTo", 40)},
    (
        PatternStatistics("hasCEO", "Box Office", "Person", 0),
        PatternStatistics("marriedTo", "Person", "Person", 40, both_ways=0.95),
    ),
)


@pytest.mark.parametrize(("count", "text"), [(1, "1 of 4,000 has a value"), (2, "2 of 4,000 have a value")])
def test_the_number_of_values_of_a_rare_property_is_a_clause_with_its_verb(count: int, text: str) -> None:
    facts = Statistics(
        labels={"Person": LabelStatistics("Person", 4000, {"date_of_birth": PropertyStatistics(count, 4000)})}
    )
    assert f"({text})" in enhanced_form(MOVIES, facts=facts)


def test_every_form_marks_elements_that_are_empty_in_the_data():
    base = base_form(MOVIES, FACTS)
    assert "(:Movie {runtime_minute: float (no values)})" in base
    assert "(:`Box Office`) (0 nodes)" in base
    assert "-[:hasCEO {start_year, end_year: int}]->(:Person) (0 relationships)" in base
    enhanced = enhanced_form(MOVIES, facts=FACTS)
    assert "(:`Box Office`)  // (0 nodes)" in enhanced
    assert "  runtime_minute: float  // (no values); in minutes" in enhanced
    assert "(:Movie)  // 1,684; A film" in enhanced
    assert "  date_of_birth (68%): date" in enhanced
    assert "// N%: share with a value" in enhanced.splitlines()
    assert "share with a value" not in enhanced_form(MOVIES)
    assert "-[:hasCEO]->(:Person)  // (0 relationships)" in enhanced
    document = json.loads(json_form(MOVIES, FACTS))
    assert document["entities"][0]["no_values"] == ["runtime_minute"]
    assert document["entities"][1]["nodes"] == 0
    assert document["relations"][1]["relationships"] == 0
    assert PropertyGraphSchema.from_cypherbench(document).labels.keys() == MOVIES.labels.keys()


def test_every_form_names_the_texts_that_stand_for_a_missing_value():
    born = PropertyStatistics(50, 50, distinct=20, placeholders=(("N/A", 12), ("", 7)))
    facts = Statistics({"Person": LabelStatistics("Person", 50, {"date_of_birth": born})})
    assert "'' or 'N/A' instead of NULL: Person.date_of_birth" in base_form(MOVIES, facts)
    assert "'' or 'N/A' instead of NULL" in enhanced_form(MOVIES, facts=facts)
    entity = next(entity for entity in json.loads(json_form(MOVIES, facts))["entities"] if entity["label"] == "Person")
    assert entity["placeholders"] == {"date_of_birth": ["", "N/A"]}


def test_a_relation_that_exists_in_both_directions_is_marked_symmetric():
    schema = replace(MOVIES, patterns=(RelationshipPattern("marriedTo", "Person", "Person"),))
    assert "(:Person)-[:marriedTo]-(:Person) (symmetric)" in base_form(schema, FACTS)
    assert "(symmetric)" not in base_form(schema)


def test_the_enhanced_form_repeats_nothing():
    work = RelationshipPattern("worksOn", "Person", "Movie", {"start_year": "int", "role": "str"})
    schema = replace(MOVIES, patterns=(work, replace(work, end="Box Office")))
    samples = {
        ("worksOn", "role"): ["editor", "composer", "director"],
        ("worksOn", "start_year"): [1999, 2004],
        ("Person", "date_of_birth"): ["1925-01-26"],
        ("Movie", "runtime_minute"): [170.0],
    }
    assert enhanced_form(schema, samples).splitlines() == [
        "Every node has name: str",
        "// 'x': samples",
        "(:Movie)  // 1,234; A film",
        "  runtime_minute: float  // in minutes",
        "(:`Box Office`)",
        "(:Person)",
        "  date_of_birth: date",
        "(:Person)-[:worksOn]->(:Movie|`Box Office`)",
        "  role: str  // 'editor', 'composer'",
        "  start_year: int",
    ]


PLACED = PropertyGraphSchema(
    "placed",
    {name: Label(name, {"name": "str"}) for name in ("Painting", "Sculpture", "Museum", "Person")},
    (
        RelationshipPattern("createdBy", "Painting", "Person"),
        RelationshipPattern("createdBy", "Sculpture", "Person"),
        RelationshipPattern("displayedAt", "Painting", "Museum"),
        RelationshipPattern("displayedAt", "Sculpture", "Museum", {"since": "int"}),
        RelationshipPattern("knows", "Person", "Person"),
        RelationshipPattern("knows", "Person", "Museum"),
    ),
)


def test_labels_and_patterns_that_differ_in_a_label_alone_share_a_line():
    assert base_form(PLACED).splitlines() == [
        "Every node has name: str",
        "(:Painting|Sculpture)-[:createdBy]->(:Person)",
        "(:Painting)-[:displayedAt]->(:Museum)",
        "(:Sculpture)-[:displayedAt {since: int}]->(:Museum)",
        "(:Person)-[:knows]->(:Person|Museum)",
    ]


def test_patterns_that_share_a_line_keep_their_counts_and_an_empty_pattern_has_its_own_line():
    facts = Statistics(
        patterns=(
            PatternStatistics("createdBy", "Painting", "Person", 3991),
            PatternStatistics("createdBy", "Sculpture", "Person", 12),
            PatternStatistics("knows", "Person", "Person", 5),
            PatternStatistics("knows", "Person", "Museum", 0),
        )
    )
    lines = enhanced_form(PLACED, facts=facts).splitlines()
    assert "(:Painting|Sculpture)-[:createdBy]->(:Person)  // 3,991 and 12" in lines
    assert "(:Person)-[:knows]->(:Museum)  // (0 relationships)" in lines
    base = base_form(PLACED, facts)
    assert "(:Person)-[:knows]->(:Museum) (0 relationships)" in base


def test_long_text_and_long_lists_are_shortened_in_samples():
    assert len(show_value("x" * 90)) == 42
    assert show_value(["O'Hara", "b", "c"]) == "['O\\'Hara', …]"


def test_a_type_is_stated_once_after_all_the_properties_that_have_it():
    assert (
        property_map({"start_year": "int", "role": "str", "end_year": "int"})
        == " {start_year, end_year: int, role: str}"
    )
    assert property_map({"a": "int", "b": "int", "c": "int"}, empty=frozenset({"b", "c"})) == (
        " {a: int, b, c: int (no values)}"
    )


@needs("schemas")
@pytest.mark.parametrize("graph", ["art", "geography", "movie", "nba", "politics"])
def test_every_line_of_patterns_in_the_base_form_is_valid_in_a_query(graph):
    schema = PropertyGraphSchema.from_cypherbench((SHARED / "schemas" / f"{graph}.json").read_text(encoding="utf-8"))
    patterns = [line for line in base_form(schema).splitlines() if "-[" in line]
    for line in patterns:
        query = parse("MATCH " + re.sub(r" \{[^}]*\}| \(symmetric\)$", "", line) + " RETURN count(*)")
        assert not [
            finding.message for finding in validate(query.text, schema).diagnostics if finding.severity == "error"
        ]
    assert {
        (type_, start, end)
        for line in patterns
        for starts, types, ends in re.findall(r"\(:([\w|]+)\)-\[:([\w|]+)(?: \{[^}]*\})?\]->?\(:([\w|]+)\)", line)
        for type_ in types.split("|")
        for start in starts.split("|")
        for end in ends.split("|")
    } == {(pattern.type, pattern.start, pattern.end) for pattern in schema.patterns}


@needs("schemas")
@pytest.mark.parametrize("graph", ["art", "geography", "nba", "politics"])
def test_the_json_form_is_the_schema_file_byte_for_byte(graph):
    text = (SHARED / "schemas" / f"{graph}.json").read_text(encoding="utf-8")
    assert json_form(PropertyGraphSchema.from_cypherbench(text)) == text


@pytest.mark.parametrize(
    ("name", "type_", "unit"),
    [
        ("runtime_minute", "float", "in minutes"),
        ("global_box_office_usd", "float", "in US dollars"),
        ("discharge_m3_s", "float", "in cubic metres per second"),
        ("launch_year", "int", "a calendar year"),
        ("iata_code", "str", None),
        ("m", "float", None),
    ],
)
def test_units_are_read_from_the_end_of_a_propertys_name(name, type_, unit):
    assert unit_of(name, type_) == unit
