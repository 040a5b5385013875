"""Parts of extraction that need no database: type names, Memgraph's schema info, the cache."""

import json
from pathlib import Path

import pytest

from graphground.graphs.schemas.extraction.cache import SchemaCache
from graphground.graphs.schemas.extraction.extract import add_schema_info
from graphground.graphs.schemas.extraction.findings import Extraction, Findings, merged, property_type


@pytest.mark.parametrize(
    ("name", "own_name"),
    [
        ("String", "str"),
        ("StringArray", "list[str]"),
        ("STRING NOT NULL", "str"),
        ("LocalDateTime", "datetime"),
        ("ZONED DATETIME NOT NULL", "datetime"),
        ("LIST<STRING NOT NULL> NOT NULL", "list[str]"),
        ("NULL", None),
        ("LIST<ANY> NOT NULL", "list[unknown]"),
        ("LIST<NOTHING> NOT NULL", "list[]"),
        ("LIST<NULL>", "list[unknown]"),
        ("Duration", "duration"),
        ("INTEGER | STRING", "int|str"),
        ("Double", "float"),
        ("Point", "point"),
        ("MadeUp", "unknown"),
    ],
)
def test_the_databases_type_names_become_our_type_names(name, own_name):
    assert property_type(name) == own_name


def test_types_are_merged_and_an_empty_list_adopts_the_type_of_other_lists():
    assert merged(["str", "int", "str"]) == "int|str"
    assert merged(["list[]", "list[str]"]) == "list[str]"
    assert merged(["list[]"]) == "list[unknown]"
    assert merged(["str", "unknown"]) == "unknown"
    assert merged([None]) is None


MEMGRAPH = {
    "nodes": [
        {
            "labels": ["Person"],
            "count": 5,
            "properties": [
                {"key": "name", "count": 5, "filling_factor": 100.0, "types": [{"type": "String", "count": 5}]},
                {
                    "key": "age",
                    "count": 3,
                    "filling_factor": 60.0,
                    "types": [{"type": "Integer", "count": 2}, {"type": "String", "count": 1}],
                },
            ],
        },
        {"labels": ["Film", "Work"], "count": 2, "properties": []},
    ],
    "edges": [
        {
            "type": "ACTED_IN",
            "start_node_labels": ["Person"],
            "end_node_labels": ["Film", "Work"],
            "count": 4,
            "properties": [{"key": "roles", "count": 4, "types": [{"type": "List", "count": 4}]}],
        }
    ],
}


@pytest.mark.parametrize("document", [MEMGRAPH, json.dumps(MEMGRAPH)])
def test_memgraphs_schema_info_is_read_as_documented(document):
    findings = Findings()
    add_schema_info(findings, document)
    schema = findings.schema("films")
    assert schema.labels["Person"].properties == {"age": "int|str", "name": "str"}
    assert {str(pattern) for pattern in schema.patterns} == {
        "(:Person)-[:ACTED_IN]->(:Film)",
        "(:Person)-[:ACTED_IN]->(:Work)",
    }
    assert schema.relationship_properties["ACTED_IN"] == {"roles": "list[unknown]"}
    assert schema.label_combinations == {frozenset({"Film", "Work"})}


def test_a_cached_extraction_is_restored_completely(tmp_path: Path):
    findings = Findings()
    add_schema_info(findings, MEMGRAPH)
    extraction = Extraction(findings.schema("films"), {("Person", "name"): ["Ann"]}, True, ("slow",), 7, 4, 12.5)
    cache = SchemaCache(tmp_path / "schemas")
    cache.store("bolt://here", extraction, "mark")
    stored = cache.load("bolt://here", "films")
    assert stored is not None
    assert stored.extraction == extraction
    assert stored.fingerprint == "mark"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 99}', b'{"version": 1}'])
def test_an_unreadable_cache_file_is_ignored(tmp_path: Path, content: bytes):
    cache = SchemaCache(tmp_path)
    cache.path("key").write_bytes(content)
    assert cache.load("key", "films") is None
    assert cache.load("another", "films") is None
