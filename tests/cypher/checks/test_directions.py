import pytest

from graphground.cypher import validate
from tests.support.checked_graphs import CHARACTERS, codes, findings, problems_in
from tests.support.documents import schema


def test_reversed_relationship_is_reported_with_the_corrected_pattern() -> None:
    (diagnostic,) = problems_in("MATCH (n:Person)-[r0:hasBoardMember]->(m0:Company {name: 'CEO'}) RETURN n.name")
    assert (diagnostic.code, diagnostic.found) == ("reversed_direction", "-[r0:hasBoardMember]->")
    assert diagnostic.suggestions == ("<-[r0:hasBoardMember]-",)
    assert "(:Company)-[:hasBoardMember]->(:Person)" in diagnostic.message


def test_the_relationship_to_reverse_is_found_through_nodes_without_labels() -> None:
    found = findings("MATCH (a)<-[:hasCEO]-(b)<-[:foundedBy]-(c:Company {name: 'x'}) RETURN b.name")
    expected = [("reversed_direction", "<-[:hasCEO]-")]
    assert [(diagnostic.code, diagnostic.found) for diagnostic in found if diagnostic.severity == "error"] == expected
    assert [len(diagnostic.edits) for diagnostic in found if diagnostic.severity == "error"] == [1]


def test_no_edit_is_made_if_it_is_unclear_which_of_two_relationships_is_reversed() -> None:
    found = findings("MATCH (a)-[:hasCEO]->(b)-[:hasBoardMember]->(c) RETURN c.name")
    assert [diagnostic.code for diagnostic in found if diagnostic.severity == "error"] == ["reversed_direction"]
    assert not any(diagnostic.edits for diagnostic in found)


def test_an_impossible_pattern_is_reported_with_the_types_that_connect_the_labels() -> None:
    (diagnostic,) = problems_in("MATCH (n:Company)-[r0:hasBoardMember]->(m0:Country {name: 'Canada'}) RETURN n.name")
    assert diagnostic.code == "impossible_pattern"
    assert diagnostic.suggestions == ("-[r0:basedIn]->",)
    assert "(:Company)-[:basedIn]->(:Country)" in diagnostic.message


def test_a_pattern_that_leads_through_a_third_node_is_reported_with_the_way() -> None:
    (diagnostic,) = problems_in("MATCH (n:Person)-[:basedIn]->(c:Country) RETURN n.name")
    assert diagnostic.suggestions[0] == "<-[:hasCEO]-(:Company)-[:basedIn]->"
    assert not diagnostic.edits  # a founder and a board member lead to the company too
    shop = schema(
        "shop", {"Customer": {}, "Order": {}, "Product": {}}, ["Customer placed Order", "Order holds Product"]
    )
    report = validate("MATCH (c:Customer)-[h:holds]->(p:Product) RETURN p.name", shop)
    assert report.suggested_query == "MATCH (c:Customer)-[:placed]->(:Order)-[h:holds]->(p:Product) RETURN p.name"
    undirected = validate("MATCH (c:Customer)-[:holds]-(p:Product) RETURN p.name", shop).suggested_query
    assert undirected == "MATCH (c:Customer)-[:placed]->(:Order)-[:holds]-(p:Product) RETURN p.name"


def test_no_long_way_leads_to_a_third_node_and_back_by_the_same_type() -> None:
    links = ["Line BASED_IN Country", "Trader BASED_IN Country", "Load SHIPPED_BY Trader"]
    port = schema("port", {"Line": {}, "Trader": {}, "Load": {}, "Country": {}}, links)
    (found,) = problems_in("MATCH (l:Line)<-[:SHIPPED_BY]-(o:Load) RETURN l.name", port)
    assert (found.code, found.suggestions) == ("impossible_pattern", ())


@pytest.mark.parametrize(
    ("pattern", "start"),
    [
        ("(p:Person&Company)", "No node can match p: the labels that the query requires of it, including"),
        ("(:Person&Company)", "No node can match this pattern: the labels Person&Company never occur together."),
    ],
)
def test_a_node_with_labels_that_never_occur_together_is_reported_with_and_without_a_variable(
    pattern: str, start: str
) -> None:
    (diagnostic,) = problems_in(f"MATCH {pattern} RETURN 1 AS one")
    assert diagnostic.code == "impossible_pattern"
    assert diagnostic.message.startswith(start)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n:Character)<-[:hasSpouse]-(m:Character) RETURN n.name",
        "MATCH (n:Character)-[:hasMother]->(m)-[:diedIn]->(l) RETURN l.name",
        "MATCH (n:Character)-[:hasMother*1..3]->(m)-[:bornIn]->(l) RETURN l.name",
        "MATCH (n:Location)-[:diedIn]-(m:Character) RETURN n.name",
        "MATCH (n:Location)--(m) RETURN n.name",
        "MATCH (n:Location)<-[:basedIn|diedIn]-(m) RETURN m.name",
        "MATCH p = shortestPath((a:Character)-[*..4]-(b:Location)) RETURN length(p)",
        "MATCH (c:Character)-[:memberOf|basedIn*2]->(l:Location) RETURN l.name",
        "MATCH (c:Character) (()-[:hasMother]->()){1,3} (d:Character) RETURN d.name",
        "MATCH (c:Character) WHERE NOT (c)-[:diedIn]->() RETURN c.name",
        "MATCH (x)-[:!diedIn]->(y:Organization) RETURN x.name",
    ],
)
def test_allowed_relationships_are_not_reported(query: str) -> None:
    errors = [code for code in codes(query, CHARACTERS) if code[0] in ("reversed_direction", "impossible_pattern")]
    assert errors == []


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (c:Character) WHERE NOT EXISTS { (c)<-[:diedIn]-(:Location) } RETURN c.name",
        "MATCH (c:Character) WHERE NOT (c)<-[:diedIn]-() RETURN c.name",
        "MATCH (c:Character) OPTIONAL MATCH (c)<-[:diedIn]-(l) RETURN l.name",
        "MATCH (c:Character) RETURN COUNT { (c)<-[:diedIn]-() } AS n",
        "MATCH (c:Character) RETURN [(c)<-[:diedIn]-(l) | l.name] AS ls",
        "MATCH (l:Location)-[:diedIn*1..2]->(c:Character) RETURN c.name",
    ],
)
def test_a_reversed_relationship_is_found_in_every_position(query: str) -> None:
    assert [code for code, _ in codes(query, CHARACTERS)] == ["reversed_direction"]


def test_the_labels_along_a_path_of_fixed_length_are_inferred() -> None:
    expected = [("impossible_pattern", "-[:memberOf|basedIn*3]->")]
    assert codes("MATCH (c:Character)-[:memberOf|basedIn*3]->(l:Location) RETURN l.name", CHARACTERS) == expected


def test_a_variable_with_two_incompatible_labels_is_reported_as_impossible() -> None:
    query = (
        "MATCH (n:Character)-[:memberOf]->(m1:Organization {name: 'x'}), (n)-[:hasMother]->(m1:Character) "
        "RETURN n.name, m1.birth_name"
    )
    assert codes(query, CHARACTERS) == [("impossible_pattern", "Character")]
