"""The product and its version, as a server's greeting names them."""

import pytest

from graphground.graphs.engines.dialects import dialect_of, version_of


@pytest.mark.parametrize(
    ("greeting", "product", "version"),
    [
        ("Neo4j/5.26.30", "neo4j", "5.26.30"),
        ("Neo4j/5.26.0 compatible (ArcadeDB 26.10.2)", "arcadedb", "26.10.2"),
        ("Memgraph/v3.2.1", "memgraph", "3.2.1"),
        ("Neo4j/v5.11.0 compatible graph database server - Memgraph", "memgraph", ""),
        ("Another/1.0", "neo4j", "1.0"),
        ("Another", "neo4j", ""),
    ],
)
def test_the_version_is_that_of_the_product_and_not_one_that_it_claims_compatibility_with(
    greeting: str, product: str, version: str
) -> None:
    assert dialect_of(greeting).name == product
    assert version_of(greeting) == version
