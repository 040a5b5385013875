"""The page on definitions: its example is valid, and its tables list every key and every kind of unit."""

import re
from pathlib import Path

from graphground.graphs.definitions.read import (
    DOMAINS,
    Definition,
    Node,
    Relationship,
    RelationshipType,
    check_text,
    levels,
    units,
)

PAGE = (Path(__file__).parents[2] / "docs" / "definitions.md").read_text("utf-8")


def test_the_example_of_the_page_is_a_valid_definition() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    definition, problems = check_text(text)
    assert problems == []
    assert definition is not None
    assert levels(definition) == [["Lighthouse"], ["Architect", "Country"]]


def test_every_key_domain_and_kind_of_unit_is_on_the_page() -> None:
    for model in (Definition, Node, Relationship, RelationshipType):
        for key in set(model.model_fields) - {"nodes", "relationships", "types", "properties"}:
            assert f"`{key}`" in PAGE, key
    assert all(f"`{name}`" in PAGE for name in DOMAINS)
    assert all(unit.dimension in PAGE for unit in units() if not unit.dimension.startswith("currency"))
