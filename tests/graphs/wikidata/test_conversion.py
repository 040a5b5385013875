"""Conversion of real statements: each rule is tested with documents of Wikidata."""

from typing import Any

import pytest

from graphground.graphs.definitions.read import Link, Property, find_unit, read_part, units
from graphground.graphs.wikidata.build import node_property, time_text
from graphground.graphs.wikidata.statements import (
    Statement,
    Value,
    drop_deprecated,
    pack_statements,
    rdf_time,
    select_best,
    statements_of,
    time,
    unpack_statements,
    value_of_term,
)
from tests.support.shared_data import needs
from tests.support.wikidata_documents import all_raw_documents, raw_document, raw_documents

REAL = needs("wikidata_entities", "entities.jsonl.gz")
NAMES = {"Q183": "Germany", "Q64": "Berlin", "Q4917": "United States dollar", "Q712226": "square kilometre"}


def converted(key: str, type_: str, property_: str, part: str = "", **more: Any) -> tuple[Any, list[str]]:
    """Return the converted value of a property in a real document, and the reasons for discarded values."""
    definition = read_part(Property, {"type": type_, "wikidata": property_, **more})[0]
    assert definition is not None
    qualifiers = frozenset(link.property for link in definition.qualifiers)
    found = statements_of(raw_document(key, part)["claims"], {property_: qualifiers}).get(property_, [])
    reasons: list[str] = []
    return node_property(found, definition, NAMES.get, lambda reason, value: reasons.append(reason)), reasons


@REAL
@pytest.mark.parametrize(
    ("key", "type_", "property_", "more", "expected", "reasons"),
    [
        # Dates: a day, a year, both calendars, before the year 1.
        ("Q42", "date", "P569", {}, "1952-03-11", []),
        ("Q42", "int", "P569", {}, 1952, []),
        ("Q42", "str", "P569", {}, "11 March 1952", []),
        ("Q278", "date", "P571", {}, None, ["date coarser than a day"]),
        ("Q278", "int", "P571", {}, 1830, []),
        ("Q220", "date", "P571", {}, None, ["date before the year 1"]),
        ("Q220", "int", "P571", {}, -753, []),
        ("Q1", "int", "P580", {}, None, ["date coarser than a year", "date coarser than a year"]),
        ("Q970917", "list[date]", "P569", {}, None, ["date coarser than a day"] * 3),
        ("Q970917", "date", "P570", {}, "1929-05-07", []),
        # Ranks: the sandbox has a deprecated year next to a normal one; of two best dates, the earlier is used.
        ("Q4115189", "int", "P569", {}, 1291, []),
        ("Q191", "date", "P571", {}, "1918-02-24", []),
        # Quantities: in their unit, converted, of another kind, without a unit, with a unit that is not expected.
        ("Q313", "float", "P2120", {"unit": "kilometre"}, 6051.8, []),
        ("Q313", "float", "P2120", {"unit": "m"}, 6051800.0, []),
        ("Q313", "list[float]", "P2233", {"unit": "kilometre"}, [108208930.0, 108208847.19120012], []),
        ("Q153", "float", "P2075", {"unit": "km/h"}, 4183.2, []),
        ("Q153", "float", "P2054", {"unit": "kilogram"}, None, ["unit unknown"]),
        ("Q1040", "float", "P2046", {"unit": "kilogram"}, None, ["unit of another kind"]),
        ("Q1040", "float", "P2046", {"unit": "hectare"}, 17346.0, []),
        ("Q1040", "str", "P2046", {}, "173.46 square kilometre", []),
        ("Q1040", "float", "P1082", {"unit": "metre"}, None, ["no unit"]),
        ("Q144", "int", "P3387", {}, None, ["a unit where none is expected"]),
        ("Q145", "float", "P2131", {"unit": "US dollar"}, 2988893283565.0, []),
        # Unknown values, and items without a name.
        ("Q31", "str", "P1589", {}, None, ["an unknown value"]),
        ("Q153", "list[str]", "P877", {}, None, ["explicitly no value"]),
        ("Q1040", "str", "P17", {}, "Germany", []),
        ("Q42", "str", "P27", {}, None, ["an item without a name"]),
        ("Q1040", "date", "P17", {}, None, ["not a date"]),
        ("Q1040", "float", "P17", {}, None, ["not a number"]),
    ],
)
def test_a_real_value_is_converted_to_the_declared_type(
    key: str, type_: str, property_: str, more: dict[str, Any], expected: Any, reasons: list[str]
) -> None:
    value, discarded = converted(key, type_, property_, **more)
    if isinstance(expected, list) and isinstance(expected[0], float):
        assert value == pytest.approx(sorted(expected))
    else:
        assert value == expected
        assert type(value) is type(expected)
    if reasons or value is None:
        assert sorted(set(discarded)) == sorted(set(reasons))


@REAL
def test_old_documents_with_long_years_give_the_same_dates() -> None:
    assert {converted("Q42", "date", "P569", part)[0] for part in ("wdtk-wikibaseapi", "Toolkit")} == {"1952-03-11"}


@REAL
def test_preferred_statements_replace_normal_statements_and_deprecated_statements_are_never_used() -> None:
    preferred = deprecated = hidden = 0
    for document in all_raw_documents():
        claims = document.get("claims")
        if not isinstance(claims, dict):
            continue
        for name, statements in statements_of(claims, dict.fromkeys(claims, frozenset())).items():
            ranks = [claim["rank"] for claim in claims[name]]
            best_statements = select_best(statements)
            assert all(statement.rank != 0 for statement in best_statements)
            assert len(drop_deprecated(statements)) == len(ranks) - ranks.count("deprecated")
            if "preferred" in ranks:
                assert len(best_statements) == ranks.count("preferred")
                hidden += ranks.count("normal")
            else:
                assert len(best_statements) == ranks.count("normal")
            preferred += ranks.count("preferred")
            deprecated += ranks.count("deprecated")
    assert (preferred, deprecated) == (58, 10)
    assert hidden > 500


@pytest.mark.parametrize(
    ("text", "precision", "julian", "expected"),
    [
        ("+1582-10-04T00:00:00Z", 11, True, (1582, 10, 14)),  # the day before the reform
        ("+1732-02-11T00:00:00Z", 11, True, (1732, 2, 22)),  # Washington's birth
        ("+1917-10-25T00:00:00Z", 11, True, (1917, 11, 7)),  # the October Revolution
        ("+0200-02-29T00:00:00Z", 11, True, (200, 2, 28)),
        ("-0043-03-15T00:00:00Z", 11, True, (-43, 3, 13)),
        ("+1291-00-00T00:00:00Z", 9, True, (1291, 0, 0)),  # a year needs no calendar
        ("+00000001952-03-11T00:00:00Z", 11, False, (1952, 3, 11)),
        ("-13798000000-00-00T00:00:00Z", 3, False, (-13798000000, 0, 0)),
    ],
)
def test_dates_in_both_calendars_become_gregorian_days(
    text: str, precision: int, julian: bool, expected: tuple[int, int, int]
) -> None:
    assert time(text, precision, julian=julian)[1:4] == expected


def test_the_year_before_1_is_0_in_rdf_and_1_bc_in_documents() -> None:
    assert rdf_time("0000-01-01T00:00:00Z", 9) == time("-0001-00-00T00:00:00Z", 9)
    assert rdf_time("-0043-03-13T00:00:00Z", 11)[1] == -44
    assert rdf_time("-0500-01-01T00:00:00Z", 7) == time("-0500-00-00T00:00:00Z", 7)  # RDF shifts no century


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (("time", 2001, 0, 0, 7), "21st century"),
        (("time", 2000, 0, 0, 7), "20th century"),
        (("time", 1101, 0, 0, 7), "12th century"),
        (("time", 1987, 0, 0, 8), "1980s"),
        (("time", 1987, 12, 0, 10), "December 1987"),
        (("time", 33, 4, 3, 11), "3 April 33"),
    ],
)
def test_a_time_as_text_has_only_its_known_precision(value: Value, expected: str) -> None:
    assert time_text(value) == expected


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("int", ("text", "23"), 23),
        ("int", ("text", "23b"), None),
        ("int", ("quantity", "+12.5", "1"), None),
        ("int", ("quantity", "+12.0", "1"), 12),
        ("int", ("quantity", "+99999999999999999999", "1"), None),
        ("float", ("text", "1e3"), 1000.0),
        ("float", ("quantity", "+1E999", "1"), None),
        ("float", ("text", "0103E4796"), None),
        ("float", ("text", "nan"), None),
        ("date", ("time", 2023, 2, 29, 11), None),
        ("str", ("text", ""), None),
        ("str", ("text", "Hitze", "de"), "Hitze"),
    ],
)
def test_odd_values_are_converted_correctly_or_discarded(type_: str, value: Value, expected: Any) -> None:
    definition = Property(type=type_, wikidata="P1")
    assert node_property([Statement(1, value)], definition, NAMES.get, lambda reason, value: None) == expected


def test_qualifiers_can_select_the_statements_of_a_property() -> None:
    definition = Property(
        type="float", wikidata="P4511", unit="metre", qualifiers=[Link(property="P1013", item="Q10578722")]
    )
    statements = [
        Statement(1, ("quantity", "+4280", "Q11573"), {"P1013": [("item", "Q202785")]}),
        Statement(1, ("quantity", "+10.911", "Q828224"), {"P1013": [("item", "Q10578722")]}),
    ]
    assert node_property(statements, definition, NAMES.get, lambda reason, value: None) == 10911.0


def test_every_unit_is_found_by_its_item_name_and_symbol() -> None:
    for unit in units():
        assert find_unit(unit.item) == find_unit(unit.name) == find_unit(unit.symbol) == unit


@REAL
def test_statements_are_unchanged_after_storage_in_the_workspace() -> None:
    for document in raw_documents():
        claims = document.get("claims")
        if isinstance(claims, dict):
            definitions = {
                name: frozenset(key for claim in several for key in claim.get("qualifiers", {}))
                for name, several in claims.items()
            }
            for statements in statements_of(claims, definitions).values():
                assert unpack_statements(pack_statements(statements)) == statements


def test_terms_of_answers_become_values() -> None:
    assert value_of_term({"type": "uri", "value": "http://www.wikidata.org/.well-known/genid/ab"}) == ("some",)
    assert value_of_term({"type": "bnode", "value": "t1"}) == ("some",)
    assert value_of_term(
        {"type": "literal", "value": "1999-01-01T00:00:00Z", "datatype": "http://www.w3.org/2001/XMLSchema#dateTime"}
    ) == ("time", 1999, 1, 1, 11)
