"""Parts of extraction that need no database: type names, the cache."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from graphground.cypher.text_values import TextValues
from graphground.graphs.engines.engine import QueryTimeout
from graphground.graphs.schemas.extraction.extract import paged
from graphground.graphs.schemas.extraction.findings import Extraction, Findings, merged, property_type
from graphground.graphs.schemas.extraction.profiles import Seen, foreign_name, naming_number, naming_property
from graphground.graphs.schemas.live_schema import SchemaCache


@pytest.mark.parametrize(
    ("name", "own_name"),
    [
        ("String", "str"),
        ("STRING NOT NULL", "str"),
        ("LocalDateTime", "datetime"),
        ("ZONED DATETIME NOT NULL", "datetime"),
        ("LIST<STRING NOT NULL> NOT NULL", "list[str]"),
        ("NULL", None),
        ("LIST<ANY> NOT NULL", "list[unknown]"),
        ("LIST<NOTHING> NOT NULL", "list[]"),
        ("LIST<NULL>", "list[unknown]"),
        ("INTEGER | STRING", "int|str"),
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


def test_a_cached_extraction_is_restored_completely(tmp_path: Path):
    findings = Findings()
    findings.add_combination(["Film", "Work"], 2)
    findings.add_property(["Film", "Work"], "rating", "int|str")
    findings.add_pattern("SEQUEL_OF", "Film", "Work", 4)
    extraction = Extraction(findings.schema("films"), True, ("slow",), 7, 4, 12.5)
    cache = SchemaCache(tmp_path / "schemas")
    cache.store("bolt://here", extraction, "mark")
    assert cache.load("bolt://here", "films") == (extraction, "mark")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 99}', b'{"version": 1}'])
def test_an_unreadable_cache_file_is_ignored(tmp_path: Path, content: bytes):
    cache = SchemaCache(tmp_path)
    cache.path("key").write_bytes(content)
    assert cache.load("key", "films") is None
    assert cache.load("another", "films") is None


@pytest.mark.parametrize(
    ("variable", "pages", "message"),
    [
        ("n", 1, "properties of Person: only the first 20,000 nodes were read"),
        ("r", 2, "properties of Person: only the first 40,000 relationships were read"),
        ("n", 0, "properties of Person: no nodes were read in time"),
    ],
)
def test_a_partial_reading_is_reported_with_what_was_read(variable: str, pages: int, message: str) -> None:
    problems: list[str] = []
    left = pages

    def must(query: str) -> list[list[Any]]:
        nonlocal left
        left -= 1
        if left < 0:
            raise QueryTimeout("too long")
        return [["name", "STRING"]]

    steps = SimpleNamespace(
        time_left=lambda: 10.0, step_timeout=10.0, must=must, findings=SimpleNamespace(add_problem=problems.append)
    )
    paged(cast(Any, steps), "properties of Person", f"MATCH ({variable})", variable, "")
    assert problems == [message]


WORDS = ["Ash Grove", "Birch End", "Cedar Hill", "Dogwood Lane"]
SHORT = ["n", "s", "n", "s"]


def seen(*keys: str) -> list[Seen]:
    return [Seen(key, WORDS, 1.0) for key in keys]


@pytest.mark.parametrize(
    ("label", "keys", "found"),
    [
        ("Movie", ("tagline", "title"), "title"),
        ("Customer", ("contactName", "companyName", "city"), "companyName"),
        ("Employee", ("firstName", "lastName", "jobTitle", "notes"), "lastName"),
        ("Interface", ("ip", "mac"), "ip"),
        ("Filing", ("icij_sar_id", "checksum"), "icij_sar_id"),
        ("Person", ("born", "name"), "name"),
        ("Genre", ("description",), None),
    ],
)
def test_the_naming_property_of_a_label_is_found_by_the_names_of_its_properties(
    label: str, keys: tuple[str, ...], found: str | None
) -> None:
    assert naming_property(label, seen(*keys)) == found


def test_a_property_with_repeated_values_and_a_date_are_not_naming_properties() -> None:
    assert naming_property("Order", [Seen("code", ["a"] * 100, 1.0)]) is None
    assert naming_property("Order", [Seen("name", ["2014-01-02"] * 3, 1.0, TextValues("date", "2014-01-02"))]) is None


def test_a_unique_key_and_a_full_text_index_favour_a_property() -> None:
    plain = [Seen("code", SHORT + WORDS, 1.0), Seen("ref", SHORT + WORDS, 1.0)]
    assert naming_property("Case", plain) == "code"
    assert naming_property("Case", [plain[0], Seen("ref", SHORT + WORDS, 1.0, unique=True, searched=True)]) == "ref"


def test_a_repeating_property_is_the_name_of_something_else_and_no_name_of_its_node() -> None:
    filers = Seen("filer_org_name", [f"Bank {letter}" for letter in "abcdef"] * 20, 1.0)
    ids = Seen("icij_sar_id", [f"SAR {number}" for number in range(120)], 1.0)
    assert naming_property("Filing", [filers, ids]) == "icij_sar_id"
    assert naming_property("Filing", [filers]) is None
    assert foreign_name("Filing", "filer_org_name") == "filer org"
    assert foreign_name("Order", "shipName") == "ship"
    assert foreign_name("Vendor", "vendorName") is foreign_name("Person", "firstName") is None


def test_an_integer_key_names_the_nodes_of_a_label_without_a_name() -> None:
    assert naming_number("NetworkSegment", [("vlan", True, 10, 99)], set()) == "vlan"
    assert naming_number("Floor", [("level", False, 0, 3), ("floor_key", True, 1, 16)], set()) == "floor_key"
    assert naming_number("Port", [("number", False, 1, 65_535)], {"number"}) == "number"
    assert naming_number("Shift", [("began", True, 1_549_929_600_000, 1_701_302_400_000)], set()) is None
    assert naming_number("Edition", [("year", True, 2017, 2023)], set()) is None
