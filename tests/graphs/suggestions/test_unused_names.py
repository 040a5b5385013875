import pytest

from graphground.graphs.suggestions.unused_names import without_unused_names


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        (
            "MATCH (n:Film)-[r0:directedBy]->(m0:Person {name: 'Ann r0 (m0)'}) WITH DISTINCT n RETURN n.name",
            "MATCH (n:Film)-[:directedBy]->(:Person {name: 'Ann r0 (m0)'}) WITH DISTINCT n RETURN n.name",
        ),
        (
            "MATCH (n:`Box Office`)-[r0:a]->(m0:Film),(n:`Box Office`)-[r1:b]->(m0:Film) RETURN n.name",
            "MATCH (n:`Box Office`)-[:a]->(m0:Film),(n)-[:b]->(m0) RETURN n.name",
        ),
        (
            "MATCH (n:Film {name: 'Heat'}), (m0:Film {name: 'Jaws'}) RETURN n.year < m0.year",
            "MATCH (n:Film {name: 'Heat'}), (m0:Film {name: 'Jaws'}) RETURN n.year < m0.year",
        ),
        (
            "MATCH (n:Person)<-[r0:spouse]-(m0:Person {name: 'Al'}) WHERE r0.start_year <= 1985 RETURN n.name",
            "MATCH (n:Person)<-[r0:spouse]-(:Person {name: 'Al'}) WHERE r0.start_year <= 1985 RETURN n.name",
        ),
    ],
)
def test_variables_used_nowhere_and_labels_stated_before_are_left_out(named: str, shown: str) -> None:
    assert without_unused_names(named) == shown


def test_each_branch_of_a_union_keeps_its_labels() -> None:
    query = (
        "CALL { MATCH (n:Film)-[r0:a]->(m0:Person {name: 'Al'}) RETURN n, m0 as m "
        "UNION MATCH (n:Film)-[r1:b]->(m1:Person {name: 'Bo'}) RETURN n, m1 as m } RETURN n.name"
    )
    assert without_unused_names(query) == query.replace("r0:", ":").replace("r1:", ":")
