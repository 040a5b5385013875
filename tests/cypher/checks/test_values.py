import pytest

from graphground.cypher import validate
from graphground.cypher.diagnostics import applied
from graphground.cypher.schema import SCALAR_TYPES
from graphground.graphs.schemas.statistics import LabelStatistics, PropertyStatistics, Statistics
from tests.support.checked_graphs import CHARACTERS, codes, findings, problems_in
from tests.support.documents import schema


def fixed(query: str, graph: object = None) -> str:
    found = findings(query, graph) if graph is not None else findings(query)  # type: ignore[arg-type]
    assert all(diagnostic.edits for diagnostic in found if diagnostic.severity == "error")
    return applied(query, [edit for diagnostic in found for edit in diagnostic.edits])


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("p.date_of_birth > '1950-02-03'", "p.date_of_birth > date('1950-02-03')"),
        ("p.date_of_birth >= 1950", "p.date_of_birth >= date('1950-01-01')"),
        ("p.date_of_birth > 1950", "p.date_of_birth > date('1950-12-31')"),
        ("p.date_of_birth = 1950", "p.date_of_birth.year = 1950"),
        ("1950 < p.date_of_birth", "date('1950-12-31') < p.date_of_birth"),
        ("p.date_of_birth STARTS WITH '1950'", "toString(p.date_of_birth) STARTS WITH '1950'"),
        ("c.launch_year = '1999'", "c.launch_year = 1999"),
        ("c.launch_year > date('1999-01-01')", "c.launch_year > 1999"),
        ("c.launch_year IN ['1999', '2000']", "c.launch_year IN [1999, 2000]"),
        ("p.gender = 1", "p.gender = '1'"),
        ("r.start_year <= '2010'", "r.start_year <= 2010"),
    ],
)
def test_a_literal_of_a_wrong_type_is_retyped(condition: str, right: str) -> None:
    query = "MATCH (c:Company)-[r:hasCEO]->(p:Person) WHERE {} RETURN p.name"
    assert [code for code, _ in codes(query.format(condition))] == ["type_mismatch"]
    assert fixed(query.format(condition)) == query.format(right)


@pytest.mark.parametrize(
    ("condition", "right"),
    [
        ("n.occupation = 'knight'", "'knight' IN n.occupation"),
        ("n.occupation <> 'knight'", "NOT 'knight' IN n.occupation"),
        ("n.occupation CONTAINS 'knight'", "'knight' IN n.occupation"),
        (
            "n.occupation IN ['student', 'serial killer']",
            "any(x IN n.occupation WHERE x IN ['student', 'serial killer'])",
        ),
    ],
)
def test_a_list_compared_as_a_value_is_turned_into_a_membership(condition: str, right: str) -> None:
    query = "MATCH (n:Character)-[:bornIn]->(l) WITH DISTINCT n WHERE {} RETURN n.name"
    assert [code for code, _ in codes(query.format(condition), CHARACTERS)] == ["list_compared_as_value"]
    assert fixed(query.format(condition), CHARACTERS) == query.format(right)


def test_a_list_in_a_pattern_map_moves_to_a_condition() -> None:
    assert (
        fixed("MATCH (n:Character {name: 'x', occupation: 'knight'}) RETURN n.name", CHARACTERS)
        == "MATCH (n:Character {name: 'x'} WHERE 'knight' IN n.occupation) RETURN n.name"
    )


def test_a_list_in_the_map_of_an_unnamed_node_has_no_clear_fix() -> None:
    found = findings("MATCH (:Character {occupation: 'knight'})-[:bornIn]->(l) RETURN l.name", CHARACTERS)
    assert [diagnostic.code for diagnostic in found if diagnostic.severity == "error"] == ["list_compared_as_value"]
    assert not any(diagnostic.edits for diagnostic in found)


@pytest.mark.parametrize(
    ("query", "end"),
    [
        ("MATCH (:Character {occupation: 'x'}) RETURN 1 AS x", "Name the node n, and write WHERE 'x' IN n.occupation."),
        ("MATCH (n:Location)--(:Character {occupation: 'x'}) RETURN n.name", "WHERE 'x' IN n1.occupation."),
        ("MATCH (c:Character) WHERE c.occupation > 'x' RETURN c.name", "a list: > with a single value is never true."),
    ],
)
def test_the_message_about_a_list_names_the_variable_to_write(query: str, end: str) -> None:
    messages = [finding.message for finding in findings(query, CHARACTERS) if finding.code == "list_compared_as_value"]
    assert len(messages) == 1
    assert messages[0].endswith(end)


def test_the_operator_in_with_a_property_that_is_not_a_list_causes_a_warning() -> None:
    (diagnostic,) = problems_in("MATCH (p:Person) WHERE 'male' IN p.gender RETURN p.name")
    expected = ("type_mismatch", "warning", ("p.gender = 'male'",))
    assert (diagnostic.code, diagnostic.severity, diagnostic.suggestions) == expected


def test_comparing_two_properties_of_incomparable_types_causes_a_warning() -> None:
    (diagnostic,) = problems_in("MATCH (p:Person)<-[:hasCEO]-(c) WHERE p.date_of_birth > c.launch_year RETURN p.name")
    assert (diagnostic.code, diagnostic.severity) == ("type_mismatch", "warning")


def test_parameters_are_checked_by_their_values() -> None:
    query = "MATCH (c:Company) WHERE c.launch_year > $year RETURN c.name"
    assert codes(query, parameters={"year": 1999}) == []
    assert codes(query) == []
    assert codes(query, parameters={"year": "1999"}) == [("type_mismatch", "$year")]


def test_a_value_is_still_checked_after_with_and_unwind() -> None:
    expected = [("type_mismatch", "'1950-01-01'")]
    assert codes("MATCH (p:Person) WITH p.date_of_birth AS d WHERE d = '1950-01-01' RETURN d") == expected
    assert codes("MATCH (p:Person) UNWIND p.country_of_citizenship AS c WITH c WHERE c = 5 RETURN c") == [
        ("type_mismatch", "5")
    ]


@pytest.mark.parametrize(
    "condition",
    [
        "c.launch_year > 1999.5",
        "p.date_of_birth > date('1950-01-01')",
        "p.date_of_birth > date()",
        "'x' IN p.country_of_citizenship",
        "p.country_of_citizenship = ['x']",
        "any(x IN p.country_of_citizenship WHERE x = 'y')",
        "p.country_of_citizenship[0] = 'y'",
        "p.gender IS NULL",
        "c.launch_year = toInteger('1999')",
        "p.date_of_birth > $day",
        "size(p.country_of_citizenship) > 1",
        "toString(p.date_of_birth) STARTS WITH '19'",
        "p.gender = c.name",
    ],
)
def test_correct_comparisons_are_not_reported(condition: str) -> None:
    assert codes(f"MATCH (c:Company)-[:hasCEO]->(p:Person) WHERE {condition} RETURN p.name") == []


@pytest.mark.parametrize("type_", sorted(SCALAR_TYPES))
def test_a_property_of_any_type_compared_with_a_list_is_reported(type_: str) -> None:
    graph = schema("places", {"Place": {"p": type_}}, [])
    (message,) = [found.message for found in findings("MATCH (n:Place) WHERE n.p = [1, 2] RETURN n.p", graph)]
    assert f"is of type {type_}, and [1, 2] of type list[int]" in message


def test_mixed_and_unknown_types_are_never_reported() -> None:
    loose = schema(
        "loose", {"A": {"a": "int|str", "b": "unknown", "c": "list[unknown]"}, "B": {"d": "int"}, "C": {"d": "str"}}, []
    )
    assert codes("MATCH (n:A) WHERE n.a = 'x' AND n.b > 3 AND 3 IN n.c AND n.c = [1] RETURN n.a", loose) == []
    assert codes("MATCH (n:B|C) WHERE n.d = 'x' RETURN n.d", loose) == []


def test_a_condition_of_thousands_of_parts_is_checked_completely() -> None:
    parts = " OR ".join(f"c.launch_year = {year}" for year in range(3000))
    expected = [("type_mismatch", "'1999'")]
    assert codes(f"MATCH (c:Company) WHERE {parts} OR c.launch_year = '1999' RETURN c.name") == expected


@pytest.mark.parametrize(
    ("condition", "fixed"),
    [
        ("i.at >= date('2022-01-01')", "date(datetime({epochMillis: i.at})) >= date('2022-01-01')"),
        ("i.at < '2022-01-01'", "date(datetime({epochMillis: i.at})) < date('2022-01-01')"),
        ("i.at = 2022", "datetime({epochMillis: i.at}).year = 2022"),
        ("i.at.year = 2022", "datetime({epochMillis: i.at}).year = 2022"),
        ("date(i.at) = date('2022-01-01')", "date(datetime({epochMillis: i.at})) = date('2022-01-01')"),
        ("i.at STARTS WITH '2022'", "datetime({epochMillis: i.at}).year = 2022"),
    ],
)
def test_milliseconds_since_1970_are_not_compared_with_dates_and_years(condition: str, fixed: str) -> None:
    port = schema("port", {"Incident": {"at": "int"}}, [])
    values = PropertyStatistics(60, 60, least=1549929600000, greatest=1701302400000)
    data = Statistics({"Incident": LabelStatistics("Incident", 60, {"at": values}, "name")}, {}, ())
    query = "MATCH (i:Incident) WHERE {} RETURN i.name"
    report = validate(query.format(condition), port, data=data)
    assert [finding.code for finding in report.diagnostics] == ["type_mismatch"]
    assert report.suggested_query == query.format(fixed)
    assert validate(query.format("i.at > 1609459200000"), port, data=data).valid


@pytest.mark.parametrize(
    ("least", "greatest", "condition", "fixed"),
    [
        (20180131, 20231201, "i.at >= 2022", "i.at / 10000 >= 2022"),
        (20180131, 20231201, "i.at < date('2022-03-01')", "i.at < 20220301"),
        (20180131, 20231201, "i.at >= 20220301", None),
        (20180131, 20231201, "i.at > datetime('2022-03-01T12:00:00')", "i.at > 20220301"),
        (  # seconds since 1970
            1549929600,
            1701302400,
            "i.at >= date('2022-01-01')",
            "date(datetime({epochSeconds: i.at})) >= date('2022-01-01')",
        ),
        (1549929600, 1701302400, "i.at STARTS WITH '2022'", "datetime({epochSeconds: i.at}).year = 2022"),
        (1549929600, 1701302400, "i.at > 2022", None),  # it may be a count
    ],
)
def test_dates_are_compared_with_eight_digits_as_digits_and_with_seconds_since_1970_as_dates(
    least: int, greatest: int, condition: str, fixed: str | None
) -> None:
    port = schema("port", {"Incident": {"at": "int"}}, [])
    values = PropertyStatistics(60, 60, least=least, greatest=greatest)
    data = Statistics({"Incident": LabelStatistics("Incident", 60, {"at": values}, "name")}, {}, ())
    query = "MATCH (i:Incident) WHERE {} RETURN i.name"
    assert validate(query.format(condition), port, data=data).suggested_query == (fixed and query.format(fixed))
