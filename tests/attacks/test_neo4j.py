"""The hand-written and generated attacks on a Neo4j with APOC, which is unrestricted and may read files."""

from collections.abc import Iterator

import neo4j
import pytest

from graphground.graphs.engines.bolt import BoltEngine
from graphground.graphs.graph import Graph
from tests.support.attacking import ALL, COUNTS, SECRET, Surroundings, attack, past_the_check, through_the_tool
from tests.support.embedded_films import SCHEMA
from tests.support.hostile_texts import HostileTexts
from tests.support.neo4j_server import Neo4jServer, seeded

GENERATED = 2_000


@pytest.fixture(scope="module")
def neo4j_graph(neo4j_5: Neo4jServer) -> Iterator[Graph]:
    seeded(
        neo4j_5,
        "CREATE (f:Film {name: 'Heat'})-[:directedBy]->(:Person {name: 'Michael Mann'})",
        "CREATE INDEX film_name FOR (f:Film) ON (f.name)",
    )
    engine = BoltEngine(neo4j_5.address)
    yield Graph("films", SCHEMA, engine=engine)
    engine.close()


def state_of(server: Neo4jServer) -> list[object]:
    """Return the state that an attack could have changed, read as administrator."""
    queries = (
        *COUNTS,
        "SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name",
        "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name",
        "SHOW USERS",
        "SHOW DATABASES YIELD name, currentStatus RETURN * ORDER BY name",
        "CALL db.labels() YIELD label RETURN label ORDER BY label",
        "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey ORDER BY propertyKey",
        "CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType ORDER BY relationshipType",
    )
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        return [[record.data() for record in driver.execute_query(query).records] for query in queries]


@pytest.mark.neo4j
def test_no_attack_has_an_effect_on_a_neo4j_with_unrestricted_apoc(
    neo4j_5: Neo4jServer, neo4j_graph: Graph, surroundings: Surroundings
) -> None:
    before = state_of(neo4j_5)
    assert attack(through_the_tool(neo4j_graph), surroundings, ALL) >= 200
    assert state_of(neo4j_5) == before


@pytest.mark.neo4j
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_no_generated_attack_has_an_effect_on_a_neo4j_with_unrestricted_apoc(
    neo4j_5: Neo4jServer, neo4j_graph: Graph, surroundings: Surroundings
) -> None:
    before, attempt, source = state_of(neo4j_5), through_the_tool(neo4j_graph), HostileTexts(7)
    for text in (source.attack() for _ in range(GENERATED)):
        if "\ud800" not in text:  # no request can contain a lone surrogate
            assert SECRET not in attempt(text, {"p": "1", "key": "x", "url": surroundings.secret.as_uri()}), text
    assert not surroundings.calls
    assert state_of(neo4j_5) == before


@pytest.mark.neo4j
def test_neo4j_refuses_the_writes_even_without_the_check(neo4j_5: Neo4jServer, surroundings: Surroundings) -> None:
    before = state_of(neo4j_5)[:4]
    with past_the_check(neo4j_5.address) as attempt:
        attack(attempt, surroundings, ("write",))
    assert state_of(neo4j_5)[:4] == before


@pytest.mark.neo4j
def test_an_unprotected_neo4j_can_read_files_and_open_addresses(
    neo4j_5: Neo4jServer, surroundings: Surroundings
) -> None:
    with past_the_check(neo4j_5.address) as attempt:
        assert SECRET in attempt(*surroundings.written("LOAD CSV FROM '{secret}' AS row RETURN row"))
        attempt(*surroundings.written("CALL apoc.load.json('{url}')"))
    assert surroundings.calls
