"""Messages do not repeat their suggestions, and do not list the properties that loading adds to every node.

A label that has no other properties is an exception.
"""

import pytest

from graphground.cypher import validate
from tests.support.films import FILMS


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("MATCH (p:Person)-[:directedBy]->(m:Movie) RETURN m.name", "reversed_direction"),
        ("MATCH (m:Movie) WHERE m.name = NULL RETURN m.name", "null_comparison"),
        ("MATCH (m:Movie) WHERE m.aliases = 'Heat' RETURN m.name", "list_compared_as_value"),
        ("MATCH (m:Movie) WHERE 'Heat' IN m.name RETURN m.name", "type_mismatch"),
    ],
)
def test_the_fix_is_in_the_suggestion_and_not_in_the_message(query: str, code: str) -> None:
    [found] = [finding for finding in validate(query, FILMS).diagnostics if finding.code == code]
    assert found.suggestions
    assert found.suggestions[0] not in found.message


def test_properties_that_loading_adds_are_not_listed() -> None:
    found = validate("MATCH (p:Person) RETURN p.wikipedia", FILMS).diagnostics[0]
    assert "date_of_birth" in found.message
    assert "provenance" not in found.message
