import pytest

from graphground.cypher import validate
from graphground.cypher.diagnostics import Edit
from tests.support.checked_graphs import CHARACTERS, COMPANY


def test_a_real_prediction_is_repaired() -> None:
    counted = "(m1:Company {name: 'DreamWorks'}) WITH n, count(DISTINCT m0) AS num RETURN n.name, num"
    query = f"MATCH (n:Company)<-[r0:hasCEO]-(m0:Person)-[r1:hasBoardMember]->{counted}"
    right = f"MATCH (n:Company)-[r0:hasCEO]->(m0:Person)<-[r1:hasBoardMember]-{counted}"
    assert validate(query, COMPANY).suggested_query == right
    assert validate(right, COMPANY).valid


def test_correcting_a_name_reveals_that_the_pattern_is_reversed() -> None:
    report = validate("MATCH (p:Persn)-[:hasCEO]->(c) RETURN c.launch_year", COMPANY)
    assert report.suggested_query == "MATCH (p:Person)<-[:hasCEO]-(c) RETURN c.launch_year"


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Person)-[:basedIn]->(c:Country) RETURN n.name",
        "MATCH (n:Company) RETURN n.colour",
        "MATCH (n:Company)-[:basedIn]->(c:Country) RETURN m.name",
    ],
)
def test_a_mistake_without_a_clear_fix_gets_no_suggestion(query: str) -> None:
    report = validate(query, COMPANY)
    assert not report.valid
    assert report.suggested_query is None


def test_a_correct_query_gets_no_suggestion() -> None:
    assert validate("MATCH (n:Character)-[:bornIn]->(l:Location) RETURN l.name", CHARACTERS).suggested_query is None


@pytest.mark.parametrize(
    ("query", "right"),
    [
        (
            "MATCH (n:Company) WHERE n.launch_year == 1999 RETURN n.name",
            "MATCH (n:Company) WHERE n.launch_year = 1999 RETURN n.name",
        ),
        (
            "MATCH (n:Company) WHERE n.launch_year != '1999' RETURN n.name",
            "MATCH (n:Company) WHERE n.launch_year <> 1999 RETURN n.name",
        ),
        ("MATCH (n:Compny) RETURN toLowr(n.name) AS l", "MATCH (n:Company) RETURN toLower(n.name) AS l"),
        (
            "MATCH (n:Compny) WHERE size((n)-[:hasCEO]->()) > 1 RETURN n.name",
            "MATCH (n:Company) WHERE COUNT { (n)-[:hasCEO]->() } > 1 RETURN n.name",
        ),
    ],
)
def test_language_errors_are_fixed_together_with_schema_errors(query: str, right: str) -> None:
    assert validate(query, COMPANY).suggested_query == right


def test_more_errors_than_repair_rounds_give_no_suggestion() -> None:
    many = " AND ".join(f"n.launch_year == {year}" for year in range(300))
    assert validate(f"MATCH (n:Company) WHERE {many} RETURN n.name", COMPANY).suggested_query is None


@pytest.mark.parametrize(
    ("query", "fix"),
    [
        ("MATCH (n) WHERE n.a == 1 RETURN n.a", Edit(21, 22, "")),
        ("MATCH (n) WHERE n.a != 1 RETURN n.a", Edit(20, 22, "<>")),
        ("MATCH (n) RETURN toLowr(n.a) AS a", Edit(17, 23, "toLower")),
    ],
)
def test_a_diagnostic_of_the_language_check_carries_its_fix(query: str, fix: Edit) -> None:
    (diagnostic,) = validate(query).diagnostics
    assert tuple(diagnostic.edits) == (fix,)
    assert "edits" not in diagnostic.as_dict()


def test_a_writing_query_is_never_suggested() -> None:
    report = validate("MATCH (n:Compny) SET n.launch_year = 1 RETURN n.name", COMPANY, read_only=True)
    assert {diagnostic.code for diagnostic in report.diagnostics} >= {"not_read_only", "unknown_label"}
    assert report.suggested_query is None
