"""What the tools say about an unprepared Neo4j, whose values are all text: no fix does harm, and no claim is false."""

from __future__ import annotations

from collections.abc import Iterator

import neo4j
import pytest

from graphground.graphs.opening.open_graphs import OpenGraphs
from graphground.server.settings import Settings
from graphground.server.sources import graph_sources
from graphground.tools.execute_cypher import ExecuteCypherRequest, execute_cypher
from graphground.tools.tool import ToolFailure
from graphground.tools.validate_cypher import ValidateCypherRequest, validate_cypher
from tests.support.claims import Claims, mistaken
from tests.support.neo4j_server import Neo4jServer, seeded

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(300)]

DATA = (
    """UNWIND [['Chez Amandine', 'Lyon', 'France', '5000'], ['Fjordmat', 'Bergen', 'Norway', '900'],
               ['Casa Figueroa', 'Sevilla', 'Spain', '12000'], ['Old Mill Pantry', 'Bath', 'United Kingdom', '25000'],
               ['Kaffehuset Solsiden', 'Malmo', 'Sweden', '800'], ['Norrland Livs', 'Umea', 'Sweden', '12000']] AS row
       MERGE (k:Country {countryName: row[2]})
       CREATE (:Customer {companyName: row[0], city: row[1], creditLimit: row[3]})-[:LOCATED_IN]->(k)""",
    """UNWIND [['Kestrel Tools', ['Paring Knife', 'Copper Saucepan', 'Whisk']], ['Nordic Catch', ['Smoked Mackerel',
               'Cod Fillet']], ['Huilerie du Verdon', ['Verdon Olive Oil', 'Walnut Oil', 'Sherry Vinegar']]] AS row
       CREATE (v:Vendor {vendorName: row[0], rating: toString(size(row[0]) - 8)}) WITH v, row[1] AS names
       UNWIND range(0, size(names) - 1) AS i CREATE (v)-[:SUPPLIES]->(:Item {itemName: names[i],
         listPrice: ['4.50', '97.00', '110.50'][i], unitsInStock: ['104', '9', '39'][i],
         discontinued: ['true', 'false', 'false'][i]})""",
    """MATCH (c:Customer) WITH collect(c) AS customers MATCH (i:Item) WITH customers, collect(i) AS items
       UNWIND range(1, 60) AS n WITH n, customers[n % size(customers)] AS c, items[n % size(items)] AS i
       CREATE (c)-[:PURCHASED]->(:Order {orderID: toString(10247 + n), freight: toString(n * n * 0.25 + 3),
         shipped: ['yes', 'no'][n % 2], shippedDate: toString(date('2015-03-01') + duration({days: n * 9}))})
         -[:ORDERS {quantity: toString(n), unitPrice: i.listPrice}]->(i)""",
)
QUESTIONS = (
    (
        "MATCH (:Vendor {vendorName: 'Kestrel Tools'})-[:SUPPLIES]->(i:Item) RETURN i.itemName",
        "MATCH (v:Vendor {name: 'Kestrel Tools'})-[:SUPPLIES]->(i:Item) RETURN i.name",
    ),
    (
        "MATCH (v:Vendor)-[:SUPPLIES]->(:Item {itemName: 'Verdon Olive Oil'}) RETURN v.vendorName",
        "MATCH (i:Item {itemName: 'Verdon Olive Oil'})-[:SUPPLIES]->(v:Vendor) RETURN v.vendorName",
    ),
    (
        "MATCH (c:Customer)-[:LOCATED_IN]->(:Country {countryName: 'Sweden'}) RETURN c.companyName",
        "MATCH (c:Customer)-[:LOCATED_IN]->(k:Country) WHERE k.name = 'Sweden' RETURN c.companyName",
    ),
    (
        "MATCH (o:Order) WHERE toFloat(o.freight) > 500 RETURN count(o)",
        "MATCH (o:Order) WHERE o.freight > 500 RETURN count(o)",
    ),
    (
        "MATCH (o:Order) RETURN o.orderID ORDER BY toFloat(o.freight) LIMIT 1",
        "MATCH (o:Order) RETURN o.orderID ORDER BY o.freight LIMIT 1",
    ),
    ("MATCH (o:Order) RETURN sum(toFloat(o.freight))", "MATCH (o:Order) RETURN sum(o.freight)"),
    (
        "MATCH (o:Order)-[r:ORDERS]->(i:Item) RETURN i.itemName, sum(toFloat(r.unitPrice) * toInteger(r.quantity))",
        "MATCH (o:Order)-[r:ORDERS]->(i:Item) RETURN i.itemName, sum(r.unitPrice * r.quantity)",
    ),
    (
        "MATCH (i:Item) WHERE toInteger(i.unitsInStock) < 10 RETURN i.itemName",
        "MATCH (i:Item) WHERE i.unitsInStock < 10 RETURN i.itemName",
    ),
    (
        "MATCH (i:Item) WHERE i.discontinued = 'true' RETURN i.itemName",
        "MATCH (i:Item) WHERE i.discontinued = true RETURN i.itemName",
    ),
    (
        "MATCH (:Customer {companyName: 'Fjordmat'})-[:PURCHASED]->(o:Order) RETURN o.orderID",
        "MATCH (o:Order)-[:PURCHASED]->(:Customer {companyName: 'Fjordmat'}) RETURN o.orderID",
    ),
    (
        "MATCH (o:Order) WHERE date(o.shippedDate).year = 2015 RETURN count(o)",
        "MATCH (o:Order) WHERE o.shippedDate.year = 2015 RETURN count(o)",
        "MATCH (o:Order) WHERE o.shippedDate > date('2015-01-01') AND o.shippedDate < date('2016-01-01') RETURN count(o)",
    ),
    (
        "MATCH (v:Vendor) WHERE toInteger(v.rating) > 9 RETURN v.vendorName",
        "MATCH (v:Vendor) WHERE v.rating > 9 RETURN v.vendorName",
    ),
)
"""Gold queries, each with plausible but wrong attempts."""


@pytest.fixture(scope="module")
def server(neo4j_5: Neo4jServer) -> Neo4jServer:
    seeded(neo4j_5, *DATA)
    return neo4j_5


@pytest.fixture(scope="module")
def graphs(server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenGraphs]:
    home = str(tmp_path_factory.mktemp("home"))
    graphs = graph_sources(Settings(uri=server.uri, user=server.user, password=server.password, name="erp", home=home))
    yield graphs
    graphs.close()


@pytest.fixture(scope="module")
def driver(server: Neo4jServer) -> Iterator[neo4j.Driver]:
    with neo4j.GraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        yield driver


def rows(driver: neo4j.Driver, query: str) -> list[str]:
    """Return the rows of a query as a sorted list of texts; floats are rounded, since sums of them vary."""
    found = [
        [round(v, 6) if isinstance(v, float) else v for v in record] for record in driver.execute_query(query).records
    ]
    return sorted(map(repr, found))


def test_a_fix_has_the_rows_that_were_asked_for_and_a_right_query_is_left_as_it_is(
    graphs: OpenGraphs, driver: neo4j.Driver
) -> None:
    fixed = 0
    for gold, *attempts in QUESTIONS:
        wanted = rows(driver, gold)
        assert wanted not in ([], ["[0]"]), gold
        report = validate_cypher(graphs, ValidateCypherRequest(query=gold))
        assert report.suggested_query is None or rows(driver, report.suggested_query) == wanted, report
        assert [found for found in report.diagnostics if found.severity == "error"] == [], gold
        for attempt in attempts:
            suggested = validate_cypher(graphs, ValidateCypherRequest(query=attempt)).suggested_query
            fixed += suggested is not None
            assert suggested is None or rows(driver, suggested) == wanted, (attempt, suggested)
    assert fixed >= 9


def test_no_diagnostic_claims_what_is_not_so_in_the_data(graphs: OpenGraphs, driver: neo4j.Driver) -> None:
    claims = Claims()
    for gold, *attempts in QUESTIONS:
        for query in (gold, *attempts, *mistaken(gold)):
            for diagnostic in validate_cypher(graphs, ValidateCypherRequest(query=query)).diagnostics:
                claims.check(driver, query, diagnostic.message)
            try:
                answer = execute_cypher(graphs, ExecuteCypherRequest(query=query, limit=5))
            except ToolFailure:
                continue
            for diagnostic in answer.diagnostics:
                claims.check(driver, query, diagnostic.message)
    assert claims.checked > 50
    assert claims.false == []
