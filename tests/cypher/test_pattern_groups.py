from graphground.cypher.schema import RelationshipPattern, pattern_texts


def test_patterns_that_differ_in_one_label_or_in_the_type_are_written_as_one_pattern() -> None:
    patterns = [
        RelationshipPattern("hasMother", "Character", "Character"),
        RelationshipPattern("hasFather", "Character", "Character"),
        RelationshipPattern("created by", "Painting", "Person", {"year": "int"}),
        RelationshipPattern("created by", "Sculpture", "Person"),
    ]
    expected = ["(:Character)-[:hasMother|hasFather]->(:Character)", "(:Painting|Sculpture)-[:`created by`]->(:Person)"]
    assert pattern_texts(patterns) == expected


def test_types_with_different_ends_are_not_combined() -> None:
    patterns = [
        RelationshipPattern("bornIn", "Character", "Location"),
        RelationshipPattern("basedIn", "Organization", "Location"),
        RelationshipPattern("diedIn", "Location", "Character"),
    ]
    assert pattern_texts(patterns) == [str(pattern) for pattern in patterns]
