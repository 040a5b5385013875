from tests.support.checked_graphs import COMPANY, findings
from tests.support.documents import INTERVAL, schema


def hints(query: str) -> list[tuple[str, str, str]]:
    return [
        (finding.code, finding.severity, finding.found) for finding in findings(query) if finding.code != "no_limit"
    ]


def test_a_returned_node_causes_a_hint_to_return_properties() -> None:
    (finding,) = findings("MATCH (n:Company {name: 'x'})-[:hasCEO]->(m) RETURN m")
    assert (finding.code, finding.severity, finding.suggestions) == ("returns_node", "hint", ("m.name",))


def test_counting_distinct_names_merges_namesakes() -> None:
    (finding,) = findings("MATCH (n:Person)<-[:foundedBy]-(c:Company {name: 'x'}) RETURN count(DISTINCT n.name)")
    assert (finding.code, finding.suggestions) == ("distinct_merges_entities", ("count(DISTINCT n)",))


def test_distinct_values_and_distinct_nodes_cause_no_hint() -> None:
    assert hints("MATCH (n:Person {name: 'x'}) RETURN DISTINCT n.gender") == []
    assert hints("MATCH (n:Person)<-[:foundedBy]-(:Company {name: 'x'}) WITH DISTINCT n RETURN n.name") == []
    assert hints("MATCH (n:Person)<-[:foundedBy]-(:Company {name: 'x'}) RETURN count(DISTINCT n)") == []


def test_a_column_that_only_sorts_causes_a_hint() -> None:
    query = (
        "MATCH (n:Company)-[:operatesIn]->(m:Industry {name: 'music'}) RETURN n.name, n.launch_year "
        "ORDER BY n.launch_year ASC LIMIT 1"
    )
    assert hints(query) == [("extra_sort_column", "hint", "n.launch_year")]
    assert hints(query.replace(", n.launch_year ORDER", " ORDER")) == []


def test_a_count_by_which_rows_are_sorted_is_a_column_that_was_asked_for() -> None:
    def codes(returned: str) -> list[str]:
        return [found.code for found in findings(f"MATCH (p:Person)<-[:hasCEO]-(c:Company) {returned}")]

    assert "extra_sort_column" in codes("RETURN p.name, p.gender AS g ORDER BY g DESC")
    assert "extra_sort_column" not in codes("RETURN p.name, count(c) AS n ORDER BY n DESC LIMIT 1")
    assert "extra_sort_column" not in codes("RETURN DISTINCT p.name, p.gender ORDER BY p.gender")
    assert "extra_sort_column" not in codes("RETURN p.name AS p, p.gender AS g ORDER BY g")


CLOSED = (
    "MATCH (n:Person)<-[r0:hasCEO]-(m0:Company {name: 'x'}) "
    "WHERE r0.start_year <= 2010 AND r0.end_year >= 2010 RETURN n.name"
)


def test_a_time_filter_that_excludes_open_intervals_causes_a_warning() -> None:
    (finding,) = findings(CLOSED)
    assert (finding.code, finding.severity) == ("time_open_interval", "warning")
    assert finding.suggestions == ("(r0.end_year >= 2010 OR r0.end_year IS NULL)",)


def test_a_condition_that_accepts_an_interval_without_an_end_causes_no_hint() -> None:
    assert hints(CLOSED.replace("r0.end_year >= 2010", "(r0.end_year >= 2010 OR r0.end_year IS NULL)")) == []


def test_an_end_without_a_start_is_not_an_interval() -> None:
    assert hints("MATCH (n:Person)<-[r:hasCEO]-(:Company {name: 'x'}) WHERE r.end_year >= 2010 RETURN n.name") == []


def test_other_names_of_interval_properties_are_recognised() -> None:
    jobs = schema("jobs", {"P": {}, "F": {}}, ["P worksFor F"], {"worksFor": {"since": "int", "until": "int"}})
    query = "MATCH (p:P)-[r:worksFor]->(f:F {name: 'x'}) WHERE r.since <= 3 AND r.until > 3 RETURN p.name"
    assert [finding.code for finding in findings(query, jobs)] == ["time_open_interval"]
    assert INTERVAL.keys() <= COMPANY.relationship_properties["hasCEO"].keys()
