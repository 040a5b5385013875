"""The eleven domains: their schemas equal the published ones, and their Wikidata sources are plausible."""

import gzip
import json
import re
from importlib.resources import files

import pytest

from graphground.graphs.definitions.read import (
    DOMAINS,
    Definition,
    check_text,
    definition_text,
    doubts,
    levels,
    read_definition,
)
from tests.support.shared_data import SHARED, needs

NAMED = re.compile(r'"([PQ]\d+)"[^#"]*(?:"([PQ]\d+)"[^#"]*)?#\s*(.+)')


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
        own_facts = definition.characteristics(type_["label"])
        assert own_facts.cardinality == f"{type_['subj_cardinality']}-to-{type_['obj_cardinality']}"
        assert ("start" in own_facts.mandatory, "end" in own_facts.mandatory) == (
            type_["is_mandatory_subj"],
            type_["is_mandatory_obj"],
        )
        assert (own_facts.symmetric, own_facts.time_bounded, own_facts.implies) == (
            type_["is_symmetric"],
            type_["is_time_sensitive"],
            type_["implied_relations"],
        )
        variants = [f"{r.type}#{r.start}#{r.end}" for r in definition.relationships if r.type == type_["label"]]
        assert sorted(variants) == sorted(type_["variants"])


@needs("codex", "relations.en.json")
def test_the_names_next_to_wikidata_ids_are_wikidatas_names() -> None:
    known = {
        key: relation["label"]
        for key, relation in json.loads((SHARED / "codex" / "relations.en.json").read_text("utf-8")).items()
    }
    with gzip.open(SHARED / "codex" / "types.en.json.gz", "rt", encoding="utf-8") as file:
        known.update({key: relation["label"] for key, relation in json.load(file).items()})
    known["P131"] = known["P131"].replace("terroritorial", "territorial")  # a mistake in the published file
    compared = 0
    for name in DOMAINS:
        for line in definition_text(name)[0].splitlines():
            match = NAMED.search(line)
            if match and not match[2] and match[1] in known and line.count("wikidata"):
                assert match[3] == known[match[1]], line
                compared += 1
    assert compared > 60


def test_doubtful_sources_are_marked_with_a_reason() -> None:
    marked = {name: list(doubts(read_definition(name))) for name in DOMAINS}
    assert sum(map(len, marked.values())) >= 10
    assert all(len(reason) > 20 for found in marked.values() for _, reason in found)


def test_the_json_schema_next_to_the_model_is_current() -> None:
    stored = json.loads((files("graphground.graphs.definitions") / "definition.schema.json").read_text("utf-8"))
    assert stored == {"$schema": "https://json-schema.org/draft/2020-12/schema", **Definition.model_json_schema()}
    assert set(Definition.model_fields) == set(stored["properties"])
