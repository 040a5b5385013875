import pytest

from graphground.cypher import parse, validate
from graphground.cypher.outline import outline_of
from graphground.cypher.repair import Rewriting, rewritings
from graphground.cypher.schema import PropertyGraphSchema
from tests.support.checked_graphs import CHARACTERS, COMPANY


def found(query: str, schema: PropertyGraphSchema) -> list[Rewriting]:
    facts = outline_of(parse(query), schema)
    return rewritings(facts)


@pytest.mark.parametrize(
    ("schema", "query", "right"),
    [
        (
            COMPANY,
            "MATCH (n:Company)-[:locatedAt]->(m0:Nation {name: 'Chile'}),(n)-[:wasFoundedBy]->(p) "
            "RETURN n.name, p.birthDate",
            "MATCH (n:Company)-[:basedIn]->(m0:Country {name: 'Chile'}),(n)-[:foundedBy]->(p) "
            "RETURN n.name, p.date_of_birth",
        ),
        (
            CHARACTERS,
            "MATCH (n:Figure)-[r0:partOf]->(m0:Organisation)-[r1:inUniverse]->(m1:Universe {name: 'Marvel'}) "
            "RETURN n.name",
            "MATCH (n:Character)-[r0:memberOf]->(m0:Organization)-[r1:fromUniverse]->"
            "(m1:FictionalUniverse {name: 'Marvel'}) RETURN n.name",
        ),
        (
            COMPANY,
            "MATCH (n:Person)-[r0:headedBy]->(m0:Company)-[:basedIn]->(c:Country) RETURN n.name",
            "MATCH (n:Person)<-[r0:hasCEO]-(m0:Company)-[:basedIn]->(c:Country) RETURN n.name",
        ),
    ],
)
def test_several_mistakes_that_depend_on_each_other_are_fixed_together(
    schema: PropertyGraphSchema, query: str, right: str
) -> None:
    assert validate(query, schema).suggested_query == right
    assert validate(right, schema).valid


def test_the_first_rewriting_of_a_correct_query_is_the_query_itself_with_cost_zero() -> None:
    query = "MATCH (n:Company)-[r:hasCEO]->(p:Person) WHERE r.end_year IS NULL RETURN n.name"
    first, *others = found(query, COMPANY)
    assert (first.text, first.cost) == (query, 0.0)
    assert all(other.cost > 0 for other in others)


def test_the_branches_of_a_union_agree_on_the_label_of_the_returned_nodes() -> None:
    query = (
        "CALL { MATCH (n:Firm)-[:basedIn]->(c:Country) RETURN n UNION MATCH (n:Firm)-[:operatesIn]->(i:Industry) "
        "RETURN n } RETURN count(n)"
    )
    assert found(query, COMPANY)[0].text == query.replace("Firm", "Company")


def test_a_rewriting_with_another_label_at_the_end_of_a_pattern_is_doubtful() -> None:
    assert found("MATCH (n:Person)-[:basedIn]->(c:Country) RETURN n.name", COMPANY)[0].doubtful
