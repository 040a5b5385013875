"""The eleven domains: their schemas equal the published ones, and their Wikidata sources are plausible."""

import json
from importlib.resources import files

import pytest

from graphground.graphs.definitions.read import (
    DOMAINS,
    Definition,
    check_text,
    definition_text,
    levels,
    read_definition,
)
from tests.support.shared_data import SHARED, needs


@pytest.mark.parametrize("name", DOMAINS)
def test_a_domain_is_valid_and_its_labels_can_be_selected_in_some_order(name: str) -> None:
    definition, problems = check_text(definition_text(name)[0])
    assert problems == []
    assert definition is not None
    assert definition.name == name
    assert sorted(label for level in levels(definition) for label in level) == sorted(definition.nodes)


@needs("schemas")
@pytest.mark.parametrize("name", DOMAINS)
def test_the_schema_of_a_domain_equals_the_published_schema_byte_for_byte(name: str) -> None:
    own_schema = json.dumps(read_definition(name).property_graph_schema().to_cypherbench(), indent=2)
    assert own_schema == (SHARED / "schemas" / f"{name}.json").read_text("utf-8").rstrip("\n")


@needs("cypherbench_tasks", "graph_info.json")
@pytest.mark.parametrize("name", DOMAINS)
def test_the_facts_about_relationship_types_match_the_published_facts(name: str) -> None:
    definition = read_definition(name)
    published = json.loads((SHARED / "cypherbench_tasks" / "graph_info.json").read_text("utf-8"))[name]["relations"]
    assert list(definition.types) == [type_["label"] for type_ in published]
    for type_ in published:
        own_facts = definition.types[type_["label"]]
        assert own_facts.cardinality == f"{type_['subj_cardinality']}-to-{type_['obj_cardinality']}"
        assert ("start" in own_facts.mandatory, "end" in own_facts.mandatory) == (
            type_["is_mandatory_subj"],
            type_["is_mandatory_obj"],
        )
        expected = (type_["is_symmetric"], type_["is_time_sensitive"], type_["implied_relations"])
        assert (own_facts.symmetric, own_facts.time_bounded, own_facts.implies) == expected
        variants = [f"{r.type}#{r.start}#{r.end}" for r in definition.relationships if r.type == type_["label"]]
        assert sorted(variants) == sorted(type_["variants"])


def test_the_json_schema_next_to_the_model_is_current() -> None:
    stored = json.loads((files("graphground.graphs.definitions") / "definition.schema.json").read_text("utf-8"))
    assert stored == {"$schema": "https://json-schema.org/draft/2020-12/schema", **Definition.model_json_schema()}
    assert set(Definition.model_fields) == set(stored["properties"])
