"""Empty labels, relationships and properties, in a graph of countries, films and series."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graphground.cypher import Diagnostic, validate
from graphground.graphs.schemas.statistics import (
    LabelStatistics,
    PatternStatistics,
    PropertyStatistics,
    Statistics,
    TypeStatistics,
)
from tests.support.documents import schema

WORLD = schema(
    "world",
    {
        "Country": {"founding_date": "date", "area_km2": "float", "anthem": "str"},
        "Movie": {"budget_usd": "float"},
        "Series": {},
        "Person": {},
    },
    [
        "Country borders Country",
        "Movie releasedIn Country",
        "Movie originatesFrom Country",
        "Movie partOfSeries Series",
        "Person livesIn Country",
        "Person livesIn Series",
    ],
    {"livesIn": {"start_year": "int", "end_year": "int"}},
)
DATA = Statistics(
    {
        "Country": LabelStatistics(
            "Country",
            195,
            {
                "name": PropertyStatistics(195, 195, repeated=0),
                "founding_date": PropertyStatistics(0, 195),
                "area_km2": PropertyStatistics(190, 195),
                "anthem": PropertyStatistics(3, 195),
            },
            "name",
        ),
        "Movie": LabelStatistics("Movie", 1684, {"name": PropertyStatistics(1684, 1684, repeated=41)}, "name"),
        "Series": LabelStatistics("Series", 0),
        "Person": LabelStatistics("Person", 1328),
    },
    {
        "borders": TypeStatistics("borders", 640),
        "releasedIn": TypeStatistics("releasedIn", 0),
        "originatesFrom": TypeStatistics("originatesFrom", 2442),
        "partOfSeries": TypeStatistics("partOfSeries", 0),
        "livesIn": TypeStatistics("livesIn", 900, {"end_year": PropertyStatistics(0, 900)}),
    },
    (
        PatternStatistics("borders", "Country", "Country", 640),
        PatternStatistics("releasedIn", "Movie", "Country", 0),
        PatternStatistics("originatesFrom", "Movie", "Country", 2442),
        PatternStatistics("partOfSeries", "Movie", "Series", 0),
        PatternStatistics("livesIn", "Person", "Country", 900),
        PatternStatistics("livesIn", "Person", "Series", 0),
    ),
)


def found(query: str) -> list[tuple[str, str, str]]:
    """Return the findings about emptiness: code, severity and span."""
    diagnostics = validate(query, WORLD, data=DATA).diagnostics
    return [
        (diagnostic.code, diagnostic.severity, diagnostic.found)
        for diagnostic in diagnostics
        if diagnostic.code.startswith("empty_")
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (c:Country) RETURN c.name ORDER BY c.founding_date DESC LIMIT 1", ("warning", "c.founding_date")),
        (
            "MATCH (c:Country) WITH c.name AS name, c.founding_date AS day ORDER BY day LIMIT 3 RETURN name",
            ("warning", "c.founding_date"),
        ),
        ("MATCH (c:Country) WHERE c.founding_date > date('1900-01-01') RETURN c.name", ("warning", "c.founding_date")),
        ("MATCH (c:Country) RETURN max(c.founding_date)", ("warning", "c.founding_date")),
        ("MATCH (c:Country) RETURN avg(c.founding_date.year)", ("warning", "c.founding_date")),
        ("MATCH (c:Country) RETURN sum(toFloat(c.founding_date) * 2)", ("warning", "c.founding_date")),
        ("MATCH (c:Country) UNWIND c.founding_date AS day RETURN day", ("warning", "c.founding_date")),
        ("MATCH (c:Country {name: 'Italy'}) RETURN c.founding_date", ("hint", "c.founding_date")),
        (
            "MATCH (:Movie)-[:originatesFrom]->(c) RETURN c.name ORDER BY c.founding_date",
            ("warning", "c.founding_date"),
        ),
        ("MATCH (:Person)-[r:livesIn]->(c) WHERE r.end_year > 2000 RETURN c.name", ("warning", "r.end_year")),
    ],
)
def test_a_property_without_values_is_reported_with_its_effect_on_the_query(
    query: str, expected: tuple[str, str]
) -> None:
    assert [(severity, span) for code, severity, span in found(query) if code == "empty_property"] == [expected]


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (:Person)-[r:livesIn]->(c:Country) WHERE r.end_year IS NULL RETURN c.name",
        "MATCH (:Person)-[r:livesIn]->(c:Country) WHERE r.end_year IS NULL OR r.end_year >= 2000 RETURN c.name",
        "MATCH (c:Country) RETURN coalesce(c.founding_date, 'unknown') AS founded",
        "MATCH (c:Country) RETURN c.name ORDER BY c.area_km2 DESC LIMIT 1",
        "MATCH (c:Country) RETURN c.anthem",
        "MATCH (m:Movie) RETURN m.budget_usd",
    ],
)
def test_a_query_that_expects_nulls_is_not_reported(query: str) -> None:
    assert found(query) == []


def test_sorting_by_a_property_that_hardly_any_node_has_is_reported() -> None:
    query = "MATCH (c:Country) RETURN c.name ORDER BY c.anthem DESC LIMIT 1"
    assert found(query) == [("empty_property", "warning", "c.anthem")]
    message = validate(query, WORLD, data=DATA).diagnostics[0].message
    assert "3 of 195" in message
    assert "c.anthem IS NOT NULL" in message


@pytest.mark.parametrize(
    ("query", "severity"),
    [
        ("MATCH (s:Series) RETURN count(s)", "warning"),
        ("MATCH (m:Movie) WHERE m.name = 'x' OR EXISTS { (m)-->(s:Series) } RETURN m.name", "warning"),
        ("MATCH (n:Movie|Series) RETURN count(n)", "hint"),
        ("MATCH (m:Movie) RETURN m.name AS name UNION MATCH (s:Series) RETURN s.name AS name", "warning"),
    ],
)
def test_a_label_without_nodes_is_reported_in_every_position(query: str, severity: str) -> None:
    assert ("empty_label", severity, "Series") in found(query)


@pytest.mark.parametrize(
    ("query", "severity"),
    [
        ("MATCH (m:Movie) OPTIONAL MATCH (m)-[:releasedIn]->(c) RETURN m.name, count(c)", "warning"),
        ("MATCH (m:Movie) RETURN m.name, COUNT { (m)-[:releasedIn]->() } AS n", "warning"),
        ("MATCH (m:Movie) WHERE (m)-[:releasedIn]->(:Country {name: 'Italy'}) RETURN m.name", "warning"),
        ("MATCH (m:Movie)-[:releasedIn|originatesFrom]->(c:Country) RETURN count(*)", "hint"),
        ("MATCH (m:Movie)-[:!releasedIn]->(c:Country) RETURN count(*)", None),
    ],
)
def test_a_type_without_relationships_is_reported_in_every_position(query: str, severity: str | None) -> None:
    expected = [("empty_relationship", severity, "releasedIn")] if severity else []
    assert [finding for finding in found(query) if finding[0] == "empty_relationship"] == expected
    assert all(
        not diagnostic.suggestions
        for diagnostic in validate(query, WORLD, data=DATA).diagnostics
        if "empty_" in diagnostic.code
    )


def test_a_type_whose_relationships_connect_only_other_labels_is_reported() -> None:
    data = Statistics({**DATA.labels, "Series": LabelStatistics("Series", 5)}, DATA.types, DATA.patterns)

    def reported(pattern: str) -> list[Diagnostic]:
        diagnostics = validate(f"MATCH (p:Person){pattern} RETURN p.name", WORLD, data=data).diagnostics
        return [diagnostic for diagnostic in diagnostics if diagnostic.code.startswith("empty_")]

    (directed,) = reported("-[:livesIn]->(:Series)")
    assert (directed.code, directed.found) == ("empty_relationship", "livesIn")
    assert "in this direction, but 900 elsewhere" in directed.message
    (either,) = reported("-[:livesIn]-(:Series)")
    assert "direction" not in either.message, "an undirected pattern has none"
    assert "900 elsewhere" in either.message
    assert reported("-[:livesIn]->(:Country)") == []


def test_without_counts_nothing_is_reported_as_empty() -> None:
    query = "MATCH (s:Series)<-[:partOfSeries]-(m) RETURN s.name ORDER BY m.budget_usd"
    assert not [diagnostic for diagnostic in validate(query, WORLD).diagnostics if diagnostic.code.startswith("empty_")]
    assert not [
        diagnostic
        for diagnostic in validate(query, WORLD, data=Statistics()).diagnostics
        if diagnostic.code.startswith("empty_")
    ]


def test_a_missing_limit_is_reported_only_if_there_are_many_nodes() -> None:
    def missed(query: str, movies: int) -> bool:
        data = Statistics({**DATA.labels, "Movie": LabelStatistics("Movie", movies)}, DATA.types, DATA.patterns)
        return any(diagnostic.code == "no_limit" for diagnostic in validate(query, WORLD, data=data).diagnostics)

    assert missed("MATCH (m:Movie) RETURN m.name", 459_000)
    assert not missed("MATCH (m:Movie) RETURN m.name", 1_684)
    assert not missed("MATCH (c:Country) RETURN c.name", 459_000)


MACHINES = replace(
    schema(
        "machines",
        {"Machine": {}, "Software": {}, "Service": {}, "Library": {}},
        ["Machine RUNS Software", "Machine RUNS Service", "Service USES Library", "Service USES Software"],
    ),
    label_combinations=frozenset({frozenset({"Software", "Service"}), frozenset({"Software", "Library"})}),
)


def running(services: int, total: int) -> Statistics:
    return Statistics(
        {name: LabelStatistics(name, 10) for name in MACHINES.labels},
        {"RUNS": TypeStatistics("RUNS", total), "USES": TypeStatistics("USES", 5)},
        (
            PatternStatistics("RUNS", "Machine", "Software", total),
            PatternStatistics("RUNS", "Machine", "Service", services),
            PatternStatistics("USES", "Service", "Library", 5),
            PatternStatistics("USES", "Service", "Software", 5),
        ),
    )


def test_labels_that_never_occur_at_the_end_of_a_relationship_are_reported_from_the_counts() -> None:
    query = "MATCH (m:Machine)-[:RUNS]->(s:Library) RETURN s.name"
    (found,) = validate(query, MACHINES, data=running(40, 40)).diagnostics
    assert (found.code, found.severity, found.found) == ("empty_relationship", "warning", "Library")
    assert found.message == "No RUNS relationship ends at a Library: all 40 end at Service."
    assert found.suggestions == ("Service",)
    assert validate(query, MACHINES, data=running(39, 40)).diagnostics == ()
    for valid in ("(:Machine)-[:RUNS]->(s:Software)", "(:Machine)-[:RUNS]->(s:Service)", "(:Library)-[:RUNS]-(s)"):
        text = f"MATCH {valid} RETURN s.name"
        assert not [
            item for item in validate(text, MACHINES, data=running(40, 40)).diagnostics if item.code == found.code
        ]
